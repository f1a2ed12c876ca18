"""Random and mutated scenarios, looked at for panics, aborts, hangs and results that depend on how a run is executed.

``make fuzz`` runs it for an hour; ``make fuzz MINUTES=5`` for as long as it says. A case is a function of the seed and
its number. Failures are made small and kept in ``tests/fuzz/cases``, which the ordinary tests run again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from cancel import stop_command
from corpus import ROOT, Corpus
from mutations import Mutations, repaired
from shrink import shrink
from worker import Worker, build

EVENTS = (500, 3000, 3000, 3000, 3000, 30_000)
"""Events of a run, about."""
REPAIRS = 4
"""How often a case is repaired that is refused: what is sound tells more."""
COMMANDS_EVERY = 20.0
"""Seconds between two whole commands that are interrupted."""
FAILURES = {
    "panic": "panics",
    "abort": "aborts",
    "hang": "hangs",
    "slow": "cases with more than 1 s of CPU time without a check for signals",
    "wrong": "differences and other wrong behaviour",
}


@dataclass
class Tally:
    """What became of all cases."""

    kinds: Counter = field(default_factory=Counter)
    verdicts: Counter = field(default_factory=Counter)
    commands: Counter = field(default_factory=Counter)
    failures: dict = field(default_factory=dict)
    """The first failure of each signature, and how many there were."""
    longest: float = 0.0
    latest: float = 0.0
    """The most CPU time of a phase, and of a command after a signal."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, kind, verdict):
        """Counts a case; says whether it is the first failure of its kind."""
        with self.lock:
            self.kinds[kind] += 1
            self.verdicts[verdict.kind] += 1
            self.longest = max(self.longest, verdict.seconds)
            return self._is_new(verdict)

    def add_command(self, verdict):
        """Counts an interrupted command."""
        with self.lock:
            self.commands[verdict.kind] += 1
            self.latest = max(self.latest, verdict.seconds)
            return self._is_new(verdict)

    def _is_new(self, verdict):
        if not verdict.failed:
            return False
        first, count = self.failures.get(verdict.signature, (verdict, 0))
        self.failures[verdict.signature] = (first, count + 1)
        return count == 0


class Fuzzer:
    """Makes cases and has them checked."""

    def __init__(self, seed, program, keep=None, shrinking=60.0):
        self.mutations = Mutations(Corpus())
        self.seed = seed
        self.program = program
        self.keep = keep
        self.shrinking = shrinking
        self.tally = Tally()

    def check(self, worker, number):
        """Checks the case `number`, and its remainder without mistakes."""
        rng = random.Random(f"{self.seed}/{number}")
        text, sets, kind = self.mutations.case(rng)
        events = rng.choice(EVENTS)
        for _ in range(1 + REPAIRS):
            verdict = worker.check(text, sets, events, number)
            if self.tally.add(kind, verdict):
                self._keep(worker, (text, sets, events, number), verdict)
            if verdict.kind != "refused":
                return verdict
            text = repaired(text, verdict.mistaken)
            if text is None:
                return verdict
        return verdict

    def stop(self, number):
        """Runs the case `number` by the command, and tells it to stop."""
        rng = random.Random(f"{self.seed}/command/{number}")
        text, sets, _ = self.mutations.case(rng)
        which = rng.choice([signal.SIGINT, signal.SIGTERM])
        verdict = stop_command(text, sets, rng.uniform(0.1, 4.0), which)
        if self.tally.add_command(verdict) and self.keep:
            self._write(text, sets, verdict, f"command {number} of seed {self.seed}")
        return verdict

    def _keep(self, worker, case, verdict):
        text, sets, events, cut = case
        print(f"case {cut} of seed {self.seed}: {verdict.kind} {verdict.phase} {verdict.message}", flush=True)
        if not self.keep:
            return

        def fails(smaller, fewer):
            return worker.check(smaller, fewer, events, cut).signature == verdict.signature

        if self.shrinking:
            text, sets = shrink(text, sets, fails, self.shrinking)
        self._write(text, sets, verdict, f"case {cut} of seed {self.seed}")

    def _write(self, text, sets, verdict, origin):
        name = hashlib.blake2b(repr(verdict.signature).encode(), digest_size=4).hexdigest()
        message = " ".join(verdict.message.split())[:300]
        head = f"# {verdict.kind} {verdict.phase}: {message}\n# {origin}\n" + (
            f"# sets: {json.dumps(sets)}\n" if sets else ""
        )
        self.keep.mkdir(parents=True, exist_ok=True)
        (self.keep / f"{verdict.kind}-{name}.toml").write_text(head + text, encoding="utf-8")


def run(fuzzer, seconds, jobs, first=0, cases=None):
    """Checks cases from `first` on for a time or up to a count; with threads, each with a worker."""
    end = time.monotonic() + seconds
    numbers = iter(range(first, first + cases if cases is not None else 1 << 62))
    lock = threading.Lock()

    def take():
        with lock:
            return next(numbers, None) if time.monotonic() < end else None

    def loop():
        worker = Worker(fuzzer.program)
        while (number := take()) is not None:
            fuzzer.check(worker, number)
        worker.stop()

    def commands():
        number = 0
        while time.monotonic() < end and any(thread.is_alive() for thread in threads):
            begin = time.monotonic()
            fuzzer.stop(number)
            number += 1
            time.sleep(max(0.0, min(COMMANDS_EVERY - (time.monotonic() - begin), end - time.monotonic())))

    threads = [threading.Thread(target=loop) for _ in range(jobs)]
    stopping = threading.Thread(target=commands)
    for thread in threads:
        thread.start()
    if cases is None:
        stopping.start()
    begin = shown = time.monotonic()
    while any(thread.is_alive() for thread in (*threads, stopping)):
        time.sleep(0.2)
        if time.monotonic() - shown > 60:
            shown = time.monotonic()
            count = sum(fuzzer.tally.kinds.values())
            print(f"{(shown - begin) / 60:.0f} min: {count} cases, {failed(fuzzer.tally)} failed", flush=True)


def failed(tally):
    """How many cases failed, and commands."""
    return sum(tally.verdicts[kind] + tally.commands[kind] for kind in FAILURES)


def page(tally, seed, minutes):
    """The result as a table for the docs."""
    cases = sum(tally.kinds.values())
    kinds = ", ".join(f"{count:,} of {kind}s" for kind, count in sorted(tally.kinds.items()))
    rows = [
        ("cases", f"{cases:,}: {kinds}"),
        ("refused, with correct error messages", f"{tally.verdicts['refused']:,}"),
        ("run in nine ways, with the same results", f"{tally.verdicts['compared']:,}"),
        (
            "read, but too large or too dense to run here",
            f"{tally.verdicts['toolarge'] + tally.verdicts['begun']:,}",
        ),
        *((what, f"{tally.verdicts[kind] + tally.commands[kind]:,}") for kind, what in FAILURES.items()),
        ("maximum CPU time without a check for signals", f"{tally.longest:.2f} s"),
        ("commands that got a signal to stop", f"{sum(tally.commands.values()):,}"),
        ("maximum CPU time of such a command after the signal", f"{tally.latest:.2f} s"),
    ]
    lines = "\n".join(f"| {what} | {count} |" for what, count in rows)
    return f"Seed {seed}, {minutes:.0f} minutes on {os.cpu_count()} cores:\n\n| what | counts |\n|---|---|\n{lines}\n"


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=60.0)
    options.add_argument("--cases", type=int, help="maximum number of cases; the time limit applies too")
    options.add_argument("--first", type=int, default=0, help="the number of the first case")
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options.add_argument("--jobs", type=int, default=os.cpu_count())
    options.add_argument("--keep", type=Path, default=ROOT / "tests" / "fuzz" / "cases", help="the folder for failures")
    options.add_argument("--result", type=Path, help="the file for the table of counts")
    chosen = options.parse_args()
    print(f"seed {chosen.seed}", flush=True)
    fuzzer = Fuzzer(chosen.seed, build(), chosen.keep)
    begin = time.monotonic()
    run(fuzzer, chosen.minutes * 60, chosen.jobs, chosen.first, chosen.cases)
    table = page(fuzzer.tally, chosen.seed, (time.monotonic() - begin) / 60)
    print(table)
    for verdict, count in fuzzer.tally.failures.values():
        print(f"{count} x {verdict.kind} {verdict.phase}: {verdict.message[:500]}")
    if chosen.result:
        chosen.result.write_text(table, encoding="utf-8")
    sys.exit(bool(failed(fuzzer.tally)))


if __name__ == "__main__":
    main()
