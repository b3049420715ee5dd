"""Parts of the set lose contact, because packets are dropped or processes hang."""
import contextlib
import signal
import subprocess
import time

from hub import Hub
from judge import servers
from members import BASE
from waiting import await_true

# Server 1 reaches its database from its own address, so that nftables can drop its packets in both directions.
APART = "127.0.0.2"
CUT = 20  # seconds
STILL_HUNG = 15  # seconds after the first write elsewhere, within which both servers must leave the old primary
# The list of tables states when each target changed. After a commit one request reads this from the database, and hangs
# if the database hangs.
INDEX = "/tuned"


def nft(text):
    subprocess.run(["nft", "-f", "-"], input=text, text=True, check=True)


@contextlib.contextmanager
def own_way(set_):
    hosts = ",".join(f"{APART}:{BASE + 10 + node}" for node in (1, 2, 3))
    nft(f"table ip apart {{ chain way {{ type nat hook output priority -100; ip daddr {APART} dnat to 127.0.0.1\n}}\n}}")
    (set_.dir / "server1.env").write_text(f"TUNEHUB_DATABASE='postgresql://hub@{hosts}/tunehub?target_session_attrs=read-write&connect_timeout=2'\n")
    try:
        set_.script("roll")
        yield
    finally:
        (set_.dir / "server1.env").unlink()
        set_.script("roll")
        nft("delete table ip apart")


def ready(number, what):
    with contextlib.suppress(OSError):
        return Hub(BASE + number, patience=3).ask("GET", f"/readyz?for={what}")[0] == 200
    return False


def partition(trial):
    """server 1 is cut off from the database: every packet between them is dropped for 20 s"""

    def happen():
        at = trial.line.event("nftables drops what goes between server 1 and the database")
        nft(f"table ip cut {{ chain everything {{ type filter hook output priority 0; ct original ip daddr {APART} drop\n}}\n}}")
        try:
            await_true("server 1 not ready for writes", lambda: not ready(1, "write"))
            trial.line.event("server 1 is not ready for writes; the proxy sends them to server 2")
            time.sleep(max(0, CUT - (trial.line.event("reads go on at both") - at)))
            trial.expect(ready(1, "read"), "server 1 was not ready for reads while it was cut off")
            trial.expect(ready(2, "write"), "server 2 was not ready for writes")
        finally:
            nft("delete table ip cut")
        trial.line.event("the packets pass again")
        await_true("server 1 ready for writes", lambda: ready(1, "write"))
        trial.line.event("server 1 is ready for writes")
        return at

    with own_way(trial.set):
        fault = trial.under_load(happen)
        trial.judge(fault, may_wait=INDEX)
        stale = [it for it in trial.ledger.of("read") if it.stale]
        trial.expect(stale, "no read said that it may be stale, though server 1 could not know better")


def expect_on_both(trial, entry):
    for name, hub in servers().items():
        trial.expect(entry.rows.keys() <= hub.table().keys(), f"{name} did not serve what was written while the old primary hung")


def hung(trial):
    """the primary's host hangs (SIGSTOP of all its processes), loses its role, and wakes up unaware of it"""
    leader = trial.set.named("leader")

    def happen():
        at = trial.line.event(f"SIGSTOP to all of {leader}, the primary: its connections stay open and say nothing")
        trial.set.signal(leader, signal.SIGSTOP)
        try:
            trial.line.event(f"{trial.set.await_other_primary(leader)} takes writes")
            await_true("a write after it", lambda: any(it.at > at + 1 for it in trial.ledger.acknowledged()), 60)
            time.sleep(STILL_HUNG)
            expect_on_both(trial, next(it for it in trial.ledger.acknowledged() if it.at > at + 1))
        finally:
            trial.line.event(f"SIGCONT: {leader} still thinks that it is the primary")
            trial.set.signal(leader, signal.SIGCONT)
        await_true(f"{leader} is no primary", lambda: not trial.set.takes_writes(leader) and trial.set.whole())
        trial.line.event(f"{leader} follows; {trial.set.members()}")
        return at

    trial.judge(trial.under_load(happen), may_wait=INDEX)
