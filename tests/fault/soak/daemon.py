"""The real daemon, which tunes on this processor, and its jobs."""
import json

from processes import Process, run

JSON = {"Content-Type": "application/json"}
MAY_PASS = 75  # the exit status after a full disk; the service then restarts the daemon


class Daemon:
    def __init__(self, place):
        self.place, self.jobs, self.gfx = place, 0, ""
        self.process = Process("daemon", place.folder / "daemon.log")

    def start(self):
        agent, folder = self.place.folder / "bin/tunehub-agent", self.place.folder / "daemon"
        self.gfx = self.gfx or json.loads(run(agent, "discover", "--kind", "cpu", "--json"))["gfx"]
        environment = {"TUNEHUB_HUB": f"http://127.0.0.1:{self.place.ways.port('front1')}", "TUNEHUB_KEY": self.place.keys["claim"]}
        self.process.start_as(["nice", "-n", "10", agent, "run", "--always", "--device", "cpu", "--cpus", "0", "--poll", "0.5", "--iters", "3",
                               "--agent", "daemon", "--state", folder / "state", "--spool", folder / "spool", "--request-timeout", "3",
                               "--tries", "2"], environment, owner=False)

    def ensure_up(self):
        """Restarts a daemon that a full disk ended, as its service does. The daemon must not end for another reason."""
        if self.process.lives():
            return
        if self.process.running.returncode != MAY_PASS:
            raise RuntimeError(f"the daemon ended with {self.process.running.returncode}: {self.process.end_of_log()}")
        self.start()

    def plan(self):
        """Plans a small job with a new shape and records it in the ledger."""
        self.jobs += 1
        name = f"daemon.{self.jobs}"
        shape = {"M": 16, "N": 64 * (1 + self.jobs % 8), "K": 256 * (1 + self.jobs // 8)}
        job = {"family": "a8w8", "gfx": self.gfx, "cu_num": 1, "shapes": [shape], "campaign": name}
        status, _, said = self.place.hub(self.place.keys["admin"]).ask("POST", "/jobs", json.dumps(job), JSON | {"Idempotency-Key": name})
        if status != 201:
            raise RuntimeError(f"no job for the daemon: {status} {said!r}")
        with open(self.place.folder / "ledgers/place.ledger", "a", encoding="utf-8") as ledger:
            ledger.write(json.dumps({"k": "planned", "by": "place", "t": 0, "job": json.loads(said)["id"], "campaign": name}) + "\n")
