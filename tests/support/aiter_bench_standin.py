#!/usr/bin/env python3
"""Stands in for AITER's Triton benches, or for rocprofv3 if its file has that name. It measures nothing, but writes
files in their formats.

The time is invented: a shape's index in the suite STANDIN_SUITE determines it.
  STANDIN_SLOWER  these shapes are slower
  STANDIN_FAIL    the indices at which it fails, and how: "1:exit,2:nothing,3:noisy,4:other"
  STANDIN_LOG     gets a line for each run
  STANDIN_TRACE   replaces the kernel's name in a trace
"""
import argparse
import json
import os
import subprocess
import sys

SHORT = 5  # golden takes less than 4 us for these shapes
RUNS = {"": (0.99, 1.0, 1.02), "noisy": (1.0, 1.3, 1.6, 1.61, 2.0)}


def kernel_of(script):
    return os.path.basename(script)[len("bench_"):-len(".py")]


def us_of(place):
    slower = int(os.environ.get("STANDIN_SLOWER", "0"))
    golden = 3 if place < SHORT else 10 + place
    if place < SHORT:
        return golden * (3 if slower else 1)
    if place < SHORT + slower:
        return golden * 1.2
    return golden * 1.005 + 0.4 if slower else golden


def bench():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shape", type=int, nargs="+")
    parser.add_argument("--metric", choices=["time", "throughput", "bandwidth"], default="throughput")
    parser.add_argument("-o", action="store_true")
    args = parser.parse_args()
    assert args.metric == "time" and args.o
    with open(os.environ["STANDIN_SUITE"], encoding="utf-8") as file:
        cases = [(it["name"], shape) for it in json.load(file)["kernels"] for shape in it["shapes"]]
    place = cases.index((kernel_of(__file__), args.shape))
    line = "%s %d\n" % (os.environ["STANDIN_SIDE"], place)
    with open(os.environ["STANDIN_LOG"], "a+", encoding="utf-8") as log:
        log.write(line)
        log.seek(0)
        run = log.readlines().count(line) - 1
    how = dict(it.split(":") for it in os.environ.get("STANDIN_FAIL", "").split(",") if it).get(str(place), "")
    if how == "exit":
        sys.exit("RuntimeError: out of memory")
    if how == "nothing":
        print("MXFP4 is not available on this architecture")
        return
    if how == "other":
        args.shape[1] += 1
    runs = RUNS["noisy" if how == "noisy" else ""]
    ms = us_of(place) * runs[run % len(runs)] / 1000
    with open("Batched GEMM Benchmark.csv", "w", encoding="utf-8") as file:
        file.write("batch,M,N,K,Triton (Time (ms))\n" + ",".join("%.6f" % it for it in args.shape + [ms]) + "\n")


def rocprofv3():
    own, command = sys.argv[1:sys.argv.index("--")], sys.argv[sys.argv.index("--") + 1:]
    assert "--kernel-trace" in own and "--stats" in own
    code = subprocess.call(command)
    with open("Batched GEMM Benchmark.csv", encoding="utf-8") as file:
        ns = float(file.read().split(",")[-1]) * 1e6
    kernel = os.environ.get("STANDIN_TRACE", kernel_of(command[1]))
    stem = os.path.join(own[own.index("-d") + 1], own[own.index("-o") + 1])
    with open(stem + "_kernel_stats.csv", "w", encoding="utf-8") as file:
        file.write('"Name","Calls","TotalDurationNs","AverageNs","Percentage","MinNs","MaxNs","StdDev"\n'
                   '"_%s_kernel",100,0,%f,90,1,1,0\n"void fill(float*, int)",7,0,900.5,5,1,1,0\n' % (kernel, ns))
    return code


if __name__ == "__main__":
    sys.exit(rocprofv3() if os.path.basename(__file__) == "rocprofv3" else bench())
