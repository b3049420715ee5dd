"""A release folder, made from stand-ins of the packages in a small clone: the same bytes twice, signed sums that a user
verifies, a list of parts; a clone with changes and a folder with files are refused."""
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

REPO = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = "/bin/true"  # a small program that needs only glibc, in place of server and agent
COPIED = ("deploy", "python", "configs/families", "LICENSE", "THIRD-PARTY.md", "web/package-lock.json")
NAMES = ["SHA256SUMS", "SHA256SUMS.minisig", "tunehub-0.1.0-py3-none-manylinux_2_N_x86_64.whl", "tunehub-0.1.0.spdx.json",
         "tunehub-agent-0.1.0-linux-x86_64.tar.gz", "tunehub-agent_0.1.0_amd64.deb", "tunehub-server_0.1.0_amd64.deb"]
WITHOUT_SETTINGS = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": "/nonexistent"}


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, env=WITHOUT_SETTINGS, **options).stdout


class Release(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tunehub-release-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.clone, cls.packages = cls.folder / "clone", cls.folder / "packages"
        for name in COPIED:
            target = cls.clone / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if (REPO / name).is_dir():
                shutil.copytree(REPO / name, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(REPO / name, target)
        (cls.clone / ".gitignore").write_text("build/\n")
        cls.git("init", "-q")
        cls.git("add", "-A")
        cls.git("-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qm", "t", "--date", "2026-01-01T00:00:00Z")
        cls.make_packages()
        cls.key = cls.folder / "key"
        run("minisign", "-G", "-W", "-s", cls.key, "-p", cls.folder / "key.pub")
        cls.out = cls.folder / "out"
        made = cls.release("--key", cls.key, "--no-images", cls.out)
        assert made.returncode == 0, made.stderr

    @classmethod
    def git(cls, *arguments):
        return run("git", *arguments, cwd=cls.clone)

    @classmethod
    def make_packages(cls):
        cls.packages.mkdir()
        for name in ("server", "agent"):
            root = cls.folder / name
            (root / "usr/bin").mkdir(parents=True)
            shutil.copy(PROGRAM, root / f"usr/bin/tunehub-{name}")
            (root / "DEBIAN").mkdir()
            (root / "DEBIAN/control").write_text(f"Package: tunehub-{name}\nVersion: 0.1.0\nArchitecture: amd64\n"
                                                 "Maintainer: t <t@localhost>\nDescription: t\n")
            run("dpkg-deb", "--root-owner-group", "--build", root, cls.packages / f"tunehub-{name}_0.1.0_amd64.deb")
        with tarfile.open(cls.packages / "tunehub-agent-0.1.0-linux-x86_64.tar.gz", "w:gz") as archive:
            archive.add(os.path.realpath(PROGRAM), "tunehub-agent-0.1.0-linux-x86_64/tunehub-agent")

    @classmethod
    def release(cls, *arguments):
        return subprocess.run(["deploy/release", "--packages", cls.packages, *arguments], cwd=cls.clone, check=False,
                              capture_output=True, text=True, env=WITHOUT_SETTINGS)

    def assert_refused(self, said, *arguments):
        made = self.release(*arguments)
        self.assertNotEqual(made.returncode, 0)
        self.assertRegex(made.stderr, said)

    def test_a_commit_and_a_key_make_the_same_bytes_twice(self):
        again = self.folder / "again"
        made = self.release("--key", self.key, "--no-images", again)
        self.assertEqual(made.returncode, 0, made.stderr)
        files = {it.name: it.read_bytes() for it in self.out.iterdir()}
        self.assertEqual({it.name: it.read_bytes() for it in again.iterdir()}, files)
        wheel = next(it for it in files if it.endswith(".whl"))
        self.assertEqual(sorted(files), sorted(NAMES[:2] + [wheel] + NAMES[3:]))

    def test_a_user_verifies_sums_and_signature(self):
        listed = run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=self.out).splitlines()
        self.assertEqual(len(listed), len(NAMES) - 2)
        verify = ["minisign", "-V", "-p", self.folder / "key.pub", "-x", self.out / "SHA256SUMS.minisig", "-m"]
        commit = self.git("rev-parse", "HEAD").strip()
        self.assertIn(f"Trusted comment: tunehub 0.1.0, commit {commit}", run(*verify, self.out / "SHA256SUMS"))
        changed = self.folder / "changed"
        changed.write_text((self.out / "SHA256SUMS").read_text().replace("a", "b", 1))
        self.assertNotEqual(subprocess.run([*verify, changed], check=False, capture_output=True).returncode, 0)

    def test_the_list_of_parts_has_libraries_code_and_the_dashboards_packages(self):
        parts = json.loads((self.out / "tunehub-0.1.0.spdx.json").read_text())
        self.assertEqual((parts["spdxVersion"], parts["dataLicense"]), ("SPDX-2.3", "CC0-1.0"))
        found = {it["name"]: it for it in parts["packages"]}
        relations = {(it["spdxElementId"], it["relationshipType"], it["relatedSpdxElement"]) for it in parts["relationships"]}
        libc = run("dpkg-query", "-W", "-f", "${Version}", "libc6")
        self.assertEqual((found["libc6"]["versionInfo"], found["libc6"]["licenseDeclared"]), (libc, "LGPL-2.1-or-later"))
        lock = json.loads((REPO / "web/package-lock.json").read_text())["packages"]
        self.assertEqual(found["preact"]["versionInfo"], lock["node_modules/preact"]["version"])
        self.assertNotIn("fsevents", found)  # npm does not install it on Linux
        self.assertEqual(found["fmtlib"]["licenseDeclared"], "NOASSERTION")
        for one, relation, other in (("tunehub-agent", "DYNAMIC_LINK", "libc6"), ("tunehub-agent", "STATIC_LINK", "openssl"),
                                     ("tunehub-server", "CONTAINS", "preact"), ("vite", "BUILD_TOOL_OF", "tunehub-server")):
            self.assertIn((found[one]["SPDXID"], relation, found[other]["SPDXID"]), relations)
        known = {it["SPDXID"] for it in parts["packages"]} | {"SPDXRef-DOCUMENT"}
        self.assertEqual({it for one, _, other in relations for it in (one, other)} - known, set())

    def test_what_is_no_commit_or_no_empty_folder_is_refused(self):
        self.assert_refused(f"{self.out} has files; name an empty or a new folder", self.out)
        self.assert_refused("--key .*/gone: cannot read this file. minisign -G", "--key", self.folder / "gone", self.folder / "new")
        stray = self.clone / "stray"
        self.addCleanup(stray.unlink)
        stray.write_text("x")
        self.assert_refused(r"Commit or remove: \?\? stray", self.folder / "new")
        self.assertFalse((self.folder / "new").exists())


if __name__ == "__main__":
    unittest.main()
