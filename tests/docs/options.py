#!/usr/bin/env python3
"""Every option in README.md, docs/*.md and docs/recipes/README.md must be in a program's --help."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

REPO = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("TUNEHUB_BIN", REPO / "build/release/bin")).resolve()
# Options in the pages that belong to other programs.
FOREIGN = {"--bind", "--cacert", "--compressed", "--data-binary", "--for", "--from-file", "--now", "--no-install-recommends", "--directory", "--nsets", "--shape_grouped", "--sort", "--blockPerCu", "--update_improved", "--kernel-trace", "--stats", "--compare", "--run_config", "--ignore-missing", "--no-index"}
SCRIPTS = ["deploy/up", "deploy/down", "deploy/ha/up", "deploy/build", "deploy/release", "deploy/wheel", "deploy/point-in-time", "tests/run", "tests/lint", "tests/fault/soak/soak.py"]
PROGRAMS = ["tunehub-agent", "tunehub-server", "dispatch-example"]
OPTION = re.compile(r"(?<![\w-])--[A-Za-z][\w-]*")
COMMAND = re.compile(r"^  ([a-z][a-z-]*) +\S", re.MULTILINE)


def help_of(*command):
    """The text of --help, and that of every subcommand's --help."""
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60)
    text = done.stdout + done.stderr
    below = COMMAND.findall(text) if len(command) < 3 else []
    return text + "".join(help_of(*command, it) for it in below)


def main():
    with concurrent.futures.ThreadPoolExecutor() as pool:
        texts = list(pool.map(help_of, [str(BIN / it) for it in PROGRAMS]))
    texts += [(REPO / it).read_text(encoding="utf-8") for it in SCRIPTS]
    known = FOREIGN.union(*map(OPTION.findall, texts))
    wrong = []
    for path in [REPO / "README.md", *sorted((REPO / "docs").glob("*.md")), REPO / "docs/recipes/README.md"]:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for option in OPTION.findall(line):
                if option not in known:
                    wrong.append(f"{os.path.relpath(path, REPO)}:{number}: no program has an option {option}")
    print(f"{len(known)} options are known", *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
