"""Comparisons of a study's points with a baseline, run by run, adjusted for their number."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.errors import InputError
from penstock.printable import quoted
from penstock.records import RunResult
from penstock.statistics import Comparison, holm, paired
from penstock.studies.definition import Point, value_text
from penstock.studies.select import numbers_of_runs


@dataclass(frozen=True, slots=True)
class Compare:
    """The values of `parameter` to compare with the `baseline`, and the `metrics` to compare."""

    parameter: str
    baseline: Any
    metrics: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contrast:
    """One paired difference.

    Parameters
    ----------
    metric, unit : str
        The number and its unit.
    others : dict of str to value
        The other parameters, which both points share.
    value : value
        The value of the parameter that is compared with the baseline.
    runs : int
        Number of pairs of runs.
    found : Comparison
        The difference with its own interval.
    p_holm : float
        The p-value, adjusted for all comparisons of the study [Holm79].
    """

    metric: str
    unit: str
    others: dict[str, Any]
    value: Any
    runs: int
    found: Comparison
    p_holm: float


def compare(points: Sequence[tuple[Point, Sequence[RunResult]]], what: Compare) -> list[Contrast]:
    """Returns the paired differences from the baseline wherever all other parameters agree.

    Parameters that always change with this one count as part of it. Runs of one replication form a pair. Raises
    InputError if the parameter, baseline or a metric does not exist, or there are fewer than two pairs.
    """
    names = list(dict.fromkeys(name for point, _ in points for name in point.parameters))
    if what.parameter not in names:
        raise InputError(f"compare: {quoted(what.parameter)} does not vary; {', '.join(names) or 'nothing'} does.")
    alone = {what.parameter, *_companions([point for point, _ in points], what.parameter)}
    baselines = {}
    for point, runs in points:
        if _same(point.parameters.get(what.parameter), what.baseline):
            baselines[_others(point, alone)] = point, runs
    # A point without the parameter has no value of it.
    points = [(point, runs) for point, runs in points if what.parameter in point.parameters]
    if not baselines:
        values = dict.fromkeys(value_text(point.parameters[what.parameter]) for point, _ in points)
        raise InputError(
            f"compare: no point has {what.parameter} = {value_text(what.baseline)}; there are {', '.join(values)}."
        )
    found_of = [(point, runs, baselines.get(_others(point, alone), (point, runs))) for point, runs in points]
    pairs = [(point, runs, against) for point, runs, (other, against) in found_of if other is not point]
    if not pairs:
        raise InputError(f"compare: no point differs from {what.parameter} = {value_text(what.baseline)} in it alone.")
    rows, probabilities = [], []
    for selector in what.metrics:
        for point, runs, against in pairs:
            name, unit, found, count = _pair(selector, runs, against)
            others = {key: value for key, value in point.parameters.items() if key not in alone}
            rows.append((name, unit, others, point.parameters.get(what.parameter), count, found))
            # A value that is NaN in a run shows nothing.
            probabilities.append(1.0 if math.isnan(found.p_two_sided) else found.p_two_sided)
    return [Contrast(*row, p) for row, p in zip(rows, holm(probabilities), strict=True)]


def _pair(selector: str, runs: Sequence[RunResult], against: Sequence[RunResult]) -> tuple[str, str, Comparison, int]:
    theirs_by_number = {run.request.replication: run for run in against}
    both = [
        (run, theirs_by_number[run.request.replication]) for run in runs if run.request.replication in theirs_by_number
    ]
    if len(both) < 2:
        raise InputError("compare: a comparison needs at least two runs of each point.")
    if any(one.request.seed != other.request.seed for one, other in both):
        raise InputError("compare: points of different seeds share no random numbers, so their runs are no pairs.")
    ours, theirs = (numbers_of_runs(selector, side, "compare") for side in zip(*both, strict=True))
    found = paired([each.value for each in ours], [each.value for each in theirs])
    return ours[0].selector, ours[0].unit, found, len(both)


def _companions(points: Sequence[Point], parameter: str) -> set[str]:
    """The parameters that have exactly one value for each value of this one."""
    found: dict[str, dict[str, set[str]]] = {}
    for point in points:
        own = value_text(point.parameters.get(parameter, ""))
        for name, value in point.parameters.items():
            found.setdefault(name, {}).setdefault(own, set()).add(value_text(value))
    return {name for name, values in found.items() if all(len(each) == 1 for each in values.values())}


def _others(point: Point, alone: Collection[str]) -> tuple[tuple[str, str], ...]:
    # Points of a list may name their parameters in different orders.
    return tuple(sorted((name, value_text(value)) for name, value in point.parameters.items() if name not in alone))


def _same(value: Any, baseline: Any) -> bool:
    return value is not None and (
        value == baseline or value_text(value) == value_text(baseline) or str(value) == str(baseline)
    )
