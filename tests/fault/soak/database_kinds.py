"""Faults of the databases."""
import contextlib
import os
import signal
import time

from database import head
from waiting import await_true

WAITS = 1.0  # seconds until the test notices, like Patroni, that the standby is gone


@contextlib.contextmanager
def primary_killed(place, _fault):
    """kill -9 of the primary's postmaster; it recovers in place"""
    place.database.primary.process.kill()
    yield
    place.database.primary.ensure_up()


@contextlib.contextmanager
def primary_host_killed(place, _fault):
    """kill -9 of all processes of the primary; the standby is promoted, the old primary returns as a new standby"""
    database = place.database
    database.primary.process.kill_all()
    yield
    database.promote()
    database.copy()


@contextlib.contextmanager
def standby_killed(place, _fault):
    """kill -9 of all processes of the standby; commits wait until the test notices"""
    database = place.database
    database.standby.process.kill_all()
    time.sleep(WAITS)
    database.primary.synchronous(False)
    yield
    database.standby.ensure_up()


@contextlib.contextmanager
def promoted(place, _fault):
    """a promotion without loss: the primary shuts down, and then follows the new primary"""
    database = place.database
    database.primary.process.signal(signal.SIGINT)
    database.primary.process.running.wait(60)
    yield
    database.promote()
    database.follow()


@contextlib.contextmanager
def promoted_with_loss(place, fault):
    """a promotion of a standby that lacks the last commits: these are lost, and their pins"""
    database, ways = place.database, place.ways
    quiet = [it for it in place.clients if not it.loses]
    for it in place.clients:
        it.set(reads=False)
    place.rest(quiet)
    database.primary.synchronous(False)
    await_true("commits that wait for nobody", lambda: database.primary.sql("SHOW synchronous_standby_names") == "")
    before = head(database.primary)
    ways.tell("replication", mode={"refuse": True})
    await_true("commits that nobody else has", lambda: head(database.primary) >= before + 3)
    yield
    for name in ("pg1", "pg2"):
        ways.tell(name, mode={"refuse": True})
    database.primary.process.kill_all()
    ways.tell("replication", mode={})
    database.promote()
    lost_from = head(database.primary)
    # During this pause every acknowledgement reaches the ledgers, before the new history begins.
    time.sleep(0.3)
    until = time.monotonic()
    place.lose(lost_from, until)
    for name in ("pg1", "pg2"):
        ways.tell(name, mode={})
    database.copy()
    place.go(quiet)


@contextlib.contextmanager
def database_full(place, fault):
    """a full disk under the primary's data and WAL"""
    node = place.database.primary
    with filled(node.room):
        yield
    node.ensure_up()


@contextlib.contextmanager
def filled(folder):
    """While this block runs, the file system is full."""
    path = folder / "filler"
    with open(path, "wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while file.write(b"\0" * size):
                    pass
    try:
        yield
    finally:
        path.unlink()


@contextlib.contextmanager
def database_stopped(place, _fault):
    """SIGSTOP of all processes of the primary: connections stay open but silent, for longer than clients wait"""
    node = place.database.primary
    every = node.backends()
    for pid in every:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in every:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)


@contextlib.contextmanager
def database_slow(place, fault):
    """each answer of the database is up to a second late, or stalls on the way"""
    way = place.database.primary.name
    mode = {"stall": True} if fault.dice < 0.4 else {"delay": fault.dice}
    with place.ways.mode(way, **mode):
        yield
