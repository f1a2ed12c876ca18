"""Picks the numbers of a run by metric and labels."""

from __future__ import annotations

import math

from penstock.records import RunResult


def numbers(result: RunResult, metric: str, **labels: str) -> list[float]:
    """All numbers of a metric that have these labels, in the run's order; ValueError if there are none."""
    found = [m.value for m in result.metrics if m.name == metric and labels.items() <= m.labels.items()]
    if not found:
        raise ValueError(f"the run has no {metric} with {labels}")
    return found


def total(result: RunResult, metric: str, **labels: str) -> float:
    """The sum of all numbers of a metric that have these labels; ValueError if there are none."""
    return math.fsum(numbers(result, metric, **labels))


def one(result: RunResult, metric: str, of: str) -> float:
    """The one number of a metric of a flow or a link; its mean or its sum where it has several statistics.

    Raises ValueError if there is not exactly one without regard to those by precedence or circuit.
    """
    found = [
        m.value
        for m in result.metrics
        if m.name == metric
        and m.labels["of"] == of
        and m.labels.get("statistic") in (None, "mean", "sum")
        and not m.labels.keys() & {"precedence", "circuit"}
    ]
    if len(found) != 1:
        raise ValueError(f"the run has {len(found)} numbers for {metric} of {of}")
    return found[0]
