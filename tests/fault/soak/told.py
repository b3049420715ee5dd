"""Controls a process of client.py."""
import contextlib
import json
import pathlib
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent


class Told:
    def __init__(self, config, loses):
        self.name, self.role, self.loses = config["name"], config["role"], loses
        self.running = subprocess.Popen([sys.executable, HERE / "client.py", json.dumps(config)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._paused = threading.Event()
        self._settings = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for _ in self.running.stdout:
            self._paused.set()
        self._paused.set()  # the process has ended

    def tell(self, **what):
        with contextlib.suppress(BrokenPipeError):
            self.running.stdin.write(json.dumps(what) + "\n")
            self.running.stdin.flush()

    def set(self, **settings):
        self._settings |= settings
        self.tell(settings={key: it for key, it in self._settings.items() if it is not None})

    def pause(self):
        self._paused.clear()
        self.tell(do="pause")

    def await_paused(self, seconds=120):
        if not self._paused.wait(seconds):
            raise TimeoutError(f"{self.name} does not come to rest")
        if self.running.poll() is not None:
            raise RuntimeError(f"{self.name} ended with {self.running.returncode}")
