"""Compares AITER's merge of a configs folder (aiter/jit/core.py) with tunehub's served tables.

usage: aiter_merge.py CONFIGS FAMILIES SERVED RECEIPT
  CONFIGS   AITER's aiter/configs            FAMILIES  tunehub's configs/families
  SERVED    a folder with FAMILY.csv         RECEIPT   the import's receipt, as JSON

AITER reads the default file and model_configs/*TOKEN*.csv. It unites their columns, derives a missing gfx from
cu_num, and fills other missing columns with 0. Its key is the header of the untuned file plus cu_num, gfx and _tag.
The lowest us wins; of equal rows the first wins. At a duplicate AITER raises an error, and its next start uses the
winners. The script compares the winners as text, so it needs no pandas.

Prints JSON: {family: {class of difference: count}}. Exits with 1 if a difference has no known reason.
"""
import csv
import json
import math
import pathlib
import sys

REALIGNED = "realigned"  # a row lacks a field such as `flat`, so AITER reads the next field's value for it
GFX_OF_CU_NUM = {"256": "gfx950", "80": "gfx942", "304": "gfx942"}


class Row:
    def __init__(self, place, cells):
        self.place, self.cells = place, cells

    def us(self):
        """The order in which pandas sorts: texts that are not numbers come last."""
        try:
            value = float(self.cells.get("us", ""))
        except ValueError:
            return math.inf
        return math.inf if math.isnan(value) else value


def read_table(path):
    """The header, and (line, fields) of each row that is not blank."""
    with open(path, newline="") as file:
        reader = csv.reader(file, skipinitialspace=True)
        header = [name.strip() for name in next(reader)]
        rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if any(row)]
    return header, rows


def files_of(configs, family):
    models = sorted((configs / "model_configs").glob(f"*{family['token']}*.csv"))
    files = [configs / family["file"]] + [it for it in models if "untuned" not in it.name]
    return [it for it in files if it.exists()]


def read_rows(configs, family):
    rows = []
    for path in files_of(configs, family):
        header, lines = read_table(path)
        for line, fields in lines:
            cells = dict(zip(header, fields + [""] * (len(header) - len(fields))))
            if "gfx" not in cells and "cu_num" in cells:
                cells["gfx"] = GFX_OF_CU_NUM.get(cells["cu_num"], "gfx942")
            rows.append(Row((str(path.relative_to(configs)), line), cells))
    columns = {name for row in rows for name in row.cells}
    for row in rows:
        for name in columns:
            row.cells.setdefault(name, "0")
    return rows, columns


def key_of(configs, family, columns):
    sibling = configs / family["untuned_file"]
    if not sibling.exists():
        return None  # AITER warns and keeps all rows
    wanted = read_table(sibling)[0]
    wanted += [name for name in ("cu_num", "gfx", "_tag") if name not in wanted]
    return [name for name in wanted if name in columns]


def aiter_merge(configs, family):
    rows, columns = read_rows(configs, family)
    key = key_of(configs, family, columns)
    if key is None or "us" not in columns:
        return rows
    best = {}
    for row in rows:
        name = tuple(row.cells[column] for column in key)
        if name not in best or row.us() < best[name].us():
            best[name] = row
    places = {row.place for row in best.values()}
    return [row for row in rows if row.place in places]  # AITER removes the losers from their files


def same_key(family, cells):
    """tunehub's shape key. An empty tag, the tag 0 and no tag are equal."""
    key = []
    for column in family["columns"]:
        if column["role"] not in ("target", "shape", "tag") or column["name"] not in cells:
            continue
        value = cells[column["name"]]
        if column["role"] == "tag" and value in ("0", "nan"):
            value = ""
        if column["type"] in ("boolean", "flag"):
            value = {"True": "1", "False": "0"}.get(value, value)
        key.append(value)
    return tuple(key)


def same_text(mine, theirs):
    return all(theirs.get(name, value) == value or theirs[name] == "0" and value in ("", "0")
               for name, value in mine.items() if name not in ("gfx", "_tag"))


def remarks_of(receipt):
    """(file, line) -> why a row of the import cannot win."""
    remarks = {}
    for file in receipt["files"]:
        name = file["file"].split("configs/", 1)[-1]
        for issue in file.get("warnings", []):
            if issue["code"] == REALIGNED:
                remarks[(name, issue["row"])] = REALIGNED
        for kind in ("unmeasured", "quarantined", "rejected"):
            for issue in file.get(kind, []):
                remarks[(name, issue["row"])] = f"{kind}: {issue['code']}"
    return remarks


def compare(family, merged, served, remarks):
    counts = {}

    def count(what):
        counts[what] = counts.get(what, 0) + 1

    keys = {}
    for row in merged:
        keys.setdefault(same_key(family, row.cells), []).append(row)
    for key, rows in keys.items():
        row = min(rows, key=Row.us)
        mine = served.pop(key, None)
        why = remarks.get(row.place)
        if len(rows) > 1:
            count("one key here, several to AITER (tags '' and 0, or no untuned file)")
        if mine is not None and same_text(mine, row.cells):
            count("same")
        elif why == REALIGNED and mine is not None and float(mine["us"]) == row.us():
            count("same, with the field put in that the row lacks")
        elif why is not None:
            count(("not served, " if mine is None else "another row serves the key, this is ") + why)
        elif mine is not None and float(mine.get("us", "nan")) == row.us():
            count("equal times: the winner rule looks further, AITER takes the first")
        else:
            count(f"UNEXPLAINED, such as {row.place}")
    for key in served:
        count(f"UNEXPLAINED: served, but not AITER's, such as {key}")
    return counts


def main():
    configs, families, folder = (pathlib.Path(it) for it in sys.argv[1:4])
    remarks = remarks_of(json.loads(pathlib.Path(sys.argv[4]).read_text()))
    report = {}
    for path in sorted(families.glob("*.json")):
        family = json.loads(path.read_text())
        if not family["env"]:
            continue  # not AITER's table
        header, lines = read_table(folder / (family["name"] + ".csv"))
        served = {}
        for line, fields in lines:
            cells = dict(zip(header, fields))
            key = same_key(family, cells)
            if key in served:
                sys.exit(f"{family['name']}: line {line} repeats the key {key}")
            served[key] = cells
        report[family["name"]] = compare(family, aiter_merge(configs, family), served, remarks)
    print(json.dumps(report, indent=1))
    sys.exit(any("UNEXPLAINED" in name for counts in report.values() for name in counts))


if __name__ == "__main__":
    main()
