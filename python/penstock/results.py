"""Turns runs into numbers with intervals: a frame for programs, JSON for other programs, a table for people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock import toml
from penstock.printable import json_text, printable
from penstock.statistics import Interval, interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from penstock.records import RunResult

__all__ = ["Summary", "frame_of", "number", "plus_minus", "summarise", "to_data", "to_frame", "to_json"]


@dataclass(frozen=True, slots=True)
class Summary:
    """A metric over the runs of one point.

    Parameters
    ----------
    scenario : str
        The scenario's name.
    point : dict of str to value
        The settings that were changed, by path, or the parameters of a study.
    metric : str
        The metric's name.
    labels : dict of str to str
        What tells this number from others of its metric.
    unit : str
        The unit of all numbers here.
    values : list of float
        One per run, in the order of the requests.
    interval : Interval
        Their mean and its confidence interval.
    rule : str
        How intervals are made here: ``t`` of as many independent runs as were asked for, or ``t, sequential``.
    """

    scenario: str
    point: dict[str, Any]
    metric: str
    labels: dict[str, str]
    unit: str
    values: list[float]
    interval: Interval
    rule: str = "t"

    @property
    def method(self) -> str:
        """How the interval was made: its ``rule``, or ``none`` where there is none."""
        return "none" if self.interval.half is None else self.rule


def summarise(results: Sequence[RunResult]) -> list[Summary]:
    """Joins the runs of each point, in the order in which points and metrics first appear."""
    groups: dict[tuple[Any, ...], list[float]] = {}
    for result in results:
        request = result.request
        for metric in result.metrics:
            key = (request.name, request.sets, metric.name, tuple(metric.labels.items()), metric.unit)
            groups.setdefault(key, []).append(metric.value)
    return [
        Summary(name, dict(sets), metric, dict(labels), unit, values, interval(values))
        for (name, sets, metric, labels, unit), values in groups.items()
    ]


def to_frame(results: Sequence[RunResult]) -> pl.DataFrame:
    """A tidy frame: one row per metric, labels and point.

    Returns
    -------
    polars.DataFrame
        Columns ``scenario``, one per changed setting, ``metric``, one per label, ``unit``, ``mean``, ``half_width``,
        ``ci_low``, ``ci_high`` (all three null below two runs), ``runs``, ``method`` and ``values``; a label that a
        metric lacks is null. Texts are escaped where they could act on a terminal that a frame is printed on.
    """
    return frame_of(summarise(results))


def frame_of(summaries: Sequence[Summary]) -> pl.DataFrame:
    """The frame of :func:`to_frame`; a parameter whose values are all numbers is a column of numbers."""
    import polars as pl

    paths = list(dict.fromkeys(path for summary in summaries for path in summary.point))
    labels = list(dict.fromkeys(label for summary in summaries for label in summary.labels))
    text = pl.String
    schema: dict[str, Any] = {
        "scenario": text,
        **{printable(path): _column([each.point[path] for each in summaries if path in each.point]) for path in paths},
        "metric": text,
        **dict.fromkeys(labels, text),
        "unit": text,
        "mean": pl.Float64,
        "half_width": pl.Float64,
        "ci_low": pl.Float64,
        "ci_high": pl.Float64,
        "runs": pl.UInt32,
        "method": text,
        "values": pl.List(pl.Float64),
    }
    rows = [
        {
            **dict.fromkeys(schema),
            **{printable(path): _cell(value, schema[printable(path)]) for path, value in summary.point.items()},
            **{label: printable(value) for label, value in summary.labels.items()},
            "scenario": printable(summary.scenario),
            "metric": summary.metric,
            "unit": summary.unit,
            "mean": summary.interval.mean,
            "half_width": summary.interval.half,
            "ci_low": summary.interval.low,
            "ci_high": summary.interval.high,
            "runs": summary.interval.runs,
            "method": summary.method,
            "values": summary.values,
        }
        for summary in summaries
    ]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _column(values: Sequence[Any]) -> Any:
    """The type of a parameter's column."""
    import polars as pl

    if values and all(isinstance(value, bool) for value in values):
        return pl.Boolean
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
    if not values or not numbers:
        return pl.String
    return pl.Int64 if all(isinstance(value, int) and abs(value) < 2**63 for value in values) else pl.Float64


def _cell(value: Any, column: Any) -> Any:
    import polars as pl

    return value if column != pl.String else printable(value if isinstance(value, str) else toml.value(value))


def to_data(scenario: str, results: Sequence[RunResult], **more: Any) -> dict[str, Any]:
    """The runs of one point as plain data; see :func:`to_json`."""
    metrics = [
        {
            "name": summary.metric,
            "labels": summary.labels,
            "unit": summary.unit,
            "mean": _known(summary.interval.mean),
            "ci_low": _known(summary.interval.low),
            "ci_high": _known(summary.interval.high),
            "runs": summary.interval.runs,
            "values": [_known(value) for value in summary.values],
        }
        for summary in summarise(results)
    ]
    return {"scenario": scenario, **more, "metrics": metrics}


def to_json(scenario: str, results: Sequence[RunResult], **more: Any) -> str:
    """The runs of one scenario as JSON, without times, paths and hosts: equal runs give equal bytes.

    Parameters
    ----------
    scenario : str
        The scenario's name.
    results : sequence of RunResult
        All runs of one point.
    **more
        Further members, put between ``scenario`` and ``metrics``.

    Returns
    -------
    str
        ``{"scenario", ..., "metrics": [{"name", "labels", "unit", "mean", "ci_low", "ci_high", "runs", "values"}]}``;
        null stands for what is unknown.
    """
    return json_text(to_data(scenario, results, **more))


def plus_minus(numbers: Interval, digits: int | None = None) -> str:
    """A mean and half its interval, with the digits that the interval supports.

    Parameters
    ----------
    numbers : Interval
        The mean and its interval.
    digits : int, optional
        The most significant digits of the mean; the interval is then rounded up.

    Examples
    --------
    >>> plus_minus(Interval(20.318, 20.2, 20.43, 10))
    '20.32 ±0.12'
    >>> plus_minus(Interval(20.318, None, None, 1))
    '20.32'
    >>> plus_minus(Interval(1234567.0, 1232000.0, 1237134.0, 10))
    '1234600 ±2600'
    >>> plus_minus(Interval(0.101094, 0.101034, 0.101154, 10), 4)
    '0.1011 ±0.0001'
    """
    half = numbers.half
    if math.isnan(numbers.mean):
        return "unknown"
    if half is None:
        return number(numbers.mean)
    if half == 0:
        return f"{number(numbers.mean)} ±0"
    # Two digits of the interval are all that can be known about it from a few runs.
    places = 1 - math.floor(math.log10(half))
    if digits is not None and numbers.mean != 0:
        most = digits - 1 - math.floor(math.log10(abs(numbers.mean)))
        if places > most:
            places, half = most, math.ceil(half * 10**most) / 10**most
    return f"{round(numbers.mean, places):.{max(places, 0)}f} ±{round(half, places):.{max(places, 0)}f}"


def number(value: float) -> str:
    """A number with four significant digits, and all digits before the point.

    Examples
    --------
    >>> number(20.318), number(1234567.2), number(0.000012345), number(0.0)
    ('20.32', '1234567', '1.234e-05', '0')
    """
    if value != 0 and math.isfinite(value) and abs(value) >= 10_000:
        return f"{value:.0f}"
    return f"{value:.4g}"


def _known(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
