"""aa_load.py SECONDS: keeps the first GPU at its power limit with matrix products in PyTorch."""

import sys
import time

import torch

a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
b, out = torch.randn_like(a), torch.empty_like(a)
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    for _ in range(20):
        torch.mm(a, b, out=out)
    torch.cuda.synchronize()
