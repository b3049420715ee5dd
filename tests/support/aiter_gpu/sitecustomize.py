"""Simulates a GPU and compiled kernels for AITER's own Python, on a machine that has neither.

Python imports this module at its start if PYTHONPATH contains this folder. AITER's scripts run
unmodified: they see an MI300X, while tensors are in the host's memory. This module replaces Triton and the
modules that AITER compiles (module_*). aiter_kernels.py has the kernels that the tests need. PyTorch's
profiler reports the times that these kernels state.
"""
import importlib.abc
import importlib.machinery
import sys
import types
import typing
from unittest import mock

from aiter_kernels import launched, op

class Module(types.ModuleType):
    __file__, __version__ = "stand-in", "3.6.0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return op(name) if self.__name__.startswith("module_") else mock.MagicMock()


class Profile:
    def __init__(self, **options): pass

    def __enter__(self):
        launched.clear()
        return self

    def __exit__(self, *error): pass

    def events(self):
        return [types.SimpleNamespace(name=name, self_cpu_time_total=0, self_device_time_total=us,
                                      device_type="DeviceType.CUDA", device_index=0) for name, us in launched]


def on_host(function):
    def host(it):
        return "cpu" if str(it).startswith("cuda") else it  # a name, or a torch.device
    return lambda *args, **kwargs: function(*[it if index == 0 and hasattr(it, "dtype") else host(it)
                                              for index, it in enumerate(args)],
                                            **{key: host(it) for key, it in kwargs.items()})


def add_gpu(torch):
    for name in "empty zeros ones full rand randn randint arange tensor empty_like zeros_like".split():
        setattr(torch, name, on_host(getattr(torch, name)))
    ones = torch.ones  # replaced, because gradlib's warm-up buffer would take minutes on the host
    torch.ones = lambda *size, **options: ones(*((1,) if size == (1 << 27,) else size), **options)
    torch.Tensor.to = on_host(torch.Tensor.to)
    torch.set_default_device = lambda device: None
    answers = {"is_available": True, "device_count": 1, "mem_get_info": (0, 0), "memory_stats": {},
               "get_device_properties": types.SimpleNamespace(gcnArchName="gfx942", multi_processor_count=304)}
    answers.update(dict.fromkeys(("current_device", "memory_reserved"), 0))
    answers.update(dict.fromkeys(("set_device", "synchronize", "empty_cache", "reset_peak_memory_stats")))
    for name, answer in answers.items():
        setattr(torch.cuda, name, lambda *args, answer=answer: answer)
    infer = torch.library.infer_schema

    def schema(function, **options):  # PyTorch 2.6 does not support list[int]
        for name, kind in function.__annotations__.items():
            if typing.get_origin(kind) is list:
                function.__annotations__[name] = typing.List[kind.__args__]
        return infer(function, **options)
    torch.library.infer_schema = schema


def add_kernels(core):
    import torch
    core.build_module = lambda *args, **kwargs: None
    core._ctypes_call = lambda function, name, module: op(name)
    core._pybind_develop_hooks = lambda: (lambda it: it, torch.Tensor, lambda device: 0, lambda: 0)


AFTER = {"torch": add_gpu, "torch.profiler": lambda it: setattr(it, "profile", Profile), "aiter.jit.core": add_kernels}


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        spec = importlib.machinery.PathFinder.find_spec(name, path) if name in AFTER else None
        if spec is not None:
            run = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (run(module), AFTER[name](module))
        elif name.startswith("module_") or name.partition(".")[0] == "triton":
            spec = importlib.machinery.ModuleSpec(name, self, is_package=True)
        return spec

    def create_module(self, spec):
        return Module(spec.name)

    def exec_module(self, module): pass


sys.meta_path.insert(0, Finder())
