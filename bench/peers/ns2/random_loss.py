"""One TCP transfer under random loss, in ns-2 and in Penstock with the same settings, side by side.

    python random_loss.py                         all pairs of settings at four loss probabilities
    python random_loss.py --cases sack reno       some of them
    python random_loss.py --seeds 40              more runs a side

100 Mbit/s and 50 ms each way, queues that never overflow, no SYN, a clock of 1 ms. A rate is the mean over the runs,
Mbit/s of payload. docs/tcp.md says what the differences come from.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import math
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import ns2

from penstock.running import RunRequest, run_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WARM_UP = 50
SEGMENT_MBIT = 1460 * 8 / 1e6
LOSSES = (0.003, 0.01, 0.03, 0.06)


@dataclass(frozen=True)
class Case:
    """Settings of TCP, written once for each simulator.

    Parameters
    ----------
    ns2 : mapping
        Settings of random-loss.tcl that differ from its defaults.
    penstock : str
        Settings of `transport.tcp` in addition to those that all cases have.
    """

    ns2: Mapping[str, Any]
    penstock: str = field(default="")


EXACT = 'congestion-control.reno = { halving = "exact" }'
SACK = {"variant": "Sack1"}
RENO = {"variant": "Reno"}
CASES = {
    "new-reno": Case({"whole_halves": 1}, "recovery.new-reno = {}"),
    "new-reno, exact halves": Case({}, f"recovery.new-reno = {{}}, {EXACT}"),
    "new-reno, less careful": Case(
        {"less_careful": 1, "whole_halves": 1}, 'recovery.new-reno = { recover-check = "less-careful" }'
    ),
    "new-reno, unchecked": Case(
        {"bug_fix": 0, "whole_halves": 1}, 'recovery.new-reno = { recover-check = "after-timeout" }'
    ),
    "reno": Case({**RENO, "bug_fix": 0, "whole_halves": 1}, "recovery.reno = {}"),
    "reno, exact halves": Case({**RENO, "bug_fix": 0}, f"recovery.reno = {{}}, {EXACT}"),
    "reno, careful": Case({**RENO, "whole_halves": 1}, 'recovery.reno = { recover-check = "careful" }'),
    "reno, careful, exact halves": Case(RENO, f'recovery.reno = {{ recover-check = "careful" }}, {EXACT}'),
    "sack": Case({**SACK, "whole_halves": 1}, "recovery.sack = {}"),
    "sack, exact halves": Case(SACK, f"recovery.sack = {{}}, {EXACT}"),
    "sack1": Case({**SACK, "whole_halves": 1}, "recovery.sack1 = {}"),
    "sack1, exact halves": Case(SACK, f"recovery.sack1 = {{}}, {EXACT}"),
}

SCENARIO = """
duration = "{until} s"
warm-up = "{warm_up} s"
[nodes]
a = {{}}
b = {{}}
[[links]]
from = "a"
to = "b"
rate = "100 Mbit/s"
delay = "50 ms"
queue.tail-drop = {{ limit = "1000000 packets" }}
impairment.loss = {{ probability = {loss} }}
[[links]]
from = "b"
to = "a"
rate = "100 Mbit/s"
delay = "50 ms"
queue.tail-drop = {{ limit = "1000000 packets" }}
[[flows]]
name = "transfer"
from = "a"
to = "b"
source.ftp = {{}}
transport.tcp = {{ syn = false, timer-tick = "1 ms", max-window = "100000 packets", {tcp} }}
[[measure]]
metric = "goodput"
of = "transfer"
"""


def in_penstock(case: Case, loss: float, seeds: range, seconds: int, jobs: int) -> list[float]:
    """Mbit/s of payload, run by run."""
    text = SCENARIO.format(until=WARM_UP + seconds, warm_up=WARM_UP, loss=loss, tcp=case.penstock)
    results = run_all([RunRequest(text, replication=seed - 1) for seed in seeds], jobs=jobs)
    return [result.metrics[0].value * 1e-6 for result in results]


def in_ns2(case: Case, loss: float, seeds: range, seconds: int, jobs: int) -> list[float]:
    """Mbit/s of payload, run by run."""
    given = {**case.ns2, "loss": loss, "warm_up": WARM_UP, "until": WARM_UP + seconds}

    def rate(seed: int) -> float:
        result, _ = ns2.call("random-loss.tcl", [f"{name}={value}" for name, value in {**given, "seed": seed}.items()])
        return int(result["acknowledged"]) * SEGMENT_MBIT / seconds

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(rate, seeds))


def mean_and_error(rates: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error."""
    return statistics.fmean(rates), statistics.stdev(rates) / math.sqrt(len(rates))


def row(name: str, loss: float, given: argparse.Namespace) -> str:
    """A line of the table: both sides, and Penstock's excess over ns-2 with its standard error."""
    seeds = range(1, given.seeds + 1)
    sides = [run(CASES[name], loss, seeds, given.seconds, given.jobs) for run in (in_ns2, in_penstock)]
    (theirs, their_error), (ours, our_error) = map(mean_and_error, sides)
    excess = 100 * (ours / theirs - 1)
    error = 100 * ours / theirs * math.hypot(their_error / theirs, our_error / ours)
    return f"| {name} | {loss} | {theirs:.4f} | {ours:.4f} | {excess:+.1f} ± {error:.1f} % |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", nargs="+", choices=list(CASES), default=list(CASES), metavar="CASE")
    parser.add_argument("--losses", nargs="+", type=float, default=list(LOSSES), metavar="P")
    parser.add_argument("--seeds", type=int, default=20, help="runs a side, at least 2")
    parser.add_argument("--seconds", type=int, default=2000, help="simulated after the warm-up")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    given = parser.parse_args()
    print("| settings | loss | ns-2, Mbit/s | Penstock, Mbit/s | Penstock's excess |")
    print("|---|---|---|---|---|")
    for name in given.cases:
        for loss in given.losses:
            print(row(name, loss, given), flush=True)


if __name__ == "__main__":
    main()
