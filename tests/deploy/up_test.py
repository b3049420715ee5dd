"""deploy/up and deploy/down, from a clone that only its owner can read, with the programs of this build ($TUNEHUB_BIN)."""
import contextlib
import fcntl
import os
import pathlib
import shutil
import socket
import stat
import subprocess
import tempfile
import unittest

REPO = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("TUNEHUB_BIN", REPO / "build/release/bin"))
MADE = ["install-packages", "build", "build-web"]  # this build already has the results of these scripts


def clone(folder):
    os.mkdir(folder, mode=0o700)
    for name in ("deploy", "configs"):
        shutil.copytree(REPO / name, folder / name)
    for name in MADE:
        (folder / "deploy" / name).write_text("#!/bin/sh\n")
    (folder / "build/release").mkdir(parents=True)
    (folder / "build/release/bin").symlink_to(BIN)


def certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2",
                    "-keyout", folder / "hub.key", "-out", folder / "hub.pem", "-subj", "/CN=hub", "-addext",
                    "subjectAltName=IP:127.0.0.1"], check=True, stderr=subprocess.DEVNULL)
    if os.geteuid() == 0:
        shutil.chown(folder / "hub.key", "postgres")


class Up(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tunehub up "))
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(stat.S_IRWXU | stat.S_IXGRP | stat.S_IXOTH)
        self.data = self.folder / "data"
        clone(self.folder / "clone")
        certificate(self.folder)

    def run_script(self, name, *options):
        environment = {key: value for key, value in os.environ.items() if not key.startswith("TUNEHUB_")}
        with tempfile.TemporaryFile("w+") as out:  # not a pipe, because a program that runs on would keep it open
            done = subprocess.run([self.folder / "clone/deploy" / name, "--data", self.data, *options], check=False, timeout=600,
                                  stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=environment)
            out.seek(0)
            return done.returncode, out.read()

    def test_a_port_in_use_is_said_before_anything_is_built(self):
        with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as other:
            address = f"127.0.0.1:{other.getsockname()[1]}"
            (self.folder / "clone/deploy/install-packages").write_text("#!/bin/sh\nexit 9\n")
            rc, said = self.run_script("up", "--listen", address, "--detach")
        self.assertEqual((rc, said), (1, f"deploy/up: another program already listens at {address}; choose another port with "
                                         "--listen HOST:PORT\n"))
        self.assertFalse(self.data.exists())

    def test_a_second_call_is_refused_while_the_first_builds_and_a_signal_ends_a_call_though_its_step_catches_it(self):
        (self.folder / "clone/deploy/build-web").write_text("#!/bin/sh\nkill -INT $PPID; exit 1\n")
        with open(self.folder / "clone/build/lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            rc, said = self.run_script("up", "--listen", "127.0.0.1:1")
        self.assertEqual((rc, said), (1, f"{self.folder}/clone/deploy/up: another deploy/up or tests/run is running in "
                                         f"{self.folder}/clone/build\n"))
        self.assertEqual(self.run_script("up", "--listen", "127.0.0.1:1")[0], 130)
        self.assertFalse(self.data.exists())

    def test_a_hub_with_tls_takes_an_agent_by_a_second_call_without_its_options_and_leaves_nothing_behind(self):
        with contextlib.closing(socket.socket()) as free:
            free.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.addCleanup(self.run_script, "down")
        places = set(pathlib.Path("/var/lib").glob("tunehub-program-*"))
        rc, said = self.run_script("up", "--listen", address, "--tls-certificate", self.folder / "hub.pem", "--tls-key",
                                   self.folder / "hub.key", "--no-agent", "--detach")
        self.assertEqual(rc, 0, said)
        self.assertIn(f"tunehub is at https://{address}/", said)
        if os.geteuid() == 0:
            self.assertEqual(self.data.owner(), "postgres")
            self.assertEqual(len(set(pathlib.Path("/var/lib").glob("tunehub-program-*")) - places), 1)
        rc, said = self.run_script("up", "--detach")
        self.assertEqual(rc, 0, said)
        self.assertIn("the agent tunes here", said)
        rc, said = self.run_script("down")
        self.assertEqual(rc, 0, said)
        self.assertEqual(set(pathlib.Path("/var/lib").glob("tunehub-program-*")) - places, set())
        self.assertFalse((self.data / "server.ca").exists())


if __name__ == "__main__":
    unittest.main()
