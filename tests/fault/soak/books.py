"""The ledgers of all clients, read while they grow."""
import collections
import dataclasses
import json
import pathlib
import threading

import rows

PROMISED, ACKNOWLEDGED = "promised", "acknowledged"


@dataclasses.dataclass
class Batch:
    name: str
    space: int
    inner: int
    rows: list
    source: str
    asked: float
    state: str = ""  # "": its fate is unknown
    pin: str = ""
    at: float = 0.0
    lost: bool = False
    reverted: bool = False

    def counts(self):
        return self.state != "" and not self.lost

    def keys(self):
        return {(self.space, m, self.inner): (us, name) for m, us, name in self.rows}


class Books:
    def __init__(self, folder):
        self.folder, self.read = pathlib.Path(folder), collections.Counter()
        self.batches, self.planned, self.done = {}, {}, collections.defaultdict(set)
        self.seen = collections.defaultdict(list)  # other lines, by kind
        self._lock = threading.Lock()

    def update(self):
        with self._lock:
            self._read_on()
        return self

    def _read_on(self):
        for path in sorted(self.folder.glob("*.ledger")):
            with open(path, "rb") as file:
                file.seek(self.read[path])
                for line in file:
                    if not line.endswith(b"\n"):
                        break  # the line is not complete yet
                    self.read[path] += len(line)
                    self.enter(json.loads(line))

    def enter(self, it):
        kind = it["k"]
        if kind == "try":
            self.batches[it["b"]] = Batch(it["b"], it["space"], it.get("inner", rows.K), it["rows"], it.get("source", ""), it["t"])
        elif kind == "promise":
            self.batches[it["b"]].state = self.batches[it["b"]].state or PROMISED
        elif kind == "ack":
            batch = self.batches[it["b"]]
            batch.state, batch.pin, batch.at = ACKNOWLEDGED, it["pin"], it["t"]
        elif kind == "reverted":
            self.batches[it["b"]].reverted = True
        elif kind == "planned":
            self.planned[it["job"]] = it["campaign"]
        elif kind == "done":
            self.done[it["job"]].add(it["epoch"])
        else:
            self.seen[kind].append(it)

    def lose(self, head, until):
        """Marks batches as lost whose acknowledgement has a higher revision and came before `until`. Returns their
        names."""
        lost = [it for it in self.acknowledged() if it.pin and not it.lost and it.at < until and rows.number_of(it.pin) > head]
        for it in lost:
            it.lost = True
        return [it.name for it in lost]

    def acknowledged(self):
        return [it for it in self.batches.values() if it.state == ACKNOWLEDGED]

    def acknowledged_rows(self):
        """Names of the acknowledged rows. For an import: only the rows that the import added."""
        return {name for it in self.batches.values() if it.state == ACKNOWLEDGED for _, _, name in it.rows}

    def best(self):
        """By shape key, the (us, name) that each server must serve. Of each source only the last import counts."""
        best, trees = {}, {}
        for it in self.batches.values():
            if it.source and it.counts():
                trees[it.source] = it
        for it in self.batches.values():
            if it.counts() and not it.reverted and (not it.source or trees[it.source] is it):
                for key, row in it.keys().items():
                    best[key] = min(best.get(key, row), row)
        return best
