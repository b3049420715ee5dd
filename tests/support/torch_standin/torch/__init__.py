"""Stands in for PyTorch in tests of `tune --tuner tunableop`. It has the functions that the driver calls, and writes
lines and files of TunableOp as PyTorch 2.11 wrote them on an H200. It measures nothing."""
from torch import cuda

__version__ = "2.11.0+standin"
