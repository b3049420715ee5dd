"""deploy/steps.sh: the progress of deploy/up on a terminal and in a log."""
import os
import pathlib
import pty
import subprocess
import tempfile
import unittest

STEPS = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "steps.sh"
SCRIPT = """
source {steps}
until_seen() {{ until [[ -e {directory}/$1 ]]; do sleep 0.05; done; }}
slow() {{ echo '[1/4] one'; until_seen 25; echo '[2/4] two'; until_seen 50; echo '[4/4] four'; }}
broken() {{ echo 'the reason'; return 3; }}
begin_steps {directory}/up.log 2
step "slow" slow
step "broken" broken || echo "status $?"
"""


def start(directory, stdout):
    script = SCRIPT.format(steps=STEPS, directory=directory)
    return subprocess.Popen(["bash", "-euc", script], stdout=stdout, stderr=stdout)


def saw(directory, percent):
    pathlib.Path(directory, str(percent)).touch()


class Steps(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def test_in_a_log_a_step_is_a_line_at_its_begin_and_one_at_its_end(self):
        for percent in (25, 50):
            saw(self.directory.name, percent)
        with tempfile.TemporaryFile() as out:
            self.assertEqual(start(self.directory.name, out).wait(), 0)
            out.seek(0)
            lines = out.read().decode().splitlines()
        self.assertEqual(lines[0], "[1/2] slow")
        self.assertRegex(lines[1], r"^\[1/2\] slow: \d+ s$")
        self.assertEqual(lines[2], "[2/2] broken")
        self.assertRegex(lines[3], r"^\[2/2\] broken: FAILED with status 3 after \d+ s; the end of .*/up.log:$")
        # This is the output of this step alone, without the output of the step before.
        self.assertEqual(lines[4:], ["the reason", "status 3"])
        # If a command fills the disk, its log still has room for the message.
        saw(self.directory.name, "other")
        fallocate = ["fallocate", "--keep-size", "--length", "1M", f"{self.directory.name}/other"]
        if subprocess.run(fallocate, check=False).returncode == 0:  # some file systems cannot reserve space
            self.assertGreaterEqual(os.stat(f"{self.directory.name}/up.log").st_blocks * 512, 1 << 20)

    def test_on_a_terminal_one_line_moves_and_says_how_far_it_is(self):
        master, slave = pty.openpty()
        process = start(self.directory.name, slave)
        os.close(slave)
        shown = b""
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            shown += part
            for percent in (25, 50):
                if f", {percent} %".encode() in shown:
                    saw(self.directory.name, percent)
        os.close(master)
        self.assertEqual(process.wait(), 0)
        text = shown.decode()
        self.assertRegex(text, r"\r\[1/2\] slow: \d+ s, 25 %")
        self.assertRegex(text, r"\r\[1/2\] slow: \d+ s, 50 %")
        self.assertRegex(text, r"\r\x1b\[K\[1/2\] slow: \d+ s\r\n")
        self.assertIn("the reason", text)


if __name__ == "__main__":
    unittest.main()
