"""A real hub with tables that are safe for a model, and what the recipes need beside it."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import urllib.request

REPO = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ["TUNEHUB_BIN"]).resolve()
RECIPES = REPO / "docs/recipes"
sys.path.insert(0, str(REPO / "tests/docs"))
from hub import Hub  # noqa: E402  (after its path)

EXAMPLES = REPO / "docs/examples"
FAMILY = "a8w8_blockscale"
MODEL = "gfx=MI300X&model=qwen3-32b&dtype=fp8_block&tp=8"
PATIENCE_S = 300  # for one command; only a hang takes so long
PAGE = 200  # the most entries of a verdict's list in one answer
HEAD = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"
# Slower than the roofline of an MI300X allows, so that the hub does not take the rows as implausible.
US_PER_MNK, LEAST_US = 2e-9, 10


def yaml(path):
    return json.loads(subprocess.run(["node", REPO / "tests/k8s/yaml.mjs", path], check=True, capture_output=True, text=True).stdout)


def kernel_of_build():
    """The only built kernel in docs/examples/wheel.csv: its id and its name."""
    rows = [it.split(",") for it in (EXAMPLES / "wheel.csv").read_text().splitlines() if it.startswith("gemm_")]
    return next((row[2], row[3]) for row in rows if row[4] == "1")


class RecipeTest(unittest.TestCase):
    """One hub for a class of tests, and a folder for each test."""

    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="tunehub-recipes-")))
        cls.place.chmod(0o755)  # if this runs as root, PostgreSQL runs as another user
        cls.environment = {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(cls.place), "LC_ALL": "C.UTF-8"}
        cls.hub = Hub(BIN / "tunehub-server", cls.place, cls.environment)
        cls.addClassCleanup(cls.hub.close)
        cls.key = cls.new_key("admin")

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(dir=self.place)))

    @classmethod
    def new_key(cls, *scope):
        return cls.good(BIN / "tunehub-server", "key", "create", "--data", cls.hub.data, "--scope", *scope).strip()

    @classmethod
    def good(cls, *command, **environment):
        """Runs a command that must succeed; returns what it prints."""
        done = subprocess.run(command, env=cls.environment | environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    @classmethod
    def agent(cls, *arguments):
        return cls.good("tunehub-agent", *arguments, TUNEHUB_HUB=cls.hub.url, TUNEHUB_KEY=cls.key)

    @classmethod
    def ask(cls, path, body=None, method=None):
        request = urllib.request.Request(cls.hub.url + path, body, {"Authorization": f"Bearer {cls.key}"}, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            return json.load(answer)

    @classmethod
    def trust(cls, path):
        """Writes the hub's public key as minisign writes it."""
        path.write_text(f"untrusted comment: the hub's key\n{cls.ask('/signing-keys')['keys'][-1]['public_key']}\n")

    @classmethod
    def put_build(cls):
        return cls.ask("/builds/wheel", (EXAMPLES / "wheel.csv").read_bytes(), "PUT")["build"]

    @classmethod
    def tune(cls, build, layers=None):
        """Gives the shapes that MODEL needs measured rows of the build's kernel: those of the first `layers` (N, K), or all."""
        shapes, total = [], 1
        while len(shapes) < total:
            listed = cls.ask(f"/verdict?{MODEL}&build={build}&list=missing&limit={PAGE}&after={len(shapes)}")["list"]
            total = listed["total"]
            shapes += [it["shape"] for it in listed["items"]]
        number, name = kernel_of_build()
        chosen = sorted({(it["N"], it["K"]) for it in shapes})[:layers]
        rows = [HEAD]
        for m, n, k in [(it["M"], it["N"], it["K"]) for it in shapes if (it["N"], it["K"]) in chosen]:
            us = max(LEAST_US, US_PER_MNK * int(m) * int(n) * int(k))
            rows.append(f"gfx942,304,{m},{n},{k},ck,{number},0,{us:.2f},{name},1,1,0.0")
        receipt = cls.ask(f"/results/{FAMILY}", "\n".join(rows).encode() + b"\n")
        if receipt["accepted"] != len(rows) - 1:
            raise AssertionError(receipt)

    @classmethod
    def agent_archive(cls, path):
        """A tar.gz laid out as deploy/package does it. Its agent starts that of this build, which is 80 MB."""
        program = cls.place / "tunehub-agent"
        program.write_text(f'#!/bin/sh\nexec "{BIN}/tunehub-agent" "$@"\n')
        program.chmod(0o755)
        with tarfile.open(path, "w:gz") as archive:
            archive.add(program, "tunehub-agent-0.1.0-linux-x86_64/tunehub-agent")


def standin_aiter(root):
    """A checkout of AITER as far as `install` reads it: one table, one candidate list, and its compiled module."""
    number, name = kernel_of_build()
    table = root / "aiter/configs/a8w8_blockscale_tuned_gemm.csv"
    table.parent.mkdir(parents=True)
    shutil.copy(EXAMPLES / "aiter_configs" / table.name, table)
    (root / "aiter/__init__.py").write_text("")
    candidates = root / "csrc/ck_gemm_a8w8_blockscale/gemm_a8w8_blockscale_instance.py"
    candidates.parent.mkdir(parents=True)
    candidates.write_text("class Kernel:\n    def __init__(self, name):\n        self.name = name\n\n"
                          f"kernels_list = {{\n    {number}: Kernel(\"{name}\"),\n}}\n")
    header = root / "aiter/jit/build/module_gemm_a8w8_blockscale/blob/gemm_a8w8_blockscale_lookup.h"
    header.parent.mkdir(parents=True)
    header.write_text("#define GENERATE_LOOKUP_TABLE(DTYPE, ETYPE) { \\\n"
                      f"  {{\"{name}\", \\\n   {name}<DTYPE, ETYPE>}}, \\\n}}\n")
    return table


def standin_vllm(site):
    """A site-packages with vLLM's folder of GEMM configs. Its import fails, as vLLM's does on a build host."""
    configs = site / "vllm/model_executor/layers/quantization/utils/configs"
    configs.mkdir(parents=True)
    (site / "vllm/__init__.py").write_text("raise ImportError('no GPU here')\n")
    return configs
