"""What gpu_report.py says of the tables in results/h200, and of tables that lack something."""
import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))
import gpu_report  # noqa: E402  the folder must be known first

H200 = here / "results" / "h200"
OURS = "family,dtype,M,N,K,what,kernel,splitK,us,us_hot,us_cold,tflops,err_ratio,frobenius,sets,load_ms,failed\n"
THEIRS = "family,dtype,M,N,K,what,us,tflops\n"


def report(*arguments):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = gpu_report.main([str(it) for it in arguments])
    return code, out.getvalue()


class GpuReport(unittest.TestCase):
    def committed(self, name):
        code, text = report(H200 / f"ours_{name}.csv", "--", H200 / f"torch_{name}.csv")
        self.assertEqual(code, 0)
        return text

    def test_the_committed_tables_have_the_figures_of_their_readme(self):
        readme = (H200 / "README.md").read_text(encoding="utf-8")
        columns = {"a8w8_blockscale": 2, "a8w8": 3, "bf16": 4}
        for line in readme.splitlines():
            cells = [it.strip() for it in line.split("|")]
            if len(cells) != 7 or not cells[1].isdigit():
                continue
            for place, (name, column) in enumerate(columns.items()):
                gain = cells[5].split(", ")
                if not cells[column]:
                    continue
                found = [it.split() for it in self.committed(name).splitlines()
                         if it.split() and it.split()[0] == cells[1]]
                self.assertEqual(" ".join(found[0][2:4]), cells[column], line)
                self.assertEqual(found[0][4], gain[place], line)

    def test_goals_stand_beside_the_figures(self):
        text = self.committed("a8w8_blockscale")
        self.assertIn("cuBLASLt over ours, M >= 1024: 0.99, goal 0.8: reached", text)
        self.assertIn("cuBLASLt over ours, M <= 256: 1.28, goal 0.7: reached", text)
        self.assertIn("default over best: 1.38, goal 1.6: MISSED", text)
        self.assertIn("above 2 times: 12% of 224 shapes", text)
        self.assertIn("shapes that cuBLASLt was not measured on: 62", text)
        self.assertIn("wrong or failed, and not timed: 64", self.committed("a8w8"))

    def tables(self, ours, theirs):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        paths = [pathlib.Path(folder.name) / name for name in ("ours.csv", "theirs.csv")]
        paths[0].write_text(ours, encoding="utf-8")
        paths[1].write_text(theirs, encoding="utf-8")
        return report(paths[0], "--", paths[1])

    def test_without_the_other_side_ours_stands_alone(self):
        rows = "bf16,bf16,1,64,64,default,k,0,30.0,,,,,,,,\nbf16,bf16,1,64,64,best,l,0,10.0,,,,,,,,\n"
        code, text = self.tables(OURS + rows, "")
        self.assertEqual(code, 0)
        self.assertIn("cuBLASLt over ours, all M: nothing was measured, goal 0.75", text)
        self.assertIn("default over best: 3.00, goal 1.6: reached", text)
        self.assertIn("above 2 times: 100% of 1 shapes", text)

    def test_a_shape_that_a_side_failed_on_is_in_no_mean(self):
        rows = ("bf16,bf16,64,64,64,failed,k,0,0,,,,,,,,wrong\nbf16,bf16,64,64,64,default,k,0,0,,,,,,,,\n"
                "bf16,bf16,64,64,64,best,l,0,10.0,,,,,,,,\n")
        code, text = self.tables(OURS + rows, THEIRS + "bf16,bf16,64,64,64,failed,0,0\n")
        self.assertEqual(code, 0)
        self.assertIn("default over best: nothing was measured", text)
        self.assertIn("not timed: 1", text)

    def test_nothing_to_sum_up_and_wrong_arguments_are_said(self):
        self.assertEqual(self.tables(OURS, THEIRS), (1, "gpu_report.py: nothing was timed\n"))
        self.assertEqual(report("x.csv")[0], 2)
        self.assertEqual(report("--", "x.csv")[0], 2)


if __name__ == "__main__":
    unittest.main()
