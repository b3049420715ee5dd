"""Faults between clients and servers."""
import contextlib
import socket
import subprocess
import threading

from waiting import await_true

STRANGE = "127.0.0.9"  # their own address, so that no limit delays the load's clients
MANY, SLOW, HALF = 300, 40, 60


def port_of(place, name):
    return next(it.port for it in place.servers if it.name == name)


def connect(port):
    it = socket.socket()
    it.settimeout(3)
    it.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    it.bind((STRANGE, 0))
    it.connect(("127.0.0.1", port))
    return it


@contextlib.contextmanager
def crowd(port, count, say):
    """Opens connections. Each sends something and stays open."""
    with contextlib.ExitStack() as stack:
        every = []
        for number in range(count):
            with contextlib.suppress(OSError):
                every.append(stack.enter_context(connect(port)))
                every[-1].sendall(say(number))
        yield every


@contextlib.contextmanager
def slow_clients(place, fault):
    """clients that send a byte now and then, and clients that do not read their answer"""
    ended = threading.Event()
    request = b"GET /tuned/a8w8_blockscale?gfx=gfx942 HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 4000

    def drip(every):
        at = 0
        while not ended.wait(0.1):
            at += 1
            for it in every:
                with contextlib.suppress(OSError):
                    it.send(request[at:at + 1])
    with crowd(port_of(place, fault.target), 2 * SLOW, lambda number: request[:1] if number % 2 else request + b"\r\n\r\n") as every:
        threading.Thread(target=drip, args=[every[1::2]], daemon=True).start()
        yield
        ended.set()


@contextlib.contextmanager
def half_open(place, fault):
    """clients that vanish during a request without closing the connection"""
    body = b"POST /results/a8w8_blockscale HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + place.keys["submit"].encode() + \
           b"\r\nContent-Type: text/csv\r\nContent-Length: 100000\r\n\r\ngfx,cu_num"
    with crowd(port_of(place, fault.target), HALF, lambda number: body[:20 + number * 3]):
        yield


@contextlib.contextmanager
def many_clients(place, fault):
    """hundreds of clients at once, each with one request"""
    say = [f"GET /tuned/a8w8_blockscale?gfx=gfx942&M={number} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() for number in range(MANY)]
    with crowd(port_of(place, fault.target), MANY, lambda number: say[number]):
        yield


@contextlib.contextmanager
def packets_lost(place, fault):
    """nftables drops packets of a server or of the primary, in both directions"""
    port = place.database.primary.port if fault.target == "database" else port_of(place, fault.target)
    some = "" if fault.dice > 0.8 else f"numgen random mod 100 < {int(5 + 30 * fault.dice)}"  # otherwise all packets
    rules = "\n".join(f"tcp {end} {port} {some} drop" for end in ("dport", "sport"))
    table = f"lost{fault.number}"
    subprocess.run(["nft", "-f", "-"], input=f"table ip {table} {{ chain way {{ type filter hook output priority 0\n{rules}\n}}\n}}", text=True, check=True)
    try:
        yield
    finally:
        subprocess.run(["nft", "delete", "table", "ip", table], check=True)


def way(**mode):
    """Makes a kind from a proxy's mode. The fault lasts until the mode has had an effect."""
    @contextlib.contextmanager
    def changed(place, fault):
        before = sum(place.ways.done(fault.target).values())
        with place.ways.mode(fault.target, **{key: it(fault.dice) if callable(it) else it for key, it in mode.items()}):
            yield
            await_true(f"{fault.target} {mode}", lambda: sum(place.ways.done(fault.target).values()) > before, 30)
    return changed


@contextlib.contextmanager
def stale_cache(place, fault):
    """a proxy repeats an earlier answer, like a cache that ignores min_revision"""
    place.ways.tell(fault.target, forget=True)
    before = place.ways.done(fault.target).get("old", 0)
    with place.ways.mode(fault.target, say="old"):
        yield
        await_true(f"{fault.target} told something old", lambda: place.ways.done(fault.target).get("old", 0) > before, 30)
