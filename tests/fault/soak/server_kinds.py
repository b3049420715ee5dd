"""Faults of the servers, and of the clock that servers and agents see."""
import contextlib
import datetime
import signal
import time

from servers import faketime
from waiting import await_true

JUMPS = ("+1h", "-1h", "+40d", "-40d", "-30", "+5m")
SHORT = 4  # seconds for which a certificate is valid


def server_of(place, name):
    return next(it for it in place.servers if it.name == name)


@contextlib.contextmanager
def server_killed(place, fault):
    """kill -9 of a server"""
    server = server_of(place, fault.target)
    server.process.kill()
    yield
    server.ensure_up()


@contextlib.contextmanager
def server_stopped(place, fault):
    """SIGSTOP of a server: it hangs, and later continues unaware of it"""
    server = server_of(place, fault.target)
    server.process.signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.process.signal(signal.SIGCONT)


@contextlib.contextmanager
def server_clock(place, fault):
    """a server's clock jumps, and jumps back"""
    server, file = server_of(place, fault.target), place.folder / f"{fault.target}.clock"
    file.write_text("+0\n")
    server.restart(faketime(file=file))
    file.write_text(JUMPS[int(fault.dice * len(JUMPS))] + "\n")
    try:
        yield
    finally:
        file.write_text("+0\n")
        time.sleep(1.1)  # libfaketime reads the time file again after a second
        server.restart()


@contextlib.contextmanager
def agent_clock(place, fault):
    """an agent's clock is wrong, and so are the times of its batches"""
    client = place.client(fault.target)
    client.set(clock=faketime(offset=JUMPS[int(fault.dice * len(JUMPS))]))
    yield
    client.set(clock=None)


@contextlib.contextmanager
def certificate_expired(place, _fault):
    """a certificate expires while the server uses it; SIGHUP loads a valid one"""
    server = place.servers[2]
    ends = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=SHORT)
    place.tls.use(place.tls.make("short", ends.strftime("%Y%m%d%H%M%SZ")))
    server.reload()
    await_true("nobody trusts the certificate", lambda: is_refused(server), 30)
    yield
    place.tls.use(place.tls.good)
    server.reload()
    await_true("the certificate is good again", lambda: not is_refused(server), 30)


def is_refused(server):
    try:
        server.hub(patience=5).ask("GET", "/healthz")
    except OSError as error:
        return "expired" in str(error)
    return False


