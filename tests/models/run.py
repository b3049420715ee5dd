#!/usr/bin/env python3
"""tests/models/run.py [config.json...]: compares `tunehub-agent shapes` with the layers of vLLM and SGLang
(engine_layers.py), for TP 1 to 8, and with EP for models with experts. Without files it uses each shipped model and its
checkpoints.
"""
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
AGENT = os.path.join(os.environ.get("TUNEHUB_BIN", ROOT / "build/release/bin"), "tunehub-agent")


def shipped():
    """Yields each name that the agent knows, with its config.json."""
    for path in sorted((ROOT / "configs/models").glob("*.json")):
        file = json.loads(path.read_text())
        yield file["name"], file["config"]
        for form in file.get("checkpoints", []):
            config = copy.deepcopy(file["config"])
            config.get("text_config", {}).pop("quantization_config", None)
            yield form["name"], {**config, "quantization_config": form["quantization_config"]}


def listed(model, tp, ep, engine):
    """The products that the agent lists, and its refusals. If it lists nothing: None and its error."""
    ran = subprocess.run([AGENT, "shapes", "--model", model, "--tp", str(tp), "--ep", str(ep), "--engine", engine,
                          "--configs", str(ROOT / "configs")], capture_output=True, text=True, check=False)
    lines = ran.stdout.splitlines()
    if not lines or not lines[0].startswith("product"):
        return None, [ran.stderr.strip()]
    ends = [lines[0].index(it) + len(it) for it in ("product      ", "layers", "split    ", "B", "E", "topk", "N", "K")]
    made = collections.Counter()
    for line in lines[1:]:
        if line.startswith(("note:", "refused:")): continue
        layers, _, batch, experts, topk, n, k = (line[a:b].strip() for a, b in zip(ends, ends[1:]))
        key = ("experts", experts, topk, n, k) if experts else ("batched", batch, n, k) if batch else ("dense", n, k)
        made[(key[0], *map(int, key[1:]), line[ends[-1]:].split()[0])] += int(layers)
    return made, [it for it in lines if it.startswith("refused:")]


def differences(model, config, tp, ep, engine):
    where = f"{model} --tp {tp} --ep {ep} --engine {engine}"
    made, said = listed(model, tp, ep, engine)
    try:
        expected, blocks = engine_layers.products(config, tp, ep, engine)
    except engine_layers.Refused as why:
        return [] if made is None or said else [f"{where}: is not refused: {why}"]
    if made is None:
        return [f"{where}: {said[0]}"]
    found = [f"{where}: {key}: {expected[key]} layers by the engine's source, {made[key]} listed"
             for key in sorted(expected.keys() | made.keys(), key=str) if expected[key] != made[key]]
    if bool(blocks) != any("(block)" in it for it in said):
        found.append(f"{where}: blocks that do not fit: {blocks[:3]} by the engine's source, {said}")
    return found


def splits(config):
    text = config.get("text_config") or config
    has_experts = any("expert" in it for it in text)
    for tp in (1, 2, 4, 8):
        for ep in sorted({1, tp, max(tp // 2, 1)} if has_experts else {1}):
            for engine in ("vllm", "sglang") if "index_n_heads" in text else ("vllm",):
                yield tp, ep, engine


def main():
    models = [(it, json.loads(pathlib.Path(it).read_text())) for it in sys.argv[1:]] or list(shipped())
    asked = [(model, config, *split) for model, config in models for split in splits(config)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = [it for many in pool.map(lambda it: differences(*it), asked) for it in many]
    print(*found, f"{len(models)} models, {len(asked)} splits, {len(found)} differences", sep="\n")
    return 1 if found or not models else 0


if __name__ == "__main__":
    sys.exit(main())
