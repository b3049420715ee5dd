"""The fault table, as text and as JSON."""
import dataclasses
import json


@dataclasses.dataclass
class Line:
    about: str
    faults: int = 0
    skipped: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: int = 0


class Report:
    def __init__(self, seed, kinds, machine):
        self.seed, self.machine = seed, machine
        self.lines = {it.name: Line(it.about) for it in kinds}
        self.totals = {"faults": 0, "skipped": 0, "groups": 0, "acknowledged": 0, "lost on purpose": 0, "lost": 0, "doubled": 0, "wrong": 0}
        self.tries, self.unanswered = 0, 0  # of clients
        self.broken, self.found, self.seconds = [], [], 0.0

    def skip(self, fault):
        self.lines[fault.kind.name].skipped += 1
        self.totals["skipped"] += 1

    def add(self, group, verdict):
        self.totals["groups"] += 1
        for fault in group:
            self.lines[fault.kind.name].faults += 1
            self.totals["faults"] += 1
        self.count(verdict, group)

    def count(self, verdict, group=()):
        """A finding after a group of faults counts for each kind in the group."""
        self.totals["acknowledged"] = verdict.acknowledged
        for what in ("lost", "doubled", "wrong"):
            found = len(getattr(verdict, what))
            self.totals[what] += found
            for name in {it.kind.name for it in group}:
                line = self.lines[name]
                setattr(line, what, getattr(line, what) + found)
        self.found += [f"{', '.join(str(it.number) for it in group) or 'the end'}: {it}" for it in verdict.lines()]

    def is_clean(self):
        return not (self.totals["lost"] or self.totals["doubled"] or self.totals["wrong"] or self.broken)

    def table(self):
        rows = ["| kind | what happens | faults | lost | doubled | wrong |", "|---|---|---:|---:|---:|---:|"]
        for name, it in self.lines.items():
            count = f"{it.faults}" if not it.skipped else f"{it.faults}, skipped {it.skipped}"
            rows.append(f"| {name} | {it.about} | {count} | {it.lost} | {it.doubled} | {it.wrong} |")
        sums = self.totals
        about = (f"in {sums['groups']} groups, {self.seconds:.0f} s; seed {self.seed}; {sums['acknowledged']} rows acknowledged, of which "
                 f"{sums['lost on purpose']} lost on purpose; {self.tries} requests of clients, {self.unanswered} without an answer of tunehub's own")
        rows.append(f"| **all** | {about} | {sums['faults']} | {sums['lost']} | {sums['doubled']} | {sums['wrong']} |")
        return "\n".join(rows)

    def json(self):
        totals = self.totals | {"requests": self.tries, "unanswered": self.unanswered}
        return json.dumps({"seed": self.seed, "machine": self.machine, "seconds": round(self.seconds, 1), "totals": totals,
                           "kinds": {name: dataclasses.asdict(it) for name, it in self.lines.items()}, "found": self.found, "broken": self.broken}, indent=1)
