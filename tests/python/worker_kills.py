"""Studies whose worker processes are killed at random moments, while the command itself goes on.

As a program it runs on worker processes, or workers of a local Dask cluster, and says the name of each as soon as
it counts as kept, then how many processes were replaced.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from kills import Telling, check

from penstock import _core
from penstock.records import RunRequest
from penstock.running import run_all
from penstock.store import run_key
from penstock.template import TEMPLATE


@dataclass
class Counts:
    """What came of it."""

    kills: int = 0
    replaced: int = 0
    lost: int = 0
    changed: int = 0
    damaged: int = 0
    unfinished: int = 0

    def __str__(self):
        return (
            f"{self.kills} worker processes killed, {self.replaced} of them at work: {self.lost} runs lost, "
            f"{self.changed} numbers changed, {self.damaged} files damaged, {self.unfinished} studies not finished"
        )


def requests(runs):
    return [RunRequest(TEMPLATE, replication=number, name="killed") for number in range(runs)]


def expected(runs):
    """What each run gives, by name, made by threads and without a store."""
    canonical = _core.Scenario(TEMPLATE, "killed").canonical
    made = run_all(requests(runs))
    return {run_key(canonical, 1, run.request.replication): (run.metrics, run.digest, run.packet_hops) for run in made}


def kill_workers(folder, right, rng, counts, on="processes"):
    """Makes the runs of a study once, and kills one of its processes now and then."""
    program = [sys.executable, __file__, str(folder), str(len(right)), on]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as command:
        told = set()
        while line := command.stdout.readline().strip():
            if line.startswith("replaced"):
                counts.replaced += int(line.split()[1])
                continue
            told.add(line)
            if rng.random() < 0.06:
                time.sleep(rng.random() * 0.02)
                for worker in rng.sample(found := psutil.Process(command.pid).children(), min(1, len(found))):
                    with suppress(psutil.NoSuchProcess):
                        worker.kill()
                        counts.kills += 1
    counts.unfinished += command.returncode != 0 or told != set(right)
    check(folder, right, set(right), counts)


def kill_studies(studies, runs, folder, seed, on="processes"):
    """Studies of equally many runs each."""
    right, counts = expected(runs), Counts()
    for number in range(studies):
        kill_workers(Path(folder) / str(number), right, random.Random(f"{seed} {number}"), counts, on)
    return counts


if __name__ == "__main__":
    seen = [0]
    run_all(
        requests(int(sys.argv[2])),
        jobs=2,
        on=sys.argv[3],
        store=Telling(sys.argv[1]),
        progress=lambda status: seen.append(status.replaced),
    )
    print(f"replaced {seen[-1]}", flush=True)
