"""Tests tests/bench/aa on this machine's CPU with two equal runs and a run where one kernel is 3 % slower. The agent,
its kernels, their check, the rows and the report are real. The times come from aa_worker.py's script, because a CPU's
own times depend on its other work."""

import csv
import os
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SHAPES, SLOWER, NOISE = 6, 1.03, 0.005


def report(kept, runs, kernel=""):
    """The report's rows after these runs, by name. Runs of earlier calls stay."""
    settings = {
        "TUNEHUB_AA_DEVICE": "cpu",
        "TUNEHUB_AA_SIZES": "1 16 64",
        "TUNEHUB_AA_PAIRS": "256 512,512 256",
        "TUNEHUB_AA_SCRIPT": "1",
        "TUNEHUB_AA_RUNS": runs,
        "TUNEHUB_AA_KERNEL": kernel,
        "TUNEHUB_AA_KEEP": str(kept),
    }
    done = subprocess.run(
        [HERE / "aa", "a8w8"], env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True, check=True
    )
    print(done.stdout)
    lines = [[cell.strip() for cell in line.split("|")[1:-1]] for line in done.stdout.splitlines() if "|" in line]
    names = next(line for line in lines if line[0] == "runs")
    return {line[0]: dict(zip(names, line)) for line in lines}


def expect(row, slower, kept):
    assert row["shapes"] == str(SHAPES), row
    assert row["slower, of those above 40 us"] == f"{slower} of {SHAPES}", row
    assert abs(float(row["mean"]) - SLOWER ** (slower / SHAPES)) < NOISE, row
    assert int(row["row kept"]) >= kept, row


def main():
    with tempfile.TemporaryDirectory() as folder:
        kept = pathlib.Path(folder) / "runs"
        expect(report(kept, "cool again")["cool, again"], 0, SHAPES)
        with open(kept / "cool/a8w8/rows.csv", newline="") as file:
            chosen = [row["kernelName"] for row in csv.DictReader(file)]
        expect(report(kept, "slowed", chosen[0])["cool, slowed"], chosen.count(chosen[0]), 0)
        expect(report(kept, "slowed", "tk_none")["cool, slowed"], 0, SHAPES)


main()
