"""A page of the documents: its fenced blocks, and the commands of its console blocks.

    ```console            lines that start with `$ ` are run, `> ` carries one on, the rest is their output
    ```sh                 commands that are not run: `<!-- not run: REASON -->` stands before the block
    <!-- on HOST -->      before a console block: it is run on that host, by tests/packages/walk.py

A page may have no other comments, because its reader sees none: everything that its commands need is in its blocks.
"""
import dataclasses
import re

# The languages that a block may have. Only the first two may contain commands, so that the test sees all commands.
LANGUAGES = {"console", "sh", "c", "csv", "json", "text"}
NOT_RUN = re.compile(r"<!-- not run: (.+) -->")
ON_HOST = re.compile(r"<!-- on (\w+) -->")
ELSEWHERE = re.compile(r"<!-- the name \w+ leads to \w+ -->")  # tests/packages/walk.py


class Malformed(Exception):
    """A page that cannot be read; the text names the line."""


@dataclasses.dataclass
class Command:
    line: int
    text: str
    output: list


@dataclasses.dataclass
class Block:
    line: int
    language: str
    lines: list
    not_run: str  # the reason, or ""
    host: str  # on which the block runs; "": where the page's other blocks run

    def commands(self):
        found = []
        for number, line in enumerate(self.lines, self.line + 1):
            if line.startswith("$ "):
                found.append(Command(number, line[2:], []))
            elif not found:
                raise Malformed(f"{number}: a console block starts with a line `$ COMMAND`, not: {line}")
            elif not found[-1].output and (line.startswith("> ") or found[-1].text.endswith("\\")):
                found[-1].text += "\n" + line.removeprefix("> ")
            else:
                found[-1].output.append(line)
        return found


def blocks(text):
    """Every fenced block, in order."""
    found, reason, host, opened = [], "", "", None
    for number, line in enumerate(text.splitlines(), 1):
        if opened is not None:
            if line == "```":
                found.append(opened)
                opened = None
            else:
                opened.lines.append(line)
        elif line.startswith("```"):
            language = line[3:]
            if language not in LANGUAGES:
                raise Malformed(f"{number}: a block's language is one of {', '.join(sorted(LANGUAGES))}, not: {language!r}")
            opened = Block(number, language, [], reason, host)
            reason = host = ""
        elif match := NOT_RUN.fullmatch(line):
            reason = match[1]
        elif match := ON_HOST.fullmatch(line):
            host = match[1]
        elif "<!--" in line and not ELSEWHERE.fullmatch(line):
            raise Malformed(f"{number}: a reader does not see a comment, so write it into the page: {line}")
        elif line.strip() and (reason or host):
            raise Malformed(f"{number}: `{'not run: ' + reason if reason else 'on ' + host}` stands right before its block")
    if opened is not None:
        raise Malformed(f"{opened.line}: this block has no end")
    for block in found:
        require_reason(block)
    return found


def require_reason(block):
    if block.language == "sh" and not block.not_run:
        raise Malformed(f"{block.line}: a block `sh` is not run, so `<!-- not run: REASON -->` stands before it")
    if block.host and block.language != "console":
        raise Malformed(f"{block.line}: what is run on {block.host} is a block `console`")
    if block.language not in ("sh", "console"):
        for line in block.lines:
            if line.startswith("$ "):
                raise Malformed(f"{block.line}: commands are in blocks `console` or `sh`, not in `{block.language}`")


def without_blocks(text):
    """The page's lines, with those of fenced blocks and comments empty."""
    text = re.sub(r"<!--.*?-->", lambda it: "\n" * it[0].count("\n"), text, flags=re.DOTALL)
    lines, inside = [], False
    for line in text.splitlines():
        fence = line.startswith("```")
        lines.append("" if inside or fence else line)
        inside ^= fence
    return lines
