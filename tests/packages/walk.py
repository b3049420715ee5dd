#!/usr/bin/env python3
"""Runs a page's commands on the hosts that it names, and compares their output with the page.

    walk.py PAGE FOLDER HOST=ROOT=PID...

A HOST has its files below ROOT, and PID is its first process. For `desk`, ROOT is "/", PID is a process in its network,
and FOLDER is its folder. Its `scp` copies between the roots. `<!-- the name A leads to B -->` changes every /etc/hosts.
"""
import dataclasses
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "docs"))
import page  # noqa: E402
from compare import difference  # noqa: E402
from shell import Shell  # noqa: E402

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
PATIENCE_S = 600  # for one command: it may install a package or tune while other tests run
LEADS_TO = re.compile(r"<!-- the name (\w+) leads to (\w+) -->")
SCP = r"""scp() {
  local arguments=() it
  for it in "$@"; do
    if [[ $it == *:* && $it != *:/* ]]; then it=${it%%:*}:/root/${it#*:}; fi
    if [[ $it == *:* ]]; then local -n root="root_of_${it%%:*}"; it=$root${it#*:}; fi
    arguments+=("$it")
  done
  cp "${arguments[@]}"
}"""


@dataclasses.dataclass
class Host:
    root: str
    pid: str
    shell: Shell = None

    def open(self, folder):
        enter = ["nsenter", "--target", self.pid, "--net"]
        if self.root == "/":
            self.shell = Shell(folder, ENVIRONMENT | {"HOME": str(folder)}, enter, PATIENCE_S)
            return
        enter += ["--mount", "--pid", "--uts", "--ipc", "--cgroup", "--root", "--wd"]
        self.shell = Shell("/", ENVIRONMENT | {"HOME": "/root"}, [*enter, "--"], PATIENCE_S)
        self.shell.run("cd /root")


def lead(hosts, name, to):
    """From now on `name` means the host `to`."""
    for host in hosts.values():
        path = pathlib.Path(host.root) / "etc/hosts"
        lines = [it.split() for it in path.read_text(encoding="utf-8").splitlines()]
        address = next(it[0] for it in lines if to in it[1:])
        kept = [" ".join(it) for it in lines if it[1:] != [name]]
        path.write_text("\n".join([*kept, f"{address} {name}"]) + "\n", encoding="utf-8")


def run_block(block, host):
    """Runs a block. Returns the number of commands. The first failure ends the program, because later commands need
    it."""
    commands = block.commands()
    for command in commands:
        status, printed = host.shell.run(command.text)
        wrong = difference(command.output, printed)
        if wrong is None and status not in ((0, 1) if "tunehub-agent " in command.text else (0,)):
            wrong = f"it ended with status {status}"
        if wrong is not None:
            everything = "".join(f"\n      | {it}" for it in printed)
            for log in sorted((pathlib.Path(host.root) / "root").glob("*.log")) if host.root != "/" else []:
                everything += "".join(f"\n    {log.name} > {it}" for it in log.read_text(errors="replace").splitlines()[-5:])
            sys.exit(f"{command.line}, on {block.host}: $ {command.text}\n  {wrong}\n     all of it:{everything}")
    return len(commands)


def main(path, folder, *arguments):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    hosts = {name: Host(root, pid) for name, root, pid in (it.split("=") for it in arguments)}
    for host in hosts.values():
        host.open(folder)
    roots = " ".join(f"root_of_{name}={host.root}" for name, host in hosts.items() if host.root != "/")
    hosts["desk"].shell.run(f"{roots}\n{SCP}")
    leads = [(number, match[1], match[2]) for number, line in enumerate(text.splitlines(), 1) if (match := LEADS_TO.fullmatch(line))]
    count = 0
    for block in page.blocks(text):
        while leads and leads[0][0] < block.line:
            lead(hosts, *leads.pop(0)[1:])
        if block.host:
            print(f"{path}:{block.line}: on {block.host}", flush=True)
            count += run_block(block, hosts[block.host])
    for host in hosts.values():
        host.shell.close()
    print(f"{path}: {count} commands on {len(hosts)} hosts")


if __name__ == "__main__":
    main(*sys.argv[1:])
