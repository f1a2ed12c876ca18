"""Properties of metrics, from the core's catalogue."""

from __future__ import annotations

from functools import cache

from penstock import _core


def is_ratio(metric: str) -> bool:
    """Whether it is a share or an index between 0 and 1.

    >>> is_ratio("fairness"), is_ratio("goodput")
    (True, False)
    """
    return metric in _metrics_with("ratio")


def is_part(metric: str) -> bool:
    """Whether it is a part of a whole, shown in per cent.

    >>> is_part("loss"), is_part("fairness")
    (True, False)
    """
    return metric in _metrics_with("part")


def is_of_finished(metric: str) -> bool:
    """Whether only finished transfers have it.

    >>> is_of_finished("completion-time"), is_of_finished("transfers")
    (True, False)
    """
    return metric in _metrics_with("of-finished")


def counts_finished(metric: str) -> bool:
    """Whether it counts transfers by the label ``what``, including finished ones.

    >>> counts_finished("transfers"), counts_finished("completion-time")
    (True, False)
    """
    return metric in _metrics_with("counts-finished")


@cache
def _metrics_with(of: str) -> frozenset[str]:
    return frozenset(_core.metrics_with(of))
