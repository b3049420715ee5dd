# Tunes the GEMMs of an untuned file one at a time by PyTorch's torch.cuda.tunable, so that a failure costs
# one GEMM. It records each GEMM before its try: a restart after a crash continues with the next one.
# tunehub-agent reads the lines that begin with "tunehub: ".
import sys

import torch
import torch.cuda.tunable as tunable

untuned, tried, one = sys.argv[1:4]
print("tunehub: torch " + torch.__version__, flush=True)
if not torch.cuda.is_available():
    sys.exit("PyTorch sees no GPU")
print("tunehub: device " + torch.cuda.get_device_name(), flush=True)
# Repeats settings of the environment, which has priority: an older PyTorch reads that only once.
tunable.enable(True)
tunable.tuning_enable(True)

with open(tried, "a+") as done:
    done.seek(0)
    before = set(done.read().splitlines())
    for line in open(untuned).read().splitlines():
        if line in before:
            continue
        done.write(line + "\n")
        done.flush()
        with open(one, "w") as file:
            file.write(line + "\n")
        print("tunehub: tuning " + line, flush=True)
        try:
            tunable.tune_gemm_in_file(one)
            torch.cuda.synchronize()
        except Exception as error:
            print("tunehub: failed " + line + ": " + " ".join(str(error).split()), flush=True)
        # Before 2.9, a crash in a later shape would lose this result, and no restart repeats the
        # shape. From 2.9 on PyTorch appends each result at once and lacks this function.
        if hasattr(tunable, "write_file"):
            tunable.write_file()
