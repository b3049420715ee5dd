#!/usr/bin/env python3
"""Checks a tunehub.lock before an image is built from it. Needs Python 3.9, and tunehub-agent on the PATH.

    check_pin.py --lock tunehub.lock --trust tunehub.pub --model "gfx=MI300X&model=qwen3-32b&dtype=fp8_block&tp=8"

1. `tunehub-agent pull` fetches each pinned table. It fails if the hub lost the table, if the bytes changed, or if the
   trusted key did not sign them.
2. GET /verdict must call the pinned tables safe for the model and for the build with which they were pulled: the build
   has the kernel of every row, and every shape has a measured row. The judged tables must have the pinned bytes.

Exit status: 0 all good, 1 a finding, 2 it could not check. TUNEHUB_KEY: for a hub that needs a key for reads.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

VERDICT_S = 120  # longer than the hub takes for the largest model


class Finding(Exception):
    """The pinned tables must not be used; the text says why, and what to do."""


def name_of(table):
    return table.get("family") or table.get("reader")


def fetch(lock, trust):
    """Pulls every table of the lock file; returns the file's content."""
    content = json.loads(pathlib.Path(lock).read_text(encoding="utf-8"))
    if not content["tables"]:
        raise Finding(f"{lock}: pins no table; make it with tunehub-agent pull --lock {lock}")
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "tunehub.lock")
        for number, table in enumerate(content["tables"]):
            kind = "family" if "family" in table else "reader"
            query = [it for one in table["query"].split("&") if one for it in ("--query", one)]
            shutil.copy(lock, copy)
            command = ["tunehub-agent", "pull", "--lock", copy, "--trust", trust, f"--{kind}", table[kind], *query]
            if subprocess.run([*command, "-o", pathlib.Path(folder, str(number))], check=False).returncode != 0:
                raise Finding(f"{lock}: {name_of(table)}: the pinned bytes, signed by {trust}, cannot be had; see above")
            if json.loads(copy.read_text(encoding="utf-8"))["tables"] != content["tables"]:
                raise Finding(f"{lock}: {name_of(table)}: the query {table['query']!r} is not as pull writes it; pull it again")
    return content


def same(lock, what, values, remedy):
    """The only value; a finding names all of them."""
    if len(values) != 1 or None in values:
        raise Finding(f"{lock}: the tables have {what} {', '.join(sorted(map(str, values)))}; {remedy}")
    return values.pop()


def judge(lock, content, model):
    """Asks the hub's verdict of the pinned tables of AITER."""
    tables = {it["family"]: it for it in content["tables"] if "family" in it}
    queries = [dict(one.split("=", 1) for one in it["query"].split("&") if one) for it in tables.values()]
    build = same(lock, "the builds", {it.get("build") for it in queries}, "pull all with one --build NAME@SHA256")
    pin = same(lock, "the pins", {f"{it['revision']}-{it['token']}" for it in tables.values()}, "pull all with --update-lock")
    url = f"{content['hub']}/verdict?{model}&build={build}&revision={pin}"
    key = os.environ.get("TUNEHUB_KEY")
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {key}"} if key else {})
    with urllib.request.urlopen(request, timeout=VERDICT_S) as answer:
        verdict = json.load(answer)
    print(verdict["sentence"])
    if verdict["verdict"] != "safe":
        raise Finding(f"{lock}: {model}: the hub judges revision {pin} as {verdict['verdict']}; see {url}")
    for judged in verdict["families"]:
        family = judged["family"]
        if judged["judged"] and judged["rows"] and tables.get(family, {}).get("sha256") != judged["sha256"]:
            raise Finding(f"{lock}: {family}: the model reads {judged['sha256']}, but the lock pins "
                          f"{tables.get(family, {}).get('sha256', 'no table of it')}; pull it for the GPU that --model names")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lock", default="tunehub.lock")
    parser.add_argument("--trust", default="tunehub.pub", help="the hub's key, in minisign's format")
    parser.add_argument("--model", required=True, help="parameters of GET /verdict: gfx=, model=, dtype=, tp=, engine=")
    options = parser.parse_args()
    try:
        judge(options.lock, fetch(options.lock, options.trust), options.model)
    except Finding as finding:
        print(f"check_pin.py: {finding}", file=sys.stderr)
        return 1
    except urllib.error.HTTPError as refused:
        print(f"check_pin.py: {refused.url}: {refused}: {refused.read().decode(errors='replace')}", file=sys.stderr)
        return 2
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f"check_pin.py: {options.lock}, or its hub's answer, cannot be read: {error!r}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
