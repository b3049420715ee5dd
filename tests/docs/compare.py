"""Compares a command's output with the page.

One table masks, in the two texts, words that differ between runs or hosts. In a page `...` stands for left-out text:
for any lines if it is alone, else for any characters.
"""
import re

# The name that replaces a text, and the pattern of the text.
MASKS = [
    ("DATE", r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?"),
    ("DATE", r"\b[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT"),
    ("DATE", r"\b20\d\d-\d\d-\d\d\b"),
    ("KEY", r"\bthub_[a-z0-9]+"),
    ("ADDRESS", r"http://127\.0\.0\.1:\d+"),
    ("HASH", r"\b(?=[a-f]*\d)[0-9a-f]{7,64}\b"),
    ("VERSION", r"\b\d+\.\d+\.\d+\b"),
    # This host's processor, and the rest of a table's row, because another candidate may win next time.
    ("CPU", r"\bcpu-x86-64-v[234]\b"),
    ("CPU,MEASURED", r"(?<=^)CPU,\d+,.*"),
    ("TIMES faster CPU", r"\d+\.\d+ +\d+\.\d+ +\d+\.\d+ +(faster|slower|same|below_floor) +CPU"),
    ("DEVICE", r"(?<=device: )[^,]+"),
    ("cpu: DEVICE", r"(?<=^)cpu: [^,]+"),
    ("N GiB", r"\b\d+ GiB\b"),
    ("KERNELS", r"(?<=kernels for: ).+"),  # depends on the compilers of the build
    (r"\1 DEVICE", r"(?<=^)(name|cu_num|memory|isa|agent):.*"),
    ("N cores", r"\b\d+ cores\b"),
    ("N kernels in N runs: N ok", r"\b\d+ kernels in \d+ runs: \d+ ok"),
    ("N not valid", r"\b\d+ not valid"),
    ("N kernels", r"\b\d+ kernels\b"),
    ("N files, N MB", r"\b\d+ files, \d+\.\d+ MB"),  # an export has this build's dashboard
    ("over the default N", r"over the default \d+\.\d+"),
    ("kernelName=KERNEL", r"\bkernelName=tk_\w+( splitK=\d+)?"),
    ("KERNEL", r"\btk_\w+"),
    ("N times", r"\b\d+\.\d+ times\b"),
    ("N candidates", r"\b\d+ candidates\b"),
    ("TIME", r"\b\d+(\.\d+)? ?(us|ms|s|min)\b"),
    ("INTERVAL", r"\(\d+(\.\d+)? to \d+(\.\d+)?, n = \d+\)"),
]
LEFT_OUT = "..."


def masked(line):
    for name, pattern in MASKS:
        line = re.sub(pattern, name, line)
    return re.sub(r"\s+", " ", line).rstrip()  # masks change widths of columns


def line_pattern(line):
    return re.compile(".*".join(re.escape(it) for it in masked(line).split(LEFT_OUT)))


def difference(expected, actual):
    """None, or the first line of the page that the output lacks, and the output's line there."""
    # A slow hub makes the agent print a line that says so.
    actual = [masked(it) for it in actual if not it.startswith("waiting for http")]
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
