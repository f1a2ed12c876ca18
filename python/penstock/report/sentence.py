"""One sentence for the results of a metric: its extremes, where they are, and whether their intervals are apart."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from penstock.tabulation import of_text
from penstock.unit_scale import number, scale

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.parameter_columns import ParameterColumns
    from penstock.results import Summary
    from penstock.unit_scale import Scale

_MOST_GROUPS = 3
"""Maximum flows or ports with clauses of their own; above it, the sentence gives their common range."""


def sentence(own: Sequence[Summary], parameters: ParameterColumns) -> str:
    """The finding of one metric, from all of its means, in one sentence for each unit; empty if no mean is finite."""
    found = []
    for unit in dict.fromkeys(each.unit for each in own):
        known = [each for each in own if each.unit == unit and math.isfinite(each.interval.mean)]
        if known:
            found.append(_of_one_unit(own[0].metric, known, parameters))
    return " ".join(found)


def extremes(own: Sequence[Summary]) -> tuple[Summary, Summary]:
    """The summaries with the minimum and the maximum mean."""
    return min(own, key=lambda each: each.interval.mean), max(own, key=lambda each: each.interval.mean)


def are_apart(low: Summary, high: Summary) -> bool:
    """Whether the intervals of two means do not overlap; false if one has none."""
    top, bottom = low.interval.high, high.interval.low
    return top is not None and bottom is not None and top < bottom


def place(summary: Summary, parameters: ParameterColumns) -> str:
    """The point of a mean in words, such as ``limit 5 packets``; empty where nothing varies."""
    cells = zip(parameters.heads, parameters.cells(summary.point), strict=True)
    return ", ".join(f"{head} {cell}" for head, cell in cells if cell)


def _of_one_unit(metric: str, own: Sequence[Summary], parameters: ParameterColumns) -> str:
    shown = scale(metric, own[0].unit, [each.interval.mean for each in own])
    groups: dict[str, list[Summary]] = {}
    for each in own:
        groups.setdefault(of_text(each.labels), []).append(each)
    if len(groups) > _MOST_GROUPS:
        return _over_all(metric, own, parameters, shown)
    clauses = [_clause(group, parameters, shown) for group in groups.values()]
    named = [f"of {_words(name)} {clause}" if name else clause for name, clause in zip(groups, clauses, strict=True)]
    return f"{_capital(metric)} {'; '.join(named)}."


def _clause(group: Sequence[Summary], parameters: ParameterColumns, shown: Scale) -> str:
    if len(group) == 1:
        return f"is {_amount(group[0], shown)}"
    low, high = extremes(group)
    if low.interval.mean == high.interval.mean:
        return f"is {_amount(low, shown)} at every point"
    if not are_apart(low, high) and low.interval.low is not None:
        ends = [number(end.interval.mean / shown.size) for end in (low, high)]
        return f"is from {ends[0]} to {ends[1]} {shown.unit}".rstrip() + ", and these intervals overlap"
    lowest, highest = place(low, parameters), place(high, parameters)
    return f"is lowest at {lowest} ({_amount(low, shown)}) and highest at {highest} ({_amount(high, shown)})"


def _over_all(metric: str, own: Sequence[Summary], parameters: ParameterColumns, shown: Scale) -> str:
    low, high = extremes(own)
    if low.interval.mean == high.interval.mean:
        return f"{_capital(metric)} is {_amount(low, shown)} everywhere."
    ends = [
        f"{_amount(each, shown)} ({', '.join(filter(None, (_words(of_text(each.labels)), place(each, parameters))))})"
        for each in (low, high)
    ]
    return f"{_capital(metric)} lies between {ends[0]} and {ends[1]}."


def _words(name: str) -> str:
    """The name of a flow or port with its labels in words.

    Examples
    --------
    >>> _words("call statistic=max"), _words("r1-r2 class=ef quantile=0.99")
    ('call (max)', 'r1-r2 (class ef, quantile 0.99)')
    """
    whose, *labels = re.split(r" (?=[\w-]+=)", name)
    shown = [label.removeprefix("statistic=").replace("=", " ") for label in labels]
    return f"{whose} ({', '.join(shown)})" if shown else whose


def _amount(summary: Summary, shown: Scale) -> str:
    return f"{shown.text(summary.interval)} {shown.unit}".rstrip()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
