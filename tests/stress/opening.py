"""Measures what it costs to open a study of 100,000 stored runs, by every way: CPU time, median of five.

    .venv/bin/python tests/stress/opening.py [--store DIR] [--times N]

The store is made first (minutes) unless DIR has it: 1,000 points of 100 runs of 15 ms. Then runs ``penstock bench
cbr``, whose speed is a measure of the machine.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PENSTOCK = str(Path(sys.executable).with_name("penstock"))
SCENARIO = """
duration = "15 ms"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "10 Mbit/s"
delay = "1 ms"
[[flows]]
name = "cbr"
from = "a"
to = "b"
source.cbr = { rate = "1 Mbit/s", packet = "500 bytes" }
"""
RATES = [f"{rate} kbit/s" for rate in range(1000, 2000)]
PROGRAM = """
import sys
from pathlib import Path
from penstock.cli.studies import plan_of
from penstock.store import Store
from penstock.studies.making import stored
plan = plan_of(Path("thousand.toml"), ())
frame = stored(plan, plan.read(), Store(sys.argv[1])).frame()
assert frame["runs"].min() == 100
"""


def used(words: list[str], folder: Path) -> float:
    """Seconds of CPU that a command takes."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=folder, check=True, env=environment, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Makes the store, and prints a line for each way."""
    parser = argparse.ArgumentParser(description="CPU time of opening 100,000 stored runs.")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--times", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        store = str((asked.store or folder / "store").resolve())
        (folder / "cbr.toml").write_text(SCENARIO)
        rates = ", ".join(f'"{rate}"' for rate in RATES)
        study = f'scenario = "cbr.toml"\nruns = 100\n[grid]\ncbr.source.cbr.rate = [{rates}]\n'
        (folder / "thousand.toml").write_text(study)
        run = [PENSTOCK, "run", "thousand.toml", "--store", store]
        ways = {
            "run": run,
            "run --set": [
                *run[:2],
                "cbr.toml",
                "--runs",
                "100",
                "--set",
                f"cbr.source.cbr.rate={','.join(RATES)}",
                *run[3:],
            ],
            "run --stored": [*run, "--stored"],
            "run --dry-run": [*run, "--dry-run"],
            "status": [PENSTOCK, "status", *run[2:]],
            "runs": [PENSTOCK, "runs", *run[3:]],
            "status of the store": [PENSTOCK, "status", *run[3:]],
            "frame in Python": [sys.executable, "-c", PROGRAM, store],
        }
        print(f"made, or found: {used(run, folder):.1f} s", flush=True)
        for name, words in ways.items():
            taken = sorted(used(words, folder) for _ in range(asked.times))
            print(f"{name}: {statistics.median(taken):.2f} s, {taken[0]:.2f} to {taken[-1]:.2f}", flush=True)
        shown = subprocess.run([PENSTOCK, "bench", "cbr"], check=True, capture_output=True, text=True)
        print(shown.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
