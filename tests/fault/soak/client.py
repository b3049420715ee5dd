"""A client of the hub in its own process: `client.py CONFIG`. It records its requests and their answers line by line in
its ledger, a file that the hub does not know. Its stdin takes pause, go, stop and settings of its role. It prints
`paused` when it has no request in flight."""
import importlib
import json
import random
import sys
import threading
import time

from hub import Hub

ROLES = {"writer": "writers.Writer", "importer": "writers.Importer", "reverter": "writers.Reverter", "worker": "workers.Worker",
         "spooler": "agents.Spooler", "puller": "agents.Puller", "reader": "readers.Reader"}
AGAIN = 0.15  # seconds until the next try


class Client:
    PAUSE = 0.1  # seconds between two pieces of work

    def __init__(self, config):
        self.name, self.space, self.config = config["name"], config["space"], config
        self.random = random.Random(f"{config['seed']} {self.name}")
        self.hubs = [self.connect(port) for port in config["ports"]]
        self.stopped, self.paused, self.resumed = threading.Event(), threading.Event(), threading.Event()
        self.count = 0
        self.tries, self.unanswered = 0, 0
        self.settings = {}
        self._lock = threading.Lock()
        self._file = open(config["ledger"], "a", encoding="utf-8")

    def connect(self, port):
        tls = None
        if "ca" in self.config:
            import ssl
            tls = ssl.create_default_context(cafile=self.config["ca"])
        return Hub(port, self.config["key"], self.config["patience"], tls)

    def listen(self):
        for line in sys.stdin:
            told = json.loads(line)
            if "settings" in told:
                self.settings = told["settings"]
            if "lost" in told:
                self.forget(set(told["lost"]))
            if told.get("do") == "pause":
                self.resumed.clear()
                self.paused.set()
            elif told.get("do") == "go":
                self.paused.clear()
                self.resumed.set()
            elif told.get("do") == "stop":
                break
        self.stopped.set()
        self.resumed.set()

    def run(self):
        threading.Thread(target=self.listen, daemon=True).start()
        while not self.stopped.is_set():
            if self.paused.is_set() and self.is_quiet():
                self.note("tries", tries=self.tries, unanswered=self.unanswered)
                self.tries = self.unanswered = 0
                print("paused", flush=True)
                self.resumed.wait()
                continue
            self.work()
            time.sleep(self.PAUSE)

    def is_quiet(self):
        return True

    def forget(self, lost):
        """Forgets batches that the test has lost on purpose."""

    def note(self, kind, **fields):
        line = json.dumps({"k": kind, "by": self.name, "t": time.monotonic()} | fields) + "\n"
        with self._lock:  # the thread that reads stdin writes, too
            self._file.write(line)
            self._file.flush()

    def name_of(self):
        self.count += 1
        return f"{self.name}.{self.count}"

    def ask(self, method, path, body=None, headers=()):
        """Sends one request to one hub. Returns status, headers and body; None if no answer came from tunehub
        itself."""
        self.tries += 1
        try:
            status, answered, said = self.random.choice(self.hubs).ask(method, path, body, headers)
        except OSError:
            status = None
        if status is None or not is_tunehubs(status, answered, said):
            self.unanswered += 1
            return None
        return status, answered, said

    def insist(self, method, path, body=None, headers=()):
        """Repeats the request until a final answer comes."""
        while not self.stopped.is_set():
            answer = self.ask(method, path, body, headers)
            if answer and answer[0] != 429 and answer[0] < 500:
                return answer
            time.sleep(AGAIN)
        sys.exit(0)

    def insist_json(self, expected, *request):
        status, _, said = self.insist(*request)
        if status not in expected:
            self.note("refused", what=f"{request[0]} {request[1]}", said=f"{status} {said[:300]!r}")
            return None
        return json.loads(said) if said else {}


def is_tunehubs(status, headers, body):
    """False for an answer that any proxy could send."""
    kind = headers.get_content_type()
    if status >= 400:
        return kind == "application/problem+json" and is_whole(body, "code")
    return status in (204, 304) or kind in ("text/csv", "text/plain") or kind == "application/json" and is_whole(body)


def is_whole(body, member=None):
    try:
        found = json.loads(body)
    except ValueError:
        return False
    return member is None or member in found


def main():
    config = json.loads(sys.argv[1])
    module, name = ROLES[config["role"]].split(".")
    getattr(importlib.import_module(module), name)(config).run()


if __name__ == "__main__":
    main()
