"""The kinds of faults. Each has a name, a function that causes and ends the fault, its targets, and the capabilities it
needs.

To add a kind, add a row and a function: the code before the function's `yield` causes the fault, the code after it ends
the fault. If the host lacks a capability in the kind's `needs` (capabilities.py), the test skips the kind and names it
in the last line. To add a client, record more than the status of each answer in its ledger, and let judge.py judge it.
Show that judge.py finds a bug, planted or made by hand.
"""
import dataclasses

import agent_kinds as agent
import database_kinds as database
import network_kinds as network
import server_kinds as server

PLAIN = ("server1", "server2")
SERVERS = (*PLAIN, "server3")
FRONTS = ("front1", "front2")
SPOOLERS = ("spooler1", "spooler2")
LASTS = (0.5, 2.0)  # seconds
LONGER = (3.0, 5.0)  # seconds, longer than a client waits


@dataclasses.dataclass(frozen=True)
class Kind:
    name: str
    does: object
    targets: tuple
    about: str
    needs: tuple = ()
    lasts: tuple = LASTS
    alone: bool = False
    with_: tuple = ()  # other targets that the fault affects

    def touches(self, target):
        return (target, *self.with_)


def kind(name, does, targets, about="", **more):
    return Kind(name, does, targets, about or (does.__doc__ or "").strip(), **more)


DATABASE = {"targets": ("database",)}
KINDS = [
    kind("server killed", server.server_killed, SERVERS),
    kind("server hangs", server.server_stopped, PLAIN, lasts=LONGER),
    kind("agent killed", agent.agent_killed, SPOOLERS),
    kind("daemon killed", agent.daemon_killed, ("daemon",)),
    kind("primary killed", database.primary_killed, **DATABASE),
    kind("primary's host killed", database.primary_host_killed, **DATABASE),
    kind("standby killed", database.standby_killed, **DATABASE),
    kind("standby promoted", database.promoted, **DATABASE),
    kind("standby promoted with loss", database.promoted_with_loss, lasts=(0.2, 0.8), alone=True, **DATABASE),
    kind("database's disk full", database.database_full, needs=("mount",), **DATABASE),
    kind("spool's disk full", agent.spool_full, ("spooler1",), needs=("mount",)),
    kind("state's disk full", agent.state_full, ("daemon",), needs=("mount",)),
    kind("slow clients", network.slow_clients, SERVERS),
    kind("half-open clients", network.half_open, SERVERS),
    kind("many clients", network.many_clients, SERVERS),
    kind("packets lost", network.packets_lost, (*PLAIN, "database"), needs=("packets",)),
    kind("packets delayed", network.way(delay=lambda dice: 0.05 + dice), FRONTS, "a proxy holds requests and answers up to a second each"),
    kind("packets throttled", network.way(rate=lambda dice: 500 + int(dice * 4000)), FRONTS, "a proxy passes some kilobytes a second"),
    kind("answers cut", network.way(cut=True), FRONTS, "a proxy's connection breaks in the middle of an answer"),
    kind("database hangs", database.database_stopped, lasts=LONGER, **DATABASE),
    kind("database slow", database.database_slow, lasts=LONGER, **DATABASE),
    kind("server's clock", server.server_clock, PLAIN, needs=("faketime",)),
    kind("agent's clock", server.agent_clock, SPOOLERS, needs=("faketime",)),
    kind("certificate expired", server.certificate_expired, ("server3",)),
    kind("proxy says 404", network.way(say="404"), FRONTS, "a proxy answers 404, in HTML"),
    kind("proxy says 413", network.way(say="413"), FRONTS, "a proxy answers 413, in HTML"),
    kind("proxy says 502", network.way(say="502", every=2), FRONTS, "a proxy answers each second request with 502, in HTML"),
    kind("proxy says 200", network.way(say="200"), FRONTS, "a proxy answers 200 with a page of its own"),
    kind("proxy shortens", network.way(say="short"), FRONTS, "a proxy leaves out half of each answer, and ends it in order"),
    kind("proxy repeats", network.stale_cache, FRONTS),
]


def find(names):
    return [it for it in KINDS if it.name in names]
