#!/usr/bin/env python3
"""Stands in for the tune scripts of vLLM and SGLang in tests. It measures nothing. The name of the copy decides whose
arguments, output and files it imitates. A copy of vLLM's MoE script accepts several numbers of tokens at once.

STANDIN_MODE: ok; crash; hang; child_hang; garbage (its file is not JSON); nothing; bench_fail (only
the tuning works).
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import time

NAME = os.path.basename(__file__)
MODE = os.environ.get("STANDIN_MODE", "ok")
VLLM = NAME.startswith("benchmark_")
MOE = "moe" in NAME
LADDER = [1, 16, 256]
DEVICE = "AMD_Instinct_MI300X"


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tp-size", "-tp", type=int, default=2)
    if MOE:
        parser.add_argument("--model", default="mistralai/Mixtral-8x7B-Instruct-v0.1")
        parser.add_argument("--dtype", choices=["auto", "fp8_w8a8", "int8_w8a16"], default="auto")
        parser.add_argument("--tune", action="store_true")
        parser.add_argument("--seed", type=int, default=0)
        if VLLM:
            parser.add_argument("--enable-expert-parallel", action="store_true")
            parser.add_argument("--save-dir", default="./")
        else:
            parser.add_argument("--ep-size", "--ep", type=int, default=1)
            parser.add_argument("--per-channel-quant", action="store_true")
    else:
        parser.add_argument("--input-type", choices=["fp8", "int8"], default="fp8")
        parser.add_argument("--block-n", type=int, default=128)
        parser.add_argument("--block-k", type=int, default=128)
        parser.add_argument("--save-path", default="./")
    parser.add_argument("--batch-size", type=int)  # a list of numbers in copies that accept several
    return parser.parse_args()


def config_of(tokens, tuned):
    return {"BLOCK_SIZE_M": 32 if tuned else 64, "BLOCK_SIZE_N": 64, "BLOCK_SIZE_K": 32,
            "GROUP_SIZE_M": 8, **({"num_warps": 4, "num_stages": 2} if tuned else {})}


def tokens_of(args):
    if args.batch_size is None:
        return LADDER
    return args.batch_size if isinstance(args.batch_size, list) else [args.batch_size]


def name_of(args):
    space = "" if VLLM else " "
    block = ",block_shape=[128,%s128]" % space
    if MOE:
        model = json.load(open(os.path.join(args.model, "config.json")))
        dtype = "" if args.dtype == "auto" else ",dtype=" + args.dtype
        ep = args.tp_size if VLLM and args.enable_expert_parallel else 1
        ep = ep if VLLM else args.ep_size
        return "E=%d,N=%d,device_name=%s%s%s.json" % (
            model["num_experts"] // ep, model["moe_intermediate_size"] * ep // args.tp_size, DEVICE,
            dtype, block if dtype else "")
    return "N=512,K=7168,device_name=%s,dtype=%s_w8a8%s.json" % (DEVICE, args.input_type, block)


def tuned_folder():
    if VLLM:
        return os.environ["VLLM_TUNED_CONFIG_FOLDER"]
    root = os.path.join(os.environ["SGLANG_MOE_CONFIG_DIR"], "configs")
    folders = sorted(os.listdir(root))
    assert all(name.startswith("triton_") for name in folders), folders
    return os.path.join(root, folders[-1]) if folders else root


def bench(args):
    if MODE == "bench_fail":
        sys.exit("RuntimeError: HIP out of memory")
    path = os.path.join(tuned_folder(), name_of(args))
    print("(BenchmarkWorker pid=7) WARNING 11-23 10:00:00 [fused_moe.py:886] ", end="")
    if os.path.exists(path):
        print("Using configuration from %s for MoE layer." % path)
    else:
        print("Using default MoE config. Performance might be sub-optimal! "
              "Config file not found at %s" % path)
    found = json.load(open(path)) if os.path.exists(path) else None
    for tokens in tokens_of(args):
        config = found[str(tokens)] if found else config_of(tokens, False)
        print("Batch size: %d, config: %s" % (tokens, config))
        print("Kernel time: %.2f us" % (10 + tokens / (2 if found else 1)))


def tune(args):
    tokens = tokens_of(args)
    print("Start tuning over 1920 configurations...")
    for number in tokens:
        print("Mon Nov 23 10:00:00 2026] Completed tuning for batch_size=%d" % number)
    if MODE == "nothing":
        return
    folder = "." if MOE and not VLLM else (args.save_dir if MOE else args.save_path)
    path = os.path.join(folder, name_of(args))
    print("Writing best config to %s..." % path)
    configs = {str(number): config_of(number, True) for number in tokens}
    if VLLM and MOE:
        configs = {"triton_version": "3.4.0", **configs}
    with open(path, "w") as file:
        file.write("no JSON" if MODE == "garbage" else json.dumps(configs, indent=4) + "\n")


def main():
    print(sys.argv[1:], "visible", os.environ.get("CUDA_VISIBLE_DEVICES"), flush=True)
    args = arguments()
    if MODE == "hang":
        time.sleep(600)
    if MODE == "child_hang":
        subprocess.run(["sleep", "600"])
    if MODE == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if MOE and not args.tune:
        bench(args)
    else:
        tune(args)


main()
