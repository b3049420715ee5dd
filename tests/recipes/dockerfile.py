"""Executes a Dockerfile of docs/recipes in a folder: its RUN lines in /bin/sh, with the image's folders below that folder.

It knows the instructions that the recipes have, and refuses others.
"""
import pathlib
import re
import shutil
import subprocess

PATIENCE_S = 300  # for one RUN; only a hang takes so long
# The absolute folders that the recipes name. They are below the image's root here; /tunehub is the folder of the build.
PLACES = re.compile(r"(?<![\w./$}-])/(opt|run/secrets|tunehub)(?=/|\b)")
MOUNT = re.compile(r"--mount=(\S+)\s+")
MOUNTS = {"type=bind,target=/tunehub", "type=secret,id=tunehub_key"}


class Failed(Exception):
    """A RUN that ended with another status than 0; the text is its output."""


def instructions(text):
    lines = [it for it in text.splitlines() if not it.lstrip().startswith("#")]
    joined = re.sub(r"\\\n", " ", "\n".join(lines))
    return [it.split(None, 1) for it in joined.splitlines() if it.strip()]


def contents(folder):
    return {it: it.read_bytes() for it in folder.rglob("*") if it.is_file()}


class Image:
    def __init__(self, root, context, environment):
        self.root, self.context = root, context
        self.variables = dict(environment)
        self.environment = {}  # of ENV

    def placed(self, text):
        return PLACES.sub(lambda it: str(self.context if it[1] == "tunehub" else self.root / it[1]), text)

    def build(self, dockerfile, arguments):
        arguments = dict(arguments)
        for instruction, rest in instructions(pathlib.Path(dockerfile).read_text(encoding="utf-8")):
            if instruction == "ARG":
                name, _, default = rest.partition("=")
                self.variables[name] = arguments.get(name, self.placed(default))
            elif instruction == "ENV":
                name, _, value = rest.partition("=")
                self.environment[name] = self.placed(value)
            elif instruction == "RUN":
                self.run(rest)
            elif instruction != "FROM":
                raise ValueError(f"{dockerfile}: this test does not know {instruction}")

    def run(self, rest):
        for mount in MOUNT.findall(rest):
            if mount not in MOUNTS:
                raise ValueError(f"this test does not know the mount {mount}")
        before = contents(self.context)
        done = subprocess.run(["/bin/sh", "-c", self.placed(MOUNT.sub("", rest))], env=self.variables, timeout=PATIENCE_S,
                              check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if contents(self.context) != before:  # docker mounts it read-only; root can write to it here
            shutil.rmtree(self.root)
            raise Failed(f"the folder of the build is read-only, but this changed it: {rest}\n{done.stdout}")
        if done.returncode != 0:
            raise Failed(done.stdout)
