"""suite_batched_gemm.py --shape B M N K --metric time -o: a batched bf16 GEMM in Triton on an NVIDIA GPU, in the form of
AITER's benches, for `tunehub-agent bench --suite`. BENCH_NUM_STAGES is how deep its loop is pipelined."""
import argparse
import os

import torch
import triton
import triton.language as tl


@triton.jit
def _batched_gemm_bf16_kernel(x, w, y, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    batch = tl.program_id(2).to(tl.int64)
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    x += batch * M * K + rows[:, None] * K
    w += batch * N * K + columns[None, :] * K
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for at in range(0, K, BK):
        k = at + depth
        a = tl.load(x + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(w + k[:, None], mask=(columns[None, :] < N) & (k[:, None] < K), other=0.0)
        total = tl.dot(a, b, total)
    place = y + batch * M * N + rows[:, None] * N + columns[None, :]
    tl.store(place, total.to(tl.bfloat16), mask=(rows[:, None] < M) & (columns[None, :] < N))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--shape", type=int, nargs=4, required=True)
    parser.add_argument("--metric", choices=["time"], required=True)
    parser.add_argument("-o", action="store_true")
    args = parser.parse_args()
    B, M, N, K = args.shape
    x, w = (torch.randn(B, size, K, device="cuda", dtype=torch.bfloat16) for size in (M, N))
    y = torch.empty(B, M, N, device="cuda", dtype=torch.bfloat16)
    stages = int(os.environ.get("BENCH_NUM_STAGES", "3"))

    def run():
        grid = (triton.cdiv(M, 64), triton.cdiv(N, 64), B)
        _batched_gemm_bf16_kernel[grid](x, w, y, M, N, K, 64, 64, 64, num_stages=stages, num_warps=4)

    run()
    torch.testing.assert_close(y, torch.bmm(x, w.transpose(1, 2)), rtol=2e-2, atol=2e-2 * K ** 0.5)
    ms = triton.testing.do_bench(run, warmup=25, rep=100)
    print(f"batch={B} M={M} N={N} K={K}: {ms:.6f} ms with {stages} stages")
    if args.o:
        with open("Batched GEMM BF16.csv", "w", encoding="utf-8") as file:
            file.write("batch,M,N,K,Triton (Time (ms))\n")
            file.write(",".join(f"{it:.6f}" for it in (B, M, N, K, ms)) + "\n")


if __name__ == "__main__":
    main()
