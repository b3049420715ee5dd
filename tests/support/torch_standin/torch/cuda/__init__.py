import os

from torch.cuda import tunable


def is_available():
    return os.environ.get("STANDIN_MODE") != "no_gpu"


def get_device_name():
    return "AMD Instinct MI300X"


def synchronize():
    pass
