"""deploy/observe: alerts must fire only when they should. Every series that alerts and board use must exist."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

from cases import FIRING, HEALTHY, UNTIL
from expressions import Answer, selectors
from hub import Hub

REPO = pathlib.Path(__file__).resolve().parents[2]
OBSERVE = REPO / "deploy/observe"
RUNBOOK = REPO / "docs/runbook.md"
SEVERITIES = {"critical", "warning"}
# Labels that Prometheus adds, and labels whose values depend on a server's requests.
OF_PROMETHEUS = {"job", "instance"}
UNBOUNDED = {"code", "route", "method"}
AT_A_TIME = 8  # processes of promtool; each mostly waits, for two seconds
# Series that Prometheus itself makes about its targets.
FOREIGN = {"up"}


def promtool(*arguments):
    return subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True)


def alerts():
    """The alerts in rules.yml by name: expr, severity, runbook, summary. promtool checks the file's form."""
    found = {}
    for text in re.split(r"\n\s*- alert: ", (OBSERVE / "rules.yml").read_text())[1:]:
        name, _, rest = text.partition("\n")
        expression = re.search(r"expr: (?:>-\n)?(.*?)\n\s+for:", rest, re.DOTALL)[1]
        found[name] = {"expr": " ".join(expression.split()), "severity": re.search(r"severity: (\w+)", rest)[1],
                       "runbook": re.search(r"runbook: (\S+)", rest)[1], "summary": re.search(r'summary: "(.+)"', rest)[1]}
    return found


def panels():
    """[(title, expression)] of the board."""
    board = json.loads((OBSERVE / "board.json").read_text())
    return [(it["title"], target["expr"]) for it in board["panels"] for target in it.get("targets", [])]


class Rules(unittest.TestCase):
    def test_promtool_takes_them(self):
        done = promtool("check", "rules", OBSERVE / "rules.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"{len(alerts())} rules found", done.stdout)
        done = promtool("check", "config", OBSERVE / "prometheus.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_has_a_severity_and_its_section(self):
        sections = re.findall(r"^## (Tunehub\w+)$", RUNBOOK.read_text(), re.MULTILINE)
        self.assertEqual(sorted(alerts()), sorted(sections))
        for name, it in alerts().items():
            self.assertIn(it["severity"], SEVERITIES, name)
            self.assertEqual(it["runbook"], f"docs/runbook.md#{name.lower()}")

    def fired(self, series):
        """The alerts that fire at the end if these series replace a healthy hub's."""
        values = HEALTHY | series
        case = {"rule_files": [str(OBSERVE / "rules.yml")], "evaluation_interval": "1m", "tests": [{
            "interval": "1m", "input_series": [{"series": name, "values": it} for name, it in values.items()],
            "promql_expr_test": [{"expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": UNTIL, "exp_samples": []}]}]}
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            json.dump(case, file)
            file.flush()
            done = promtool("test", "rules", file.name)
        said = done.stdout + done.stderr
        got = re.search(r"got:\s*(.*)", said)
        self.assertEqual(done.returncode == 0, got is None, said)
        return set(re.findall(r'alertname="(\w+)"', said))

    def test_none_fires_where_all_is_well(self):
        self.assertEqual(self.fired({}), set())

    def test_each_fires_on_what_it_is_for_and_on_nothing_else(self):
        self.assertEqual(sorted(alerts()), sorted(FIRING))
        with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
            fired = pool.map(self.fired, (series for series, _ in FIRING.values()))
            for (name, (series, others)), got in zip(FIRING.items(), fired):
                with self.subTest(name):
                    self.assertEqual(set(series) - set(HEALTHY), set(), "HEALTHY lacks this series")
                    self.assertEqual(got, {name, *others})


class Board(unittest.TestCase):
    def test_promtool_takes_each_expression(self):
        rules = [{"record": f"panel:{place}", "expr": expression} for place, (_, expression) in enumerate(panels())]
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            json.dump({"groups": [{"name": "board", "rules": rules}]}, file)
            file.flush()
            done = promtool("check", "rules", file.name)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"{len(rules)} rules found", done.stdout)


class Metrics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tunehub-observe-")
        folder = pathlib.Path(cls.folder.name)
        os.chmod(folder, 0o755)  # if root runs this, PostgreSQL runs as another user
        cls.hub = Hub(folder)
        cls.addClassCleanup(cls.folder.cleanup)
        cls.addClassCleanup(cls.hub.close)
        for path, body, key in (("/tuned", None, None), ("/no/such/path", None, None), ("/runs", b"{}", cls.hub.key("admin"))):
            cls.hub.ask(path, body, key)
        end = time.monotonic() + 30  # the hub reads the database's metrics every 5 s
        while time.monotonic() < end and "\ntunehub_database_replication_lag_bytes" not in cls.hub.ask("/metrics")[1]:
            time.sleep(0.5)
        cls.text = cls.hub.ask("/metrics")[1]
        cls.answer = Answer(cls.text)

    def wrong(self, expression):
        for metric, matchers in selectors(expression):
            if metric in FOREIGN:
                continue
            own = [it for it in matchers if it[0] not in OF_PROMETHEUS]
            if lacks := self.answer.lacks(metric, own, UNBOUNDED):
                yield lacks

    def test_what_alerts_and_board_ask_for_is_there(self):
        asked = [(name, it["expr"]) for name, it in alerts().items()] + panels()
        wrong = [f"{name}: {it}" for name, expression in asked for it in self.wrong(expression)]
        self.assertEqual(wrong, [])

    def test_it_notices_what_is_not(self):
        for expression in ("tunehub_no_such == 0", 'rate(tunehub_jobs{stat="queued"}[5m])', 'tunehub_jobs{state="waiting"}',
                           'tunehub_keys_rejected_total{reason=~"expired|gone"}', "sum by (job) (tunehub_revison)"):
            self.assertEqual(len(list(self.wrong(expression))), 1, expression)

    def test_what_counts_is_a_counter_by_its_type_and_its_name(self):
        types = re.findall(r"^# TYPE (\S+) (\S+)$", self.text, re.MULTILINE)
        self.assertEqual([it for it in types if it[0].endswith("_total") != (it[1] == "counter")], [])
        gauges = {name for name, kind in types if kind == "gauge"}
        helps = re.findall(r"^# HELP (\S+) (.*)$", self.text, re.MULTILINE)
        self.assertEqual([it for it in helps if it[0] in gauges and "since the start" in it[1]], [])

    def test_promtool_takes_the_answer(self):
        done = subprocess.run(["promtool", "check", "metrics"], input=self.text, capture_output=True, text=True)
        self.assertEqual((done.stdout + done.stderr).strip(), "")

    def test_each_metric_says_what_it_is(self):
        names = set(re.findall(r"^# TYPE (\S+)", self.text, re.MULTILINE))
        helped = set(re.findall(r"^# HELP (\S+) \S+", self.text, re.MULTILINE))
        self.assertEqual(names, helped)
        for name, kind in re.findall(r"^# TYPE (\S+) (\w+)", self.text, re.MULTILINE):
            self.assertEqual(kind == "counter", name.endswith("_total"), f"{name} is a {kind}")


if __name__ == "__main__":
    unittest.main()
