"""Faults of the primary."""
import os
import pathlib
import signal
import time

from waiting import await_true


KILLED_WITHIN = 1  # seconds; the hub acknowledges some writes before the last process is dead


def switchover(trial):
    """a clean switchover: the primary hands over to the synchronous standby"""
    leader, standby = trial.set.named("leader"), trial.set.named("sync_standby")

    def happen():
        at = trial.line.event(f"patronictl switchover: from {leader} to {standby}")
        trial.set.patronictl("switchover", "tunehub", "--leader", leader, "--candidate", standby, "--force")
        trial.line.event(f"{trial.set.await_other_primary(leader)} takes writes")
        await_true("three nodes", trial.set.whole)
        trial.line.event(f"{leader} follows; {trial.set.members()}")
        return at

    fault = trial.under_load(happen)
    trial.judge(fault)


def killed(trial):
    """the primary's host dies: kill -9 of its Patroni, its postmaster and their descendants"""
    leader = trial.set.named("leader")

    def happen():
        at = trial.line.event(f"kill -9 of all of {leader}, the primary")
        trial.set.kill(leader)
        trial.line.event(f"{trial.set.await_other_primary(leader)} takes writes")
        return at

    fault = trial.under_load(happen)
    trial.set.up()
    trial.line.event(f"{leader} was started again and follows; {trial.set.members()}")
    trial.judge(fault)


def crashed(trial):
    """only the primary's postmaster dies; its Patroni lives"""
    leader = trial.set.named("leader")

    def happen():
        at = trial.line.event(f"kill -9 of the postmaster of {leader}, the primary")
        os.kill(trial.set.postmaster(leader), signal.SIGKILL)
        # For a while Patroni still names the old primary.
        await_true("a write after it", lambda: any(it.at > at + 1 for it in trial.ledger.acknowledged()))
        await_true("three nodes", trial.set.whole)
        trial.line.event(f"{trial.set.named('leader')} takes writes; {trial.set.members()}")
        return at

    trial.judge(trial.under_load(happen))


def loss(trial):
    """a failover with loss: without synchronous mode, the primary dies with commits that no standby has"""
    trial.set.patronictl("edit-config", "--force", "-s", "synchronous_mode=false", "-s", "maximum_lag_on_failover=67108864")
    leader = trial.set.named("leader")
    others = [it for it in trial.set.members() if it != leader]
    await_true("commits that wait for nobody", lambda: trial.set.sql("SHOW synchronous_standby_names", leader) == "")
    trial.line.event("synchronous_mode is off")

    def happen():
        cut_replication(trial.set, leader)
        trial.line.event(f"{' and '.join(others)} get nothing more of {leader}, which goes on")
        time.sleep(3)
        at = trial.line.event(f"kill -9 of all of {leader}, the primary")
        trial.set.kill(leader)
        trial.line.event(f"{trial.set.await_other_primary(leader)} takes writes")
        return at

    fault = trial.under_load(happen)
    trial.set.patronictl("edit-config", "--force", "-s", "synchronous_mode=true", "-s", "maximum_lag_on_failover=1048576")
    trial.set.up()
    trial.line.event(f"{leader} was started again, undid what nobody else had, and follows; {trial.set.members()}")
    verdict = trial.judge(fault, lost=True)
    judge_loss(trial, verdict, fault)


def cut_replication(set_, leader):
    """Adds a line to the primary's pg_hba.conf. Then no standby may connect."""
    path = pathlib.Path(set_.dir / leader / "data/pg_hba.conf")
    path.write_text("host replication all all reject\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    set_.sql("SELECT pg_reload_conf()", leader)
    time.sleep(0.5)
    set_.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_replication", leader)
    await_true("no standby", lambda: set_.sql("SELECT count(*) FROM pg_stat_replication", leader) == "0")


def judge_loss(trial, verdict, fault):
    """Only the last commits before the fault may be lost. judge() has compared rows and pins in both directions."""
    lost = {it.batch for it in verdict.lost}
    numbers_first = sorted(trial.ledger.acknowledged(), key=lambda it: int(it.pin.split("-")[0]))
    before = [it for it in numbers_first if it.end < fault + KILLED_WITHIN]
    tail = {it.batch for it in before[-len(lost):]} if lost else set()
    trial.expect(lost, "nothing was lost: this shows nothing")
    trial.expect(lost == tail, f"lost are {sorted(lost)}, and not the last ones before it: {sorted(tail)}")
    numbers = {it.pin.split("-")[0] for it in verdict.lost}
    again = {it.pin.split("-")[0] for it in trial.ledger.acknowledged() if it.end >= fault + KILLED_WITHIN} & numbers
    trial.line.sum(f"pins: {len(lost)} of the lost commits answer 410 revision_gone, {verdict.pins - len(lost)} live; "
                   f"{len(again)} of the lost numbers stand for other commits now")
