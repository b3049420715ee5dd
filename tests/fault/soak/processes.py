"""Processes of the set: their user, start, signals, end and restart."""
import contextlib
import os
import pathlib
import pwd
import signal
import socket
import subprocess

from descendants import with_descendants
from waiting import await_true

# PostgreSQL refuses to run as root, and a server started by root switches to another user.
OWNER = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
AS_OWNER = ["setpriv", "--reuid", OWNER, "--regid", OWNER, "--init-groups", "--no-new-privs"] if os.getuid() == 0 else []


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def give(*paths):
    if os.getuid() == 0:
        entry = pwd.getpwnam(OWNER)
        for it in paths:
            os.chown(it, entry.pw_uid, entry.pw_gid)


def run(*command, **options):
    done = subprocess.run([str(it) for it in command], capture_output=True, text=True, timeout=options.pop("timeout", 120),
                          stdin=subprocess.DEVNULL, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


class Process:
    """A process that can be restarted with the same log."""

    def __init__(self, name, log):
        self.name, self.log, self.running = name, log, None

    def start_as(self, command, environment=None, owner=True):
        with open(self.log, "ab") as log:
            self.running = subprocess.Popen([*(AS_OWNER if owner else []), *map(str, command)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=os.environ | (environment or {}), start_new_session=True)

    def lives(self):
        return self.running is not None and self.running.poll() is None

    def signal(self, what):
        if self.lives():
            self.running.send_signal(what)

    def kill(self):
        self.signal(signal.SIGKILL)
        if self.running is not None:
            self.running.wait()

    def terminate(self, seconds=20):
        self.signal(signal.SIGTERM)
        if self.running is not None:
            self.running.wait(seconds)

    def kill_all(self):
        """Kills the process and its descendants at once, like a host that is switched off."""
        if not self.lives():
            return
        every = with_descendants(self.running.pid)
        for what in (signal.SIGSTOP, signal.SIGKILL):
            for pid in every:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, what)
        self.running.wait()
        await_true(f"all of {self.name} gone", lambda: not any(pathlib.Path(f"/proc/{it}/exe").exists() for it in every))

    def end_of_log(self, lines=5):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])
