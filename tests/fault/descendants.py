"""Finds a process and its descendants in /proc."""
import contextlib
import glob
import pathlib


def with_descendants(*pids):
    """`pids` and their descendants. A process may end meanwhile: glob.glob skips it, but Path.glob would raise."""
    found = list(pids)
    for it in found:
        for task in glob.glob(f"/proc/{it}/task/*/children"):
            with contextlib.suppress(OSError):
                found += [int(child) for child in pathlib.Path(task).read_text().split() if int(child) not in found]
    return found
