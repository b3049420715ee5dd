"""Clients that run the real tunehub-agent, one process per command."""
import hashlib
import json
import os
import pathlib
import subprocess
import threading

import rows
from client import Client
from hub import FAMILY

TRIES, REQUEST_TIMEOUT = "2", "3"


class Agent(Client):
    def __init__(self, config):
        super().__init__(config)
        self.folder = pathlib.Path(config["folder"])
        self.spool = self.folder / "spool"
        self.folder.mkdir(parents=True, exist_ok=True)

    def agent(self, *arguments):
        """Runs the agent. Returns its exit status, negative if killed. settings["kill"]: kills it once after these
        seconds."""
        hub = f"{'https' if 'ca' in self.config else 'http'}://127.0.0.1:{self.random.choice(self.config['ports'])}"
        environment = os.environ | {"TUNEHUB_HUB": hub, "TUNEHUB_KEY": self.config["key"], "TUNEHUB_SPOOL": str(self.spool),
                                    "TUNEHUB_CA": self.config.get("ca", "")}
        if "ca" not in self.config:
            del environment["TUNEHUB_CA"]
        running = subprocess.Popen([self.config["agent"], *arguments], env=environment | self.settings.get("clock", {}), cwd=self.folder,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(self.folder / "agent.log", "ab"))
        after = self.settings.pop("kill", None)
        if after is not None:
            threading.Timer(after, self.kill, [running]).start()
        status = running.wait()
        self.tries += 1
        self.unanswered += status != 0
        return status

    def kill(self, running):
        if running.poll() is None:
            running.kill()
            self.note("killed", pid=running.pid)
        else:
            self.settings["kill"] = self.random.uniform(0, 0.02)  # this one ended before the kill, so kill the next


class Spooler(Agent):
    """Pushes files through a spool. Every batch in the spool must arrive."""

    PAUSE = 0.2

    def __init__(self, config):
        super().__init__(config)
        self.open = {}  # by batch without an acknowledgement: True if the spool has it
        self.config["ports"] = [self.random.choice(self.config["ports"])]  # a batch is for one address

    def is_quiet(self):
        if self.open or self.waiting():
            self.push()
        return not self.waiting()

    def work(self):
        if self.paused.is_set():
            return
        batch = self.name_of()
        measured = rows.new_rows(self.random, batch, self.random.sample(range(1, rows.KEYS + 1), 4))
        (self.folder / "mine.csv").write_text(rows.csv(self.space, measured))
        self.note("try", b=batch, space=self.space, rows=measured)
        self.open[batch] = False
        if self.random.random() < 0.6:
            if self.agent("push", "mine.csv", "--family", FAMILY, "--spool-only") == 0:
                self.promise(batch)
            self.push()
        else:
            self.push("mine.csv", "--family", FAMILY)

    def promise(self, batch):
        self.note("promise", b=batch)
        self.open[batch] = True

    def push(self, *files):
        status = self.agent("push", *files, "--tries", TRIES, "--request-timeout", REQUEST_TIMEOUT)
        there = "".join(it.read_text(errors="replace") for it in self.waiting() if it.exists())
        for batch, taken in list(self.open.items()):
            if status == 0 and (taken or files):
                self.note("ack", b=batch, pin="")
                del self.open[batch]
            elif not taken and f",{batch}.0," in there:
                self.promise(batch)
            elif not taken:
                del self.open[batch]  # this batch need not arrive

    def waiting(self):
        return sorted(self.spool.glob("*.batch"))


class Puller(Agent):
    """Pulls the table with a lock file. From then on the hub must serve the locked pins."""

    PAUSE = 1.0

    def work(self):
        done = self.agent("pull", "--family", FAMILY, "--gfx", "gfx942", "--query", "cu_num=304", "-o", "table.csv", "--lock", "lock.json",
                          "--update-lock", "--tries", TRIES, "--request-timeout", REQUEST_TIMEOUT)
        if done != 0:
            return
        table = json.loads((self.folder / "lock.json").read_text())["tables"][0]
        found = hashlib.sha256((self.folder / "table.csv").read_bytes()).hexdigest()
        self.note("pulled", pin=f"{table['revision']}-{table['token']}", sha256=table["sha256"], file=found, query=table["query"])
