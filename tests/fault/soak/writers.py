"""Clients that write over plain HTTP and repeat each write until they get a final answer."""
import io
import json
import tarfile

import rows
from client import Client
from hub import FAMILY

CSV = {"Content-Type": "text/csv"}


class Writer(Client):
    """Sends batches of a few rows, and reads its rows after each batch."""

    PAUSE = 0.25

    def __init__(self, config):
        super().__init__(config)
        self.batches = {}  # by acknowledged batch: its rows
        self.lost = set()  # the lost ones of these batches; the thread that reads stdin adds to it

    def work(self):
        batch = self.name_of()
        # The row for keys[0] always wins, because its time is below all earlier times.
        keys = [1 + self.count % rows.KEYS] + self.random.sample(range(1, rows.KEYS + 1), 2)
        measured = rows.new_rows(self.random, batch, dict.fromkeys(keys))
        measured[0][1] = round(5 * 0.9999 ** self.count, 6)
        self.note("try", b=batch, space=self.space, rows=measured)
        said = self.insist_json((200,), "POST", f"/results/{FAMILY}", rows.csv(self.space, measured), CSV | {"Idempotency-Key": batch})
        if said is None:
            return
        self.note("ack", b=batch, pin=said.get("pin", ""))
        self.batches[batch] = measured
        if "pin" not in said:
            self.note("refused", what=f"batch {batch}", said="acknowledged, and won nothing, though nobody has a row as fast")
        elif self.settings.get("reads", True):
            self.read_back(said["pin"])

    def best(self):
        found = {}
        for batch, it in self.batches.items():
            if batch not in self.lost:
                found = rows.best_of(it, found)
        return found

    def read_back(self, pin):
        answer = self.ask("GET", rows.path_of(self.space, f"&min_revision={pin}"))
        if answer is None or answer[0] == 503:
            return
        status, headers, body = answer
        answered = headers["Tunehub-Pin"]
        if status == 200 and answered and rows.number_of(answered) < rows.number_of(pin):
            self.note("older", asked=pin, pin=answered)  # the answer's own header says so, so no client would accept it
            return
        found = {m: it for (_, m, _), it in rows.table_of(body).items()} if status == 200 else {}
        if status != 200 or found != self.best():
            self.note("stale", asked=pin, pin=answered, said=status, differ=differences(self.best(), found))

    def forget(self, lost):
        self.lost |= lost
        self.note("forgot", batches=sorted(it for it in lost if it.startswith(f"{self.name}.")))


def differences(expected, found):
    return [f"M={m}: {expected.get(m)} expected, {found.get(m)} served"
            for m in sorted(expected.keys() | found.keys()) if expected.get(m) != found.get(m)][:5]


class Importer(Client):
    """Imports the same tree repeatedly. Each time a few rows are new; sometimes a row is missing."""

    PAUSE = 0.6

    def __init__(self, config):
        super().__init__(config)
        self.tree = {}

    def work(self):
        batch = self.name_of()
        tree = dict(self.tree)
        for m, us, name in rows.new_rows(self.random, batch, self.random.sample(range(1, rows.KEYS + 1), 3)):
            tree[m] = (us, name)
        if len(tree) > 8 and self.random.random() < 0.3:
            del tree[self.random.choice(sorted(tree))]
        measured = [[m, us, name] for m, (us, name) in sorted(tree.items())]
        self.note("try", b=batch, space=self.space, rows=measured, source=self.name)
        said = self.insist_json((200,), "POST", f"/import?source={self.name}&allow_shrink=1", archive(rows.csv(self.space, measured)),
                                {"Content-Type": "application/gzip", "Idempotency-Key": batch})
        if said is None:
            return
        self.note("ack", b=batch, pin=said.get("pin", ""))
        self.tree = tree


def archive(text):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        entry = tarfile.TarInfo(f"{FAMILY}_tuned_gemm.csv")
        entry.size = len(text)
        tar.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


class Reverter(Client):
    """Sends runs and reverts every second run."""

    PAUSE = 0.6

    def work(self):
        batch = self.name_of()
        run = self.insist_json((200, 201), "POST", "/runs", json.dumps({"host": "soak", "note": batch}), {"Content-Type": "application/json"})
        if run is None:
            return
        measured = rows.new_rows(self.random, batch, self.random.sample(range(1, rows.KEYS + 1), 3))
        self.note("try", b=batch, space=self.space, rows=measured)
        said = self.insist_json((200,), "POST", f"/results/{FAMILY}?run={run['id']}", rows.csv(self.space, measured),
                                CSV | {"Idempotency-Key": batch})
        if said is None:
            return
        self.note("ack", b=batch, pin=said.get("pin", ""))
        if self.count % 2:
            return
        status, _, answer = self.insist("POST", f"/runs/{run['id']}/revert?allow_shrink=1")
        # already_reverted means that the first answer was lost.
        if status == 200 or json.loads(answer)["code"] == "already_reverted":
            self.note("reverted", b=batch)
        else:
            self.note("refused", what=f"revert of {run['id']}", said=f"{status} {answer[:300]!r}")
