"""Controls the process of ways.py."""
import contextlib
import json
import pathlib
import subprocess
import sys
import threading

from processes import free_port

HERE = pathlib.Path(__file__).resolve().parent


class Ways:
    def __init__(self):
        self.ports, self._lock, self._running = {}, threading.Lock(), None

    def start(self, **ways):
        self.ports = {name: free_port() for name in ways}
        arguments = [f"{name}={kind}:{self.ports[name]}:0" for name, kind in ways.items()]
        self._running = subprocess.Popen([sys.executable, HERE / "ways.py", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._running.stdout.readline()

    def port(self, name):
        return self.ports[name]

    def tell(self, way, **what):
        with self._lock:
            self._running.stdin.write(json.dumps({"way": way} | what) + "\n")
            self._running.stdin.flush()
            return json.loads(self._running.stdout.readline())

    def to(self, way, port):
        self.tell(way, upstream=port)

    @contextlib.contextmanager
    def mode(self, way, **mode):
        self.tell(way, mode=mode)
        try:
            yield
        finally:
            self.tell(way, mode={})

    def done(self, way):
        return self.tell(way)

    def stop(self):
        if self._running is not None:
            self._running.kill()
            self._running.wait()
