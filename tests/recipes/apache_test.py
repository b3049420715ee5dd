"""docs/recipes/apache-oidc.conf: a real Apache in front of a real hub. A file of passwords replaces the OpenID provider."""
import hashlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from base64 import b64encode

import support

APACHE = shutil.which("apache2") or "/usr/sbin/apache2"
MODULES = pathlib.Path("/usr/lib/apache2/modules")
NEEDED = ["mpm_event", "authn_core", "authn_file", "authz_core", "authz_user", "auth_basic", "headers", "proxy", "proxy_http"]
RECIPE = (support.REPO / "docs/recipes/apache-oidc.conf").read_text(encoding="utf-8")
PASSWORD = "secret"


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


@unittest.skipUnless(pathlib.Path(APACHE).exists() and (MODULES / "mod_auth_openidc.so").exists(),
                     "apache2-bin or libapache2-mod-auth-openidc is missing")
class Apache(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="tunehub-apache-")))
        self.folder.chmod(0o755)  # if this runs as root, PostgreSQL runs as another user
        self.port = free_port()

    def write(self, recipe, more=()):
        lines = [f"ServerRoot {self.folder}", f"PidFile {self.folder}/pid", f"ErrorLog {self.folder}/error.log",
                 f"Listen 127.0.0.1:{self.port}", "ServerName hub.example", f"DefaultRuntimeDir {self.folder}",
                 *(f"LoadModule {it}_module {MODULES}/mod_{it}.so" for it in [*NEEDED, *more])]
        file = self.folder / "apache.conf"
        file.write_text("\n".join(lines) + "\n" + recipe)
        return file

    def test_apache_accepts_the_file_as_it_is(self):
        done = subprocess.run([APACHE, "-t", "-f", self.write(RECIPE, ["auth_openidc"])], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.strip()), (0, "Syntax OK"))
        wrong = self.write(RECIPE.replace("OIDCRemoteUserClaim", "OIDCRemoteUserClam"), ["auth_openidc"])
        self.assertNotEqual(subprocess.run([APACHE, "-t", "-f", wrong], capture_output=True).returncode, 0)

    def start(self, hub):
        digest = b64encode(hashlib.sha1(PASSWORD.encode()).digest()).decode()
        (self.folder / "passwords").write_text(f"ann:{{SHA}}{digest}\n")
        recipe = re.sub(r"^OIDC.*\n", "", RECIPE, flags=re.MULTILINE).replace("http://127.0.0.1:8080", hub)
        recipe = recipe.replace("AuthType openid-connect", f'AuthType Basic\n  AuthName hub\n  AuthUserFile "{self.folder}/passwords"')
        apache = subprocess.Popen([APACHE, "-X", "-f", self.write(recipe)], stderr=subprocess.PIPE)
        self.addCleanup(apache.stderr.close)
        self.addCleanup(apache.wait)
        self.addCleanup(apache.terminate)
        end = time.monotonic() + 60
        while self.ask("/healthz", {}) is None:
            self.assertIsNone(apache.poll(), "Apache ended")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def ask(self, target, headers):
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{target}", headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read().decode()
        except urllib.error.URLError:
            return None

    def test_a_signed_in_user_reads_and_nobody_else_poses_as_one(self):
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "TUNEHUB_READS": "key",
                       "TUNEHUB_TRUSTED_PROXIES": "127.0.0.1", "TUNEHUB_USER_HEADER": "X-Remote-User"}
        hub = support.Hub(support.BIN / "tunehub-server", self.folder, environment)
        self.addCleanup(hub.close)
        key = subprocess.run([support.BIN / "tunehub-server", "key", "create", "--scope", "read", "--data", hub.data],
                             env=environment, check=True, capture_output=True, text=True).stdout.strip()
        self.start(hub.url)
        ann = {"Authorization": "Basic " + b64encode(f"ann:{PASSWORD}".encode()).decode()}
        self.assertEqual(self.ask("/tuned", ann)[0], 200)
        self.assertIn('"key":null', self.ask("/keys/self", ann)[1])
        self.assertEqual(self.ask("/tuned", {})[0], 401)
        self.assertEqual(self.ask("/tuned", {"X-Remote-User": "ann"})[0], 401)
        self.assertEqual(self.ask("/tuned", {**ann, "X-Remote-User": "root, boss"})[0], 200, "the proxy drops it")
        # A key goes past the sign-in, but takes no header with it.
        unknown = {"Authorization": "Bearer thub_" + "a" * 32, "X-Remote-User": "ann"}
        status, said = self.ask("/tuned", unknown)
        self.assertEqual(status, 401)
        self.assertIn("wrong_key", said)
        self.assertEqual(self.ask("/tuned", {"Authorization": f"Bearer {key}"})[0], 200)


if __name__ == "__main__":
    unittest.main()
