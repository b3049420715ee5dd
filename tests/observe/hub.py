"""A real server with every metric: it has TLS, a WAL archive, and a client that streams its database's WAL."""
import os
import pathlib
import re
import ssl
import subprocess
import time
import urllib.error
import urllib.request

BIN = pathlib.Path(os.environ["TUNEHUB_BIN"])
START_S = 60  # seconds; the server first makes a cluster


class Hub:
    def __init__(self, folder):
        self.folder = folder
        for name in ("data", "wal", "tls", "backups"):
            (folder / name).mkdir()
        certificate, key = folder / "tls/hub.pem", folder / "tls/hub.key"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "30",
                        "-subj", "/CN=hub", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
                       check=True, capture_output=True)
        # If root starts the server, the server switches to postgres, who must be able to read and write this folder.
        self.as_user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        if self.as_user:
            subprocess.run(["chown", "-R", "postgres", folder], check=True)
        self.trust = ssl.create_default_context(cafile=certificate)
        self.log = folder / "server.log"
        self.environment = {it: os.environ[it] for it in ("PATH", "HOME", "LANG", "ASAN_OPTIONS") if it in os.environ}
        command = [BIN / "tunehub-server", "serve", "--data", folder / "data", "--listen", "127.0.0.1:0", "--wal-archive", folder / "wal",
                   "--backups", folder / "backups",
                   "--tls-certificate", certificate, "--tls-key", key]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, env=self.environment, stdout=log, stderr=subprocess.STDOUT)
        self.follower = None
        self.url = self._await_url()
        self.follower = self._follow()

    def _follow(self):
        """Starts a program that streams the database's WAL, as a standby does."""
        _, _, _, port, sockets, *_ = (self.folder / "data/pg/postmaster.pid").read_text().splitlines()
        into = self.folder / "data/followed"
        program = next(pathlib.Path("/usr/lib/postgresql").glob("*/bin/pg_receivewal"))
        subprocess.run(["mkdir", into], check=True, **self.as_user)
        return subprocess.Popen([program, "-h", sockets, "-p", port, "-U", "tunehub", "-D", into], cwd="/", **self.as_user)

    def key(self, scope):
        done = subprocess.run([BIN / "tunehub-server", "key", "create", "--scope", scope, "--data", self.folder / "data"],
                              env=self.environment, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def _await_url(self):
        end = time.monotonic() + START_S
        while time.monotonic() < end and self.process.poll() is None:
            if match := re.search(r"listens on (https://127\.0\.0\.1:\d+)/", self.log.read_text()):
                return match[1]
            time.sleep(0.05)
        self.close()
        raise RuntimeError(f"the server does not start: {self.log.read_text()}")

    def ask(self, path, body=None, key=None):
        """The status and the text of an answer."""
        request = urllib.request.Request(self.url + path, body, {"Authorization": f"Bearer {key}"} if key else {})
        try:
            with urllib.request.urlopen(request, None, 10, context=self.trust) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read().decode()

    def close(self):
        if self.follower:
            self.follower.terminate()
            self.follower.wait(30)
        self.process.terminate()
        self.process.wait(30)
