# Tunes the GEMMs of an untuned file by PyTorch's own torch.cuda.tunable, one at a time, so that one
# that cannot be tuned costs itself alone. What was tried is noted first: a start after a crash
# goes on behind it. Lines that begin with "tunehub: " are read by tunehub-agent.
import sys

import torch
import torch.cuda.tunable as tunable

untuned, tried, one = sys.argv[1:4]
print("tunehub: torch " + torch.__version__, flush=True)
if not torch.cuda.is_available():
    sys.exit("PyTorch sees no GPU")
print("tunehub: device " + torch.cuda.get_device_name(), flush=True)
# The same is in the environment, which comes first; an older PyTorch reads it once.
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
        # From 2.9 on each result is appended when it is found, and there is no such function any
        # more. Before, a crash in a later shape would lose it, and the shape is not tried again.
        if hasattr(tunable, "write_file"):
            tunable.write_file()
