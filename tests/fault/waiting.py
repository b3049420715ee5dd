"""Waits for a condition, and names it if it did not come."""
import time

PATIENCE = 120


def await_true(what, condition, seconds=PATIENCE, pause=0.1):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not after {seconds} s")
        time.sleep(pause)
