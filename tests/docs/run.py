#!/usr/bin/env python3
"""Runs the commands of README.md, docs/*.md and docs/recipes/README.md, and compares what they print with what the pages say.

    run.py [PAGE...]        TUNEHUB_BIN is the folder of the programs (build/release/bin)

Each page has a bash in its own copy of docs/examples and docs/recipes, where a reader's clone or release folder is. If
the page names a hub (http://hub:8080, or deploy/up's http://127.0.0.1:8080) it has an empty hub of its own, whose folder
is that of the settings. A command must end with status 0, tunehub-agent also with 1 (a
finding). For another status the page prints it: `...; echo $?`.
"""
import concurrent.futures
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import page
from compare import difference
from hub import Hub
from shell import Shell

REPO = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("TUNEHUB_BIN", REPO / "build/release/bin")).resolve()
HUBS = ("http://hub:8080", "http://127.0.0.1:8080")
DATA = "/var/lib/tunehub"  # the hub's folder in the pages
STATIC_PORT = "8090"  # the pages serve an export here
TLS_PORT = "8443"  # a hub of the pages speaks TLS here
# What a page's reader has before the first command: the script makes it in the folder of the first command.
DOWNLOADED = {"docs/without-compiling.md": REPO / "tests/docs/download_release"}
PAGES_AT_A_TIME = 3  # most of a page's time is its hub's start
METRICS_KEPT_S = 1  # longer than a server repeats a text of /metrics
# The number of blocks that no test runs. A new block should run; if it cannot, it raises this number, so that reviewers
# notice.
NOT_RUN_AT_MOST = 21


def environment(folder):
    kept = {name: os.environ[name] for name in ("LANG", "TZ", "TMPDIR", "ASAN_OPTIONS") if name in os.environ}
    return kept | {"PATH": f"{BIN}:{REPO / 'build'}:{os.environ['PATH']}", "HOME": str(folder), "TUNEHUB_REPO": str(REPO), "XDG_STATE_HOME": str(folder / ".state")}


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return str(listener.getsockname()[1])


def in_place_of(text, hub):
    if hub:
        text = text.replace(STATIC_PORT, hub.free_port).replace(TLS_PORT, hub.tls_port)
        for address in HUBS:
            text = text.replace(address, hub.url)
        text = text.replace(DATA, str(hub.data))
    return text


def run_once(shell, command, hub):
    status, printed = shell.run(in_place_of(command.text, hub))
    if hub:
        printed = [it.replace(hub.url, HUBS[1]).replace(str(hub.data), DATA) for it in printed]
    return status, printed, difference(command.output, printed)


def run_command(shell, command, hub):
    """Runs a command of a page. Returns None, or what is wrong."""
    status, printed, wrong = run_once(shell, command, hub)
    if wrong and "/metrics" in command.text:  # the server repeats the text for a moment
        time.sleep(METRICS_KEPT_S)
        status, printed, wrong = run_once(shell, command, hub)
    if wrong is None and status not in ((0, 1) if command.text.startswith("tunehub-agent ") else (0,)):
        wrong = f"it ended with status {status}"
    if wrong is None:
        return None
    everything = "".join(f"\n      | {it}" for it in printed)
    return f"{command.line}: $ {command.text}\n  {wrong}\n     all of it:{everything}"


def run_page(path, text, folder):
    """The number of commands that ran, and the reason of each failure."""
    failures, count = [], 0
    scratch = folder / "tunehub"
    for part in ("docs/examples", "docs/recipes"):
        shutil.copytree(REPO / part, scratch / part)
    variables = environment(folder)
    hub = None
    if any(it in text for it in HUBS):
        hub = Hub(BIN / "tunehub-server", folder, variables)
        hub.free_port, hub.tls_port = free_port(), free_port()
        variables |= {"TUNEHUB_DATA": str(hub.data)}
    if path in DOWNLOADED:
        subprocess.run([DOWNLOADED[path]], cwd=scratch, env=variables, check=True)
    shell = Shell(scratch, variables)
    try:
        for block in page.blocks(text):
            for command in block.commands() if block.language == "console" and not (block.not_run or block.host) else []:
                count += 1
                if wrong := run_command(shell, command, hub):
                    failures.append(f"{path}:{wrong}")
    finally:
        shell.close()
        if hub:
            hub.close()
    return count, failures


def run_file(path):
    """A summary of the page, its failures, and its blocks that are not run."""
    name, text, began = os.path.relpath(path, REPO), path.read_text(encoding="utf-8"), time.monotonic()
    try:
        not_run = [f"{name}:{it.line}: {it.not_run}" for it in page.blocks(text) if it.not_run]
        elsewhere = sum(bool(it.host) for it in page.blocks(text))
        with tempfile.TemporaryDirectory(prefix="tunehub-docs-") as folder:
            os.chmod(folder, 0o755)  # if this runs as root, PostgreSQL runs as another user
            count, failures = run_page(name, text, pathlib.Path(folder))
    except page.Malformed as malformed:
        return f"{name}: cannot be read", [f"{name}:{malformed}"], []
    said = f"{name}: {count} commands, {len(failures)} wrong, {time.monotonic() - began:.1f} s"
    if elsewhere:
        said += f"; {elsewhere} blocks are run on hosts of their own, by tests/packages"
    return said, failures, not_run


def main(arguments):
    paths = [pathlib.Path(it).resolve() for it in arguments] or [REPO / "README.md", *sorted((REPO / "docs").glob("*.md")), REPO / "docs/recipes/README.md"]
    failures, not_run = [], []
    with concurrent.futures.ThreadPoolExecutor(PAGES_AT_A_TIME) as pool:
        for said, wrong, left_out in pool.map(run_file, paths):
            print(said, flush=True)
            failures += wrong
            not_run += left_out
    print(f"not run: {len(not_run)} blocks", *not_run, sep="\n  ")
    if len(not_run) > NOT_RUN_AT_MOST:
        failures.append(f"more than {NOT_RUN_AT_MOST} blocks are not run")
    print(*failures, sep="\n\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
