"""The hub of one page: the real server with its embedded PostgreSQL, on a free port."""
import pathlib
import re
import subprocess
import time

PATIENCE_S = 600  # only a hang takes so long: making a cluster takes a second, or a minute under load


class Hub:
    def __init__(self, server, folder, environment):
        self.data = pathlib.Path(folder) / "data"
        self.log = pathlib.Path(folder) / "server.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen([server, "serve", "--data", self.data, "--listen", "127.0.0.1:0"],
                                            env=environment, stdout=log, stderr=subprocess.STDOUT)
        self.url = self._await_url()

    def _await_url(self):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and self.process.poll() is None:
            if match := re.search(r"listens on (http://127\.0\.0\.1:\d+)/", self.log.read_text()):
                return match[1]
            time.sleep(0.05)
        self.close()
        raise RuntimeError(f"the server does not start: {self.log.read_text()}")

    def close(self):
        self.process.terminate()
        self.process.wait(PATIENCE_S)
