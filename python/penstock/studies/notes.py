"""What decided the results of a study without showing in them, a line for each thing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from penstock.printable import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.records import RunResult
    from penstock.studies.result import PointResult

__all__ = ["notes_of_runs", "notes_on_spread"]

_LEAST_SHARE = 0.05
"""Below this share of the time or of the drops, a full window or a tie decides little."""

_HARDLY = 1e-4
"""Runs of which every number has a smaller relative range than this hardly differ."""


def notes_of_runs(points: Sequence[PointResult]) -> list[str]:
    """What the runs themselves report: windows that held senders back, drops that ties decided, idle disciplines.

    Runs that an older version has stored report nothing.
    """
    windows: dict[tuple[str, str], list[float]] = {}
    ties: dict[str, list[tuple[int, float]]] = {}
    idle: dict[tuple[str, str], int] = {}
    runs = 0
    for point in points:
        for run in point.runs:
            if run.decided is None:
                continue
            runs += 1
            for kind, of, what, share in run.decided:
                if kind == "max-window":
                    windows.setdefault((of, what), []).append(share)
                elif kind == "ties":
                    ties.setdefault(of, []).append((int(what), share))
                else:
                    idle[of, what] = idle.get((of, what), 0) + 1
    found = []
    for (of, what), shares in windows.items():
        share = sum(shares) / runs
        if share >= _LEAST_SHARE:
            found.append(
                f"{shortened(of, 100)} had all of its max-window, {what}, outstanding for {share:.0%} of the time: "
                "there its senders were held back by that window, not by the network."
            )
    for of, each in ties.items():
        drops, share = sum(count for count, _ in each), sum(share for _, share in each) / len(each)
        if share >= _LEAST_SHARE:
            found.append(
                f"at {shortened(of, 100)}, ties decided {drops:,} drops, {share:.0%} of those for want of room: "
                "packets arrived at the same instant, and the order of the file chose which of them had the room; "
                '`ties = "random"` draws the order.'
            )
    found += [
        f"{of} never dropped or marked a packet ({shortened(what, 200)}), so nothing here depends on it."
        for (of, what), count in idle.items()
        if count == runs
    ]
    return found


def notes_on_spread(points: Sequence[PointResult]) -> list[str]:
    """Whether replications are equal, or nearly so, which makes their intervals worth little."""
    several = [point for point in points if len(point.runs) > 1]
    equal = [point for point in several if len({run.digest for run in point.runs}) == 1]
    alike = [point for point in several if point not in equal and _hardly_differ(point.runs)]
    found = []
    if equal:
        found.append(
            f"all runs are the same{_where(equal, points)}: nothing in the scenario is random, so ± says nothing. "
            'Events at one instant follow the order of the file; `ties = "random"` or a random `start` varies it.'
        )
    if alike:
        found.append(
            f"the runs differ by less than {_HARDLY:.2%} in every number{_where(alike, points)}: "
            "flows in step with each other make intervals too small to believe; a random `start` or spacing helps."
        )
    return found


def _hardly_differ(runs: Sequence[RunResult]) -> bool:
    """Whether some numbers differ, and none by much."""
    differ = False
    for values in zip(*([metric.value for metric in run.metrics] for run in runs), strict=False):
        least, most = min(values), max(values)
        if least == most:
            continue
        if not math.isfinite(most - least) or most - least > _HARDLY * max(abs(least), abs(most)):
            return False
        differ = True
    return differ


def _where(some: Sequence[PointResult], points: Iterable[PointResult]) -> str:
    count = len(list(points))
    return "" if len(some) == count else f" at {len(some)} of {count} points"
