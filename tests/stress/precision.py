"""Measures the coverage of the sequential rule for several minimum numbers of runs, over 1,000 studies of each queue.

    .venv/bin/python tests/stress/precision.py [--seed N] [--least N ...]

Prints a line for each queue and minimum: how many of 1,000 intervals held the true mean, in how many the mean was as
close to it as the target says, and how many runs a study took on average.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from known_queues import Queue, coverage

from penstock.studies.precision import Precision

QUEUES = (
    (Queue("M/D/1, 2,000 packets", exponential=False, packets=2000), 0.05),
    (Queue("M/M/1, 2,000 packets", exponential=True, packets=2000), 0.05),
    (Queue("M/D/1, 200 packets", exponential=False, packets=200), 0.1),
    (Queue("M/M/1, 500 packets", exponential=True, packets=500), 0.1),
)


def main() -> None:
    """Measures, and prints a line as soon as it is known."""
    parser = argparse.ArgumentParser(description="Coverage of the sequential rule.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=int, nargs="+", default=[10, 15, 20, 30])
    asked = parser.parse_args()
    for queue, target in QUEUES:
        for least in asked.least:
            found = coverage(queue, Precision("wait", target, least=least), asked.seed)
            runs = sum(found.runs) / len(found.runs)
            print(
                f"{queue.name}, least {least}: {found.covered} held, {found.close} close, {runs:.1f} runs", flush=True
            )


if __name__ == "__main__":
    main()
