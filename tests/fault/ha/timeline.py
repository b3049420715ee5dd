"""Prints the events of one scenario, line by line, for a person to read."""
import collections
import os
import pathlib

from ledger import now


class TimeLine:
    def __init__(self, name, about):
        self.name, self.about, self.began, self.lines = name, about, now(), []
        self.sums = []

    def event(self, text, at=None):
        at = now() if at is None else at
        self.lines.append((at, text))
        return at

    def sum(self, text):
        self.sums.append(text)

    def text(self):
        lines = [f"{at - self.began:8.2f} s  {text}" for at, text in sorted(self.lines)]
        return "\n".join([f"{self.name}: {self.about}", *lines, *(f"            {it}" for it in self.sums)])

    def tell(self):
        print(self.text(), "\n", flush=True)
        if folder := os.environ.get("TUNEHUB_TIME_LINES"):
            path = pathlib.Path(folder)
            path.mkdir(parents=True, exist_ok=True)
            (path / f"{self.name}.txt").write_text(self.text() + "\n", encoding="utf-8")


def tell_writes(line, ledger, fault):
    """Prints figures about the writes around `fault`. Returns the seconds without an acknowledged write."""
    before = [it.end for it in ledger.acknowledged() if it.end <= fault]
    after = [it.end for it in ledger.acknowledged() if it.end > fault]
    refused = collections.Counter(it.said for it in ledger.of("write") if it.said != "200")
    longest, since = longest_gap(sorted(it.end for it in ledger.acknowledged()), fault)
    if before:
        line.event("last write accepted before it", max(before))
    if longest > 1:
        line.event(f"write accepted again, after {longest:.2f} s without one", since + longest)
    line.sum(f"writes: {len(before)} acknowledged before, {len(after)} after; longest time without one {longest:.2f} s; "
             f"tries that were sent again: {dict(refused) or 0}")
    return longest


def longest_gap(times, fault):
    """The longest gap that ends after `fault`: its seconds and its begin."""
    pairs = [(b - a, a) for a, b in zip(times, times[1:]) if b > fault]
    return max(pairs, default=(0.0, fault))


def tell_reads(line, ledger, fault):
    """Prints figures about the reads. Returns the reads without an answer."""
    reads = ledger.of("read")
    # For some milliseconds after each commit, a server knows of the commit but has not read its rows yet.
    stale = [it for it in reads if it.stale and it.end > fault]
    failed = [it for it in reads if it.said != "200"]
    slow = sorted(it.ms for it in reads)
    p99 = slow[int(len(slow) * 0.99)] if slow else 0
    line.sum(f"reads: {len(reads)} answered {len(reads) - len(failed)}, marked as perhaps stale since then {len(stale)}, "
             f"p99 {p99:.0f} ms, slowest {slow[-1] if slow else 0:.0f} ms")
    for it in failed[:5]:
        line.sum(f"  not answered at {it.at - line.began:.2f} s: {it.what}: {it.said}")
    return failed
