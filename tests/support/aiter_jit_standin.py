"""Stands in for AITER's aiter/jit/core.py in tests. It compiles nothing. It
answers get_args_of_build and build_module as core.py does, and generates the same lookup headers from
the same tables. It fails for the module STANDIN_FAILS, and writes the modules that it built into STANDIN_LOG.
"""
import csv
import os

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# By module: its variable, its table, the libtype of its rows ("": any), and True if it finds kernels by name at run time.
MODULES = {
    "module_gemm_a8w8": ("GEMM_A8W8", "a8w8_tuned_gemm.csv", "", False),
    "module_gemm_a8w8_blockscale": ("GEMM_A8W8_BLOCKSCALE", "a8w8_blockscale_tuned_gemm.csv", "ck", True),
    "module_gemm_a8w8_blockscale_cktile":
        ("GEMM_A8W8_BLOCKSCALE", "a8w8_blockscale_tuned_gemm.csv", "cktile", True),
    "module_gemm_a8w8_bpreshuffle": ("GEMM_A8W8_BPRESHUFFLE", "a8w8_bpreshuffle_tuned_gemm.csv", "ck", False),
}


def get_user_jit_dir():
    return os.environ.get("AITER_JIT_DIR") or os.path.join(ROOT, "aiter", "jit")


def get_args_of_build(ops_name, exclude=None):
    args = {"srcs": [], "md_name": "", "flags_extra_cc": [], "blob_gen_cmd": "", "hip_clang_path": None,
            "verbose": False, "third_party": []}
    if ops_name in MODULES:
        args.update(md_name=ops_name, srcs=["csrc/x.cu"])
    return args


def header(rows, by_name):
    lines = ["#pragma once\n#ifdef USE_ROCM\n#define GENERATE_LOOKUP_TABLE(DTYPE, ETYPE) \\\n   { \\"]
    if by_name:
        for kernel in sorted({row["kernelName"] for row in rows}):
            lines.append('       {"%s", \\\n        %s<DTYPE, ETYPE>}, \\' % (kernel, kernel))
    else:
        for row in rows:
            lines.append('       {{"%s", %s, %s, %s, %s}, \\\n        %s<DTYPE, ETYPE>}, \\' % (
                row["gfx"], row["cu_num"], row["M"], row["N"], row["K"], row["kernelName"]))
    return "\n".join(lines) + "\n   }\n#endif\n"


def build_module(md_name, srcs, flags_extra_cc, blob_gen_cmd, verbose, third_party, hipify=False):
    variable, default, libtype, by_name = MODULES[md_name]
    table = os.environ.get("AITER_CONFIG_" + variable) or os.path.join(ROOT, "aiter", "configs", default)
    if os.environ.get("STANDIN_FAILS") == md_name:
        raise RuntimeError("[aiter] build [%s] failed !!!!!!" % md_name)
    with open(table, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row.get("libtype", libtype) == libtype or not libtype]
    archs = (os.environ.get("GPU_ARCHS") or "gfx942").split(";")
    rows = [row for row in rows if row["gfx"] in archs]
    with open(os.environ.get("STANDIN_LOG", os.devnull), "a") as log:
        log.write("%s for %s: %d rows\n" % (md_name, os.environ.get("GPU_ARCHS"), len(rows)))
    jit = get_user_jit_dir()
    blob = os.path.join(jit, "build", md_name, "blob")
    os.makedirs(blob, exist_ok=True)
    with open(os.path.join(blob, md_name.replace("module_", "") + "_lookup.h"), "w") as file:
        file.write(header(rows, by_name))
    with open(os.path.join(jit, md_name + ".so"), "wb") as file:
        names = sorted({row["kernelName"] for row in rows})
        file.write(b"\x7fELF\0" + b"".join(b"amdgcn-amd-amdhsa--%s\0" % arch.encode() for arch in archs))
        file.write(b"\0".join(name.encode() for name in names) + b"\0")
    print("finish build [%s]" % md_name)
