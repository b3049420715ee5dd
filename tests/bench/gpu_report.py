"""gpu_report.py OURS... -- TORCH...: summarizes the tables of gpu-bench (OURS) and gpu_torch.py (TORCH). By family and
M it prints two geometric means, each with its goal: cuBLASLt's time over tunehub's, and the default's time over the
best."""
import csv
import math
import sys

# By family and dtype: each goal's rows of M, in words and as a test, and its minimum geometric mean.
EVERY_M = ("all M", lambda m: True)
LARGE_M = ("M >= 1024", lambda m: m >= 1024)
SMALL_M = ("M <= 256", lambda m: m <= 256)
GOALS = {
    ("a8w8_blockscale", "e4m3"): [(LARGE_M, 0.8), (SMALL_M, 0.7)],
    ("a8w8", "e4m3"): [(EVERY_M, 0.75)],
    ("bf16", "bf16"): [(EVERY_M, 0.75)],
}
TUNED_GOAL = 1.6
LARGE_GAIN = 2.0


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def rows_of(paths):
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            yield from csv.DictReader(file)


def shape_of(row):
    return (row["family"], row["dtype"]), (int(row["M"]), int(row["N"]), int(row["K"]))


def read_ours(paths):
    """By family and shape: the times of "best" and "default". Also the number of candidates that failed."""
    times, failed = {}, {}
    for row in rows_of(paths):
        family, shape = shape_of(row)
        if row["what"] == "failed":
            failed[family] = failed.get(family, 0) + 1
        elif row["what"] in ("best", "default") and float(row["us"]) > 0:
            times.setdefault(family, {}).setdefault(shape, {})[row["what"]] = float(row["us"])
    return times, failed


def read_theirs(paths):
    times = {}
    for row in rows_of(paths):
        if float(row["us"]) > 0:
            family, shape = shape_of(row)
            times.setdefault(family, {})[shape] = float(row["us"])
    return times


def mean_text(values):
    return f"{geometric_mean(values):.2f} ({min(values):.2f})" if values else "-"


def verdict(what, values, goal):
    if not values:
        return f"  {what}: nothing was measured, goal {goal:g}"
    mean = geometric_mean(values)
    return f"  {what}: {mean:.2f}, goal {goal:g}: {'reached' if mean >= goal else 'MISSED'}"


def report(family, ours, theirs, failed):
    over_theirs = {shape: theirs[shape] / it["best"] for shape, it in ours.items()
                   if "best" in it and shape in theirs}
    over_default = {shape: it["default"] / it["best"] for shape, it in ours.items()
                    if "best" in it and "default" in it}
    print(f"{family[0]} {family[1]}: geometric means, the worst shape in brackets")
    print(f"  {'M':>6}  {'shapes':>6}  {'cuBLASLt over ours':>18}  {'default over best':>17}")
    for m in sorted({shape[0] for shape in ours}):
        of_m = [shape for shape in ours if shape[0] == m]
        print(f"  {m:>6}  {len(of_m):>6}  "
              f"{mean_text([over_theirs[s] for s in of_m if s in over_theirs]):>18}  "
              f"{mean_text([over_default[s] for s in of_m if s in over_default]):>17}")
    for (what, chosen), goal in GOALS.get(family, []):
        print(verdict(f"cuBLASLt over ours, {what}",
                      [it for shape, it in over_theirs.items() if chosen(shape[0])], goal))
    gains = list(over_default.values())
    print(verdict("default over best", gains, TUNED_GOAL))
    if gains:
        share = sum(gain > LARGE_GAIN for gain in gains) / len(gains)
        print(f"  above {LARGE_GAIN:g} times: {share:.0%} of {len(gains)} shapes")
    if failed:
        print(f"  candidates without a time, because they were wrong or failed: {failed}")
    alone = sum(shape not in theirs for shape in ours)
    if alone:
        print(f"  shapes without a cuBLASLt time: {alone}")
    print()


def main(arguments):
    if "--" not in arguments or arguments[0] == "--":
        print(__doc__, file=sys.stderr)
        return 2
    cut = arguments.index("--")
    ours, failed = read_ours(arguments[:cut])
    theirs = read_theirs(arguments[cut + 1:])
    if not ours:
        print("gpu_report.py: the tables contain no times", file=sys.stderr)
        return 1
    for family, times in ours.items():
        report(family, times, theirs.get(family, {}), failed.get(family, 0))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
