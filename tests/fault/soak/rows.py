"""Rows that no two batches share. A client's space is its own value of N."""
from hub import FAMILY, HEADER, TARGET

KEYS = 32  # a space has M from 1 to this
K = 128
KERNEL = "a8w8_blockscale_1x128x128_"  # the begin of the kernel names in this family


def line(space, m, us, name):
    return f"gfx942,304,{m},{space},{K},ck,1,0,{us},{name},0,0,0.0"


def csv(space, rows):
    return "\n".join([HEADER, *(line(space, *it) for it in rows), ""])


def new_rows(random, batch, keys):
    """[M, us, kernelName] of each key."""
    return [[m, round(random.uniform(5, 50), 4), f"{KERNEL}{batch}.{place}"] for place, m in enumerate(keys)]


def best_of(rows, best=None):
    """By M, the better (us, name) of these rows and `best`. The hub decides the same if no two times are equal."""
    best = dict(best or {})
    for m, us, name in rows:
        best[m] = min(best.get(m, (us, name)), (us, name))
    return best


def table_of(body):
    """(us, name) by (N, M, K), from a served table."""
    lines = body.decode().splitlines()
    names = lines[0].split(",") if lines else []
    at = {it: names.index(it) for it in ("N", "M", "K", "us", "kernelName")}
    cells = [it.split(",") for it in lines[1:]]
    return {(int(it[at["N"]]), int(it[at["M"]]), int(it[at["K"]])): (float(it[at["us"]]), it[at["kernelName"]]) for it in cells}


def path_of(space, rest=""):
    return f"/tuned/{FAMILY}?{TARGET}&cu_num=304&N={space}&allow_empty=1{rest}"


def number_of(pin):
    return int(pin.split("-")[0])
