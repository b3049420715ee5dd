"""deploy/ha: the files that it writes, and the client's address that its proxy passes on."""
import contextlib
import http.server
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import threading
import unittest

REPO = pathlib.Path(__file__).resolve().parents[2]


def shell(text, *arguments):
    return subprocess.run(["bash", "-euo", "pipefail", "-c", text, "-", *arguments], text=True, check=True,
                          stdout=subprocess.PIPE).stdout


class Files(unittest.TestCase):
    def test_a_nodes_file_is_filled_whatever_the_folders_name_and_no_program_is_given_a_password(self):
        with tempfile.TemporaryDirectory(suffix="a|b&c") as folder:
            os.mkdir(f"{folder}/secrets")
            # Each program that starts logs its arguments.
            text = shell(f"""
              source {REPO}/deploy/ha/set.sh; source {REPO}/deploy/ha/make.sh; dir=$1
              sed() {{ echo "sed $*" >>"$dir/started"; command sed "$@"; }}
              fill 2""", folder)
            secrets = {it.name: it.read_text() for it in pathlib.Path(folder, "secrets").iterdir()}
            started = pathlib.Path(folder, "started")
            said = started.read_text() if started.exists() else ""
        self.assertNotRegex(text, r"@[A-Z_]+@")
        self.assertIn(f"data_dir: {folder}/pg2/data", text)
        self.assertEqual(sorted(secrets), ["patroni", "postgres", "replicator", "rewinder"])
        for secret in secrets.values():
            self.assertEqual(text.count(secret), 1)
            self.assertNotIn(secret, said)


class Taken(unittest.TestCase):
    def test_an_address_is_found_taken_in_brackets_too(self):
        question = f'source {REPO}/deploy/data_dir.sh; if taken "$1"; then echo yes; else echo no; fi'
        for text, family in {"127.0.0.1": socket.AF_INET, "[::1]": socket.AF_INET6}.items():
            with contextlib.suppress(OSError), socket.create_server((text.strip("[]"), 0), family=family) as listener:  # the host may have no IPv6
                address = f"{text}:{listener.getsockname()[1]}"
                self.assertEqual(shell(question, address), "yes\n")
                listener.close()
                self.assertEqual(shell(question, address), "no\n")


class Server(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = repr(self.headers.get_all("X-Forwarded-For")).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@unittest.skipUnless(shutil.which("haproxy", path="/usr/sbin:/usr/bin"), "needs haproxy (deploy/packages, [ha])")
class Proxy(unittest.TestCase):
    def test_the_servers_are_told_the_clients_address_and_not_what_it_says_of_itself(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/haproxy")
            proxy = subprocess.Popen(["/usr/sbin/haproxy", "-db", "-f", f"{REPO}/deploy/ha/haproxy.cfg"], stderr=subprocess.DEVNULL,
                                     env={"HA_DIR": folder, "HA_LISTEN": f"127.0.0.1:{port}", "HA_SERVER1": str(server.server_port),
                                          "HA_SERVER2": str(server.server_port)})
            self.addCleanup(proxy.wait)
            self.addCleanup(proxy.kill)
            asked = shell("""curl -fsS --noproxy '*' --retry 30 --retry-delay 1 --retry-connrefused -H "X-Forwarded-For: 192.0.2.7" $1""",
                          f"http://127.0.0.1:{port}/")
            self.assertEqual(asked, "['127.0.0.1']")


if __name__ == "__main__":
    unittest.main()
