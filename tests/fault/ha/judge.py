"""Compares the ledger with the servers and the database. Finds lost, doubled and wrong rows, and pins not served."""
import dataclasses

from hub import HEADER, Hub
from members import BASE
from waiting import await_true


@dataclasses.dataclass
class Verdict:
    rows: int
    pins: int
    lost: list = dataclasses.field(default_factory=list)  # entries that are lost according to pins or rows
    faults: list = dataclasses.field(default_factory=list)  # sentences

    def say(self):
        doubled = sum("doubled" in it for it in self.faults)
        wrong = len(self.faults) - doubled
        return f"acknowledged {self.rows} rows in {self.pins} commits: lost {len(self.lost)} commits, doubled {doubled}, wrong {wrong}"


def servers():
    return {f"server{number}": Hub(BASE + number) for number in (1, 2)}


def same_everywhere(hubs):
    return len({str(it.table()) for it in hubs.values()}) == 1


def judge(set_, ledger):
    """Compares all acknowledgements of the whole ledger with both servers and the database."""
    hubs = servers()
    await_true("both servers ready", lambda: all(it.ask("GET", "/readyz")[0] == 200 for it in hubs.values()), 60)
    await_true("the same table on both servers", lambda: same_everywhere(hubs), 30)
    acknowledged = ledger.acknowledged()
    verdict = Verdict(sum(len(it.rows) for it in acknowledged), len(acknowledged))
    table = hubs["server1"].table()
    stored = stored_rows(set_)
    for entry in acknowledged:
        there = [name for name in entry.rows if name in table]
        dead = [name for name, hub in hubs.items() if not hub.pin_lives(entry.pin)]
        judge_entry(verdict, entry, table, stored, there, dead)
    judge_revisions(verdict, set_)
    return verdict


def judge_entry(verdict, entry, table, stored, there, dead):
    if not there and len(dead) == 2:
        verdict.lost.append(entry)
        return
    if len(there) != len(entry.rows):
        verdict.faults.append(f"batch {entry.batch}: {len(there)} of {len(entry.rows)} rows are there")
    if dead:
        verdict.faults.append(f"batch {entry.batch} is there, but its pin {entry.pin} is dead on {dead}")
    for name in there:
        if table[name] != entry.rows[name]:
            verdict.faults.append(f"{name}: acknowledged {entry.rows[name]}, served {table[name]}")
        if stored.get(name) != 1:
            verdict.faults.append(f"{name}: doubled: stored {stored.get(name)} times")


def stored_rows(set_):
    """The number of measurements of each of the load's kernels."""
    lines = set_.sql(f"SELECT split_part(line, ',', {HEADER.split(',').index('kernelName') + 1}), count(*) FROM measurement GROUP BY 1")
    return {name: int(count) for name, count in (it.split("|") for it in lines.splitlines())}


def judge_revisions(verdict, set_):
    gaps = set_.sql("SELECT coalesce(max(number), 0) - count(*) FROM revision WHERE number > 0")
    if gaps != "0":
        verdict.faults.append(f"{gaps} numbers of revisions are missing")
