"""The jobs of docs/recipes for GitHub Actions and GitLab CI: they pass for a good pin, and fail for each fault of one.

Between the agent and the hub is a proxy, which can drop signatures and change bytes.
"""
import hashlib
import http.client
import http.server
import json
import pathlib
import shutil
import subprocess
import threading
import unittest

from support import FAMILY, MODEL, PATIENCE_S, RECIPES, RecipeTest, yaml


class Proxy(http.server.ThreadingHTTPServer):
    """Passes requests on to the hub; `spoil` may change an answer's headers and body."""

    def __init__(self, hub):
        super().__init__(("127.0.0.1", 0), Passing)
        self.hub, self.spoil = hub.removeprefix("http://"), None
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Passing(http.server.BaseHTTPRequestHandler):
    def do_GET(self):  # noqa: N802  (http.server's name)
        hub = http.client.HTTPConnection(self.server.hub, timeout=PATIENCE_S)
        hub.request("GET", self.path, headers={k: v for k, v in self.headers.items() if k.lower() != "host"})
        answer = hub.getresponse()
        body = answer.read()
        headers = {k: v for k, v in answer.getheaders() if k.lower() not in ("content-length", "transfer-encoding", "connection")}
        if self.server.spoil:
            headers, body = self.server.spoil(self.path, headers, body)
        self.send_response(answer.status)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        hub.close()

    def log_message(self, *_):
        pass


def unsigned(_, headers, body):
    return {k: v for k, v in headers.items() if k.lower() != "tunehub-signature"}, body


def github(job):
    """The commands of a job's steps; each runs in a shell of its own, as GitHub runs them."""
    return [("bash", "-e", "-c", step["run"]) for step in job["steps"] if "run" in step]


def gitlab(job):
    return [("bash", "-c", "\n".join(["set -e", *job["script"]]))]


class Jobs(RecipeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.build = cls.put_build()
        cls.tune(cls.build, layers=1)
        cls.unsafe = cls.pull("unsafe.lock")
        cls.tune(cls.build)
        cls.proxy = Proxy(cls.hub.url)
        cls.addClassCleanup(cls.proxy.server_close)
        cls.addClassCleanup(cls.proxy.shutdown)
        cls.lock = cls.pull("tunehub.lock") | {"hub": cls.proxy.url}
        cls.archive = cls.place / "agent.tar.gz"
        cls.agent_archive(cls.archive)
        cls.digest = hashlib.sha256(cls.archive.read_bytes()).hexdigest()
        cls.jobs = [("github", github(yaml(RECIPES / "github-actions.yml")["jobs"]["tuned-tables"])),
                    ("gitlab", gitlab(yaml(RECIPES / "gitlab-ci.yml")["tuned-tables"]))]

    @classmethod
    def pull(cls, name, *options):
        cls.agent("pull", "--family", FAMILY, "--lock", cls.place / name, "-o", cls.place / f"{name}.csv",
                  *(options or ("--gfx", "MI300X", "--build", cls.build)))
        return json.loads((cls.place / name).read_text())

    def run_job(self, commands, checkout, variables):
        """The status and the output of a job, in a new checkout."""
        temporary = checkout / "runner"
        temporary.mkdir(parents=True)
        added = temporary / "path"
        added.touch()
        said = ""
        for command in commands:
            path = ":".join([*added.read_text().split(), str(pathlib.Path(shutil.which("python3")).parent), "/usr/bin", "/bin"])
            done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                                  env=variables | {"PATH": path, "HOME": str(temporary), "RUNNER_TEMP": str(temporary), "GITHUB_PATH": str(added)})
            said += done.stdout + done.stderr
            if done.returncode != 0:
                return done.returncode, said
        return 0, said

    def expect(self, status, words, lock=None, trust=None, **variables):
        """Runs both jobs in checkouts with this lock and key."""
        variables = {"AGENT_URL": self.archive.as_uri(), "AGENT_SHA256": self.digest, "MODEL": MODEL, "TUNEHUB_KEY": ""} | variables
        for name, commands in self.jobs:
            checkout = self.folder / name
            checkout.mkdir()
            shutil.copy(RECIPES / "check_pin.py", checkout)
            (checkout / "tunehub.lock").write_text(json.dumps(lock or self.lock))
            self.trust(checkout / "tunehub.pub")
            if trust:
                (checkout / "tunehub.pub").write_text(trust)
            got, said = self.run_job(commands, checkout, variables)
            self.assertEqual(got, status, f"{name}: {said}")
            self.assertIn(words, said, name)

    def with_table(self, **members):
        return self.lock | {"tables": [self.lock["tables"][0] | members]}

    def test_a_good_pin_passes(self):
        self.expect(0, "Safe: each of")

    def test_an_agent_of_another_digest_is_not_run(self):
        self.expect(1, "FAILED", AGENT_SHA256="0" * 64)

    def test_an_unsigned_table_fails(self):
        self.proxy.spoil = unsigned
        self.addCleanup(setattr, self.proxy, "spoil", None)
        self.expect(1, "(unsigned)")

    def test_a_changed_answer_fails(self):
        self.proxy.spoil = lambda path, headers, body: (headers, b"# " + body if path.startswith("/tuned") else body)
        self.addCleanup(setattr, self.proxy, "spoil", None)
        self.expect(1, "cannot be had; see above")

    def test_another_key_fails(self):
        self.good("minisign", "-GW", "-p", self.folder / "other.pub", "-s", self.folder / "other.key")
        self.expect(1, "(other_key)", trust=(self.folder / "other.pub").read_text())

    def test_other_bytes_than_the_lock_says_fail(self):
        self.expect(1, "(lock_mismatch)", self.with_table(sha256="0" * 64))

    def test_a_revision_that_the_hub_lost_fails(self):
        self.expect(1, "(revision_gone)", self.with_table(token="0" * 32))

    def test_a_query_that_pull_would_not_find_in_the_lock_fails(self):
        build, gfx = self.lock["tables"][0]["query"].split("&")
        self.expect(1, "is not as pull writes it", self.with_table(query=f"{gfx}&{build}"))

    def test_an_unsafe_table_fails(self):
        self.expect(1, "as not_safe; see", self.unsafe)

    def test_a_table_of_no_build_fails(self):
        self.expect(1, "pull all with one --build", self.pull("no_build.lock", "--gfx", "MI300X"))

    def test_a_table_for_another_gpu_than_the_judged_one_fails(self):
        lock = self.pull("narrow.lock", "--gfx", "MI300X", "--build", self.build, "--query", "M=16")
        self.expect(1, "pull it for the GPU", lock)

    def test_a_lock_without_tables_fails(self):
        self.expect(1, "pins no table", self.lock | {"tables": []})

    def test_an_unknown_model_and_a_broken_lock_cannot_be_checked(self):
        self.expect(2, "404", MODEL=MODEL.replace("qwen3-32b", "nobodys"))

    def test_a_lock_that_is_no_lock_cannot_be_checked(self):
        self.expect(2, "tunehub.lock, or its hub's answer, cannot be read", {"tables": 7})


if __name__ == "__main__":
    unittest.main()
