#!/usr/bin/env python3
"""Checks README's size, each page's first line, and that every link of the documents leads to a file or heading."""
import os
import pathlib
import re
import sys

import page

REPO = pathlib.Path(__file__).resolve().parents[2]
MOST_LINES, MOST_WORDS = 120, 1000  # of README, so that it is read in minutes
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
READER = re.compile(r"For .+")  # names the page's readers


def anchors(path):
    """The headings of a page as GitHub names them."""
    found = set()
    for line in page.without_blocks(path.read_text(encoding="utf-8")):
        if match := re.match(r"#+ (.+)", line):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1]).lower()
            name = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            same = sum(1 for it in found if re.fullmatch(re.escape(name) + r"(-\d+)?", it))
            found.add(f"{name}-{same}" if same else name)
    return found


def broken_links(path):
    for number, line in enumerate(page.without_blocks(path.read_text(encoding="utf-8")), 1):
        for target in LINK.findall(line):
            if re.match(r"[a-z]+:", target):
                continue
            file, _, anchor = target.partition("#")
            to = (path.parent / file).resolve() if file else path
            if not to.exists():
                yield f"{number}: {target}: there is no {file}"
            elif anchor and anchor not in anchors(to):
                yield f"{number}: {target}: no heading of {to.name} is called {anchor}"


def readme_size(text):
    lines, words = len(text.splitlines()), len(text.split())
    if lines > MOST_LINES or words > MOST_WORDS:
        yield f"{lines} lines and {words} words; at most {MOST_LINES} and {MOST_WORDS}"


def reader_missing(text):
    lines = [it for it in text.splitlines() if it.strip()]
    if len(lines) < 2 or not READER.match(lines[1]):
        yield "1: the line below the title says for whom the page is: `For ...`"


def main():
    wrong = []
    pages = [*sorted((REPO / "docs").glob("*.md")), *sorted((REPO / "docs/reference").glob("*.md")), REPO / "docs/recipes/README.md"]
    for path in [*sorted(REPO.glob("*.md")), *pages, *sorted((REPO / "docs/examples").glob("*.md"))]:
        name = os.path.relpath(path, REPO)
        text = path.read_text(encoding="utf-8")
        found = list(broken_links(path))
        if name == "README.md":
            found += readme_size(text)
        if path in pages:
            found += reader_missing(text)
        wrong += [f"{name}:{it}" for it in found]
    listed = re.findall(r"\(([\w/-]+\.md)[#)]", (REPO / "docs/README.md").read_text())
    unlisted = {os.path.relpath(it, REPO / "docs") for it in pages} - {"README.md", *listed}
    wrong += [f"docs/README.md: no link to docs/{it}" for it in sorted(unlisted)]
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
