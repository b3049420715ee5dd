"""deploy/leave_root.sh as root: the data folder's owner, and a folder where its user can execute the program."""
import os
import pathlib
import subprocess
import sys
import unittest

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy"
# Mounts like Debian's after a boot: /run is noexec, and only root can enter the clone in /root.
SCRIPT = """
set -euo pipefail
mount -t tmpfs -o noexec tmpfs /run
mount -t tmpfs -o mode=755 tmpfs /var/lib
mount -t tmpfs -o mode=755 tmpfs /root
chmod 0700 /root
mkdir -p /root/clone/configs /root/clone/bin
touch /root/clone/configs/targets.json
printf '#!/bin/sh\\necho "$0"\\n' >/root/clone/bin/tunehub-server
chmod 0755 /root/clone/bin/tunehub-server
fail() {{ echo "FAILED: $*"; exit 1; }}
repo=/root/clone bin=/root/clone/bin data=/var/lib/tunehub
source {deploy}/data_dir.sh
source {deploy}/leave_root.sh
{command}
"""


def run(command, **environment):
    script = SCRIPT.format(deploy=DEPLOY, command=command)
    return subprocess.run(["unshare", "--mount", "--propagation", "private", "bash", "-c", script], text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **environment})


@unittest.skipUnless(os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"], check=False).returncode == 0,
                     "needs root with mounts of its own")
class LeaveRoot(unittest.TestCase):
    def test_the_user_executes_the_program_of_a_closed_clone_and_it_is_gone_afterwards(self):
        done = run('place_program; runuser -u nobody -- "$program"; remove_program; ls -A /var/lib')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"^/var/lib/tunehub-program-[0-9a-f]{16}/bin/tunehub-server\n$")

    def test_the_data_folder_is_the_users(self):
        done = run("make_data_folder; stat -c '%U %a' $data", TUNEHUB_USER="daemon")
        self.assertEqual(done.stdout, "daemon 750\n")
        done = run("mkdir $data; chown sys $data; make_data_folder; server_user", TUNEHUB_USER="")
        self.assertEqual(done.stdout, "sys\n")

    def test_a_file_system_that_executes_nothing_is_named(self):
        done = run("mount -o remount,noexec /var/lib; place_program")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"FAILED: cannot run /var/lib/tunehub-program-.* is .* mounted noexec")


class Addresses(unittest.TestCase):
    def test_an_address_is_a_host_and_a_port(self):
        for text, wanted in {"127.0.0.1:8080": 0, "[::1]:8080": 0, "hub:1": 0, "hub:0": 1, "hub:65536": 1, "8080": 1,
                             ":8080": 1, "hub:08": 0}.items():
            done = subprocess.run(["bash", "-c", f'source {DEPLOY}/data_dir.sh; is_address "$1"', "-", text], check=False)
            self.assertEqual(done.returncode, wanted, text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
