"""tuning_report.py DIR: prints the results from the files that tests/bench/tuning left in DIR."""

import csv
import json
import math
import pathlib
import sys

TOLERANCE = 0.03  # or the spread between two times of the same kernel, if that is larger


def rows(path):
    with open(path, newline="") as file:
        return {shape_of(row) + candidate_of(row): row for row in csv.DictReader(file)}


def shape_of(row):
    return tuple(int(row[name]) for name in ("M", "N", "K"))


def candidate_of(row):
    return (row["kernelName"], row["splitK"])


def winners(path):
    return {shape_of(row): candidate_of(row) for row in rows(path).values()}


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def speedups_by_m(path):
    by_m = {}
    for shape in json.loads(path.read_text())["shapes"]:
        if "speedup" in shape:
            by_m.setdefault(int(shape["shape"]["M"]), []).append(shape["speedup"])
    return by_m


def main():
    work = pathlib.Path(sys.argv[1])
    best, found = winners(work / "exhaustive.csv"), winners(work / "two_phase.csv")
    first, second = rows(work / "pass1.csv"), rows(work / "pass2.csv")

    def us(shape, candidate):
        times = [float(it[shape + candidate]["us"]) for it in (first, second)]
        return min(times), abs(times[0] - times[1]) / min(times)

    good, losses = 0, []
    for shape in sorted(best):
        best_us, spread = us(shape, best[shape])
        found_us, found_spread = us(shape, found[shape])
        allowed = max(TOLERANCE, spread, found_spread)
        loss = found_us / best_us - 1
        losses.append(loss)
        good += loss <= allowed
        note = "same" if best[shape] == found[shape] else f"{loss:+.1%}, allowed {allowed:.1%}"
        print(f"  M {shape[0]:4} N {shape[1]:5} K {shape[2]:5}: {best_us:9.1f} us, {note}")
    seconds = {name: float((work / f"{name}.seconds").read_text()) for name in ("two_phase", "exhaustive")}
    print(
        f"two-phase: {good} of {len(best)} shapes ({good / len(best):.0%}; goal 90%) within max(3%, spread) "
        f"of the exhaustive best; worst {max(losses):+.1%}"
    )
    print(
        f"time: {seconds['two_phase']:.1f} s against {seconds['exhaustive']:.1f} s: "
        f"{seconds['two_phase'] / seconds['exhaustive']:.0%} (goal: at most 25%)"
    )
    by_m = speedups_by_m(work / "two_phase.json")
    for m in sorted(by_m):
        print(f"tuned against default, M {m:4}: geometric mean {mean(by_m[m]):.2f} of {len(by_m[m])}")
    everything = [it for values in by_m.values() for it in values]
    print(f"tuned against default: geometric mean {mean(everything):.2f} of {len(everything)}")


main()
