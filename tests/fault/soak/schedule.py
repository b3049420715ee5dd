"""The schedule: the faults, their order, targets and times. The seed determines all of it."""
import dataclasses
import random

MOST = 4  # faults per group
OFFSETS = (0.0, 0.8)  # seconds from a group's begin to a fault's begin


@dataclasses.dataclass
class Fault:
    number: int
    kind: object
    target: str
    begins: float  # seconds after the group's begin
    lasts: float
    dice: float  # 0 to 1; the kind chooses by it

    def say(self):
        return f"{self.number} {self.kind.name} {self.target} at {self.begins:.2f} s for {self.lasts:.2f} s"


def make(seed, count, kinds):
    """Makes groups of simultaneous faults. Every kind occurs once before a kind occurs again."""
    dice = random.Random(f"soak {seed}")
    groups, numbers = [], iter(range(1, count + 1))
    while sum(map(len, groups)) < count:
        open_groups = []
        for kind in dice.sample(kinds, len(kinds)):
            fault = Fault(0, kind, dice.choice(kind.targets), dice.uniform(*OFFSETS), dice.uniform(*kind.lasts), dice.random())
            place(open_groups, fault)
        dice.shuffle(open_groups)
        groups += open_groups
    return cut(groups, count, numbers)


def place(groups, fault):
    """Adds the fault to the first group that it fits into."""
    for group in groups:
        if len(group) < MOST and go_together([*group, fault]):
            group.append(fault)
            return
    groups.append([fault])


def go_together(group):
    touched = [it for fault in group for it in fault.kind.touches(fault.target)]
    return len(touched) == len(set(touched)) and (len(group) == 1 or not any(it.kind.alone for it in group))


def cut(groups, count, numbers):
    chosen = []
    for group in groups:
        group = group[:count - sum(map(len, chosen))]
        for fault in group:
            fault.number = next(numbers)
        if group:
            chosen.append(group)
    return chosen
