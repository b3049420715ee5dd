"""The servers. Each is behind its own proxy, except the server with TLS."""
import shutil
import signal
import ssl

from hub import Hub
from processes import Process, free_port, give
from waiting import await_true

SETTINGS = {"TUNEHUB_JOB_LEASE_MS": "4000", "TUNEHUB_JOB_REST_MS": "0", "TUNEHUB_QUOTA_ROWS": "0", "TUNEHUB_QUOTA_KEYS": "0"}
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"


def faketime(file=None, offset=None):
    """The environment that gives a program another time: from a file that it reads each second, or as an offset."""
    # Without this, monotonic clocks would jump, which real ones never do.
    plain = {"LD_PRELOAD": FAKETIME, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1", "FAKETIME_CACHE_DURATION": "1"}
    return plain | ({"FAKETIME_TIMESTAMP_FILE": str(file)} if file else {"FAKETIME": offset})


class Server:
    def __init__(self, name, place, tls=None):
        self.name, self.place, self.tls = name, place, tls
        self.port = free_port()
        self.process = Process(name, place.folder / f"{name}.log")
        self.environment = {}  # for the next start

    def hub(self, patience=15):
        return Hub(self.port, patience=patience, tls=self.tls and ssl.create_default_context(cafile=self.tls.ca))

    def start(self):
        flags = ["--tls-certificate", self.tls.certificate, "--tls-key", self.tls.key] if self.tls else []
        command = self.place.program("serve", "--listen", f"127.0.0.1:{self.port}", "--database", self.place.database.address(True), *flags,
                                     "--signing-key", self.place.signing_key,
                                     environment=SETTINGS | self.environment)
        self.process.start_as(command, owner=False)

    def answers(self, what="/readyz"):
        try:
            return self.hub(patience=3).ask("GET", what)[0] == 200
        except OSError:
            return False

    def ensure_up(self, seconds=90):
        """Restarts a server that ended, as its service does."""
        def is_up():
            if not self.process.lives():
                self.start()
            return self.answers()
        await_true(f"{self.name} ready", is_up, seconds, 0.2)

    def restart(self, environment=None):
        self.environment = environment or {}
        self.process.terminate()
        self.ensure_up()

    def reload(self):
        self.process.signal(signal.SIGHUP)


class Tls:
    """The test's own certificate authority. It signs certificates with a given end."""

    def __init__(self, folder, run):
        self.folder, self.run = folder, run
        folder.mkdir()
        self.ca, self.certificate, self.key = folder / "ca.pem", folder / "hub.pem", folder / "hub.key"
        self.run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-keyout", folder / "ca.key",
                 "-out", self.ca, "-days", "30", "-subj", "/CN=soak")
        self.run("openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-keyout", self.key,
                 "-out", folder / "hub.csr", "-subj", "/CN=hub")
        (folder / "ca.cnf").write_text(CA.format(folder=folder))
        (folder / "index").touch()
        give(folder, self.key)
        self.good = self.make("good", "20991231235959Z")
        self.use(self.good)

    def make(self, name, ends):
        out = self.folder / f"{name}.pem"
        self.run("openssl", "ca", "-batch", "-config", self.folder / "ca.cnf", "-in", self.folder / "hub.csr", "-out", out, "-enddate", ends,
                 "-notext")
        return out

    def use(self, certificate):
        shutil.copyfile(certificate, self.folder / "new.pem")
        (self.folder / "new.pem").chmod(0o644)
        (self.folder / "new.pem").rename(self.certificate)


CA = """[ca]
default_ca = own
[own]
database = {folder}/index
new_certs_dir = {folder}
certificate = {folder}/ca.pem
private_key = {folder}/ca.key
default_md = sha256
rand_serial = yes
policy = any
unique_subject = no
x509_extensions = hub
[any]
commonName = supplied
[hub]
subjectAltName = IP:127.0.0.1
"""
