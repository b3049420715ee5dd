"""Whether what a command printed is what the page says.

What differs from run to run or from host to host is masked on both sides, by one table. `...` stands for what
a page leaves out: any lines where it is alone, any characters within a line.
"""
import re

# The name that takes its place, and what is masked.
MASKS = [
    ("DATE", r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?"),
    ("DATE", r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"),
    ("DATE", r"\b20\d\d-\d\d-\d\d\b"),
    ("KEY", r"\bthub_[a-z0-9]+"),
    ("ADDRESS", r"http://127\.0\.0\.1:\d+"),
    ("HASH", r"\b(?=[a-f]*\d)[0-9a-f]{7,64}\b"),
    ("VERSION", r"\b\d+\.\d+\.\d+\b"),
    # This host's processor, and what was measured on it: the row of a table from its times on, in
    # full, since another candidate may win next time.
    ("CPU", r"\bcpu-x86-64-v[234]\b"),
    ("CPU,MEASURED", r"(?<=^)CPU,\d+,.*"),
    ("TIMES faster CPU", r"\d+\.\d+ +\d+\.\d+ +\d+\.\d+ +(faster|slower|same|ignored) +CPU"),
    ("DEVICE", r"(?<=device: )[^,]+"),
    ("cpu: DEVICE", r"(?<=^)cpu: [^,]+"),
    ("N GiB", r"\b\d+ GiB\b"),
    ("KERNELS", r"(?<=kernels for: ).+"),  # by the compilers that its build had
    (r"\1 DEVICE", r"(?<=^)(name|cu_num|memory|isa|agent):.*"),
    ("N cores", r"\b\d+ cores\b"),
    ("N kernels in N runs: N ok", r"\b\d+ kernels in \d+ runs: \d+ ok"),
    ("N not valid", r"\b\d+ not valid"),
    ("N kernels", r"\b\d+ kernels\b"),
    ("N files, N MB", r"\b\d+ files, \d+\.\d+ MB"),  # of an export, with the dashboard of this build
    ("over the default N", r"over the default \d+\.\d+"),
    ("kernelName=KERNEL", r"\bkernelName=tk_\w+( splitK=\d+)?"),
    ("KERNEL", r"\btk_\w+"),
    ("N times", r"\b\d+\.\d+ times\b"),
    ("N candidates", r"\b\d+ candidates\b"),
    ("TIME", r"\b\d+(\.\d+)? ?(us|ms|s|min)\b"),
]
LEFT_OUT = "..."


def masked(line):
    for name, pattern in MASKS:
        line = re.sub(pattern, name, line)
    return re.sub(r"\s+", " ", line).rstrip()  # masked columns have other widths


def line_pattern(line):
    return re.compile(".*".join(re.escape(it) for it in masked(line).split(LEFT_OUT)))


def difference(expected, actual):
    """None, or the first line of the page that the output lacks, and what stands there instead."""
    actual = [masked(it) for it in actual]
    place, skip = 0, False
    for line in expected:
        if line.strip() == LEFT_OUT:
            skip = True
            continue
        pattern = line_pattern(line)
        if skip:
            found = next((i for i in range(place, len(actual)) if pattern.fullmatch(actual[i])), None)
        else:
            found = place if place < len(actual) and pattern.fullmatch(actual[place]) else None
        if found is None:
            printed = actual[place] if place < len(actual) else "(no more output)"
            return f"the page says: {masked(line)}\n     it printed: {printed}"
        place, skip = found + 1, False
    if not skip and place < len(actual):
        return f"the page ends, it printed: {actual[place]}"
    return None
