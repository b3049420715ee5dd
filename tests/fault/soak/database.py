"""Two PostgreSQL servers, a primary and a synchronous standby. The test does Patroni's work (tests/fault/ha uses
Patroni): it notices that a node is gone, promotes the other node, and brings the first node back as the standby."""
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess

from descendants import with_descendants
from processes import AS_OWNER, Process, free_port, give, run
from waiting import await_true

BIN = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), default=pathlib.Path("/usr/bin"))
SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 60
shared_buffers = 32MB
max_wal_size = 128MB
wal_keep_size = 32MB
wal_sender_timeout = 3s
wal_receiver_timeout = 3s
wal_receiver_status_interval = 1s
wal_retrieve_retry_interval = 300ms
synchronous_commit = on
autovacuum_naptime = 10s
logging_collector = off
include_if_exists = 'sync.conf'
"""
HBA = "host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n"


class Node:
    def __init__(self, name, folder, way_port):
        self.name, self.port, self.way_port = name, free_port(), way_port
        self.room = pathlib.Path(folder) / name  # the mount point of a small file system
        self.data = self.room / "data"
        self.process = Process(name, pathlib.Path(folder) / f"{name}.log")
        self.room.mkdir()
        give(self.room)

    def make(self):
        run(*AS_OWNER, BIN / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync", cwd="/")
        self.write("postgresql.conf", SETTINGS, "a")
        self.write("pg_hba.conf", HBA)

    def write(self, name, text, how="w"):
        with open(self.data / name, how, encoding="utf-8") as file:
            file.write(text)
        give(self.data / name)

    def start(self):
        with contextlib.suppress(FileNotFoundError):
            (self.data / "postmaster.pid").unlink()  # left by a dead process of the test
        self.process.start_as([BIN / "postgres", "-D", self.data, "-p", self.port])

    def ensure_up(self):
        """Starts it if it has ended. Retries while leftovers of a killed process block the start."""
        def is_up():
            if not self.process.lives():
                self.start()
            return self.answers()
        await_true(f"{self.name} answers", is_up, 90, 0.2)

    def answers(self):
        try:
            return self.sql("SELECT 1") == "1"
        except (RuntimeError, subprocess.TimeoutExpired):
            return False

    def sql(self, statement, database="postgres"):
        address = f"postgresql://postgres@127.0.0.1:{self.port}/{database}?connect_timeout=3"
        return run("psql", "-X", "-qAt", "-v", "ON_ERROR_STOP=1", "-c", statement, address, timeout=60)

    def synchronous(self, on):
        """True if commits wait for the standby."""
        self.write("sync.conf", f"synchronous_standby_names = '{'*' if on else ''}'\n")
        self.process.signal(signal.SIGHUP)

    def backends(self):
        return with_descendants(self.process.running.pid)

    def signal_all(self, what):
        for pid in self.backends():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, what)


class Database:
    def __init__(self, folder, ports, ways):
        self.nodes = [Node(f"pg{number}", folder, port) for number, port in enumerate(ports, 1)]
        self.primary, self.standby = self.nodes
        self.ways = ways

    def make(self):
        self.primary.make()
        self.primary.synchronous(False)
        self.primary.ensure_up()
        self.primary.sql("CREATE ROLE hub LOGIN SUPERUSER")
        self.primary.sql("CREATE DATABASE tunehub OWNER hub")
        self.point()
        self.copy()
        self.await_whole()

    def address(self, through=False):
        """The primary's address: behind the test's proxy, as servers use it, or its own."""
        if not through:
            return f"postgresql://hub@127.0.0.1:{self.primary.port}/tunehub?connect_timeout=3"
        hosts = ",".join(f"127.0.0.1:{it.way_port}" for it in self.nodes)
        return f"postgresql://hub@{hosts}/tunehub?target_session_attrs=read-write&connect_timeout=2"

    def sql(self, statement):
        return self.primary.sql(statement, "tunehub")

    def point(self):
        """The standby copies from the primary over a connection that the test can cut."""
        self.ways.to("replication", self.primary.port)

    def copy(self):
        """Makes the standby again as a copy of the current primary."""
        it = self.standby
        it.process.kill_all()
        shutil.rmtree(it.data, ignore_errors=True)
        it.data.mkdir(mode=0o700)
        give(it.data)
        run(*AS_OWNER, BIN / "pg_basebackup", "-h", "127.0.0.1", "-p", self.primary.port, "-U", "postgres", "-D", it.data, "-X", "stream",
            "-c", "fast", "--no-sync", cwd="/")
        self.follow()

    def follow(self):
        """The standby continues from its own data."""
        self.standby.write("standby.signal", "")
        source = f"host=127.0.0.1 port={self.ways.port('replication')} user=postgres connect_timeout=2"
        self.standby.write("postgresql.auto.conf", f"primary_conninfo = '{source}'\nrecovery_target_timeline = 'latest'\n")
        self.standby.synchronous(False)
        self.standby.start()

    def ensure_up(self):
        for it in (self.primary, self.standby):
            it.ensure_up()

    def streams(self):
        return self.primary.sql("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'") == "1"

    def await_whole(self):
        """Waits until both nodes run, and until a commit is acknowledged only when both have it."""
        self.ensure_up()
        await_true("the standby streams", self.streams, 60)
        self.primary.synchronous(True)
        await_true("a synchronous standby", lambda: "sync" in self.primary.sql("SELECT sync_state FROM pg_stat_replication"), 30)

    def promote(self):
        """Promotes the standby after it has applied everything that it received."""
        new = self.standby
        new.synchronous(False)
        new.sql("SELECT pg_promote()")
        await_true(f"{new.name} takes writes", lambda: new.sql("SELECT pg_is_in_recovery()") == "f", 30)
        self.primary, self.standby = new, self.primary
        self.point()

    def stop(self):
        for it in (self.standby, self.primary):
            it.process.signal(signal.SIGINT)
        for it in (self.standby, self.primary):
            with contextlib.suppress(subprocess.TimeoutExpired):
                if it.process.running is not None:
                    it.process.running.wait(20)
            it.process.kill_all()


def head(node):
    return int(node.sql("SELECT coalesce(max(number), 0) FROM revision", "tunehub"))


