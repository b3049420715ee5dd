"""A stand-in for PyTorch, for tests of `tune --tuner tunableop`: the functions that the driver calls,
and lines and files of TunableOp as PyTorch 2.11 wrote them on an H200. It times nothing."""
from torch import cuda

__version__ = "2.11.0+standin"
