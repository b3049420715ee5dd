"""Clients that read: a pin's bytes never change, and no answer is older than an earlier answer."""
import hashlib

import rows
from client import Client

KEPT = 300  # old pins that a client remembers


class Reader(Client):
    PAUSE = 0.05

    def __init__(self, config):
        super().__init__(config)
        self.spaces = config["spaces"]
        self.pins = {}  # (pin, space): digest
        self.tags = {}  # space: etag, digest
        self.newest = ""

    def work(self):
        self.random.choice([self.read_now, self.read_now, self.read_pin, self.read_tag])(self.random.choice(self.spaces))

    def read_now(self, space):
        asked = self.newest
        answer = self.ask("GET", rows.path_of(space, f"&min_revision={asked}" if asked else ""))
        if answer is None or answer[0] != 200:
            if answer is not None and answer[0] == 410:
                self.gone(asked)
            return
        pin = answer[1]["Tunehub-Pin"]
        if asked and rows.number_of(pin) < rows.number_of(asked):
            self.note("older", asked=asked, pin=pin)
            return
        self.newest = pin
        self.compare(pin, space, digest(answer[2]))
        self.tags[space] = (answer[1]["ETag"], digest(answer[2]))

    def read_pin(self, space):
        if not self.pins:
            return
        pin, space = self.random.choice(sorted(self.pins))
        answer = self.ask("GET", rows.path_of(space, f"&revision={pin}"))
        if answer is None:
            return
        if answer[0] == 410:
            self.gone(pin)
        elif answer[0] == 200:
            self.compare(pin, space, digest(answer[2]))

    def read_tag(self, space):
        """A 304 must mean the same bytes. So the client repeats the request without the tag, at that answer's pin."""
        if space not in self.tags:
            return
        tag, before = self.tags[space]
        answer = self.ask("GET", rows.path_of(space), headers={"If-None-Match": tag})
        if answer is not None and answer[0] == 304 and answer[1]["Tunehub-Pin"]:
            self.compare(answer[1]["Tunehub-Pin"], space, before)

    def compare(self, pin, space, found):
        before = self.pins.setdefault((pin, space), found)
        if before != found:
            self.note("stale", asked=pin, pin=pin, said=200, differ=[f"N={space}: another table under the same pin"])
        if len(self.pins) > KEPT:
            self.pins.pop(next(iter(self.pins)))

    def gone(self, pin):
        self.note("gone", pin=pin)
        self.pins = {key: it for key, it in self.pins.items() if key[0] != pin}
        self.newest = ""


def digest(body):
    return hashlib.sha256(body).hexdigest()
