"""Waits for a condition. Raises with the condition's name if it is not true in time."""
import time

PATIENCE = 120


def await_true(what, condition, seconds=PATIENCE, pause=0.1):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not after {seconds} s")
        time.sleep(pause)
