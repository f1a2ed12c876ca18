"""Runs that are killed at random moments, again and again, until all of them are finished.

As a program, it executes runs and prints the name of each as soon as it counts as stored.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from penstock import _core
from penstock.running import RunRequest, run_all
from penstock.store import Store, run_key
from penstock.template import TEMPLATE

SETS = (("duration", "2 s"), ("warm-up", "0.5 s"))
"""Of the scenario: runs that take milliseconds."""


@dataclass
class Counts:
    """What came of it; `told` are runs that were reported as kept before a kill, `lost` those that were not there."""

    kills: int = 0
    told: int = 0
    lost: int = 0
    changed: int = 0
    damaged: int = 0

    def __str__(self):
        return (
            f"{self.kills} kills, {self.told} runs reported as kept before them, "
            f"{self.lost} lost, {self.changed} numbers changed, {self.damaged} files damaged"
        )


class Telling(Store):
    """Says the names of runs that are kept."""

    def write(self, record):
        super().write(record)
        os.write(1, f"{record.key}\n".encode())


def requests(runs):
    return [RunRequest(TEMPLATE, SETS, replication=number, name="killed") for number in range(runs)]


def keys(runs):
    canonical = _core.Scenario(TEMPLATE, "killed", list(SETS)).canonical
    return [run_key(canonical, 1, number) for number in range(runs)]


def expected(runs):
    """What each run gives, by name, made without a store."""
    return dict(zip(keys(runs), [(r.metrics, r.digest, r.packet_hops) for r in run_all(requests(runs))], strict=True))


def kill_until_done(folder, right, rng, counts):
    """Starts the program until every run is kept, and kills it by SIGKILL at random moments."""
    told, reported = set(), set()
    while True:
        child = subprocess.Popen([sys.executable, __file__, folder, str(len(right))], stdout=subprocess.PIPE, text=True)
        with child:
            # Few of those that are missing, so that a store is killed often.
            waited_for = rng.randint(0, -(-(len(right) - len(told)) // 4))
            for _ in range(waited_for):
                told.add(child.stdout.readline().strip())
            try:
                # Starting takes seconds, and there is nothing to be killed in when every run is there.
                patience = 0.02 if waited_for else 3.0
                child.wait(rng.random() * patience if len(told) < len(right) else None)
            except subprocess.TimeoutExpired:
                child.kill()
            told |= {line.strip() for line in child.stdout if line.endswith("\n")}
        told.discard("")
        check(folder, right, told, counts)
        if child.returncode == 0:
            counts.told += len(reported)
            return
        assert child.returncode == -signal.SIGKILL
        counts.kills += 1
        reported |= told


def check(folder, right, told, counts):
    """Counts violations."""
    store = Store(folder, warn=lambda _: setattr(counts, "damaged", counts.damaged + 1))
    for key, numbers in right.items():
        found = store.get(key)
        if found is None:
            counts.lost += key in told
        else:
            of = found.manifest
            counts.changed += (found.metrics, of.digest, of.packet_hops) != numbers


def kill_stores(stores, runs, folder, seed):
    """Stores of equally many runs each."""
    right, counts = expected(runs), Counts()
    for number in range(stores):
        kill_until_done(Path(folder) / str(number), right, random.Random(f"{seed} {number}"), counts)
    return counts


if __name__ == "__main__":
    run_all(requests(int(sys.argv[2])), store=Telling(sys.argv[1]))
