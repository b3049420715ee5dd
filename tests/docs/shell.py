"""One bash for a page. Its variables, functions and working folder last from command to command."""
import os
import queue
import subprocess
import threading

PATIENCE_S = 600  # for one command; only a hang takes so long
MARK = "-- the command is done --"


class Shell:
    def __init__(self, folder, environment, inside=(), patience_s=PATIENCE_S):
        """`inside`: a command that runs the bash elsewhere."""
        self.patience_s = patience_s
        self.process = subprocess.Popen(
            [*inside, "bash", "--noprofile", "--norc"], cwd=folder, env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        self.lines = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def run(self, command):
        """The exit status and the lines of both streams."""
        self.process.stdin.write(f"{{ {command}\n}} </dev/null\nprintf '\\n%s %d\\n' '{MARK}' $?\n")
        self.process.stdin.flush()
        printed = []
        while True:
            try:
                line = self.lines.get(timeout=self.patience_s)
            except queue.Empty:
                return None, printed + [f"(nothing more in {self.patience_s} s)"]
            if line is None:
                return None, printed + ["(bash has ended)"]
            if line.startswith(MARK):
                if printed and not printed[-1]:
                    printed.pop()  # the line end before the mark
                return int(line.removeprefix(MARK)), printed
            printed.append(line)

    def close(self):
        """Also ends programs that the page left running."""
        try:
            os.killpg(self.process.pid, 15)
        except ProcessLookupError:
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, 9)
