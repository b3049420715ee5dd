"""A stand-in for PyTorch, for tests of `tune --tuner tunableop`: what its driver asks of it, and the
lines and files of TunableOp as PyTorch 2.11 has written them on an H200. It times nothing."""
from torch import cuda

__version__ = "2.11.0+standin"
