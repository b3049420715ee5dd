#!/usr/bin/env python3
"""Holds `tunehub-agent shapes` against what the engines' layers compute (engine_layers.py), for each
shipped model, its quantised forms, TP 1 to 8, and EP where it has experts. With files of config.json
as arguments: for these."""
import collections
import concurrent.futures
import copy
import json
import os
import pathlib
import subprocess
import sys

import engine_layers

ROOT = pathlib.Path(__file__).resolve().parents[2]
AGENT = os.environ.get("TUNEHUB_AGENT", str(ROOT / "build/dev/bin/tunehub-agent"))
TPS = [int(it) for it in os.environ.get("TUNEHUB_TPS", "1 2 4 8").split()]
ENGINES = os.environ.get("TUNEHUB_ENGINES", "vllm sglang").split()


def shipped():
    """Each name that the agent knows, with the config.json that it stands for."""
    for path in sorted((ROOT / "configs/models").glob("*.json")):
        file = json.loads(path.read_text())
        yield file["name"], file["config"]
        for form in file.get("checkpoints", []):
            config = copy.deepcopy(file["config"])
            config.get("text_config", {}).pop("quantization_config", None)
            config["quantization_config"] = form["quantization_config"]
            yield form["name"], config


def ours(model, tp, ep, engine):
    """The products that the agent lists, and whether it says that blocks do not fit."""
    ran = subprocess.run(
        [AGENT, "shapes", "--model", model, "--tp", str(tp), "--ep", str(ep), "--engine", engine,
         "--configs", str(ROOT / "configs")], capture_output=True, text=True, check=False)
    made, lines = collections.Counter(), ran.stdout.splitlines()
    if not lines or not lines[0].startswith("product"):
        return None, ran.stderr.strip()
    ends = {it: lines[0].index(it) + len(it) for it in ("layers", "split    ", "B", "E", "topk", "N", "K")}
    for line in lines[1:]:
        if line.startswith(("note:", "refused:")):
            continue
        cuts = [line[a:b].strip() for a, b in zip([13, *ends.values()], ends.values())]
        layers, batch, experts, topk, n, k = (int(it or 0) for it in cuts[:1] + cuts[2:])
        stored = line[ends["K"]:].split()[0]
        if experts:
            made["experts", experts, topk, n, k, stored] += layers
        elif batch:
            made["batched", batch, n, k, stored] += layers
        else:
            made["dense", n, k, stored] += layers
    return made, [it for it in lines if it.startswith("refused:")]


def compare(name, config, model, tp, ep, engine):
    """Differences, a line each."""
    where = f"{name} --tp {tp} --ep {ep} --engine {engine}"
    made, refused = ours(model, tp, ep, engine)
    try:
        expected, blocks = engine_layers.products(config, tp, ep, engine)
    except engine_layers.Refused as why:
        return [] if made is None or refused else [f"{where}: not refused: {why}"]
    if made is None:
        return [f"{where}: {refused}"]
    found = []
    for key in sorted(set(expected) | set(made), key=str):
        if expected[key] != made[key]:
            found.append(f"{where}: {key}: {expected[key]} layers by the source, {made[key]} here")
    if bool(blocks) != any("(block)" in it for it in refused):
        found.append(f"{where}: blocks: {blocks[:3]} by the source, {refused} here")
    return found


def main():
    models = [(it, json.loads(pathlib.Path(it).read_text()), it) for it in sys.argv[1:]]
    models = models or [(name, config, name) for name, config in shipped()]
    asked = []
    for name, config, model in models:
        text = config.get("text_config") or config
        has_experts = any("expert" in it for it in text)
        for tp in TPS:
            for ep in sorted({1, tp, max(tp // 2, 1)} if has_experts else {1}):
                asked += [(name, config, model, tp, ep, it) for it in ENGINES]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = [it for many in pool.map(lambda it: compare(*it), asked) for it in many]
    print(*found, sep="\n")
    print(f"{len(models)} models, {len(asked)} splits, {len(found)} differences")
    return 1 if found or not models else 0


if __name__ == "__main__":
    sys.exit(main())
