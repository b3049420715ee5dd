#!/usr/bin/env python3
"""Makes the mistakes of mistakes.txt, and compares the exit code and the first line that the programs print.

    run.py [--write] [PART...]   only the commands with one of these parts; --write: stores what the programs print
                                 TUNEHUB_BIN is the folder of the programs (build/release/bin)

A mistake is two lines of mistakes.txt: `$ COMMAND`, then `CODE FIRST LINE`. Bash runs the command in a folder with
docs/examples and the files of files(). The first line is the first of the standard error, or of the standard output
if the standard error is empty. $HUB is a hub with the tables of docs/examples/aiter_configs; $READ, $SUBMIT, $REVOKED
and $EXPIRED are keys.
"""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile

REPO = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPO / "tests/docs"))
from hub import PATIENCE_S, Hub  # noqa: E402

BIN = pathlib.Path(os.environ.get("TUNEHUB_BIN", REPO / "build/release/bin")).resolve()
TABLE = pathlib.Path(__file__).with_name("mistakes.txt")
LONGEST = 200  # bytes of a first line
FEWEST = 80  # mistakes


def files(folder):
    """The files with which a user makes mistakes."""
    shutil.copytree(REPO / "docs/examples", folder)
    good = (folder / "golden.csv").read_text()
    lines = good.splitlines()
    header, first = lines[0], lines[1]
    (folder / "a_file").write_text("text\n")
    (folder / "empty_folder").mkdir()
    (folder / "no_model").mkdir()
    texts = {
        "empty.csv": "", "header_only.csv": header + "\n", "semi.csv": good.replace(",", ";"),
        "tabs.csv": good.replace(",", "\t"), "unknown.csv": "name,price\napple,3\n", "page.csv": "<!DOCTYPE html>\n<html>",
        "answer.csv": '{"rows": []}\n', "twice.csv": header.replace("M,N", "M,M") + "\n" + first + "\n",
        "gfx943.csv": good.replace("gfx942", "gfx943"), "conflict.csv": f"{header}\n<<<<<<< HEAD\n{first}\n",
        "ragged.csv": f"{header}\n{first},7,7\n", "negative.csv": f"{header}\n{first.replace(',16,', ',-16,', 1)}\n",
        "decimal_comma.csv": f"{header}\n{first.replace('20.0', '20,0', 1)}\n", "quote.csv": f'{header}\n"{first}\n',
        "excel.csv": "\ufeff" + "\r\n".join(",".join(f'"{cell}"' for cell in line.split(",")) for line in lines) + "\r\n",
        "ambiguous.csv": header + "\n" + first.replace("a8w8_blockscale_1x128x128", "other") + "\n", "empty.lock": "", "text.lock": "not JSON\n", "list.lock": "[]\n", "empty.log": "", "chat.log": "hello\nworld\n",
        "bad.json": "{", "no_architecture.json": "{}",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "packed.csv").write_bytes(gzip.compress(good.encode(), mtime=0))
    with zipfile.ZipFile(folder / "book.xlsx", "w") as archive:
        archive.writestr("sheet1.xml", "<x/>")
    log = (folder / "vllm.log").read_text()
    (folder / "utf16.log").write_bytes(log.encode("utf-16"))
    (folder / "utf16.csv").write_bytes(good.encode("utf-16"))
    (folder / "binary.log").write_bytes(b"\x7fELF\x02\x01\x01\0\0\0")
    (folder / "zeros.log").write_bytes(b"a line\n\0\0\0\0\n")
    (folder / "model.gguf").write_bytes(b"GGUF\3\0\0\0")


def keys(hub, environment):
    """Keys of each kind, by the names of their variables."""
    def key(*arguments):
        return subprocess.run([BIN / "tunehub-server", "key", *arguments, "--data", hub.data], env=environment, check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()

    values = {name: key("create", "--scope", scope) for name, scope in (("REVOKED", "submit"), ("READ", "read"), ("SUBMIT", "submit"))}
    key("revoke", "1")
    soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 2))
    values["EXPIRED"] = key("create", "--scope", "submit", "--expires", soon)
    while not refuses(hub, values["EXPIRED"]):
        time.sleep(0.1)
    return values


def refuses(hub, key):
    """True if the hub refuses a write with the key."""
    request = urllib.request.Request(hub.url + "/untuned/a8w8", data=b"", headers={"Authorization": f"Bearer {key}"})
    try:
        urllib.request.urlopen(request, timeout=PATIENCE_S).close()
    except urllib.error.HTTPError as error:
        return error.code in (401, 403)
    return False


def read_table():
    """The lines; a command has the line after it, too."""
    rows = []
    for line in TABLE.read_text().splitlines():
        if rows and rows[-1][0].startswith("$ ") and not rows[-1][1] and not line.startswith(("$ ", "#")) and line:
            rows[-1][1] = line
        else:
            rows.append([line, ""] if line.startswith("$ ") else [line])
    return rows


def printed_by(command, folder, environment, shown):
    run = subprocess.run(["bash", "--noprofile", "--norc", "-c", command], cwd=folder, env=environment,
                         stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=PATIENCE_S)
    line = ((run.stderr or run.stdout).splitlines() or [""])[0]
    line = re.sub(r"^\[\d{4}-[^]]*\] ", "", line)  # the time of a line of the server's log
    for value, name in shown:
        line = line.replace(value, name)
    return f"{run.returncode} {line}".rstrip()


def main(arguments):
    write = arguments[:1] == ["--write"]
    parts = arguments[write:]
    table = read_table()
    faults = []
    with tempfile.TemporaryDirectory(prefix="mistakes-") as place:
        os.chmod(place, 0o755)  # a server that root starts runs as another user
        folder = pathlib.Path(place) / "work"
        files(folder)
        kept = {name: os.environ[name] for name in ("LANG", "TZ", "TMPDIR", "ASAN_OPTIONS", "TSAN_OPTIONS") if name in os.environ}
        environment = kept | {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": place, "XDG_STATE_HOME": f"{place}/.state", "NO_COLOR": "1"}
        hub = Hub(BIN / "tunehub-server", place, environment)
        try:
            environment |= keys(hub, environment)
            key = environment["SUBMIT"]
            subprocess.run([BIN / "tunehub-agent", "push", *sorted(folder.glob("aiter_configs/*.csv")), "--hub", hub.url, "--key", key],
                           env=environment, check=True, capture_output=True)
            host = hub.url.removeprefix("http://")
            environment |= {"HUB": hub.url, "HOST": host, "DATA": str(hub.data)}
            shown = [(hub.url, "$HUB"), (host, "$HOST"), (str(hub.data), "$DATA"), (str(folder), "$HERE")]
            for row in table:
                if not row[0].startswith("$ ") or (parts and not any(it in row[0] for it in parts)):
                    continue
                begin = time.monotonic()
                printed = printed_by(row[0][2:], folder, environment, shown)
                if write:
                    print(f"{time.monotonic() - begin:.1f} s  {row[0]}\n    {printed}", flush=True)
                if len(printed) - len("2 ") > LONGEST:
                    faults.append(f"{row[0]}\n  its first line has {len(printed)} characters: {printed}")
                if printed != row[1]:
                    faults.append(f"{row[0]}\n  expected: {row[1]}\n  printed:  {printed}")
                row[1] = printed
        finally:
            hub.close()
    if write:
        TABLE.write_text("".join(line + "\n" for row in table for line in row))
        return 0
    count = sum(row[0].startswith("$ ") for row in table)
    if count < FEWEST:
        faults.append(f"{count} mistakes, but at least {FEWEST} must be tried")
    print("\n".join([*faults, f"{count} mistakes, {len(faults)} faults"]))
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
