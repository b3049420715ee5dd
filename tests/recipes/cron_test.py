"""docs/recipes/import.cron: its command imports the tables of a checkout into a real hub, and says why it failed."""
import subprocess
import unittest

from support import BIN, EXAMPLES, PATIENCE_S, RECIPES, RecipeTest


class Cron(RecipeTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        lines = [it for it in (RECIPES / "import.cron").read_text().splitlines() if it and not it.startswith("#")]
        cls.variables = dict(it.split("=", 1) for it in lines[:-1])
        cls.line = lines[-1]

    def setUp(self):
        super().setUp()
        self.upstream, self.checkout = self.folder / "upstream", self.folder / "aiter"
        (self.upstream / "aiter").mkdir(parents=True)
        self.good("cp", "-r", EXAMPLES / "aiter_configs", self.upstream / "aiter/configs")
        self.good("git", "init", "-q", "-b", "main", self.upstream)
        self.commit()
        self.good("git", "clone", "-q", self.upstream, self.checkout)
        key = self.folder / "import.key"
        key.write_text(self.new_key("submit", "--sources", "aiter") + "\n")
        self.values = {"TUNEHUB_HUB": self.hub.url, "KEY_FILE": str(key), "AITER": str(self.checkout)}

    def commit(self):
        self.good("git", "-C", self.upstream, "add", ".")
        self.good("git", "-C", self.upstream, "-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "tables")

    def run_line(self, **values):
        """Runs the command as cron does: with the file's variables, and only these values changed."""
        *when, user, command = self.line.split(None, 6)
        self.assertEqual((len(when), user), (5, "tunehub"))
        self.assertNotRegex(command, r"(?<!\\)%", "cron ends the command at %")
        values = self.variables | self.values | values
        values["PATH"] = f"{BIN}:{values['PATH']}"
        done = subprocess.run([values["SHELL"], "-c", command], env=values | {"HOME": str(self.folder)}, capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False)
        return done.returncode, done.stdout + done.stderr

    def served(self):
        return [it["rows"] for it in self.ask("/tuned")["families"] if it["family"] == "a8w8_blockscale"]

    def test_it_imports_what_is_new_and_says_nothing(self):
        self.assertEqual(self.run_line(), (0, ""))
        first = self.served()
        table = self.upstream / "aiter/configs/a8w8_blockscale_tuned_gemm.csv"
        line = table.read_text().splitlines()[-1].split(",")
        line[2] = "3"  # M
        table.write_text(table.read_text() + ",".join(line) + "\n")
        self.commit()
        self.assertEqual(self.run_line(), (0, ""))
        self.assertNotEqual(self.served(), first)

    def test_it_says_why_it_failed(self):
        (self.folder / "wrong.key").write_text("thub_" + "a" * 32 + "\n")
        for values, words in [({"KEY_FILE": str(self.folder / "wrong.key")}, "import"), ({"AITER": str(self.folder / "none")}, "none"),
                              ({"KEY_FILE": str(self.folder / "no.key")}, "no.key")]:
            with self.subTest(words):
                status, said = self.run_line(**values)
                self.assertEqual(status, 1, said)
                self.assertIn(words, said)

    def test_its_variables_are_plain(self):
        self.assertEqual(set(self.values) - set(self.variables), set())
        for name, value in self.variables.items():
            self.assertNotRegex(value, r"[$`~'\"\\]", f"{name}: cron expands nothing")


if __name__ == "__main__":
    unittest.main()
