"""The numbers of a plot with their parameters and labels, from results, their JSON, or any frame."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from penstock import toml
from penstock.errors import InputError
from penstock.results import interval_of
from penstock.short_values import short_values

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

    import polars as pl

    from penstock.results import Summary

Cell = str | int | float | bool
"""A parameter or a label."""

REPLICATION = ("replication", "run")
"""Columns of independent repetitions; single observations are averaged over them."""

_NUMBER = {"metric", "unit", "value", "mean", "half_width", "ci_low", "ci_high", "runs", "method", "values"}
_MADE_FROM = {
    "scenario",
    "settings",
    "duration_s",
    "warm_up_s",
    "seed",
    "first_replication",
    "model_version",
    "digest",
}
"""Columns of a frame of results, other than parameters and labels, that say what a number was made from."""


@dataclass(frozen=True, slots=True)
class Datum:
    """One number."""

    metric: str  # its metric and unit
    unit: str
    point: dict[str, Cell]  # the parameters of its point, and the labels that distinguish it within its metric
    labels: dict[str, str]
    mean: float  # the number, or its mean over the runs
    low: float | None = None  # its 95 % confidence interval
    high: float | None = None
    values: Sequence[float] = ()  # the value of each run; empty if unknown

    @property
    def cells(self) -> dict[str, Cell]:
        """Parameters and labels by name; a label with a parameter's name is marked as a label."""
        return {
            **self.point,
            **{name if name not in self.point else f"{name} (label)": value for name, value in self.labels.items()},
        }


@dataclass(frozen=True)
class Data:
    """All numbers that may be drawn."""

    numbers: list[Datum]  # in the order of drawing
    observations: bool = False  # whether they are single observations rather than means; several may share a position
    quantities: tuple[str, ...] = ()  # numeric columns of such a frame; each may be the x axis
    name: str = "the results"  # name of the data in messages
    is_series: bool = False  # whether they are states over time from `penstock series`
    metrics: list[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", list(dict.fromkeys(each.metric for each in self.numbers)))

    @property
    def columns(self) -> list[str]:
        """Names of parameters, then of labels."""
        points = dict.fromkeys(name for each in self.numbers for name in each.point)
        return list({**points, **dict.fromkeys(name for each in self.numbers for name in each.cells)})

    def averaged(self, named: Collection[str | None]) -> Data:
        """Averages observations over their replications, with intervals; returns itself if there are none.

        In a frame with a column for each number, the columns in `named` distinguish observations and other numbers do
        not.
        """
        if not self.observations or not self.numbers or not any(name in self.columns for name in REPLICATION):
            return self
        groups: dict[Hashable, list[Datum]] = {}
        others = {*self.quantities} - {*named} if self.metrics[0] in self.quantities else set()
        others = {name for name in others if not is_time(name)} | {*REPLICATION}
        for each in self.numbers:
            rest = tuple(item for item in each.cells.items() if item[0] not in others)
            groups.setdefault((each.metric, each.unit, rest), []).append(each)
        if any(len({_replication(each) for each in group}) < len(group) for group in groups.values()):
            return self
        return Data([_mean(group) for group in groups.values()], quantities=self.quantities, name=self.name)


def with_names(data: Data) -> tuple[Data, dict[str, dict[str, str]]]:
    """Returns the numbers with short names for long values, and these names by column and value."""
    texts: dict[str, dict[str, None]] = {}
    for each in data.numbers:
        for column, value in each.point.items():
            if isinstance(value, str):
                texts.setdefault(column, {})[value] = None
    every = {column: short_values(values) for column, values in texts.items()}
    names = {column: own for column, own in every.items() if any(name != text for text, name in own.items())}
    if not names:
        return data, {}

    def named(point: Mapping[str, Cell]) -> dict[str, Cell]:
        return {
            column: names[column][value] if column in names and isinstance(value, str) else value
            for column, value in point.items()
        }

    return replace(data, numbers=[replace(each, point=named(each.point)) for each in data.numbers]), names


def from_summaries(summaries: Iterable[Summary], name: str = "the results") -> Data:
    """Returns the numbers of a study."""
    return Data(
        [
            Datum(
                each.metric,
                each.unit,
                {path: cell(value) for path, value in each.point.items()},
                dict(each.labels),
                each.interval.mean,
                each.interval.low,
                each.interval.high,
                each.values,
            )
            for each in summaries
        ],
        name=name,
    )


def from_json(data: Any, name: str) -> Data:
    """Returns the numbers in the output of ``penstock run --format json``. Raises InputError for anything else."""
    points = data.get("points", [data]) if isinstance(data, dict) else data
    found = []
    try:
        for point in points:
            where = {path: cell(value) for path, value in _parameters(point).items()}
            for metric in point["metrics"]:
                mean = metric["mean"]
                found.append(
                    Datum(
                        str(metric["name"]),
                        str(metric["unit"]),
                        where,
                        {str(key): str(value) for key, value in metric["labels"].items()},
                        math.nan if mean is None else float(mean),
                        _bound(metric["ci_low"]),
                        _bound(metric["ci_high"]),
                        [math.nan if value is None else float(value) for value in metric.get("values", ())],
                    )
                )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{name}: is no JSON of 'penstock run --format json', so there is nothing to plot.") from None
    return Data(found, name=name)


def from_frame(frame: pl.DataFrame, name: str = "the frame") -> Data:
    """Returns the numbers of a frame: results (``metric``, ``mean``), long (``metric``, ``value``), or one column each.

    Raises InputError if no column is numeric, or a number of results is none.
    """
    columns = frame.columns
    try:
        if {"metric", "mean"} <= set(columns):
            return Data([_number(row, row["mean"]) for row in frame.iter_rows(named=True)], name=name)
        if {"metric", "value"} <= set(columns):
            values = [_number(row, row["value"]) for row in frame.iter_rows(named=True)]
            return Data(values, True, _numeric(frame), name)
    except (TypeError, ValueError):
        why = "a mean, value or bound of an interval is not a number"
        raise InputError(f"{name}: {why}, so there is nothing to plot.") from None
    numeric = _numeric(frame)
    if not numeric:
        raise InputError(f"{name}: has no column of numbers, so there is nothing to plot ({', '.join(columns)}).")
    # The last column is what most frames are about; any other may be asked for.
    about = {*REPLICATION, *_MADE_FROM}
    measured = [each for each in reversed(numeric) if not is_time(each) and each not in about] or list(numeric)
    numbers = []
    for column in measured:
        others = [each for each in columns if each != column]
        unit = frame["unit"][0] if "unit" in columns and frame.height and frame["unit"].n_unique() == 1 else ""
        for row in frame.iter_rows(named=True):
            value = row[column]
            point = {each: cell(row[each]) for each in others if each != "unit" and isinstance(row[each], Cell)}
            numbers.append(Datum(column, str(unit), point, {}, math.nan if value is None else float(value)))
    return Data(numbers, True, numeric, name)


def is_time(column: str) -> bool:
    """Whether a column is a time.

    Examples
    --------
    >>> [is_time(name) for name in ("time", "time_s", "time (ms)", "times-out", "t")]
    [True, True, True, False, True]
    """
    return column in {"t", "time"} or column.startswith(("time_", "time ", "time("))


def _number(row: Mapping[str, Any], mean: Any) -> Datum:
    """A row of a frame with a column ``metric``: parameters precede that column, labels follow it."""
    point: dict[str, Cell] = {}
    labels: dict[str, str] = {}
    before = True
    for name, value in row.items():
        before = before and name != "metric"
        if name in _NUMBER or name in _MADE_FROM or value is None:
            continue
        if before or not isinstance(value, str):
            point[name] = cell(value)
        else:
            labels[name] = value
    known = math.nan if mean is None else float(mean)
    unit = str(row.get("unit") or "1")
    values = row.get("values") or ()
    low, high = _bound(row.get("ci_low")), _bound(row.get("ci_high"))
    return Datum(str(row["metric"]), unit, point, labels, known, low, high, values)


def _bound(value: Any) -> float | None:
    """A bound of an interval, or none."""
    return None if value is None else float(value)


def _replication(datum: Datum) -> tuple[Cell | None, ...]:
    return tuple(datum.cells.get(name) for name in REPLICATION)


def _mean(group: Sequence[Datum]) -> Datum:
    values = [each.mean for each in group]
    over = interval_of(group[0].metric, group[0].labels, values)
    point = {name: value for name, value in group[0].point.items() if name not in REPLICATION}
    return replace(group[0], point=point, mean=over.mean, low=over.low, high=over.high, values=values)


def _numeric(frame: pl.DataFrame) -> tuple[str, ...]:
    return tuple(name for name, kind in frame.schema.items() if kind.is_numeric())


def _parameters(point: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = point["parameters"] if "parameters" in point else point.get("settings", {})
    return found


def cell(value: Any) -> Cell:
    """Returns a parameter's value as plots have it: text if it is no single value, or has no position on an axis.

    Examples
    --------
    >>> cell({"red": {}}), cell(math.nan), cell(5)
    ('{ red = {} }', 'nan', 5)
    """
    is_placed = not isinstance(value, float) or math.isfinite(value)
    return value if isinstance(value, Cell) and is_placed else toml.value(value)
