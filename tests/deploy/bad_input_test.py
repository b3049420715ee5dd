"""deploy's scripts and tests/run name what is missing. A later run must not accept a failed run's incomplete files."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

REPO = pathlib.Path(__file__).resolve().parents[2]


class BadInput(unittest.TestCase):
    def run_script(self, script, **programs):
        """Runs a script in the same folder each time. `programs` replace the real programs."""
        for name, text in programs.items():
            path = self.folder / name.replace("__", "/").replace("_", "-")
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(0o755)
        done = subprocess.run(["bash", "-c", script], check=False, cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}"})
        return done.returncode, done.stdout.splitlines()[-1:]

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        shutil.copytree(REPO / "deploy", self.folder / "deploy")
        os.mkdir(self.folder / "tests")
        shutil.copy(REPO / "tests/run", self.folder / "tests/run")

    def test_a_package_that_apt_left_half_done_is_missing_and_a_network_that_is_gone_is_named(self):
        rc, said = self.run_script("deploy/install-packages some", deploy__packages="[some]\ntool tool\nother", tool="", dpkg="",
                                   sudo='"$@"', dpkg_query='[ "$4" != tool ] || echo unpacked', apt_get="exit 100")
        self.assertEqual((rc, said), (1, ["install-packages: apt-get update failed (no network? a full disk?), and apt-get could not install "
                                          "the packages that it names above; needed are tool other"]))

    def test_two_installations_at_once_follow_each_other(self):
        rc, _ = self.run_script("deploy/install-packages some & deploy/install-packages some && wait $!", deploy__packages="[some]\ntool",
                                dpkg="", dpkg_query="", sudo='"$@"', apt_get="mkdir held || exit 100; sleep 0.2; rmdir held")
        self.assertEqual(rc, 0)

    def test_npm_packages_that_a_full_disk_cuts_short_are_installed_again(self):
        for npm, wanted in (("mkdir node_modules; echo TAR_ENTRY_ERROR ENOSPC", 1), ("mkdir node_modules", 0), ("exit 9", 0)):
            self.assertEqual(self.run_script("touch package-lock.json; deploy/install-npm .", npm=npm)[0], wanted, npm)

    def test_a_compiler_that_is_refused_is_not_remembered(self):
        script = "mkdir -p build/some; touch build/some/CMakeCache.txt; deploy/build some; ls build/some"
        self.assertEqual(self.run_script(script, cmake="exit 1"), (0, []))

    def test_tests_that_a_signal_stops_have_not_passed(self):
        made = {f"deploy__{name}": "" for name in ("install_packages", "build", "build_web", "install_npm")}
        rc, said = self.run_script("tests/run", tests__lint="", tests__outcomes="", ctest="kill -INT $PPID; kill -INT $$", **made)
        self.assertEqual((rc, said), (1, ["tests/run: FAILED: stopped by a signal"]))


if __name__ == "__main__":
    unittest.main()
