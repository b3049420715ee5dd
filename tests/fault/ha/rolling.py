"""An operator upgrades the servers. Another scenario measures how fast a commit reaches the other server."""
import json
import pathlib
import shutil
import tempfile
import time

from hub import FAMILY, HEADER, TARGET, Hub
from load import numbers
from members import BASE, REPO

COMMITS = 300
GOAL_MS = 100


def changed_configs(folder):
    """Copies this tree's configs, with a new version of the load's family."""
    configs = pathlib.Path(folder) / "configs"
    shutil.copytree(REPO / "configs", configs)
    path = configs / f"families/{FAMILY}.json"
    family = json.loads(path.read_text(encoding="utf-8"))
    next(it for it in family["columns"] if it["name"] == "M")["max"] = 2**30
    path.write_text(json.dumps(family, indent=1), encoding="utf-8")
    return configs


def roll(trial):
    """a rolling upgrade: a family file changes, the database follows, then one server after the other"""

    def happen():
        at = trial.line.event(f"deploy/ha/roll, with another file of {FAMILY}")
        with tempfile.TemporaryDirectory(prefix="tunehub-configs-") as folder:
            said = trial.set.script("roll", TUNEHUB_CONFIGS=str(changed_configs(folder)))
        trial.line.event("; ".join(said.splitlines()))
        return at

    fault = trial.under_load(happen)
    trial.judge(fault)


def fresh(trial):
    """the time from the answer to a commit on one server to its bytes from the other server"""
    one, other = Hub(BASE + 1, trial.key), Hub(BASE + 2)
    times = []
    for number in range(COMMITS):
        batch = next(numbers)
        name = f"b{batch}r0"
        body = f"{HEADER}\ngfx942,304,{batch},1,128,ck,1,0,7.5,{name},0,0,0.0\n"
        status, _, said = one.ask("POST", f"/results/{FAMILY}", body, {"Idempotency-Key": f"batch-{batch}"})
        committed = time.monotonic()
        if status != 200:
            trial.wrong.append(f"commit {number}: {status} {said[:200]!r}")
            return
        while True:
            status, _, answer = other.ask("GET", f"/tuned/{FAMILY}?{TARGET}&M={batch}")
            if status == 200 and name.encode() in answer:
                break
            if time.monotonic() - committed > 10:
                trial.wrong.append(f"commit {number}: not on the other server after 10 s: {status}")
                return
        times.append((time.monotonic() - committed) * 1000)
        one, other = Hub(BASE + 1 + number % 2, trial.key), Hub(BASE + 2 - number % 2)
    times.sort()
    p99 = times[int(len(times) * 0.99)]
    trial.line.event(f"{COMMITS} commits, each asked of the other server until it is there")
    trial.line.sum(f"ms: median {times[len(times) // 2]:.1f}, p99 {p99:.1f}, slowest {times[-1]:.1f}; goal: p99 below {GOAL_MS}")
    trial.expect(p99 < GOAL_MS, f"p99 is {p99:.1f} ms")
