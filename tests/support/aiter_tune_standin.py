#!/usr/bin/env python3
"""Stands in for AITER's tune scripts in tests. It measures nothing, but behaves as those scripts do. It appends its
output and skips shapes. It exits with 1 after a partial success, dies by a signal, hangs or is silent, and writes files
beside the package.

STANDIN_MODE: ok, partial, crash_once, crash, hang, child_hang, silent, garbage, nothing, parse (only parses its
arguments). STANDIN_PREFIX: the begin of its kernels' names. STANDIN_OVERHEAD: by how many us an operator is slower than
its kernel.
"""
import argparse
import csv
import os
import signal
import subprocess
import sys
import time

GFX, CU_NUM = "gfx942", "304"
NAME = os.path.basename(__file__)
MOE = "moe" in NAME
BF16 = "a16w16" in NAME
BATCHED = "batched" in NAME
A4W4 = "a4w4" in NAME
PREFIX = os.environ.get("STANDIN_PREFIX", "kernel_")


def comma_list(text):
    return text.split(",")


def numbers(text):
    return [int(number) for number in text.split(",")]


def true_or_false(text):
    if text.lower() not in ("true", "false"):
        raise argparse.ArgumentTypeError("%s is neither True nor False" % text)
    return text.lower() == "true"


FLAG = {"action": "store_true"}
# Each script's own options, in addition to the common ones.
OWN = {
    "gemm_a8w8_blockscale_tune.py": [
        (["--libtype"], {"choices": ["ck", "cktile", "asm", "opus", "all", "both"], "default": "all"}),
        (["--preshuffle"], FLAG),
        (["--blockPerCu"], {"nargs": "+", "type": int, "default": [1, 2, 3, 4]})],
    "gemm_a8w8_bpreshuffle_tune.py": [
        (["--libtype"], {"type": comma_list, "default": ["all"]}),
        (["--blockPerCu"], {"nargs": "+", "type": int, "default": [1, 2, 3, 4]})],
    "gemm_a16w16_tune.py": [
        (["--libtype"], {"type": comma_list, "default": ["all"]}),
        (["--indtype"], {"choices": ["f32", "f16", "bf16", "fp8"]}),
        (["--outdtype"], {"choices": ["f32", "f16", "bf16", "fp8"]}),
        (["--all_bias"], FLAG), (["--with-hipblaslt"], FLAG)],
    "gemm_moe_tune.py": [(["--last"], FLAG), (["--grouped-gemm"], FLAG), (["--mxfp4-flydsl"], FLAG)],
    "opus_bmm_mxscale_tune.py": [
        (["-g", "--batch_g"], {"type": numbers}), (["-m", "--M"], {"type": numbers}),
        (["-n", "--N"], {"type": numbers, "default": [1024]}),
        (["-k", "--K"], {"type": numbers, "default": [4096]}), (["--apply"], FLAG)],
}
ERR_RATIO = {"gemm_moe_tune.py": 0.1, "gemm_a16w16_tune.py": 1.0, "opus_bmm_mxscale_tune.py": 0.02}


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("-v", "--verbose", action="store_true")
    untuned, tuned = ["-i", "--untune_file"], ["-o", "--tune_file"]
    if BF16:
        untuned.append("--input_file")
        tuned.append("--tuned_file")
    parser.add_argument(*untuned, dest="untune_file", required=True)
    parser.add_argument(*tuned, dest="tune_file", default="")
    parser.add_argument("-o2", "--profile_file", default="")
    parser.add_argument("--mp", type=int, default=1)
    if NAME != "opus_bmm_mxscale_tune.py":  # this script's -k means K
        parser.add_argument("-k", "--splitK", action="store_true")
    parser.add_argument("--shape_grouped", action="store_true")
    parser.add_argument("--sort", type=true_or_false, default=not MOE)
    parser.add_argument("--errRatio", type=float, default=ERR_RATIO.get(NAME, 0.05))
    parser.add_argument("--batch", type=int, default=100)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--iters", type=int, default=101)
    parser.add_argument("--timeout", type=int, default=1800)
    parser.add_argument("--run_config", nargs="?", const=True, default=False)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--update_improved", action="store_true")
    parser.add_argument("--min_improvement_pct", type=float, default=3.0)
    for names, options in OWN.get(NAME, []):
        parser.add_argument(*names, **options)
    parsed = parser.parse_args()
    if parsed.update_improved and not parsed.compare:
        parser.error("--update_improved requires --compare")
    return parsed


def rows(path):
    with open(path, newline="") as file:
        return [row for row in csv.DictReader(file) if any(row.values())]


def header(shape):
    """The columns of a new tuned file, as the current scripts write them."""
    key = ["gfx", "cu_num"] + shape
    if MOE:
        return key + ("block_m,ksplit,us1,kernelName1,err1,us2,kernelName2,err2,us,run_1stage,xbf16,flat,"
                      "tflops,bw").split(",")
    if BF16:
        return key + "libtype,solidx,splitK,us,kernelName,err_ratio,tflops,bw".split(",")
    if BATCHED:
        return key + "kernelId,splitK,us,kernelName,errRatio,tflops,bw".split(",")
    libtype = [] if A4W4 or NAME.startswith("gemm_a8w8_tune") else ["libtype"]
    return key + libtype + "kernelId,splitK,us,kernelName,tflops,bw,errRatio".split(",")


def candidate(shape, index, us, error):
    row = dict(shape, gfx=GFX, cu_num=CU_NUM, libtype="ck", kernelId=index, solidx=index, splitK=0,
               us=us, kernelName=PREFIX + str(index), errRatio=error, err_ratio=error, tflops=1, bw=2,
               block_m=32, ksplit=0, us1=us, kernelName1="stage1_%d" % index, err1="0.0%", us2=0,
               kernelName2="stage2_%d" % index, err2="0.0%", run_1stage=0, xbf16=0, flat=0)
    if MOE:
        row.update(err1="%.1f%%" % (100 * error))
    if us in (-1, "inf"):
        row.update(kernelName="None", tflops="Null", bw="Null")
    return row


def append(path, columns, new):
    fresh = not os.path.exists(path)
    with open(path, "a", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        if fresh:
            writer.writeheader()
        writer.writerows(new)


def keys(shape):
    return "keys: " + ", ".join("%s=%s" % item for item in
                                [("gfx", GFX), ("cu_num", CU_NUM)] + list(shape.items()))


def comparison(shapes):
    print("============= Tune Performance Comparison =============")
    for index, shape in enumerate(shapes):
        print("%-40s | %13.2f | %14.2f | %7.2fx | %8s" % (",".join(shape.values()), 100 + index, 50, 2, "OK"))
        print(keys(shape))
    print("============= Compare Report =============")


def bench(args, shapes):
    overhead = float(os.environ.get("STANDIN_OVERHEAD", "0"))
    tuned = {} if args.run_config is True else {
        tuple(row[name] for name in shapes[0]): row for row in rows(args.run_config)}
    print("=== Running production operator benchmark (%s) ===" % ("tuned" if tuned else "default"))
    print("%-40s | %s | %s" % ("shape", "E2E us", "status"))
    for index, shape in enumerate(shapes):
        row = tuned.get(tuple(shape.values()))
        us = float(row["us"]) + overhead if row else 100.0 + index
        failed = os.environ.get("STANDIN_MODE") == "partial" and index == 0
        status = "ERROR" if failed else "OK"
        print("%-40s | %s | %s" % (",".join(shape.values()), "-" if failed else "%.4f" % us, status))
        print("  " + keys(shape))
        if failed:
            print("  reason: This GEMM is not supported!")
    print("Repro CSV:")


def tune(args, shapes, mode):
    columns = header(list(shapes[0]))
    names = list(shapes[0])
    done = {tuple(row[name] for name in names) for row in rows(args.tune_file)} \
        if os.path.exists(args.tune_file) else set()
    left = [shape for shape in shapes if tuple(shape.values()) not in done]
    batches = [left[i:i + args.batch] for i in range(0, len(left), args.batch)]
    failed = []
    for number, batch in enumerate(batches):
        profile, best = [], []
        for index, shape in enumerate(batch):
            profile += [candidate(shape, 0, 20.5, 0.0), candidate(shape, 1, 10.25, 0.0),
                        candidate(shape, 2, 1.5, 0.9), candidate(shape, 3, -1, 1.0),
                        candidate(shape, 4, "inf", 1.0)]
            if mode == "partial" and number == 0 and index == 0:
                failed.append(shape)
            else:
                best.append(profile[-4])
        if MOE:
            stages = ["stage"] + columns[:columns.index("block_m")] + ["block_m", "us", "kernelName", "err"]
            append(args.profile_file, stages, [dict(row, stage="stage1", err="0.0%") for row in profile])
        else:
            append(args.profile_file, columns, profile)
        append(args.tune_file, columns, best)
        if args.batch == 1:
            print("Tuning result for %s is kernelId=1 kernel_1 splitK=0, 10.25us" % batch[0])
        print("processed %d batches of %d, Processing Status ====> %.1f%% tuned in StandIn"
              % (number + 1, len(batches), 100.0 * (number + 1) / len(batches)))
        if mode == "crash" or (mode == "crash_once" and not done):
            os.kill(os.getpid(), signal.SIGSEGV)
        if mode == "child_hang":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)  # " + args.tune_file])
        if mode in ("hang", "child_hang"):
            time.sleep(600)
    print("Failed shapes: %d" % len(failed))
    if args.compare:
        comparison(shapes)
    return 1 if failed else 0


def main():
    args = arguments()
    mode = os.environ.get("STANDIN_MODE", "ok")
    here = os.path.dirname(os.path.abspath(__file__))
    root = here
    while not os.path.isdir(os.path.join(root, "aiter")):
        root = os.path.dirname(root)
    print("devices %s of %s, arguments %s" % (os.environ.get("HIP_VISIBLE_DEVICES"),
                                              os.environ.get("ROCR_VISIBLE_DEVICES"), sys.argv[1:]))
    if mode == "parse":
        return 0
    shapes = rows(args.untune_file)
    if mode == "silent":
        time.sleep(600)
    if mode == "garbage":
        with open(args.tune_file, "w") as file:
            file.write("<<<<<<< HEAD\nthis,is,no,table\n")
        return 0
    if mode == "nothing":
        return 0
    if args.run_config:
        bench(args, shapes)
        return 0
    # The real scripts also build kernels and keep a profile in the package's folder.
    jit = os.environ["AITER_JIT_DIR"]
    os.makedirs(jit, exist_ok=True)
    module = os.path.join(jit, "module_" + NAME.replace(".py", ".so"))
    if os.path.exists(module):
        print("found " + os.path.basename(module))
    else:
        print("compiled " + os.path.basename(module))
        with open(module, "w") as file:
            file.write("compiled here")
    import aiter  # noqa: F401  (makes __pycache__ beside the package, unless an option prevents it)
    with open(os.path.join(root, "aiter", "configs", "profile_fmoe.csv"), "a") as file:
        file.write("appended\n")
    return tune(args, shapes, mode)


sys.exit(main())
