"""The test of the documents notices a changed word, a lost line, and a block without a reason."""
import unittest

import page
from compare import difference


def wrong(expected, printed):
    return difference(expected.splitlines(), printed.splitlines())


class Compare(unittest.TestCase):
    def test_a_changed_word_or_number_is_a_difference(self):
        self.assertIn("12 accepted", wrong("12 rows, 12 accepted", "12 rows, 11 accepted"))
        self.assertIn("revision 2", wrong("revision 2", "revision 3"))
        self.assertIn("no more output", wrong("a\nb", "a"))
        self.assertIn("the page ends", wrong("a", "a\nb"))
        self.assertIn("no more output", wrong("a", ""))

    def test_dots_stand_for_what_is_left_out_and_for_nothing_else(self):
        self.assertIsNone(wrong("a\n...\nd", "a\nb\nc\nd"))
        self.assertIsNone(wrong("a\n...", "a\nb"))
        self.assertIsNone(wrong("kernel=... us=4", "kernel=very_long us=4"))
        self.assertIsNotNone(wrong("a\n...\nd", "a\nb\nc"))
        self.assertIsNotNone(wrong("...\nd", "d\ne"))
        self.assertIsNotNone(wrong("kernel=... us=4", "kernel=very_long us=5"))


class Page(unittest.TestCase):
    def commands(self, text):
        return [(it.text, it.output) for block in page.blocks(text) for it in block.commands()]

    def test_a_console_block_has_commands_with_their_output(self):
        self.assertEqual(self.commands("x\n```console\n$ a\n1\n2\n$ b \\\n  c\n3\n$ cat <<E\n> x\n> E\nx\n```\n"),
                         [("a", ["1", "2"]), ("b \\\n  c", ["3"]), ("cat <<E\nx\nE", ["x"])])

    def test_nothing_escapes(self):
        for text, said in [
            ("```sh\nrm x\n```", "not run: REASON"),
            ("```\n$ a\n```", "language"),
            ("```text\n$ a\n```", "commands are in"),
            ("```console\n$ a\n", "has no end"),
            ("<!-- setup\nexport KEY=1\n-->\n```console\n$ a\n```", "does not see a comment"),
            ("prose <!-- export KEY=1 -->", "does not see a comment"),
            ("<!-- not run: why -->\nprose\n```sh\na\n```", "right before"),
        ]:
            with self.assertRaisesRegex(page.Malformed, said):
                page.blocks(text)
        with self.assertRaisesRegex(page.Malformed, "starts with a line"):
            self.commands("```console\noutput\n```")


if __name__ == "__main__":
    unittest.main()
