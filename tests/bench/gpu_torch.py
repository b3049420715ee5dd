"""gpu_torch.py < SHAPES: times cuBLASLt through PyTorch on lines "family dtype M N K", in the same way as gpu-bench:
graphs of launches over more inputs than the cache can contain, and the median of the replays."""
import statistics
import sys

import torch

ROTATING_BYTES = 128 << 20
MOST_SETS, MOST_CALLS, SAMPLE_US, SAMPLES = 256, 400, 1500, 9
device = torch.device("cuda")


def fp8(*shape):
    return (torch.randn(*shape, device=device) * 112).clamp(-448, 448).to(torch.float8_e4m3fn)


def scales(*shape):
    return (torch.rand(*shape, device=device) + 0.5) / 112


def operands(family, m, n, k):
    if family == "bf16":
        return (torch.randn(m, k, device=device, dtype=torch.bfloat16),
                torch.randn(n, k, device=device, dtype=torch.bfloat16))
    a, w = fp8(m, k), fp8(n, k)
    if family == "a8w8":
        return a, w, scales(m, 1), scales(1, n)
    blocks = (k + 127) // 128
    # cuBLASLt expects the scales of A with neighbouring rows adjacent in memory.
    return a, w, scales(blocks, m).t(), scales((n + 127) // 128, blocks).t()


def variants(family):
    """By name: a function that multiplies one set of operands."""
    if family == "bf16":
        return {"linear": lambda s: torch.nn.functional.linear(s[0], s[1])}

    def scaled(fast):
        return lambda s: torch._scaled_mm(s[0], s[1].t(), scale_a=s[2], scale_b=s[3],
                                          out_dtype=torch.bfloat16, use_fast_accum=fast)
    if family == "a8w8":
        return {"fast": scaled(True), "slow": scaled(False)}
    return {"slow": scaled(False)}


def graph_of(call, sets, calls):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(2):
            call(sets[0])
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(calls):
            call(sets[i % len(sets)])
    return graph


def replay_us(graph, calls):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1000 / calls


def measure(call, sets):
    first = graph_of(call, sets, 2)
    replay_us(first, 2)
    calls = max(1, min(MOST_CALLS, -(-SAMPLE_US // max(replay_us(first, 2), 0.1))))
    calls = int(calls)
    graph = graph_of(call, sets, calls)
    replay_us(graph, calls)
    return statistics.median(replay_us(graph, calls) for _ in range(SAMPLES))


def main():
    print("family,dtype,M,N,K,what,us,tflops", flush=True)
    for line in sys.stdin:
        if not line.split():
            continue
        family, dtype, *numbers = line.split()
        m, n, k = map(int, numbers)
        try:
            if dtype not in ("bf16", "e4m3"):
                raise RuntimeError(f"no function for {dtype}")
            first = operands(family, m, n, k)
            size = sum(t.numel() * t.element_size() for t in first)
            count = max(1, min(MOST_SETS, -(-ROTATING_BYTES // size)))
            sets = [first] + [tuple(t.clone() for t in first) for _ in range(count - 1)]
            best = min((measure(call, sets), name) for name, call in variants(family).items())
            print(f"{family},{dtype},{m},{n},{k},{best[1]},{best[0]:.3f},"
                  f"{2 * m * n * k / best[0] / 1e6:.1f}", flush=True)
        except RuntimeError as error:
            print(f"{family},{dtype},{m},{n},{k},failed,0,0", flush=True)
            print(f"{line.strip()}: {str(error).splitlines()[0]}", file=sys.stderr, flush=True)
        sets = first = None


if __name__ == "__main__":
    main()
