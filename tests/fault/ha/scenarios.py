"""The scenarios of tests/fault/ha/run, each in its own namespaces."""
import os
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

import failovers
import rolling
import split
from hub import Hub
from judge import judge
from ledger import Ledger, now
from load import Load
from members import HUB, Set
from timeline import TimeLine, tell_reads, tell_writes
from waiting import await_true

SCENARIOS = {
    "switchover": failovers.switchover,
    "killed": failovers.killed,
    "crashed": failovers.crashed,
    "partition": split.partition,
    "hung": split.hung,
    "roll": rolling.roll,
    "fresh": rolling.fresh,
    "loss": failovers.loss,
}
CHOICES = {"short": ["switchover", "killed"], "long": list(SCENARIOS)}
WRITES_AGAIN = 30  # seconds; Patroni's ttl is 20
BEFORE, AFTER = 4, 4  # seconds of load before and after the fault


class Trial:
    """One scenario: its set, its load, its ledger and its time line."""

    def __init__(self, set_, key, folder, name, about):
        self.set, self.key = set_, key
        self.ledger = Ledger(folder / f"{name}.ledger")
        self.line = TimeLine(name, about)
        self.wrong = []

    def under_load(self, happen):
        """Calls `happen` while writers and readers run. `happen` returns the time of the fault."""
        self.line.event(f"load: 2 writers, 3 readers through the proxy; {self.set.members()}")
        with Load(self.ledger, HUB, self.key) as load:
            time.sleep(BEFORE)
            fault = happen()
            time.sleep(AFTER)
            end = now()
            await_true("a write after it", lambda: any(it.at > fault for it in self.ledger.acknowledged()))
        self.line.event("load ends", end)
        self.wrong += load.wrong()
        return fault

    def expect(self, truth, otherwise):
        if not truth:
            self.wrong.append(otherwise)

    def judge(self, fault, lost=False, may_wait=None):
        """Writes the sums. A fault that the scenario did not allow is an error."""
        gap = tell_writes(self.line, self.ledger, fault)
        failed = tell_reads(self.line, self.ledger, fault)
        verdict = judge(self.set, self.ledger)
        self.line.sum(verdict.say())
        refused = [it for it in failed if it.what != may_wait]
        self.expect(not refused, f"{len(refused)} reads were not answered")
        self.expect(gap <= WRITES_AGAIN, f"no write was accepted for {gap:.1f} s, more than {WRITES_AGAIN} s")
        self.expect(lost or not verdict.lost, f"lost: {[it.batch for it in verdict.lost]}")
        self.wrong += verdict.faults[:10]
        return verdict


def run(names, set_, folder):
    failed = []
    for name in names:
        about = (SCENARIOS[name].__doc__ or "").splitlines()[0]
        trial = Trial(set_, set_.script("key", "create", "--scope", "admin"), folder, name, about)
        try:
            set_.up()
            SCENARIOS[name](trial)
        except Exception:  # noqa: BLE001 - the time line so far must be shown
            trial.wrong.append(traceback.format_exc())
        trial.line.sum("as it should be" if not trial.wrong else "WRONG:")
        for it in trial.wrong:
            trial.line.sum(f"  {it}")
        trial.line.tell()
        failed += [name] if trial.wrong else []
    return failed


def first_rows(key):
    """Stores rows for the readers."""
    ledger = Ledger(os.devnull)
    with Load(ledger, HUB, key, writers=1, readers=0):
        await_true("a first write", ledger.acknowledged)
    hub = Hub(HUB)
    await_true("a first read", lambda: hub.ask("GET", "/tuned/a8w8_blockscale?gfx=gfx942&M=1")[0] == 200)


def main(arguments):
    names = [name for it in arguments or ["short"] for name in CHOICES.get(it, [it])]
    if unknown := [it for it in names if it not in SCENARIOS]:
        print(f"unknown scenario {unknown[0]}; there are {', '.join([*CHOICES, *SCENARIOS])}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="tunehub-ha-") as folder:
        os.chmod(folder, 0o755)  # PostgreSQL runs as another user
        set_ = Set(pathlib.Path(folder) / "set")
        try:
            set_.up()
            first_rows(set_.script("key", "create", "--scope", "submit"))
            failed = run(names, set_, pathlib.Path(folder))
        finally:
            if (kept := os.environ.get("TUNEHUB_TIME_LINES")) and (set_.dir / "log").exists():
                shutil.copytree(set_.dir / "log", pathlib.Path(kept) / "log", dirs_exist_ok=True)
            set_.script("down")
    print(f"ha: {len(names) - len(failed)} of {len(names)} scenarios passed" + (f"; WRONG: {' '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
