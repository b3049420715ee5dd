"""AITER's lookups of all 13 families, on AITER's own merge and on tunehub's served tables.

usage: aiter_lookup.py CONFIGS FAMILIES SERVED [HUB [SHAPES]]
  CONFIGS   AITER's aiter/configs            FAMILIES  tunehub's configs/families
  SERVED    a folder with FAMILY.csv         HUB       a server that also answers some lookups
  SHAPES    random shapes per family (20000); the server answers one in a hundred

The script looks up the shape of every row of the merge, and random shapes near them with a fixed seed: M
beside a row's M, between the grids, at the token tiers, and columns of other rows. It searches both
tables by AITER's rules, copied from aiter/ops/gemm_op_*.py, batched_gemm_op_*.py, aiter/tuned_gemm.py,
aiter/fused_moe.py and the grouped and gdn loaders. Both tables must give the same row, or none.

AITER's lookup of fused MoE ignores the activation and uses the first row. So the script compares the rows
of each activation, and prints separately which activation's row a request gets.

Prints JSON: {family: counts}. Exits with 1 if an answer differs.
"""
import itertools
import json
import pathlib
import random
import sys
import urllib.error
import urllib.parse
import urllib.request

from aiter_merge import aiter_merge, read_table

TIERS = (32768, 131072)
QUANT = ("gfx", "cu_num", "M", "N", "K", "q_dtype_w")
GEMM = ("gfx", "cu_num", "M", "N", "K")
BATCHED = ("gfx", "cu_num", "B", "M", "N", "K")
BF16 = GEMM + ("bias", "dtype", "outdtype", "scaleAB", "bpreshuffle")
MOE = ("gfx", "cu_num", "token", "model_dim", "inter_dim", "expert", "topk", "act_type", "dtype",
       "q_dtype_a", "q_dtype_w", "q_type", "use_g1u1", "doweight_stage1")
BLIND = tuple(it for it in MOE if it != "act_type")
FHMOE = MOE + ("shared_expert_id", "hidden_pad", "intermediate_pad", "gate_mode")
GROUPED = MOE[:12]
GDN = ("gfx", "cu_num", "H", "Hg", "V", "is_varlen", "use_h0", "store_fs", "snapshot_bf16",
       "state_bf16", "total_chunks", "max_seq_chunks")


def padded_m(m, n, level):
    """AITER's getPaddedM, which is in C++."""
    if level == 0:
        step = 16 if m <= 256 else 32 if m <= 1024 else 64 if m <= 4096 else 128
        return -(-m // step) * step
    if m > 8192 and n > 4096:
        return 8192
    return 1 << (m - 1).bit_length() if m > 1 else 1


def token_tier(token):
    if token < TIERS[0]:
        return 1 << (token - 1).bit_length() if token > 1 else 1
    return TIERS[1] if token >= TIERS[1] else TIERS[0]


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def value(text):
    """The value that represents a cell in comparisons: pandas gives a column one type, and True equals 1."""
    text = {"True": "1", "False": "0"}.get(text, text)
    as_number = number(text)
    return text if as_number is None else as_number


class Exact:
    """Tries only the exact shape key. Equal shape keys would make pandas raise at load, so there are none."""

    def __init__(self, columns, rows, keep_first=False):
        self.columns, self.rows, self.repeated = columns, {}, 0
        for row in rows:
            key = tuple(value(row[column]) for column in columns)
            self.repeated += key in self.rows and not keep_first
            self.rows.setdefault(key, row)

    def get(self, shape, **other):
        shape = {**shape, **other}
        return self.rows.get(tuple(value(str(shape[column])) for column in self.columns))

    def find(self, shape):
        return self.get(shape)


class Padded(Exact):
    """Tries the exact M, then M on both grids."""

    def __init__(self, columns, rows, m="M", n="N", usable=lambda row: True):
        super().__init__(columns, rows)
        self.m, self.n, self.usable = m, n, usable

    def find(self, shape):
        m, n = int(shape[self.m]), int(shape[self.n])
        for tried in (m, padded_m(m, n, 0), padded_m(m, n, 1)):
            row = self.get(shape, **{self.m: tried})
            if row is not None and self.usable(row):
                return row
        return None


class Moe(Exact):
    """Ignores the activation. AITER's exact table has the activation as text but a request has it as an enum, so
    only AITER's second table answers. It has no activation and keeps the first row."""

    def __init__(self, rows, columns=BLIND):
        kept = [row for row in rows if row.get("_tag", "") != "flydsl_fallback"]
        super().__init__(columns, kept, keep_first=True)

    def find(self, shape):
        tier = token_tier(int(shape["token"]))
        row = self.get(shape, token=tier)
        if row is None and tier == TIERS[1]:
            row = self.get(shape, token=TIERS[0])
        return row


class Fhmoe(Exact):
    def find(self, shape):
        return self.get(shape, token=token_tier(int(shape["token"])))


class Grouped:
    """An empty cell fits any value. A second pass ignores the CU count. The lowest time wins."""

    def __init__(self, rows):
        self.rows, self.repeated = rows, 0

    def find(self, shape):
        wanted = {**shape, "token": str(token_tier(int(shape["token"])))}
        for columns in (GROUPED, tuple(it for it in GROUPED if it != "cu_num")):
            found = [row for row in self.rows
                     if all(row[it].strip() in ("", wanted[it]) for it in columns)]
            if found:
                return min(found, key=lambda row: float(row["us"] or 0))
        return None


def no_flydsl(row):
    return row["libtype"] != "flydsl"


# By family: the columns of the shapes to look up, and AITER's lookup.
LOOKUPS = {
    "a4w4_blockscale": (GEMM, lambda rows: Padded(GEMM, rows)),
    "a8w8": (QUANT, lambda rows: Padded(QUANT, rows)),
    "a8w8_blockscale": (GEMM, lambda rows: Padded(GEMM, rows)),
    "a8w8_blockscale_bpreshuffle": (GEMM, lambda rows: Padded(GEMM, rows)),
    "a8w8_bpreshuffle": (QUANT, lambda rows: Padded(QUANT, rows)),
    "batched_a8w8": (BATCHED, lambda rows: Exact(BATCHED, rows)),
    "batched_a8w8_blockscale_mxscale":
        (("gfx", "b", "m", "n", "k"),
         lambda rows: Padded(("gfx", "b", "m", "n", "k"), rows, "m", "n")),
    "batched_bf16": (BATCHED, lambda rows: Exact(BATCHED, rows)),
    "bf16": (BF16, lambda rows: Padded(BF16, rows)),
    "bf16 without FlyDSL": (BF16, lambda rows: Padded(BF16, rows, usable=no_flydsl)),
    "chunk_gdn_h": (GDN, lambda rows: Exact(GDN, rows, keep_first=True)),
    "fhmoe": (FHMOE, lambda rows: Fhmoe(FHMOE, rows)),
    "fmoe": (MOE, lambda rows: Moe(rows, MOE)),  # looks up each activation separately
    "grouped_fmoe": (MOE, Grouped),
}


def draw_m(rng, m):
    return max(1, rng.choice((
        m, m, m - 1, m + 1, m // 2, 2 * m, m - rng.randrange(1, 200), m + rng.randrange(1, 200),
        rng.randrange(1, 2 * m + 2), rng.randrange(1, 300), 1 << rng.randrange(18),
        rng.choice((8191, 8192, 8193, 32767, 32768, 32769, 131071, 131072, 131073, 400000)))))


def draw(rng, columns, rows):
    """A row's shape key with another M, and sometimes with a column of another row."""
    base = rng.choice(rows)
    shape = {column: (rng.choice(rows) if rng.random() < 0.02 else base)[column]
             for column in columns}
    m = next((it for it in ("M", "m", "token", "total_chunks") if it in columns), None)
    shape[m] = str(draw_m(rng, int(float(base[m]))))
    return shape


def reads(column, row):
    where = column.get("read_where")
    return where is None or value(row.get(where["column"], "")) == value(where["value"])


def same_cell(mine, theirs):
    """AITER fills a column that a file lacks with 0, and reads '' as an empty cell."""
    mine, theirs = (value({"nan": ""}.get(it, it)) for it in (mine, theirs))
    return mine == theirs or {mine, theirs} == {"", 0.0}


def same_row(family, mine, theirs):
    """True if AITER reads the same from both rows: the config, and the shape key under which it found the row."""
    if mine is None or theirs is None:
        return mine is theirs
    return all(same_cell(mine[column["name"]], theirs.get(column["name"], ""))
               for column in family["columns"]
               if column["role"] in ("config", "target", "shape") and column["name"] in mine
               and reads(column, mine))


def ask(hub, family, shape):
    url = f"{hub}/lookup/{family['name']}?{urllib.parse.urlencode(shape)}"
    try:
        with urllib.request.urlopen(url) as answer:
            row = json.load(answer)["row"]
    except urllib.error.HTTPError as error:
        sys.exit(f"{url}: {error.code} {error.read().decode()}")
    if row is None:
        return None
    return {name: "" if cell is None else str(cell) for name, cell in row.items()}


def served_rows(path):
    header, lines = read_table(path)
    return [dict(zip(header, fields)) for _, fields in lines]


def compare(name, family, merged, served, hub, shapes):
    columns, lookup = LOOKUPS[name]
    theirs, mine = lookup(merged), lookup(served)
    answering = Moe(served) if name == "fmoe" else mine  # the server's own lookup
    counts = {"rows to draw from": len(merged), "shapes": 0, "found": 0, "differ": 0}
    if mine.repeated:
        counts["differ"] += mine.repeated
        counts["such as"] = "the served table has a key twice, so pandas raises"
    rng = random.Random(name)
    asked = 0
    own = [{column: row[column] for column in columns} for row in merged]
    drawn = (draw(rng, columns, merged) for _ in range(shapes if merged else 0))
    for i, shape in enumerate(itertools.chain(own, drawn)):
        found, answer = theirs.find(shape), mine.find(shape)
        counts["shapes"] += 1
        counts["found"] += found is not None
        differs = not same_row(family, answer, found)
        if hub and i % 100 == 0 and name == family["name"]:
            asked += 1
            expected = answering.find(shape)
            differs = differs or not same_row(family, ask(hub, family, shape), expected)
        counts["differ"] += differs
        if differs:
            counts.setdefault("such as", f"{shape}: served {answer}, AITER's {found}")
    if asked:
        counts["of these asked of the server"] = asked
    return counts


def activations(merged, served):
    """By request, for shape keys with rows of several activations: the activation whose kernel it gets."""
    both = {}
    for row in merged:
        # A lookup finds a row only if its token is a tier.
        token = int(row["token"])
        if row.get("_tag", "") == "flydsl_fallback" or token_tier(token) != token:
            continue
        both.setdefault(tuple(row[it] for it in BLIND), set()).add(row["act_type"])
    table = {"keys with rows of several activations": sum(len(it) > 1 for it in both.values())}
    tables = {"merge": Moe(merged), "served": Moe(served)}
    for key, acts in both.items():
        for act in sorted(acts):
            shape = dict(zip(BLIND, key), act_type=act)
            for name, moe in tables.items():
                met = moe.find(shape)["act_type"]
                line = table.setdefault(f"asked for {act}, in the {name}", {})
                line[met] = line.get(met, 0) + 1
    return table


def main():
    configs, families, folder = (pathlib.Path(it) for it in sys.argv[1:4])
    hub = sys.argv[4] if len(sys.argv) > 4 else ""
    shapes = int(sys.argv[5]) if len(sys.argv) > 5 else 20000
    report = {}
    for name in LOOKUPS:
        family = json.loads((families / (name.split()[0] + ".json")).read_text())
        merged = [row.cells for row in aiter_merge(configs, family)]
        served = served_rows(folder / (family["name"] + ".csv"))
        if name == "fmoe":
            report["fmoe, by activation"] = activations(merged, served)
        report[name] = compare(name, family, merged, served, hub, shapes)
    print(json.dumps(report, indent=1))
    sys.exit(any(it.get("differ") for it in report.values()))


if __name__ == "__main__":
    main()
