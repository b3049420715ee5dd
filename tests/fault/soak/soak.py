"""Faults by a schedule against a running set: two PostgreSQL servers, of which the test promotes one; two servers
behind the test's proxies and a third with TLS; and clients in their own processes. Each client records its requests and
their answers in its ledger. After each group of faults the judge compares the ledgers with the stored and served rows.

A run prints its seed first. The seed determines the order, targets and times of the faults, for the same table of
kinds. It does not determine the clients' actions at that moment, so a replay may need a few tries.

  run short                               each kind once, then three planted bugs that the judge must find
  run --seed 7 --faults 600 --keep DIR    a long run with logs and ledgers in DIR
  run --seed 7 --faults 40 --list         lists the first 40 of these 600 without causing them
  run --only "primary killed" --only "answers cut" --faults 20
"""
import argparse
import contextlib
import os
import pathlib
import platform
import random
import shutil
import sys
import tempfile
import threading
import time
import traceback

import capabilities
import kinds
import planted
import schedule
from judge import Judge
from place import BIN, Place
from report import Report

REPO = pathlib.Path(__file__).resolve().parents[3]
STARTED = time.monotonic()


def say(text):
    print(f"{time.monotonic() - STARTED:8.1f} s  {text}", flush=True)


def befall(place, fault, failed):
    try:
        time.sleep(fault.begins)
        with fault.kind.does(place, fault):
            time.sleep(fault.lasts)
    except Exception:  # noqa: BLE001 - in a thread: run_group reports it
        failed.append(f"fault {fault.say()}: {traceback.format_exc()}")


def run_group(place, group):
    """Returns the errors of faults that could not be caused or ended."""
    failed = []
    threads = [threading.Thread(target=befall, args=[place, it, failed]) for it in group]
    for it in threads:
        it.start()
    for it in threads:
        it.join()
    return failed


def soak(place, judge, report, groups):
    for group in groups:
        able = [it for it in group if not set(it.kind.needs) - place.can]
        for fault in group:
            if fault not in able:
                report.skip(fault)
        if not able:
            continue
        began = time.monotonic()
        place.daemon.plan()
        failed = run_group(place, able)
        report.broken += failed  # reported even if the set does not recover
        place.heal()
        healed = time.monotonic()
        place.rest()
        place.converge()
        rested = time.monotonic()
        verdict = judge.judge()
        report.add(able, verdict)
        say(f"{'; '.join(it.say() for it in able)}: {verdict.say()}; {healed - began:.1f} s until all was there, {rested - healed:.1f} s until all was "
            f"quiet, {time.monotonic() - rested:.1f} s judged")
        for line in [*failed, *verdict.lines()[:20]]:
            say(f"  {line}")
        for it in place.clients:
            it.set(reads=None)
        place.go()


def finish(place, judge, report, plants):
    place.finish_jobs()
    place.rest()
    place.converge()
    verdict = judge.judge(all_done=True)
    report.count(verdict)
    report.totals["lost on purpose"] = sum(len(it.rows) for it in place.books.batches.values() if it.lost)
    report.tries = sum(it["tries"] for it in place.books.seen["tries"])
    report.unanswered = sum(it["unanswered"] for it in place.books.seen["tries"])
    for line in verdict.lines()[:20]:
        say(f"  {line}")
    if plants:
        report.broken += planted.plant(place, judge)


def copy_programs(folder):
    """Copies the programs to a place where the servers' user can read them and no build changes them."""
    (folder / "bin").mkdir()
    for name in ("tunehub-server", "tunehub-agent"):
        shutil.copy(BIN / name, folder / "bin" / name)
    shutil.copytree(REPO / "configs", folder / "share/tunehub/configs")


@contextlib.contextmanager
def folder_of(kept):
    with tempfile.TemporaryDirectory(prefix="tunehub-soak-", ignore_cleanup_errors=True) as name:
        os.chmod(name, 0o755)
        folder = pathlib.Path(name)
        try:
            yield folder
        finally:
            if kept:
                logs = [it for pattern in ("*.log", "ledgers/*", "*/agent.log") for it in folder.glob(pattern)]
                for it in logs:
                    path = pathlib.Path(kept) / it.relative_to(folder)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(it, path)


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1, 10**6), help="the schedule's seed; by default a random one")
    parser.add_argument("--faults", type=int, default=len(kinds.KINDS), help="number of faults; by default each kind once")
    parser.add_argument("--only", action="append", help="only this kind; may be repeated")
    parser.add_argument("--list", action="store_true", help="print the schedule and cause no fault")
    parser.add_argument("--planted", action="store_true", help="at the end plant three bugs, which the judge must find")
    parser.add_argument("--json", help="file for the report")
    parser.add_argument("--table", help="file for the fault table")
    parser.add_argument("--keep", help="folder that keeps logs and ledgers")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    chosen = kinds.find(options.only) if options.only else kinds.KINDS
    groups = schedule.make(options.seed, options.faults, chosen)
    if options.list:
        for group in groups:
            print("; ".join(it.say() for it in group))
        return 0
    print(f"soak: seed {options.seed}, {options.faults} faults: tests/fault/soak/run --seed {options.seed} --faults {options.faults} does the same", flush=True)
    report = Report(options.seed, chosen, f"{os.cpu_count()} x {platform.machine()}, Linux {platform.release()}")
    with folder_of(options.keep) as folder:
        can = capabilities.find(folder)
        place = Place(folder, options.seed, can)
        try:
            copy_programs(folder)
            place.up()
            say(f"the set is up; this place can {', '.join(sorted(can)) or 'do nothing special'}")
            judge = Judge(place, place.books)
            soak(place, judge, report, groups)
            finish(place, judge, report, options.planted)
        except Exception:  # noqa: BLE001 - the table up to here must be shown
            report.broken.append(traceback.format_exc())
        finally:
            place.down()
    report.seconds = time.monotonic() - STARTED
    return tell(report, options)


def tell(report, options):
    for path, text in ((options.json, report.json()), (options.table, report.table())):
        if path:
            pathlib.Path(path).write_text(text + "\n", encoding="utf-8")
    print(f"\n{report.table()}\n")
    for it in report.broken:
        print(f"soak: BROKEN: {it}")
    skipped = sorted(name for name, it in report.lines.items() if it.skipped)
    sums = report.totals
    print(f"soak: seed {report.seed}: {sums['faults']} faults, acknowledged {sums['acknowledged']}, lost {sums['lost']}, doubled {sums['doubled']}, "
          f"wrong {sums['wrong']}; skipped {sums['skipped']} of {len(skipped)} kinds" + (f": {', '.join(skipped)}" if skipped else ""))
    return 0 if report.is_clean() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
