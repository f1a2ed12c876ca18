"""Numbers of runs with their intervals, as frames and as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from penstock import toml
from penstock.errors import InputError
from penstock.output_analysis import QuantileInterval
from penstock.printable import json_text, printable
from penstock.provenance import Provenance
from penstock.records import RUNS, RunResult
from penstock.statistics import Interval, interval, ratio_interval, wilson
from penstock.unit_scale import is_ratio

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)

__all__ = [
    "Summary",
    "frame_of",
    "free_name",
    "grouped",
    "interval_of",
    "quantiles_of",
    "summarise",
    "to_data",
    "to_frame",
    "to_json",
    "to_pandas",
    "to_values",
    "values_of",
]


@dataclass(frozen=True, slots=True)
class Summary:
    """A metric over the runs of one point.

    Parameters
    ----------
    scenario : str
        Name of the scenario.
    point : dict of str to value
        Changed settings by path, or the parameters of a study.
    metric : str
        Name of the metric.
    labels : dict of str to str
        Labels that distinguish the number within its metric.
    unit : str
        Unit of all numbers here.
    values : list of float
        One per run, in the order of the requests.
    interval : Interval
        Mean with its confidence interval.
    provenance : Provenance
        What the runs were made from.
    rule : str
        ``t`` for a fixed number of runs, ``t, sequential`` for a precision target.
    """

    scenario: str
    point: dict[str, Any]
    metric: str
    labels: dict[str, str]
    unit: str
    values: list[float]
    interval: Interval
    provenance: Provenance
    rule: str = "t"

    @property
    def method(self) -> str:
        """Method of the interval as in :func:`interval_of`, with ``, sequential`` for a target; or ``none``."""
        return "none" if self.interval.half is None else self.rule.replace("t", self.interval.method, 1)


def interval_of(metric: str, labels: Mapping[str, str], values: Sequence[float]) -> Interval:
    """Returns the mean of a number over runs, with an interval that suits it.

    Ratios between 0 and 1, such as ``loss`` and ``fairness``, use ``logit``. Conditions of a study, which are shares of
    runs, use ``wilson``, and all others ``t``.
    """
    if is_ratio(metric):
        return ratio_interval(values)
    if labels == RUNS and all(value in (0, 1) for value in values):
        return wilson(sum(map(int, values)), len(values))
    return interval(values)


def summarise(results: Sequence[RunResult]) -> list[Summary]:
    """Summarises the runs of each point, in the order in which points and metrics first appear."""
    summaries = []
    for runs in _points(results):
        name, point, provenance = runs[0].request.name, dict(runs[0].request.sets), Provenance.of(runs)
        metrics = (metric for run in runs for metric in run.metrics)
        alike = grouped(metrics, lambda each: (each.name, tuple(each.labels.items()), each.unit))
        for (metric, pairs, unit), own in alike.items():
            labels, values = dict(pairs), [each.value for each in own]
            found = interval_of(metric, labels, values)
            summaries.append(Summary(name, point, metric, labels, unit, values, found, provenance))
    return summaries


def _points(results: Sequence[RunResult]) -> list[list[RunResult]]:
    """The runs of each point, which share a scenario, a name and settings."""
    of_point = grouped(results, lambda each: (each.request.name, each.request.scenario, each.request.sets))
    return list(of_point.values())


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> dict[Key, list[Item]]:
    """Items by their keys, both in the order in which they first appear."""
    groups: dict[Key, list[Item]] = {}
    for each in items:
        groups.setdefault(key(each), []).append(each)
    return groups


def to_frame(results: Sequence[RunResult]) -> pl.DataFrame:
    """Returns a tidy frame with one row per metric, labels and point.

    Returns
    -------
    polars.DataFrame
        Columns ``scenario``, one per changed setting, ``metric``, one per label (null if a metric lacks it), ``unit``,
        ``mean``, ``half_width``, ``ci_low``, ``ci_high`` (these three null below two runs), ``runs``, ``method``; then
        what the runs were made from: ``settings`` (a JSON object), ``duration_s``, ``warm_up_s``, ``seed`` (null if
        runs differ in it), ``first_replication`` and ``model_version``. A setting named like another column is
        ``parameter.NAME``. Texts are escaped where they could act on a terminal.
    """
    return frame_of(summarise(results))


def to_values(results: Sequence[RunResult]) -> pl.DataFrame:
    """Returns one row per run, metric and labels: the numbers that :func:`to_frame` averages.

    Returns
    -------
    polars.DataFrame
        Columns as in :func:`to_frame`, with ``replication``, ``value`` and the run's ``digest`` in place of the means.
    """
    return values_of([(dict(runs[0].request.sets), runs) for runs in _points(results)])


def to_pandas(frame: pl.DataFrame) -> pd.DataFrame:
    """Returns a pandas frame without pyarrow, which Polars' own needs; raises InputError if pandas is not installed."""
    try:
        import pandas as pd
    except ImportError:
        raise InputError("pandas is not installed; 'pip install pandas' installs it.") from None
    # NumPy keeps the types of numbers in columns that are empty or have nulls, which become NaN.
    columns = frame.get_columns()
    return pd.DataFrame({each.name: each.to_numpy() if each.dtype.is_numeric() else each.to_list() for each in columns})


def frame_of(summaries: Sequence[Summary]) -> pl.DataFrame:
    """Returns the frame of :func:`to_frame`; a parameter with only numeric values is a numeric column."""
    import polars as pl

    floats = dict.fromkeys(("mean", "half_width", "ci_low", "ci_high"), pl.Float64)
    rows: list[_Row] = []
    for each in summaries:
        found = each.interval
        numbers = (each.unit, found.mean, found.half, found.low, found.high, found.runs, each.method)
        rows.append((each.scenario, each.point, each.metric, each.labels, each.provenance, numbers))
    return _frame(rows, {"unit": pl.String, **floats, "runs": pl.UInt32, "method": pl.String})


def values_of(points: Sequence[tuple[Mapping[str, Any], Sequence[RunResult]]]) -> pl.DataFrame:
    """Returns the frame of :func:`to_values`, for points with their parameters."""
    import polars as pl

    rows: list[_Row] = []
    for point, runs in points:
        for run in runs:
            name, provenance = run.request.name, Provenance.of([run])
            for metric in run.metrics:
                number = (metric.unit, run.request.replication, metric.value, run.digest)
                rows.append((name, point, metric.name, metric.labels, provenance, number))
    single = {"unit": pl.String, "replication": pl.UInt64, "value": pl.Float64, "digest": pl.String}
    return _frame(rows, single).drop("first_replication")


def quantiles_of(
    scenario: str, metric: str, points: Sequence[tuple[Mapping[str, Any], Provenance, Sequence[QuantileInterval]]]
) -> pl.DataFrame:
    """Returns one row per quantile of a number, for points with their parameters."""
    import polars as pl

    floats = dict.fromkeys(("probability", "estimate", "low", "high", "confidence"), pl.Float64)
    rows: list[_Row] = [
        (scenario, point, metric, {}, provenance, (*astuple(each), "order statistics"))
        for point, provenance, found in points
        for each in found
    ]
    return _frame(rows, {**floats, "runs": pl.UInt32, "method": pl.String})


_Row = tuple[str, Mapping[str, Any], str, Mapping[str, str], Provenance, Sequence[Any]]
"""Scenario, parameters, metric, labels, what it was made from, and numbers."""


def _frame(rows: Sequence[_Row], numbers: Mapping[str, Any]) -> pl.DataFrame:
    """The frame of these rows; cells that a row lacks are null. `numbers` are the names and types of its numbers."""
    import polars as pl

    words = dict.fromkeys((label for _, _, _, labels, _, _ in rows for label in labels), pl.String)
    taken = {"scenario", "metric", *words, *numbers, *Provenance.columns()}
    names = dict.fromkeys(name for _, point, _, _, _, _ in rows for name in point)
    columns = {name: free_name(printable(name), taken) for name in names}
    schema: dict[str, Any] = {
        "scenario": pl.String,
        **{columns[name]: _column([row[1][name] for row in rows if name in row[1]]) for name in names},
        "metric": pl.String,
        **words,
        **numbers,
        **Provenance.columns(),
    }

    def cell(name: str, value: Any) -> Any:
        is_text = schema[columns[name]] == pl.String
        return printable(value if isinstance(value, str) else toml.value(value)) if is_text else value

    made = [
        {
            **{columns[name]: cell(name, value) for name, value in point.items()},
            **{label: printable(value) for label, value in labels.items()},
            "scenario": printable(scenario),
            "metric": metric,
            **dict(zip(numbers, own, strict=True)),
            **provenance.row(),
        }
        for scenario, point, metric, labels, provenance, own in rows
    ]
    return pl.DataFrame(made, schema=schema, orient="row")


def free_name(name: str, taken: set[str]) -> str:
    """Returns a name for a parameter's column that no other column has."""
    while name in taken:
        name = f"parameter.{name}"
    taken.add(name)
    return name


def _column(values: Sequence[Any]) -> Any:
    import polars as pl

    if values and all(isinstance(value, bool) for value in values):
        return pl.Boolean
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values)
    if not values or not numbers:
        return pl.String
    return pl.Int64 if all(isinstance(value, int) and abs(value) < 2**63 for value in values) else pl.Float64


def to_data(scenario: str, results: Sequence[RunResult], *, rule: str = "t", **more: Any) -> dict[str, Any]:
    """Returns the runs of one point as plain data; see :func:`to_json`, and `Summary` for the `rule`."""
    metrics = [
        {
            "name": summary.metric,
            "labels": summary.labels,
            "unit": summary.unit,
            "mean": finite(summary.interval.mean),
            "ci_low": finite(summary.interval.low),
            "ci_high": finite(summary.interval.high),
            "runs": summary.interval.runs,
            "method": summary.method,
            "values": [finite(value) for value in summary.values],
        }
        for summary in (replace(summary, rule=rule) for summary in summarise(results))
    ]
    made_from = Provenance.of(results).data() if results else {}
    return {"scenario": scenario, **more, **made_from, "runs": len(results), "metrics": metrics}


def to_json(scenario: str, results: Sequence[RunResult], **more: Any) -> str:
    """Returns the runs of one scenario as JSON, without times, paths and hosts: equal runs give equal bytes.

    Parameters
    ----------
    scenario : str
        Name of the scenario.
    results : sequence of RunResult
        All runs of one point.
    **more
        Further members, between ``scenario`` and ``metrics``.

    Returns
    -------
    str
        ``{"scenario", ..., "settings", "duration_s", "warm_up_s", "seed", "first_replication", "model_version", "runs",
        "metrics": [{"name", "labels", "unit", "mean", "ci_low", "ci_high", "runs", "method", "values"}]}``; null if
        unknown.
    """
    return json_text(to_data(scenario, results, **more))


def finite(value: float | None) -> float | None:
    """Returns a number as JSON has it: None if it is not finite."""
    return value if value is not None and math.isfinite(value) else None
