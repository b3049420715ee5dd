"""The set under load: two databases, two servers behind proxies, a third server with TLS, and clients in their own
processes."""
import base64
import contextlib
import json
import os
import pathlib
import random
import subprocess

from books import Books
from daemon import Daemon
from database import Database
from hub import Hub
from processes import AS_OWNER, give, run
from proxies import Ways
from servers import Server, Tls
from told import Told
from waiting import await_true

BIN = pathlib.Path(os.environ["TUNEHUB_BIN"])
PATIENCE = 2.5  # seconds that a client waits for an answer
# Role, number of clients, and whether these clients write while the test loses commits on purpose.
CLIENTS = [("writer", 3, True), ("importer", 1, False), ("reverter", 1, False), ("worker", 2, False), ("spooler", 2, False),
           ("puller", 1, False), ("reader", 2, False)]
BY_TLS = ("writer3", "spooler2")  # these use server 3
SMALL = {"pg1": "1500m", "pg2": "1500m", "spooler1": "2m", "daemon": "64m"}  # file systems that the test can fill


class Place:
    def __init__(self, folder, seed, can):
        self.folder, self.seed, self.can = pathlib.Path(folder), seed, can
        self.random = random.Random(f"place {seed}")
        self.losses, self.clients, self.mounted = [], [], []
        self.books = Books(self.folder / "ledgers")
        self.daemon = Daemon(self)
        self.ways = Ways()

    def up(self):
        (self.folder / "ledgers").mkdir()
        give(self.folder)
        self.ways.start(front1="http", front2="http", pg1="tcp", pg2="tcp", replication="tcp")
        self.database = Database(self.folder, [self.ways.port(it) for it in ("pg1", "pg2")], self.ways)
        for node in self.database.nodes:
            self.small(node.name, node.room)
            self.ways.to(node.name, node.port)
        self.database.make()
        run(*self.program("migrate", "--database", self.database.address()))
        self.tls = Tls(self.folder / "tls", run)
        self.signing_key = self.folder / "signing_key"
        self.signing_key.write_bytes(base64.b64encode(os.urandom(32)))
        self.signing_key.chmod(0o600)
        give(self.signing_key)
        self.servers = [Server("server1", self), Server("server2", self), Server("server3", self, self.tls)]
        for number, server in enumerate(self.plain_servers(), 1):
            self.ways.to(f"front{number}", server.port)
        for server in self.servers:
            server.start()
        for server in self.servers:
            server.ensure_up()
        self.keys = {it: run(*self.program("key", "create", "--scope", it, "--database", self.database.address())) for it in ("submit", "claim", "admin")}
        self.start_clients()
        self.small("daemon", self.folder / "daemon")
        self.daemon.start()

    def small(self, name, folder):
        """Mounts a small file system there if the host allows it."""
        folder.mkdir(exist_ok=True)
        if "mount" in self.can and name in SMALL:
            run("mount", "-t", "tmpfs", "-o", f"size={SMALL[name]},mode=700", "soak", folder)
            self.mounted.append(folder)
            give(folder)

    def program(self, *arguments, environment=None):
        """The command that runs tunehub-server as its user. As root the server would not load a preloaded library."""
        settings = [f"{name}={it}" for name, it in (environment or {}).items()]
        return [*AS_OWNER, "env", *settings, self.folder / "bin/tunehub-server", *arguments]

    def plain_servers(self):
        return self.servers[:2]

    def sql(self, statement):
        return self.database.sql(statement)

    def start_clients(self):
        fronts = [self.ways.port("front1"), self.ways.port("front2")]
        direct = {"ports": [self.servers[2].port], "ca": str(self.tls.ca)}
        names = [f"{role}{number}" for role, count, _ in CLIENTS for number in range(1, count + 1)]
        for space, name in enumerate(names, 1):
            role, _, loses = next(it for it in CLIENTS if it[0] == name[:-1])
            folder = self.folder / name
            config = {"role": role, "name": name, "space": space, "spaces": list(range(1, len(names) + 1)), "ports": fronts, "patience": PATIENCE,
                      "seed": self.seed, "ledger": str(self.folder / f"ledgers/{name}.ledger"), "agent": str(self.folder / "bin/tunehub-agent"),
                      "folder": str(folder), "key": self.keys["admin" if role in ("importer", "reverter", "worker") else "submit"]}
            if role == "spooler":
                folder.mkdir()
                self.small(name, folder / "spool")
            self.clients.append(Told(config | (direct if name in BY_TLS else {}), loses))

    def client(self, name):
        return next(it for it in self.clients if it.name == name)

    def heal(self):
        """Waits until all parts run and answer."""
        self.database.await_whole()
        for it in self.servers:
            it.ensure_up()
        self.daemon.ensure_up()

    def rest(self, clients=None):
        chosen = self.clients if clients is None else clients
        for it in chosen:
            it.pause()
        for it in chosen:
            it.await_paused()

    def go(self, clients=None):
        for it in self.clients if clients is None else clients:
            it.tell(do="go")

    def converge(self):
        """Waits until both servers have the newest commit."""
        newest = self.sql("SELECT revision FROM registry")

        def is_there(server):
            status, headers, body = server.hub().ask("GET", "/readyz")
            return status == 200 and str(json.loads(body)["revision"]) == newest
        for it in self.servers:
            await_true(f"{it.name} has revision {newest}", lambda it=it: is_there(it), 30)

    def told_old(self):
        return sum(self.ways.done(it).get("old", 0) for it in ("front1", "front2"))

    def refused_batches(self):
        """The batches that agents have set aside. There should be none."""
        found = [it for name in ("refused", "aside") for it in self.folder.glob(f"*/spool/{name}/*")]
        return [f"the agent put {it.relative_to(self.folder)} there" for it in found]

    def hub(self, key=""):
        return Hub(self.servers[0].port, key)

    def lose(self, head, until):
        """Tells the clients that commits above `head` with an acknowledgement before `until` are lost."""
        self.losses.append(head)
        lost = self.books.update().lose(head, until)
        for it in self.clients:
            it.tell(lost=lost)

    def killed(self, name):
        return sum(it["by"] == name for it in self.books.update().seen["killed"])

    def finish_jobs(self, seconds=120):
        """Stops planning and waits for the planned jobs. Retries parked jobs, as an admin would."""
        for it in self.clients:
            it.set(plans=0)

        def none_left():
            self.daemon.ensure_up()
            for job in self.sql("SELECT id FROM job WHERE state = 'parked'").split():
                self.hub(self.keys["admin"]).ask("POST", f"/jobs/{job}/retry")
            return self.sql("SELECT count(*) FROM job WHERE state <> 'done'") == "0"
        try:
            await_true("all jobs done", none_left, seconds)
        except TimeoutError as error:
            left = "SELECT string_agg(concat_ws(' ', id, state), ', ' ORDER BY id) FROM job WHERE state <> 'done'"
            raise TimeoutError(f"{error}: {self.sql(left)}; the end of the daemon's log: {self.daemon.process.end_of_log()}") from error

    def down(self):
        for it in self.clients:
            it.tell(do="stop")
        for it in self.clients:
            try:
                it.running.wait(5)
            except subprocess.TimeoutExpired:
                it.running.kill()
        self.daemon.process.kill_all()
        for it in getattr(self, "servers", []):
            with contextlib.suppress(subprocess.TimeoutExpired):
                it.process.terminate()
            it.process.kill()
        if hasattr(self, "database"):
            self.database.stop()
        self.ways.stop()
        for it in reversed(self.mounted):
            subprocess.run(["umount", "-l", it], check=False)
