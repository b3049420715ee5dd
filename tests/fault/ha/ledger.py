"""Records requests to the hub and its answers, line by line, in a file that the hub does not know."""
import dataclasses
import json
import threading
import time

STARTED = time.monotonic()


def now():
    return time.monotonic() - STARTED


@dataclasses.dataclass
class Entry:
    at: float  # when the request began
    ms: float  # until the answer or the error
    kind: str  # write, read
    said: str  # the status, or the error
    batch: int = 0
    pin: str = ""
    rows: dict = dataclasses.field(default_factory=dict)  # us by kernel name
    stale: bool = False
    what: str = ""

    @property
    def end(self):
        return self.at + self.ms / 1000


class Ledger:
    def __init__(self, path):
        self._file = open(path, "w", encoding="utf-8")
        self._lock = threading.Lock()
        self.entries = []

    def note(self, entry):
        with self._lock:
            self.entries.append(entry)
            self._file.write(json.dumps(dataclasses.asdict(entry)) + "\n")
            self._file.flush()

    def of(self, kind, since=0.0):
        with self._lock:
            return [it for it in self.entries if it.kind == kind and it.at >= since]

    def acknowledged(self, since=0.0):
        return [it for it in self.of("write", since) if it.said == "200"]
