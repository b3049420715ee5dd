"""aa_report.py DIR [FIRST]: prints the table of the runs that tests/bench/aa left in DIR: how a candidate's times
differ between runs. FIRST: the runs of another machine, to compare the first run with."""

import csv
import json
import math
import pathlib
import statistics
import sys

RATIO, SLACK, IGNORED = 1.005, 0.5, 4  # as in AITER's comparison: core/analysis/statistics.h
FULL = 5  # samples of a finalist, unless it left earlier; a candidate in the screening only has three


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def slower(base, head):
    return base >= IGNORED and head > RATIO * base + SLACK


def number(row, name):
    return int(row.get(name) or 0)


class Run:
    """One tuning of one family: rows by shape and candidate, and the winners."""

    def __init__(self, folder):
        self.rows, self.winners = {}, {}
        self.seconds = float((folder / "seconds").read_text())
        for path in folder.rglob("*.batch"):
            text = path.read_text(errors="replace")
            for row in json.loads(text[text.index('{"rows"'):])["rows"]:
                self.rows.setdefault(shape_of(row), {})[candidate_of(row)] = row
        if (folder / "rows.csv").exists():
            with open(folder / "rows.csv", newline="") as file:
                self.winners = {shape_of(row): candidate_of(row) for row in csv.DictReader(file)}

    def us(self, shape, candidate):
        row = self.rows.get(shape, {}).get(candidate, {})
        good = row.get("status") == "ok" and len(row.get("samples", ())) >= FULL
        return statistics.median(row["samples"]) if good else None

    def reference(self, shape, candidate):
        return self.rows[shape][candidate].get("us_reference")

    def best(self, shape):
        """The tuner's choice if it knew no row: the smallest split of K of those within 1 %, then the fastest."""
        times = {it: us for it in self.rows.get(shape, {}) if (us := self.us(shape, it))}
        near = [it for it in times if times[it] <= min(times.values()) * 1.01]
        return min(near, key=lambda it: (int(it[1]), times[it])) if near else None

    def clock(self):
        kinds = {}
        for rows in self.rows.values():
            for row in rows.values():
                if "clock" in row:
                    kinds[row["clock"]] = kinds.get(row["clock"], 0) + 1
        return ", ".join(f"{kinds[it]} {it}" for it in sorted(kinds))


def shape_of(row):
    return tuple(number(row, name) for name in ("M", "N", "K"))


def candidate_of(row):
    return row["kernelName"], str(number(row, "splitK"))


def compare(name, base, head):
    shapes = [it for it in sorted(base.winners) if base.us(it, base.winners[it]) and head.us(it, base.winners[it])]
    times = [(base.us(it, base.winners[it]), head.us(it, base.winners[it])) for it in shapes]
    ratios = [b / a for a, b in times]
    by_reference = [
        b / head.reference(it, base.winners[it]) / (a / base.reference(it, base.winners[it]))
        for it, (a, b) in zip(shapes, times)
        if base.reference(it, base.winners[it]) and head.reference(it, base.winners[it])
    ]
    both = sorted(
        head.us(it, each) / base.us(it, each)
        for it in base.rows
        for each in base.rows[it]
        if base.us(it, each) and head.us(it, each)
    )
    tail = f"{both[len(both) // 100]:.3f} {both[len(both) - 1 - len(both) // 100]:.3f}" if both else "-"
    long = [(a, b) for a, b in times if a > 40]
    by_m = " ".join(
        f"{mean([r for it, r in zip(shapes, ratios) if it[0] == m]):.3f}" for m in sorted({it[0] for it in shapes})
    )
    print(
        f"| {name} | {len(shapes)} | {mean(ratios):.4f} | {mean(by_reference):.4f} | {by_m} | {tail} | "
        f"{sum(slower(a, b) for a, b in times)} | {sum(slower(a, b) for a, b in long)} of {len(long)} | "
        f"{sum(head.winners.get(it) == base.winners[it] for it in shapes)} | "
        f"{sum(head.best(it) == base.best(it) for it in shapes)} |"
    )


def within(base, head):
    """The number of shapes whose winner in the base is within 2 % of the head's fastest, by the head's times."""
    good = total = 0
    for shape in base.winners:
        times = [us for it in head.rows.get(shape, {}) if (us := head.us(shape, it))]
        own = head.us(shape, base.winners[shape])
        total += 1
        good += bool(own and own <= 1.02 * min(times))
    return good, total


def main():
    kept = pathlib.Path(sys.argv[1])
    for family in sorted({it.name for it in kept.glob("*/*")}):
        runs = {it.name: Run(it / family) for it in kept.iterdir() if (it / family).exists()}
        print(f"\n{family}\n")
        print("| runs | shapes | mean | by reference | by M | candidates, 1st and 99th percentile | slower | slower, of those above 40 us | row kept | chosen alike |")
        print("|---|---|---|---|---|---|---|---|---|---|")
        if len(sys.argv) > 2:
            first = Run(pathlib.Path(sys.argv[2]) / "cool" / family)
            for name in runs.keys() - {"old"}:
                compare(f"another machine's cool, {name}", first, runs[name])
        if "cool" in runs:
            for name in ("hot", "exhaustive", "again", "slowed"):
                if name in runs:
                    compare(f"cool, {name}", runs["cool"], runs[name])
        if "again" in runs and "hot" in runs:
            compare("hot, again", runs["hot"], runs["again"])
        print()
        if {"cool", "exhaustive"} <= runs.keys():
            good, total = within(runs["cool"], runs["exhaustive"])
            share = runs["cool"].seconds / runs["exhaustive"].seconds
            print(f"two-phase: {good} of {total} shapes within 2 % of the exhaustive best, in {share:.0%} of its time")
        for name, run in runs.items():
            print(f"{name}: {run.seconds} s; clocks: {run.clock() or 'not said'}")


main()
