"""Worker processes and workers of a local Dask cluster under random kills, and what a run costs on each.

``make stress`` runs it; ``--studies`` and ``--runs`` are of the kills, ``--count`` says how many short runs are timed.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "python"))

from penstock import _core
from penstock.records import RunRequest
from penstock.running import run_all
from penstock.store import Store
from penstock.template import TEMPLATE

DURATION = "80 s"
"""Of the template: a run of some ten milliseconds."""
LONGER = "400 s"
"""A run of some fifty milliseconds, to compare a cluster with processes."""
PAIRS = 5


def used():
    """Seconds of the processor, by this process and those that it has waited for."""
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def timed(work):
    """Seconds by the clock and of the processor."""
    begin, before = time.perf_counter(), used()
    work()
    return time.perf_counter() - begin, used() - before


def bare(count):
    """A run alone, without anything around it, the usual one of `count`."""
    scenario = _core.Scenario(TEMPLATE, "timed", [("duration", DURATION)])
    scenario.run(1, 0)
    both = [timed(lambda number=number: scenario.run(1, number)) for number in range(count)]
    return statistics.mean(clock for clock, _ in both), statistics.mean(processor for _, processor in both)


def study(folder, count, jobs, on, duration=DURATION):
    """A number of runs, stored; seconds per run by the clock and of the processor."""
    requests = [
        RunRequest(TEMPLATE, (("duration", duration),), replication=number, name="timed") for number in range(count)
    ]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        clock, processor = timed(lambda: run_all(requests, jobs=jobs, on=on, store=Store(place)))
    return clock / count, processor / count


def cost(folder, count, on):
    """What a run costs beyond itself, and what a second worker changes."""
    alone = bare(min(count, 500))[1]
    clock, processor = study(folder, count, 1, on)
    print(
        f"{on}: {count} runs of {alone * 1e3:.1f} ms of the processor: {(processor - alone) * 1e3:.2f} ms more a run, "
        f"{clock * 1e3:.1f} ms by the clock (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)",
        flush=True,
    )
    some = max(1, count // 10)
    ratios = []
    for _ in range(PAIRS):
        one, two = study(folder, some, 1, on), study(folder, some, 2, on)
        ratios.append((two[0] / one[0], two[1] / one[1]))
    clocks, processors = zip(*ratios, strict=True)
    print(
        f"{on}: two workers over one, {PAIRS} interleaved pairs of {some} runs: processor "
        f"{statistics.median(processors):.3f} ({', '.join(f'{each:.3f}' for each in processors)}), clock "
        f"{statistics.median(clocks):.3f} ({', '.join(f'{each:.3f}' for each in clocks)})",
        flush=True,
    )


def compare(folder, count):
    """What a run costs on a local Dask cluster of two workers beyond two worker processes, in interleaved pairs."""
    more = []
    for _ in range(2):
        processes, cluster = (study(folder, count, 2, on, LONGER) for on in ("processes", "dask"))
        more.append((cluster[0] - processes[0], cluster[1] - processes[1]))
    clocks, processors = ([each * 1e3 for each in kind] for kind in zip(*more, strict=True))
    print(
        f"dask over processes, two workers, two interleaved pairs of {count} runs of {LONGER}, with the "
        f"start of workers (load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores)",
    )
    for kind, values in (("clock", clocks), ("processor", processors)):
        told = ", ".join(f"{each:.1f}" for each in values)
        print(f"  {kind}: {statistics.mean(values):.1f} ms ({told}) more a run", flush=True)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--studies", type=int, default=20, help="how many are made under kills")
    options.add_argument("--runs", type=int, default=200, help="how many runs each of them has")
    options.add_argument("--count", type=int, default=10_000, help="how many short runs are timed; 0 leaves that out")
    options.add_argument("--compared", type=int, default=2_000, help="how many compare a cluster; 0 leaves that out")
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    chosen = options.parse_args()
    from worker_kills import kill_studies

    print(f"seed {chosen.seed}", flush=True)
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", ".")) as name:
        folder = Path(name).absolute()
        wrong = 0
        for on in ("processes", "dask"):
            counts = kill_studies(chosen.studies, chosen.runs, folder / f"kills-{on}", chosen.seed, on)
            print(f"{on}: {chosen.studies} studies of {chosen.runs} runs: {counts}", flush=True)
            wrong += counts.lost + counts.changed + counts.damaged + counts.unfinished
        for on in ("threads", "processes") if chosen.count else ():
            cost(folder, chosen.count, on)
        if chosen.compared:
            compare(folder, chosen.compared)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
