"""Rows like those of AITER's a8w8_blockscale tables, as CSV. Every call gives the same rows.

usage: rows.py FIRST COUNT [--sorted] [--candidate C]
rows FIRST, FIRST + 1, ... of a fixed sequence of 2^21 shape keys

Calls whose ranges do not overlap share no shape key. Every range is spread over all shape keys, like new tunings.
--sorted: sorted by shape key, the fastest order for COPY
--candidate: another candidate of each of these shape keys, up to 63; different shape keys have different winners
"""
import sys

# Every M is a point of the grid to which a8w8_blockscale's lookups round.
TARGETS = [("gfx942", 304, 2614.9, 5.3), ("gfx950", 256, 5033.2, 8.0)]  # fp8 TFLOPS, TB/s
SIZES_M = [1, 2, 4, 8] + [16 * i for i in range(1, 17)] + [256 + 32 * i for i in range(1, 25)]
SIZES_M += [1024 + 64 * i for i in range(1, 21)]
KEYS = 1 << 21
STRIDE = 1_274_473  # odd, so that it permutes the shape keys

HEADER = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"
KERNEL = (
    "a8w8_blockscale_1x128x128_256x{m}x{n}x{k}_16x16_16x16_1x1_16x16x1_16x16x1_1x16x1x16_{v}_1x1_"
    "intrawave_v1"
)
KERNELS = [
    KERNEL.format(m=m, n=n, k=k, v=v) for m in (16, 32, 64, 128) for n in (64, 128) for k, v in ((128, 8), (256, 4))
]


def cells(index, candidate=0):
    place = index * STRIDE % KEYS
    gfx, cu_num, tflops_peak, bandwidth_peak = TARGETS[place & 1]
    m = SIZES_M[place >> 1 & 63]
    n = 128 * ((place >> 7 & 127) + 1)
    k = 128 * ((place >> 14 & 127) + 1)
    noise = place * 2_654_435_761 % 1_000 / 1_000
    flops, moved = 2 * m * n * k, m * k + n * k + 2 * m * n
    floor = max(flops / tflops_peak, moved / bandwidth_peak) / 1e6
    factor = 0.9 + (place + candidate) * 2_246_822_519 % 1_000 / 2_000 if candidate else 1
    us = round(4 + floor * (1.3 + noise) * factor, 4)
    kernel = (place * 40_503 + candidate) % len(KERNELS)
    split = (place >> 5) + candidate // len(KERNELS) & 3
    return (gfx, cu_num, m, n, k, "ck", kernel, split, us, KERNELS[kernel], round(flops / us / 1e6, 2),
            round(moved / us / 1e3, 2), round(noise / 100, 4))


def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    if first + count > KEYS:
        sys.exit(f"rows.py: there are {KEYS} keys")
    candidate = int(sys.argv[sys.argv.index("--candidate") + 1]) if "--candidate" in sys.argv else 0
    rows = [cells(index, candidate) for index in range(first, first + count)]
    if "--sorted" in sys.argv:
        rows.sort()
    lines = [",".join(map(str, row)) for row in rows]
    print(HEADER, *lines, sep="\n")


if __name__ == "__main__":
    main()
