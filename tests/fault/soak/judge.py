"""Compares the books with the hub. Finds lost, doubled and wrong rows."""
import dataclasses
import hashlib
import subprocess
import urllib.parse

import rows
from hub import FAMILY, HEADER, TARGET

NAME = HEADER.split(",").index("kernelName") + 1
STORED = f"SELECT split_part(line, ',', {NAME}), count(*) FROM measurement WHERE line LIKE 'gfx942,304,%' GROUP BY 1"
SAMPLE = 30  # old pins that it requests each time


@dataclasses.dataclass
class Verdict:
    acknowledged: int = 0
    lost: list = dataclasses.field(default_factory=list)  # one sentence each
    doubled: list = dataclasses.field(default_factory=list)
    wrong: list = dataclasses.field(default_factory=list)

    def is_clean(self):
        return not (self.lost or self.doubled or self.wrong)

    def say(self):
        return f"acknowledged {self.acknowledged}, lost {len(self.lost)}, doubled {len(self.doubled)}, wrong {len(self.wrong)}"

    def lines(self):
        return [f"{kind}: {it}" for kind in ("lost", "doubled", "wrong") for it in getattr(self, kind)]


class Judge:
    """Judges one place. Reports each finding once."""

    def __init__(self, place, books):
        self.place, self.books = place, books
        self.told, self.asked = set(), set()

    def judge(self, verify=True, all_done=False):
        """`all_done`: also expects that all planned jobs are finished."""
        self.books.update()
        verdict = Verdict(len(self.books.acknowledged_rows()))
        stored = self.stored()
        missing = self.judge_stored(verdict, stored)
        self.judge_unknown(verdict, stored)
        self.judge_served(verdict, missing)
        self.judge_numbers(verdict)
        self.judge_jobs(verdict, all_done)
        self.judge_clients(verdict)
        self.judge_pins(verdict)
        if verify:
            self.judge_whole(verdict)
        return self.only_new(verdict)

    def judge_alone(self, what):
        verdict = Verdict()
        getattr(self, what)(verdict)
        return verdict

    def only_new(self, verdict):
        for kind in ("lost", "doubled", "wrong"):
            fresh = [it for it in getattr(verdict, kind) if (kind, it) not in self.told]
            self.told.update((kind, it) for it in fresh)
            setattr(verdict, kind, fresh)
        return verdict

    def stored(self):
        lines = self.place.sql(STORED).splitlines()
        return {name: int(count) for name, count in (it.rsplit("|", 1) for it in lines)}

    def judge_stored(self, verdict, stored):
        """Expects each row exactly once. Returns the names of missing rows."""
        missing, twice = set(), set()
        for batch in self.books.batches.values():
            if not batch.counts():
                continue
            for name in {name for _, _, name in batch.rows} - missing:
                if stored.get(name, 0) == 0:
                    missing.add(name)
                    verdict.lost.append(f"{name} of batch {batch.name}, {batch.state} under {batch.pin or 'no pin'}, is not stored")
                elif stored[name] > 1 and name not in twice:
                    twice.add(name)
                    verdict.doubled.append(f"{name} of batch {batch.name} is stored {stored[name]} times")
        return missing

    def judge_unknown(self, verdict, stored):
        """A batch without an answer is stored completely or not at all. If it is stored, it stays."""
        known = set()
        for batch in self.books.batches.values():
            names = [name for _, _, name in batch.rows]
            known.update(names)
            if batch.lost:
                verdict.wrong += [f"{name} was lost with {batch.pin}, and is there" for name in names if name in stored]
            elif batch.state == "" and not batch.source:
                there = [name for name in names if name in stored]
                if 0 < len(there) < len(names):
                    verdict.wrong.append(f"batch {batch.name}: {len(there)} of {len(names)} rows are there")
                if len(there) == len(names):
                    batch.state = "found"
        verdict.wrong += [f"{name} is stored, and nobody has sent it" for name in stored.keys() - known]

    def judge_served(self, verdict, missing):
        best = self.books.best()
        for server in self.place.plain_servers():
            status, headers, body = server.hub().ask("GET", f"/tuned/{FAMILY}?{TARGET}&cu_num=304&allow_empty=1")
            if status != 200 or headers["Warning"]:
                verdict.wrong.append(f"{server.name} answers {status} {headers['Warning'] or ''} where all is well")
                continue
            served = rows.table_of(body)
            for key in best.keys() | served.keys():
                expected, found = best.get(key), served.get(key)
                if expected != found and (expected is None or expected[1] not in missing):
                    verdict.wrong.append(f"{server.name}, N, M, K = {key}: {expected} is the best of the ledger, {found} is served")

    def judge_numbers(self, verdict):
        gaps = self.place.sql("SELECT coalesce(max(number), 0) - count(*) FROM revision WHERE number > 0")
        if gaps != "0":
            verdict.wrong.append(f"{gaps} numbers of revisions are missing")

    def judge_jobs(self, verdict, all_done):
        states = dict(it.split("|") for it in self.place.sql("SELECT id, state FROM job WHERE campaign IS NOT NULL").splitlines())
        for job, epochs in self.books.done.items():
            if len(epochs) > 1:
                verdict.doubled.append(f"job {job} was finished under the leases {sorted(epochs)}")
            if states.get(str(job)) != "done":
                verdict.lost.append(f"job {job} was finished, and is {states.get(str(job), 'not there')}")
        for job, campaign in self.books.planned.items():
            state = states.get(str(job))
            if state is None or all_done and state != "done":
                verdict.lost.append(f"job {job} of {campaign} is {state or 'not there'}")
        twice = self.place.sql("SELECT campaign FROM job WHERE campaign IS NOT NULL GROUP BY 1 HAVING count(*) > 1")
        verdict.doubled += [f"{it} is more than one job" for it in twice.split()]

    def judge_clients(self, verdict):
        for it in self.books.seen["stale"]:
            verdict.wrong.append(f"{it['by']} asked for {it['asked']}, was answered {it['said']} at {it['pin']}: {it['differ']}")
        for it in self.books.seen["refused"]:
            verdict.wrong.append(f"{it['by']}: {it['what']}: {it['said']}")
        # Only the proxy sends answers whose own headers state that they are older than requested. The proxy counts
        # them.
        older, lies = len(self.books.seen["older"]), self.place.told_old()
        if older > lies:
            verdict.wrong.append(f"{older} answers were older than was asked for; the proxy told {lies}")
        for it in self.books.seen["gone"]:
            if not self.was_lost(it["pin"]):
                verdict.wrong.append(f"{it['by']} was told that {it['pin']} is gone, and it was not lost")
        verdict.wrong += self.place.refused_batches()

    def was_lost(self, pin):
        return any(rows.number_of(pin) > head for head in self.place.losses)

    def judge_pins(self, verdict):
        """Requests the new pins and some old ones."""
        pins = {it.pin: it.lost for it in self.books.acknowledged() if it.pin}
        fresh = [it for it in pins if it not in self.asked]
        again = self.place.random.sample(sorted(self.asked & pins.keys()), min(SAMPLE, len(self.asked & pins.keys())))
        hub = self.place.plain_servers()[0].hub()
        for pin in fresh[-200:] + again:
            if hub.pin_lives(pin) == pins[pin]:
                verdict.wrong.append(f"pin {pin} {'lives, though its commit was lost' if pins[pin] else 'is gone'}")
        self.asked.update(pins)
        for it in self.books.seen["pulled"]:
            if not it.get("judged"):
                it["judged"] = True
                self.judge_pull(verdict, hub, it)

    def judge_pull(self, verdict, hub, pulled):
        if pulled["file"] != pulled["sha256"]:
            verdict.wrong.append(f"{pulled['by']}: the file is not what its lock says at {pulled['pin']}")
        query = pulled["query"] + "&" if pulled["query"] else ""
        status, _, body = hub.ask("GET", f"/tuned/{FAMILY}?{query}revision={urllib.parse.quote(pulled['pin'])}")
        if status == 410 and self.was_lost(pulled["pin"]):
            return
        if status != 200 or hashlib.sha256(body).hexdigest() != pulled["sha256"]:
            verdict.wrong.append(f"{pulled['by']} has another table at {pulled['pin']} than the hub, which answers {status}")

    def judge_whole(self, verdict):
        done = subprocess.run(self.place.program("verify", "--database", self.place.database.address()), capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            verdict.wrong.append(f"verify: {done.stdout.strip()[:600]}{done.stderr.strip()[:300]}")
