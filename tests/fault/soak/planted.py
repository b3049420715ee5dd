"""Plants three bugs that the hub does not notice. The judge must find each bug and name it correctly."""
from waiting import await_true


def row_of(place):
    """A writer's acknowledged row that is the best of its shape key."""
    best = {name for _, name in place.books.best().values()}
    batch = next(it for it in reversed(place.books.acknowledged()) if it.name.startswith("writer") and it.rows[0][2] in best)
    return batch.rows[0][2]


def ours(name):
    return f"line LIKE 'gfx942,304,%,{name},%'"


def doubled(place):
    """a copy of an acknowledged row in another run"""
    name = row_of(place)
    place.sql("INSERT INTO measurement SELECT (SELECT max(id) + 1 FROM measurement), (SELECT max(run) + 1 FROM measurement), key, candidate, us, error, "
              f"family_version, provider, standing, reason, line, evidence FROM measurement WHERE {ours(name)}")
    yield {"doubled": [name]}
    place.sql(f"DELETE FROM measurement WHERE {ours(name)} AND id = (SELECT max(id) FROM measurement WHERE {ours(name)})")


def lost(place):
    """an acknowledged row is deleted"""
    name = row_of(place)
    place.sql(f"CREATE SCHEMA planted; CREATE TABLE planted.kept AS SELECT * FROM measurement WHERE {ours(name)}; DELETE FROM measurement WHERE {ours(name)}")
    yield {"lost": [name]}
    place.sql("INSERT INTO measurement SELECT * FROM planted.kept; DROP SCHEMA planted CASCADE")


def stale(place):
    """a proxy repeats old tables with current headers"""
    for way in ("front1", "front2"):
        place.ways.tell(way, forget=True)
        place.ways.tell(way, mode={"say": "forged"})
    before = len(place.books.seen["stale"])
    place.go()
    await_true("a writer was answered something old",
               lambda: any(it["by"].startswith("writer") for it in place.books.update().seen["stale"][before:]), 60)
    for way in ("front1", "front2"):
        place.ways.tell(way, mode={})
    place.rest()
    yield {"wrong": ["expected"]}


PLANTS = {"doubled": doubled, "lost": lost, "stale": stale}


def plant(place, judge):
    """Returns the bugs that the judge missed or named wrongly. The clients are paused before and after."""
    failed = []
    for name, does in PLANTS.items():
        planted = does(place)
        expected = next(planted)
        verdict = judge.judge(verify=False)
        for kind in ("lost", "doubled", "wrong"):
            found, wanted = getattr(verdict, kind), expected.get(kind, [])
            if bool(found) != bool(wanted) or not all(any(it in line for line in found) for it in wanted) or (kind != "wrong" and len(found) != len(wanted)):
                failed.append(f"planted: {name}: the judge reported {kind}: {found} instead of {wanted}")
        if name != "stale" and not judge.judge_alone("judge_whole").wrong:
            failed.append(f"planted: {name}: verify finds nothing")
        next(planted, None)
        print(f"planted: {name}: {verdict.say()}", flush=True)
    return failed
