"""The set of deploy/ha: its processes, and Patroni's view of them."""
import json
import os
import pathlib
import signal
import subprocess
import urllib.request

from descendants import with_descendants
from waiting import await_true

REPO = pathlib.Path(__file__).resolve().parents[3]
HA = REPO / "deploy/ha"
HUB, BASE = 8080, 8100  # fixed, because the test has its own network namespace


class Set:
    def __init__(self, folder):
        self.dir = pathlib.Path(folder)

    def script(self, name, *arguments, **environment):
        done = subprocess.run([HA / name, "--data", self.dir, *arguments], capture_output=True, text=True, timeout=600,
                              stdin=subprocess.DEVNULL, env=os.environ | environment)
        if done.returncode != 0:
            raise RuntimeError(f"deploy/ha/{name}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def up(self):
        """Starts the set, or the parts that a fault has ended."""
        self.script("up")
        await_true("three nodes, one of them a synchronous standby", self.whole)

    def patronictl(self, *arguments):
        done = subprocess.run(["patronictl", "-c", self.dir / "pg1/patroni.yml", *arguments], capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            raise RuntimeError(f"patronictl {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def members(self):
        """The running nodes, from name to role (leader, sync_standby, replica), according to any node that answers."""
        for node in (1, 2, 3):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{BASE + 20 + node}/cluster", timeout=3) as answer:
                    found = json.load(answer)["members"]
            except OSError:
                continue
            return {it["name"]: it["role"] for it in found if it["state"] in ("running", "streaming")}
        return {}

    def whole(self):
        return sorted(self.members().values()) == ["leader", "replica", "sync_standby"]

    def named(self, role):
        return next((name for name, it in self.members().items() if it == role), None)

    def takes_writes(self, name):
        """True if that node's own Patroni calls it the primary. Other nodes' answers may be outdated."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{BASE + 20 + int(name[2:])}/primary", timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def await_other_primary(self, than, seconds=60):
        others = [f"pg{node}" for node in (1, 2, 3) if f"pg{node}" != than]
        await_true(f"another primary than {than}", lambda: any(map(self.takes_writes, others)), seconds)
        return next(filter(self.takes_writes, others))

    def pid(self, part):
        return int((self.dir / f"run/{part}.pid").read_text().split()[0])

    def postmaster(self, name):
        return int((self.dir / name / "data/postmaster.pid").read_text().split()[0])

    def processes(self, name):
        """The processes of a node: its Patroni (which comes first), its postmaster, and their descendants."""
        return with_descendants(self.pid(name), self.postmaster(name))

    def signal(self, name, what):
        for pid in self.processes(name):
            try:
                os.kill(pid, what)
            except ProcessLookupError:
                pass

    def kill(self, name):
        self.signal(name, signal.SIGKILL)

    def sql(self, statement, node=None, database="tunehub"):
        hosts = f"127.0.0.1:{BASE + 10 + int(node[2:])}" if node else ",".join(f"127.0.0.1:{BASE + 10 + it}" for it in (1, 2, 3))
        attributes = "any" if node else "read-write"
        done = subprocess.run(["psql", "-X", "-qAt", "-v", "ON_ERROR_STOP=1", "-c", statement,
                               f"postgresql://postgres@{hosts}/{database}?target_session_attrs={attributes}&connect_timeout=3"],
                              capture_output=True, text=True, timeout=60, env=os.environ | {"PGPASSFILE": str(self.dir / "secrets/pgpass")})
        if done.returncode != 0:
            raise RuntimeError(f"{statement}: {done.stderr}")
        return done.stdout.strip()
