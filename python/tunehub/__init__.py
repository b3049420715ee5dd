"""Tuned tables of a tunehub hub for AITER, vLLM, SGLang and PyTorch's TunableOp.

    import tunehub
    tunehub.env(hub="http://hub:8080", gfx="gfx942")  # before the engine is imported
    import aiter

    tunehub.tuned("a8w8_blockscale", gfx="gfx942", hub="http://hub:8080")  # a list of rows

The program `tunehub-agent` in this package fetches the tables and checks their signatures. `hub`, `key` and `ca` have
the agent's defaults: $TUNEHUB_HUB, $TUNEHUB_KEY, $TUNEHUB_CA. Functions with `lock` take these options of
`tunehub-agent pull`, too: trust, channel, update_lock, allow_older, tries, request_timeout.
"""
from __future__ import annotations

import contextlib
import csv
import dataclasses
import fcntl
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Any, Iterable, Iterator, Mapping, NoReturn, Union

__all__ = ["Error", "env", "tuned", "agent"]

_Path = Union[str, "os.PathLike[str]"]
_HERE = pathlib.Path(__file__).resolve().parent
_PROGRAM = str(_HERE / "tunehub-agent")
# The engines read their variables once, at their import or soon afterwards.
_ENGINES = ("aiter", "vllm", "sglang")
# Without these PyTorch ignores the results, or replaces them at its exit. A value of the user stays.
_TUNABLE_DEFAULTS = {"PYTORCH_TUNABLEOP_ENABLED": "1", "PYTORCH_TUNABLEOP_TUNING": "0"}
_FLAGS = ("update_lock", "allow_older")
_VALUES = ("hub", "ca", "trust", "channel", "tries", "request_timeout")
_NUMBERS = {"integer": int, "flag": int, "number": float, "error": float}
_DIGEST_LETTERS = 16  # of a digest that names a folder of the cache


class Error(RuntimeError):
    """A failure: the agent's own sentence, its error code and its exit status (None: this module refused)."""

    def __init__(self, text: str, code: str, status: int | None = None):
        super().__init__(text)
        self.code = code
        self.status = status


def env(hub: str | None = None, *, lock: _Path | None = None, gfx: str | None = None,
        families: Iterable[str] | None = None, readers: Iterable[str] | None = None, device: str | None = None,
        aiter: _Path | None = None, query: Mapping[str, str] | None = None, folder: _Path | None = None,
        **options: Any) -> dict[str, str]:
    """Fetches tables and sets the variables by which engines find them. Returns the variables.

    lock      a lock file. Its tables are fetched exactly as pinned; a table that it does not pin is an error, except
              with update_lock=True. Without a lock the newest tables are fetched.
    gfx       the architecture or product; default: the lock's, or this host's GPU
    families  tables of AITER; default: the lock's, or every family of which the hub has rows
    readers   engines whose files to fetch: "vllm", "sglang", "tunableop"; default: the lock's, or none
    device    narrows the readers' files: the GPU's trade name, or its name in file names
    aiter     AITER's tree: fetches only the rows that it can run (needs a key)
    query     more parameters of the tables, such as {"model": "qwen3-32b"}; not for a lock's own tables
    folder    for the files; default: a folder of ~/.cache/tunehub for these arguments

    Sets no variable if a fetch fails. Raises tunehub.Error.
    """
    for engine in _ENGINES:
        if engine in sys.modules:
            raise Error(f"tunehub.env: {engine} is already imported, and it reads its variables only once. Call "
                        f"tunehub.env() before the first import of {engine}", "imported")
    source = _Source(hub, lock, folder, options)
    locked = source.pulls(gfx, device) if families is None or readers is None else []
    every = families is None and not source.tables
    if every:
        families = [name for name, it in _families().items() if it["env"]]
    if families is None:
        pulls = [it for it in locked if it.kind == "family"]
    else:
        names = [families] if isinstance(families, str) else list(families)
        asked = {**(query or {}), "gfx": gfx or _this_gpu()} if names else {}
        pulls = [_Pull("family", name, asked) for name in names]
    if readers is None:
        pulls += [it for it in locked if it.kind == "reader"]
    else:
        names = [readers] if isinstance(readers, str) else list(readers)
        pulls += [_Pull("reader", name, {"device": device} if device else {}) for name in names]
    place = pathlib.Path(folder) if folder is not None else _cache(hub or lock, pulls, aiter)
    _make(place)
    found: dict[str, str] = {}
    with _alone(place if lock is not None else source.path.parent):
        for pull in pulls:
            try:
                variable, value = source.fetch_for(pull, place, aiter)
            except Error as error:
                if not every or pull.kind == "reader" or error.code != "no_rows":
                    raise
            else:
                found[variable] = value
    if not found:
        raise Error(f"tunehub.env: found no table for {gfx or 'this GPU'}, so there is no variable to set", "no_rows")
    if "PYTORCH_TUNABLEOP_FILENAME" in found:
        found.update({name: os.environ.get(name, value) for name, value in _TUNABLE_DEFAULTS.items()})
    os.environ.update(found)
    return found


def tuned(family: str, gfx: str | None = None, hub: str | None = None, *,
          lock: _Path | None = None, query: Mapping[str, str] | None = None, frame: bool = False, **options: Any) -> Any:
    """The tuned rows of a family: a list of dicts, or with frame=True a pandas.DataFrame.

    Numbers are numbers, an empty cell of a column of numbers is None. Without `gfx` the rows of all targets. Raises
    tunehub.Error.
    """
    asked = {**(query or {}), "gfx": gfx} if gfx else dict(query or {})
    if frame:
        import pandas
    source = _Source(hub, lock, None, options)
    with tempfile.TemporaryDirectory(prefix="tunehub-") as folder:
        file = pathlib.Path(folder) / "tuned.csv"
        with contextlib.nullcontext() if lock is not None else _alone(source.path.parent):
            source.fetch(_Pull("family", family, asked), file)
        with file.open(newline="", encoding="utf-8") as text:
            rows = list(csv.DictReader(text))
    types = _families().get(family, {}).get("columns", {})
    values = [{name: _value(cell, types.get(name, "")) for name, cell in row.items()} for row in rows]
    return pandas.DataFrame(values) if frame else values


def agent(*arguments: _Path, key: str | None = None) -> str:
    """Runs `tunehub-agent ARGUMENTS` and returns its output. Raises tunehub.Error with the agent's sentence."""
    # Other users see a process's arguments, but not its environment.
    variables = {**os.environ, "TUNEHUB_KEY": key} if key else None
    try:
        done = subprocess.run([_PROGRAM, *arguments], env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    except OSError as error:
        raise Error(f"tunehub: cannot run {_PROGRAM}: {error.strerror}. It needs x86-64 Linux; if it lost its mode, "
                    "install the wheel again with pip", "no_agent") from error
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"tunehub-agent ended with status {done.returncode}"]
        first = next((line for line in said if line.startswith("tunehub-agent ")), said[-1])  # after it, advice
        code = re.search(r"\(([a-z_]+)\)$", first)
        raise Error(first, code[1] if code else "failed", done.returncode)
    if done.stderr:
        sys.stderr.write(done.stderr)  # warnings, such as rows that a build lacks
    return done.stdout


@dataclasses.dataclass
class _Pull:
    kind: str  # family or reader
    name: str
    asked: dict[str, str]  # the parameters


class _Source:
    """The hub, the lock file, and the options of every pull."""

    def __init__(self, hub: str | None, lock: _Path | None, folder: _Path | None, options: Mapping[str, Any]):
        unknown = sorted(set(options) - {*_FLAGS, *_VALUES, "key"})
        if unknown:
            raise TypeError(f"tunehub: unknown option {unknown[0]}; options: {', '.join((*_FLAGS, *_VALUES, 'key'))}")
        self.key = options.get("key")
        self.update = lock is None or bool(options.get("update_lock"))
        # Without the caller's lock file, this file remembers the hub's signing key and newest revision.
        self.path = pathlib.Path(lock if lock is not None else folder or _cache(hub))
        self.tables: list[dict[str, Any]] = []
        chosen = {**options, "hub": hub, "update_lock": self.update}
        self.options = [f"--{it}".replace("_", "-") for it in _FLAGS if chosen.get(it)]
        self.options += [f"--{it.replace('_', '-')}={chosen[it]}" for it in _VALUES if chosen.get(it) is not None]
        if lock is None:
            _make(self.path)
            self.path /= "tunehub.lock"
        else:
            self._read()

    def _read(self) -> None:
        try:
            self.tables = json.loads(self.path.read_text(encoding="utf-8"))["tables"]
        except FileNotFoundError:
            if not self.update:
                raise Error(f"tunehub: there is no lock file {self.path}. update_lock=True writes one", "no_lock") from None
        except (ValueError, KeyError, TypeError) as error:
            raise Error(f"tunehub: {self.path} is no lock file of the agent: {error!r}", "bad_lock") from error

    def pulls(self, gfx: str | None, device: str | None) -> list[_Pull]:
        """The lock's tables that a variable can name, without those of another GPU."""
        found: dict[tuple[str, str], _Pull] = {}
        for table in self.tables:
            kind = "reader" if "reader" in table else "family"
            name, asked = table[kind], _parameters(table["query"])
            if (gfx and asked.get("gfx", gfx) != gfx) or (device and asked.get("device", device) != device):
                continue
            if kind == "family" and not _families().get(name, {}).get("env"):
                continue
            if (kind, name) in found:
                raise Error(f"tunehub.env: {self.path} pins {name} twice. Choose one by gfx= or device=", "two_tables")
            found[kind, name] = _Pull(kind, name, asked)
        if self.tables and not found:
            raise Error(f"tunehub.env: {self.path} pins no table for {gfx or device or 'a variable'}", "not_pinned")
        return list(found.values())

    def _require_pin(self, pull: _Pull) -> None:
        # For a missing table the agent would pin today's state, so a build would not be the same twice.
        for table in self.tables:
            pinned = _parameters(table["query"])
            if table.get(pull.kind) == pull.name and pull.asked in (pinned, {it: pinned[it] for it in pinned if it != "build"}):
                return
        text = "&".join(f"{name}={value}" for name, value in sorted(pull.asked.items()))
        raise Error(f"tunehub: {self.path} does not pin {pull.name} with '{text}'. update_lock=True pins it", "not_pinned")

    def fetch(self, pull: _Pull, file: pathlib.Path, aiter: _Path | None = None) -> dict[str, Any]:
        """Fetches into a file, or into a folder for a reader. Returns the agent's report."""
        if not self.update:
            self._require_pin(pull)
        asked = [f"--query={name}={value}" for name, value in pull.asked.items()]
        tree = ["--aiter", os.fspath(aiter)] if aiter and pull.kind == "family" and "build" not in pull.asked else []
        report: dict[str, Any] = json.loads(agent("pull", f"--{pull.kind}={pull.name}", *asked, *tree, "--output", file, "--lock",
                                                  self.path, "--json", *self.options, key=self.key))
        return report

    def fetch_for(self, pull: _Pull, place: pathlib.Path, aiter: _Path | None) -> tuple[str, str]:
        """Fetches below `place`. Returns an engine's variable and its value."""
        if pull.kind == "reader":
            variable, _, value = self.fetch(pull, (place / pull.name).absolute())["environment"].partition("=")
            return variable, value
        known = _families()
        if pull.name not in known or not known[pull.name]["env"]:
            raise Error(f"tunehub.env: AITER has no variable for '{pull.name}'. It has one for: "
                        f"{', '.join(name for name, it in known.items() if it['env'])}", "no_variable")
        file = (place / f"{pull.name}.csv").absolute()
        self.fetch(pull, file, aiter)
        return known[pull.name]["env"], str(file)


def _parameters(query: str) -> dict[str, str]:
    return dict(it.split("=", 1) for it in query.split("&") if "=" in it)


def _value(cell: str, kind: str) -> Any:
    if kind not in _NUMBERS:
        return cell
    try:
        return _NUMBERS[kind](cell) if cell else None
    except ValueError:
        return cell


def _families() -> dict[str, Any]:
    """{family: {"env": the variable or "", "columns": {column: type}}}, from the agent's family files."""
    if not _families_read:
        _families_read.update(json.loads((_HERE / "families.json").read_text(encoding="utf-8")))
    return _families_read


_families_read: dict[str, Any] = {}


def _this_gpu() -> str:
    found = json.loads(agent("discover", "--json"))
    for device in found["devices"]:
        if device["kind"] != "cpu":
            return str(device["gfx"])
    raise Error(f"tunehub.env: no GPU here ({found.get('no_gpu', 'none found')}). Name the target, gfx='gfx942'; or pass "
                f"families=() to fetch no table of AITER", "no_gpu")


def _cache(hub: _Path | None, *what: object) -> pathlib.Path:
    """A folder for these arguments, so that processes with other arguments have other files."""
    root = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    place = repr((os.fspath(hub or os.environ.get("TUNEHUB_HUB", "")), os.getcwd() if what else "", *what))
    return root / "tunehub" / hashlib.sha256(place.encode()).hexdigest()[:_DIGEST_LETTERS]


def _make(folder: pathlib.Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Error(f"tunehub: cannot make the folder {folder}: {error.strerror}. Set XDG_CACHE_HOME, or give env() a folder=",
                    "no_folder") from error


@contextlib.contextmanager
def _alone(folder: pathlib.Path) -> Iterator[None]:
    """The ranks of an engine call env() at the same time: one process at a time changes the folder."""
    with (folder / ".tunehub-lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def main() -> NoReturn:
    """The command `tunehub-agent`."""
    try:
        os.execv(_PROGRAM, ["tunehub-agent", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"tunehub-agent: cannot run {_PROGRAM}: {error.strerror}")
