#!/usr/bin/env python3
"""reference.py [--write]: checks that docs/reference/*.md are made from this source, or writes them.

TUNEHUB_BIN is the folder of the programs, which print their commands (`man --json`). Codes have their cause and remedy in
docs/reference/errors.txt: each code of the source needs a line, and each line a code.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

from codes import codes

REPO = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("TUNEHUB_BIN", REPO / "build/release/bin")).resolve()
FOLDER = REPO / "docs/reference"
MADE = "Made from the source by `tests/docs/reference.py --write`."
NO_SETTINGS = {"--help", "--config"}  # options of `serve` with a value that are not settings
LONGEST = 1500  # characters of an example answer
# Where docs/ explains a setting.
SEE = {
    "signing_key": "inference-builds.md#signed-answers", "tls_certificate": "operations.md#tls", "tls_key": "operations.md#tls",
    "host": "operations.md#names", "wal_archive": "backups.md#any-moment", "trusted_proxies": "operations.md#behind-a-proxy",
    "confirm_factor": "trust.md#a-row-far-below-the-others", "retention_days": "operations.md#what-is-deleted",
    "webhook": "operations.md#the-webhook", "log_format": "operations.md#the-log", "user": "operations.md#who-the-server-is",
    "limit_": "operations.md#fairness", "quota_": "operations.md#fairness", "lame_duck_ms": "operations.md#watch-it",
}


def cell(text):
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def table(heads, rows):
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def described(program):
    done = subprocess.run([BIN / program, "man", "--json"], capture_output=True, text=True, timeout=60, check=True)
    return json.loads(done.stdout)


def sentence(text):
    return text if not text or text.endswith((".", "!", "?")) else text + "."


def is_setting(command, option):
    return command["name"] == "tunehub-server serve" and option["value"] and option["names"][0] not in NO_SETTINGS


def option_row(option):
    value = "\\|".join(option["choices"]) or ("" if option["positional"] else option["value"])
    names = ", ".join(f"`{it}`" for it in option["names"]) + (" ..." if option["positional"] and option["many"] else "")
    facts = ["required"] * option["required"]
    facts += [f"default: {option['default']}"] if option["default"] else []
    facts += [f"variable: `{option['variable']}`"] if option["variable"] else []
    return [f"{names} {value}".strip(), cell(sentence(option["help"])), cell("; ".join(facts))]


def command_parts(command, depth):
    usage = [command["name"], *(["COMMAND"] if command["commands"] else ["[OPTION]..."])]
    usage += [it["names"][0] + ("..." if it["many"] else "") for it in command["options"] if it["positional"]]
    yield f"{'#' * depth} {command['name']}\n"
    yield sentence(cell(command["about"])) + f" `{' '.join(usage)}`\n"
    rows = [option_row(it) for it in command["options"] if "--help" not in it["names"] and not is_setting(command, it)]
    if rows:
        yield table(["option", "meaning", "note"], rows)
    if command["name"] == "tunehub-server serve":
        yield "All [settings](settings.md) are options, too.\n"
    if command["footer"]:
        yield f"```text\n{command['footer'].strip()}\n```\n"
    for below in command["commands"]:
        yield from command_parts(below, 3)


def commands_page(programs):
    head = ["# Commands\n", "For everybody who types a command: all commands and options. Every command has `--help`.\n",
            "Both programs also have `completion bash`, whose output bash reads (`source <(tunehub-agent completion bash)`), and "
            "`man [COMMAND]`, which prints a man page. " + MADE + "\n"]
    return "\n".join(head + [part for it in programs for part in command_parts(it, 2)])


def settings_page(server):
    serve = next(it for it in server["commands"] if it["name"].endswith(" serve"))
    rows = []
    for option in (it for it in serve["options"] if is_setting(serve, it)):
        flag = option["names"][0]
        name = flag[2:].replace("-", "_")
        text, default, allowed = re.fullmatch(r"(.*?)(?: \(([^();]*)(?:; ([^()]*))?\))?", option["help"], re.DOTALL).groups("")
        see = next((it for start, it in SEE.items() if name == start or start.endswith("_") and name.startswith(start)), "")
        rows.append([f"`{name}`", f"`{flag}`", f"`TUNEHUB_{name.upper()}`", cell(default), cell(allowed),
                     cell(sentence(text)) + (f" [More](../{see})" if see else "")])
    assert len(rows) > 30, "serve has no settings"
    return "\n".join(["# Settings\n", "For operators of a hub: every setting of `tunehub-server serve`.\n",
                      "A setting is a flag, else its variable, else the member of that name in the file of `--config` "
                      "(installed: `/etc/tunehub/server.json`), else its default. " + MADE + "\n",
                      table(["setting", "flag", "variable", "default", "range", "meaning"], rows)])


def errors_page(wrong):
    status, told = codes(), {}
    for number, line in enumerate((FOLDER / "errors.txt").read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#"):
            continue
        fields = [it.strip() for it in line.split(" | ")]
        if len(fields) != 3 or fields[0] in told:
            wrong.append(f"docs/reference/errors.txt:{number}: expected CODE | CAUSE | WHAT TO DO, each code once")
            continue
        told[fields[0]] = fields[1:]
    wrong += [f"docs/reference/errors.txt: no line for the code {it}" for it in sorted(status.keys() - told.keys())]
    wrong += [f"docs/reference/errors.txt: the source has no code {it}" for it in sorted(told.keys() - status.keys())]
    rows = [[f"`{code}`", status.get(code, ""), cell(cause), cell(remedy)] for code, (cause, remedy) in sorted(told.items())]
    return "\n".join(["# Error codes\n", "For everybody who reads an error: every code of the hub's answers, of receipts and of programs.\n",
                      "The message beside a code names the place and the value. A hub's answer with a code without a status has the "
                      "status 422. " + MADE + "\n", table(["code", "status", "cause", "what to do"], rows)])


class Api:
    def __init__(self, document):
        self.document = document

    def resolved(self, item):
        while "$ref" in item:
            place = self.document
            for part in item["$ref"].removeprefix("#/").split("/"):
                place = place[part]
            item = place
        return item

    def example(self, answer):
        """The example of an answer's first kind of content with one, or None."""
        found = [it["example"] for it in answer.get("content", {}).values() if "example" in it]
        return found and (found[0] if isinstance(found[0], str) else json.dumps(found[0], indent=1)).rstrip()

    def parts(self, method, path, operation):
        yield f"### {method.upper()} {path}\n"
        yield sentence(cell(operation["summary"])) + (" " + sentence(cell(operation["description"])) if "description" in operation else "") + "\n"
        parameters = [self.resolved(it) for it in operation.get("parameters", [])]
        if parameters:
            yield table(["parameter", "in", "meaning"], [
                [f"`{it['name']}`", it["in"] + (", required" if it.get("required") and it["in"] != "path" else ""),
                 cell(sentence(it.get("description", "")))] for it in parameters])
        for sample in operation.get("x-codeSamples", []):
            yield f"```text\n{sample['source']}\n```\n"
        statuses = operation["responses"]
        good = next((self.resolved(it) for code, it in statuses.items() if code[0] in "23"), {})
        yield f"Answers: {', '.join(sorted(statuses))}. {sentence(cell(good.get('description', '')))}".rstrip() + "\n"
        if text := self.example(good):
            yield f"```text\n{text if len(text) <= LONGEST else text[:LONGEST] + '...'}\n```\n"

    def page(self):
        parts = ["# HTTP routes\n", "For engineers who write a client: every route of a hub. [The HTTP interface](../api.md) shows how to use them.\n",
                 "`$HUB` is the hub's address, `$KEY` an API key. [Error codes](errors.md) explains refusals. " + MADE + "\n"]
        for tag in self.document["tags"]:
            parts.append(f"## {tag['name'].capitalize()}\n\n{sentence(cell(tag.get('description', '')))}\n")
            for path, operations in self.document["paths"].items():
                for method, operation in operations.items():
                    if tag["name"] in operation.get("tags", []):
                        parts += self.parts(method, path, operation)
        return "\n".join(parts)


def main(arguments):
    wrong = []
    agent, server = described("tunehub-agent"), described("tunehub-server")
    api = Api(json.loads((REPO / "server/openapi.json").read_text(encoding="utf-8")))
    pages = {"commands.md": commands_page([agent, server]), "settings.md": settings_page(server),
             "errors.md": errors_page(wrong), "http.md": api.page()}
    for name, text in pages.items():
        path = FOLDER / name
        text = re.sub(r"\n{3,}", "\n\n", text)
        if arguments == ["--write"]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            wrong.append(f"docs/reference/{name} is not made from this source: run tests/docs/reference.py --write")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
