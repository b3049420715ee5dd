"""Writers that repeat a batch until the hub acknowledges it, and readers that expect an answer. Each has a thread."""
import itertools
import json
import random
import threading
import time

from hub import FAMILY, HEADER, TARGET, Hub
from ledger import Entry, now

ROWS = 5  # per batch
PAUSE = 0.04  # seconds between two requests of a thread
AGAIN = {429, 500, 502, 503, 504}  # an agent retries after these
numbers = itertools.count(1)  # of batches, so that no two rows share a shape key


class Worker(threading.Thread):
    def __init__(self, ledger, port, key=""):
        super().__init__(daemon=True)
        self.ledger, self.hub = ledger, Hub(port, key)
        self.stopped = threading.Event()
        self.wrong = []

    def run(self):
        while not self.stopped.is_set():
            self.work()
            time.sleep(PAUSE)

    def ask(self, entry, method, path, body=None, headers=()):
        """Records the answer in the ledger and returns it; None if no answer came."""
        begin = time.monotonic()
        try:
            status, answered, body = self.hub.ask(method, path, body, headers)
            entry.said = str(status)
            entry.stale = "110" in (answered["Warning"] or "")
        except OSError as error:
            status, body = None, b""
            entry.said = str(error)
        entry.ms = (time.monotonic() - begin) * 1000
        return status, body


class Writer(Worker):
    def work(self):
        batch = next(numbers)
        rows = {f"b{batch}r{row}": round(random.uniform(5, 50), 4) for row in range(ROWS)}
        lines = [f"gfx942,304,{batch},{row + 1},128,ck,1,0,{us},{name},0,0,0.0" for row, (name, us) in enumerate(rows.items())]
        body = "\n".join([HEADER, *lines, ""])
        # Repeats the batch until the hub acknowledges it, so that every batch's fate is known at the end.
        while True:
            entry = Entry(now(), 0, "write", "", batch, rows=rows)
            headers = {"Idempotency-Key": f"batch-{batch}", "Content-Type": "text/csv"}
            status, said = self.ask(entry, "POST", f"/results/{FAMILY}", body, headers)
            if status == 200:
                entry.pin = json.loads(said)["pin"]
            self.ledger.note(entry)
            if status == 200:
                return
            if status is not None and status not in AGAIN:
                self.wrong.append(f"batch {batch}: {status} {said[:300]!r}")
                return
            time.sleep(0.1)


class Reader(Worker):
    paths = itertools.cycle([f"/tuned/{FAMILY}?{TARGET}&M=1", "/tuned", f"/tuned/{FAMILY}?{TARGET}", f"/lookup/{FAMILY}?{TARGET}&cu_num=304&M=1&N=1&K=128"])

    def work(self):
        path = next(self.paths)
        entry = Entry(now(), 0, "read", "", what=path)
        self.ask(entry, "GET", path)
        self.ledger.note(entry)


class Load:
    """While this block runs, writers and readers send requests."""

    def __init__(self, ledger, port, key, writers=2, readers=3):
        self.workers = [Writer(ledger, port, key) for _ in range(writers)] + [Reader(ledger, port) for _ in range(readers)]
        self.ledger = ledger

    def __enter__(self):
        for worker in self.workers:
            worker.start()
        return self

    def __exit__(self, *_):
        for worker in self.workers:
            worker.stopped.set()
        for worker in self.workers:
            worker.join(120)

    def wrong(self):
        alive = [f"a {type(it).__name__} did not end" for it in self.workers if it.is_alive()]
        return alive + [line for it in self.workers for line in it.wrong]
