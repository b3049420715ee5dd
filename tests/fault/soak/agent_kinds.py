"""Faults of agents and their disks."""
import contextlib

from database_kinds import filled
from waiting import await_true


@contextlib.contextmanager
def agent_killed(place, fault):
    """kill -9 of an agent during a push"""
    before = place.killed(fault.target)
    place.client(fault.target).set(kill=0.004 + 0.08 * fault.dice)
    yield
    await_true(f"{fault.target} killed", lambda: place.killed(fault.target) > before, 60)


@contextlib.contextmanager
def daemon_killed(place, _fault):
    """kill -9 of a daemon that tunes"""
    place.daemon.process.kill_all()
    yield
    place.daemon.start()


@contextlib.contextmanager
def spool_full(place, fault):
    """a full disk under an agent's spool"""
    with filled(place.folder / fault.target / "spool"):
        yield


@contextlib.contextmanager
def state_full(place, _fault):
    """a full disk under a daemon's state and spool"""
    with filled(place.folder / "daemon"):
        yield
