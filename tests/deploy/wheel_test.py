"""The wheel, installed in a venv without a network: a real hub's tables reach a stand-in of AITER before its import, and
tunehub.env refuses a foreign key, a changed pin, an unpinned table, and a call that comes too late."""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

REPO = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("TUNEHUB_BIN", REPO / "build/release/bin")).resolve()
EXAMPLES = REPO / "docs/examples"
VARIABLE = "AITER_CONFIG_GEMM_A8W8_BLOCKSCALE"
# Reads its table at its import, as AITER does.
AITER = f"""import csv, os
with open(os.environ.get("{VARIABLE}", os.devnull), newline="") as table:
    rows = list(csv.DictReader(table))
"""
OTHER_KEY = "RWQiXrEfWqbYRMy7kHvH6+jsAWzMs0vBe411z52xKadAQLWafAcdLFBH"  # of no hub
FAST = "1"  # compression
# Prints the value of RESULT, or the error, and the variables afterwards.
FRAME = """import json, os, tunehub
try:
    result = {"value": (lambda: %s)()}
except tunehub.Error as error:
    result = {"said": str(error), "code": error.code, "status": error.status}
print(json.dumps({**result, "set": sorted(it for it in os.environ if it.startswith(("AITER_", "VLLM_", "PYTORCH_")))}))
"""

sys.path.insert(0, str(REPO / "tests/docs"))
from hub import Hub  # noqa: E402


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, **options).stdout


def make_wheel(agent, out):
    return pathlib.Path(run(REPO / "deploy/wheel", "--agent", agent, "--version", "0.1.0", "--level", FAST, out).strip())


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="tunehub-wheel-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.folder.chmod(0o755)  # if this runs as root, PostgreSQL runs as another user
        cls.variables = {"PATH": os.environ["PATH"], "HOME": str(cls.folder), "PYTHONPATH": str(cls.folder / "engines")}
        with concurrent.futures.ThreadPoolExecutor() as pool:
            hub = pool.submit(Hub, BIN / "tunehub-server", cls.folder, cls.variables)
            # The host's pip installs: to unpack a second pip into the venv takes longer than the whole test.
            venv = pool.submit(run, sys.executable, "-m", "venv", "--without-pip", cls.folder / "venv")
            cls.agent = cls.folder / "tunehub-agent"
            run("strip", "-o", cls.agent, BIN / "tunehub-agent")
            cls.wheel = make_wheel(cls.agent, cls.folder)
            venv.result()
            cls.bin = cls.folder / "venv/bin"
            run(sys.executable, "-m", "pip", "--python", cls.bin / "python", "install", "--quiet", "--no-index",
                "--disable-pip-version-check", cls.wheel)
            cls.hub = hub.result()
        cls.addClassCleanup(cls.hub.close)
        cls.fill()

    @classmethod
    def fill(cls):
        (cls.folder / "engines").mkdir()
        (cls.folder / "engines/aiter.py").write_text(AITER)
        (cls.folder / "engines/pandas.py").write_text("class DataFrame(list): pass\n")
        key = run(BIN / "tunehub-server", "key", "create", "--scope", "submit", "--data", cls.hub.data).strip()
        send = {"env": cls.variables | {"TUNEHUB_KEY": key, "TUNEHUB_HUB": cls.hub.url}, "cwd": EXAMPLES}
        run(cls.bin / "tunehub-agent", "import", "aiter_configs", **send)
        run(cls.bin / "tunehub-agent", "import", "--reader", "vllm", "engine_configs/vllm", **send)
        run(cls.bin / "tunehub-agent", "import", "--reader", "tunableop", "--device", "AMD_Instinct_MI300X",
            "engine_configs/tunableop", **send)
        cls.lock = cls.folder / "tunehub.lock"
        cls.ask(f'tunehub.env("{cls.hub.url}", gfx="gfx942", lock="{cls.lock}", update_lock=True)')

    @classmethod
    def ask(cls, expression, before=""):
        """Evaluates an expression in the venv: {"value": ...} or the error, and the variables that are set."""
        out = run(cls.bin / "python", "-c", before + FRAME % expression, env=cls.variables, cwd=cls.folder)
        return json.loads(out)

    def assert_refused(self, answer, code, status, said):
        self.assertEqual((answer.get("code"), answer.get("status"), answer["set"]), (code, status, []), answer)
        self.assertIn(said, answer["said"])

    def changed_lock(self, change):
        lock = json.loads(self.lock.read_text())
        change(lock)
        path = self.folder / "changed.lock"
        path.write_text(json.dumps(lock))
        return path

    def test_the_same_input_makes_the_same_bytes_and_the_tag_names_the_glibc(self):
        self.assertEqual(make_wheel(self.agent, self.folder / "again").read_bytes(), self.wheel.read_bytes())
        needed = run("objdump", "-T", self.agent)
        newest = max(int(it.split("GLIBC_2.")[1].split(")")[0].split(".")[0]) for it in needed.splitlines() if "GLIBC_2." in it)
        self.assertEqual(self.wheel.name, f"tunehub-0.1.0-py3-none-manylinux_2_{newest}_x86_64.whl")

    def test_a_program_that_needs_more_than_glibc_gets_no_wheel(self):
        made = subprocess.run([REPO / "deploy/wheel", "--agent", BIN / "tunehub-server", "--version", "0.1.0", self.folder / "none"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(made.returncode, 1)
        self.assertRegex(made.stderr, "tunehub-server needs .*libpq.*, which a manylinux host may lack")

    def test_rows_have_numbers(self):
        answer = self.ask(f'tunehub.tuned("a8w8_blockscale", gfx="gfx942", hub="{self.hub.url}", query={{"M": "16"}})')
        self.assertEqual(len(answer["value"]), 3, answer)
        row = next(it for it in answer["value"] if it["N"] == 1280)
        self.assertEqual({it: row[it] for it in ("gfx", "cu_num", "M", "K", "us", "errRatio", "libtype")},
                         {"gfx": "gfx942", "cu_num": 304, "M": 16, "K": 5120, "us": 17.4656, "errRatio": 0.0, "libtype": "ck"})
        answer = self.ask(f'type(tunehub.tuned("a8w8_blockscale", hub="{self.hub.url}", frame=True)).__name__')
        self.assertEqual(answer["value"], "DataFrame", answer)
        answer = self.ask(f'tunehub.tuned("triton_fused_moe", hub="{self.hub.url}")')
        self.assertEqual({it["us"] for it in answer["value"]}, {None}, answer)

    def test_a_failure_is_the_agents_own_sentence(self):
        self.assert_refused(self.ask(f'tunehub.tuned("bf16", gfx="gfx942", hub="{self.hub.url}")'), "no_rows", 2,
                            "tunehub-agent pull: the hub answered 404 no_rows: no row of bf16 matches")
        self.assert_refused(self.ask('tunehub.tuned("bf16", hub="http://127.0.0.1:9", tries=1)'), "hub_unreachable", 2, "Connection refused")

    def test_the_variable_is_there_when_aiter_reads_it(self):
        answer = self.ask(f'(tunehub.env("{self.hub.url}", gfx="gfx942"), len(__import__("aiter").rows))')
        found, rows = answer["value"]
        self.assertEqual((list(found), answer["set"], rows), ([VARIABLE], [VARIABLE], 12))

    def test_after_aiters_import_it_is_too_late(self):
        self.assert_refused(self.ask(f'tunehub.env("{self.hub.url}", gfx="gfx942")', "import aiter\n"), "imported", None,
                            "aiter is already imported")

    def test_engines_get_their_files(self):
        answer = self.ask(f'tunehub.env("{self.hub.url}", families=(), readers=["vllm", "tunableop"], folder="files")')
        files = self.folder / "files"
        self.assertEqual(answer["value"], {
            "VLLM_TUNED_CONFIG_FOLDER": f"{files}/vllm", "PYTORCH_TUNABLEOP_FILENAME": f"{files}/tunableop/tunableop_results%d.csv",
            "PYTORCH_TUNABLEOP_ENABLED": "1", "PYTORCH_TUNABLEOP_TUNING": "0"}, answer)
        self.assertTrue(list((files / "vllm").glob("E=8,N=2048,*.json")))

    def test_a_lock_alone_names_hub_and_tables(self):
        answer = self.ask(f'tunehub.env(lock="{self.lock}")')
        self.assertEqual(list(answer["value"]), [VARIABLE], answer)
        table = pathlib.Path(answer["value"][VARIABLE]).read_bytes()
        self.assertEqual(table.count(b"\n"), 13)

    def test_a_foreign_key_is_refused(self):
        self.assert_refused(self.ask(f'tunehub.env("{self.hub.url}", gfx="gfx942", trust="{OTHER_KEY}")'), "other_key", 2,
                            "no chain from the trusted key")

    def test_a_pin_that_changed_is_refused(self):
        lock = self.changed_lock(lambda it: it["tables"][0].update(sha256="0" * 64))
        self.assert_refused(self.ask(f'tunehub.env(lock="{lock}")'), "lock_mismatch", 2, "but the lock file has 0000")
        # The second table fails, and the first one's variable stays unset.
        lock = self.changed_lock(lambda it: it["tables"].append({**it["tables"][0], "family": "fmoe"}))
        self.assert_refused(self.ask(f'tunehub.env(lock="{lock}")'), "no_rows", 2, "no row of fmoe matches")

    def test_a_lock_pins_each_table_or_none_is_fetched(self):
        for arguments, code, said in (('families=["bf16"], gfx="gfx942"', "not_pinned", "does not pin bf16 with 'gfx=gfx942'"),
                                      ('gfx="gfx950"', "not_pinned", "pins no table for gfx950"),
                                      ('readers=["vllm"]', "not_pinned", "does not pin vllm")):
            self.assert_refused(self.ask(f'tunehub.env(lock="{self.lock}", {arguments})'), code, None, said)
        self.assert_refused(self.ask('tunehub.env(lock="gone.lock", gfx="gfx942")'), "no_lock", None, "no lock file gone.lock")
        twice = self.changed_lock(lambda it: it["tables"].append({**it["tables"][0], "query": "gfx=gfx950"}))
        self.assert_refused(self.ask(f'tunehub.env(lock="{twice}")'), "two_tables", None, "pins a8w8_blockscale twice")


if __name__ == "__main__":
    unittest.main()
