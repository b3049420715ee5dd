"""Finds the metrics and labels in Prometheus's expressions."""
import re

# PromQL keywords that may be where a metric's name may be.
WORDS = {"by", "without", "on", "ignoring", "group_left", "group_right", "and", "or", "unless", "bool", "offset"}
GROUPING = re.compile(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)")
SELECTOR = re.compile(r"\b([a-zA-Z_:][\w:]*)\s*(\{[^{}]*\})?(\s*\()?")
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"')
DURATION = re.compile(r"\[[^\]]*\]")


def selectors(expression):
    """[(metric, [(label, operator, value)])] of an expression."""
    found = []
    text = DURATION.sub(" ", GROUPING.sub(" ", expression))
    for name, labels, call in SELECTOR.findall(text):
        if call or name in WORDS:
            continue
        found.append((name, MATCHER.findall(labels or "")))
    return found


class Answer:
    """The labels of the series in an answer of /metrics, by the metric's name in expressions."""

    SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+")

    def __init__(self, text):
        self.series = {}
        for line in text.splitlines():
            if line and not line.startswith("#"):
                name, labels = self.SAMPLE.fullmatch(line).groups()
                self.series.setdefault(name, []).append({it[0]: it[2] for it in MATCHER.findall(labels or "")})

    def lacks(self, metric, matchers, unbounded):
        """None, or the reason why no series can match. `unbounded`: labels that may have values not in the answer."""
        if metric not in self.series:
            return f"there is no {metric}"
        for label, operator, value in matchers:
            seen = {it[label] for it in self.series[metric] if label in it}
            if not seen:
                return f"{metric} has no label {label}"
            if label in unbounded:
                continue
            for part in value.split("|") if "~" in operator else [value]:
                if not any(re.fullmatch(part, it) if "~" in operator else part == it for it in seen):
                    return f'{metric} has no {label} {part}, only {", ".join(sorted(seen))}'
        return None
