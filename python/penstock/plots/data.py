"""The numbers of a plot with their parameters and labels, from results, files of them, time series, or any frame."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import toml
from penstock.errors import InputError
from penstock.memory import require_file
from penstock.plots.request import PlotRequest
from penstock.printable import path_text, shortened
from penstock.results import Summary, grouped, interval_of
from penstock.short_values import short_values

if TYPE_CHECKING:
    import polars as pl

Cell = str | int | float | bool
"""A parameter or a label."""

REPLICATION = ("replication", "run")
"""Columns of independent repetitions; single observations are averaged over them."""

_NUMBER = {"metric", "unit", "value", "mean", "half_width", "ci_low", "ci_high", "runs", "method", "values"}
_MADE_FROM = {"scenario", "settings", "duration_s", "warm_up_s", "seed", "first_replication", "model_version", "digest"}
"""Columns of a frame of results, other than parameters and labels, that say what a number was made from."""
_OF_SERIES = {"time_ps", "place", "flow", "component", "variable", "unit", "value"}
APART = ("scenario", "settings", "seed", "replication", "place", "flow", "component", "class", "number")
"""Columns that distinguish series of one variable."""


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
        marked = {f"{name} (label)" if name in self.point else name: text for name, text in self.labels.items()}
        return {**self.point, **marked}


@dataclass(frozen=True)
class Data:
    """All numbers that may be drawn."""

    numbers: list[Datum]  # in the order of drawing
    observations: bool = False  # whether they are single observations rather than means; several may share a position
    quantities: tuple[str, ...] = ()  # numeric columns of such a frame; each may be the x axis
    name: str = "the results"  # name of the data in messages
    is_series: bool = False  # whether they are states over time from `penstock series`

    @cached_property
    def metrics(self) -> list[str]:
        """Names of the metrics, in the order of the numbers."""
        return list(dict.fromkeys(each.metric for each in self.numbers))

    @property
    def columns(self) -> list[str]:
        """Names of parameters, then of labels."""
        points = dict.fromkeys(name for each in self.numbers for name in each.point)
        return list({**points, **dict.fromkeys(name for each in self.numbers for name in each.cells)})

    def averaged(self, named: Collection[str | None]) -> Data:
        """Averages observations over replications, with intervals; returns itself if there are none.

        In a frame with a column for each number, only the numbers in `named` distinguish observations.
        """
        if not self.observations or not self.numbers or not any(name in self.columns for name in REPLICATION):
            return self
        others = {*self.quantities} - {*named} if self.metrics[0] in self.quantities else set()
        others = {name for name in others if not is_time(name)} | {*REPLICATION}

        def alike(each: Datum) -> Hashable:
            return each.metric, each.unit, tuple(item for item in each.cells.items() if item[0] not in others)

        groups = grouped(self.numbers, alike).values()
        for group in groups:
            if len({tuple(map(each.cells.get, REPLICATION)) for each in group}) < len(group):
                return self
        return Data([_mean(group) for group in groups], quantities=self.quantities, name=self.name)


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
    found = []
    for each in summaries:
        point, over = {path: cell(value) for path, value in each.point.items()}, each.interval
        of = (each.metric, each.unit, point, dict(each.labels))
        found.append(Datum(*of, over.mean, over.low, over.high, each.values))
    return Data(found, name=name)


def from_json(data: Any, name: str) -> Data:
    """Returns the numbers in the output of ``penstock run --format json``. Raises InputError for anything else."""
    points = data.get("points", [data]) if isinstance(data, dict) else data
    found = []
    try:
        for point in points:
            parameters = point["parameters"] if "parameters" in point else point.get("settings", {})
            where = {path: cell(value) for path, value in parameters.items()}
            for metric in point["metrics"]:
                labels = {str(key): str(value) for key, value in metric["labels"].items()}
                values = [_mean_of(value) for value in metric.get("values", ())]
                ends = _bound(metric["ci_low"]), _bound(metric["ci_high"])
                of = (str(metric["name"]), str(metric["unit"]), where, labels)
                found.append(Datum(*of, _mean_of(metric["mean"]), *ends, values))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(f"{name}: is no JSON of 'penstock run --format json', so there is nothing to plot.") from None
    return Data(found, name=name)


def from_frame(frame: pl.DataFrame, name: str = "the frame") -> Data:
    """Returns the numbers of a frame: results (``metric``, ``mean``), long (``metric``, ``value``), or a column each.

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
            point = {each: cell(row[each]) for each in others if each != "unit" and isinstance(row[each], Cell)}
            numbers.append(Datum(column, str(unit), point, {}, _mean_of(row[column])))
    return Data(numbers, True, numeric, name)


def is_series(frame: pl.DataFrame) -> bool:
    """Whether a frame has the columns of ``penstock series``."""
    return set(frame.columns) >= _OF_SERIES


def from_series(frame: pl.DataFrame, name: str = "the series") -> Data:
    """Returns the numbers of series: a metric for each variable, whose series ``of`` distinguishes.

    A state keeps its value until one picosecond before the next one, which draws steps; rates and shares of an interval
    are points. Raises InputError if there is no value.
    """
    import polars as pl

    if not frame.height:
        raise InputError(f"{name}: has no value, so there is nothing to plot.")
    apart = [column for column in APART if column in frame.columns and frame[column].drop_nulls().n_unique() > 1]
    of = pl.concat_str([pl.col(column).cast(pl.String) for column in apart], separator=" ", ignore_nulls=True)
    long = frame.select(
        "time_ps",
        (of if apart else pl.lit("")).alias("of"),
        pl.col("variable").cast(pl.String).alias("metric"),
        pl.col("unit").cast(pl.String),
        "value",
    ).unique(["time_ps", "of", "metric"], keep="last", maintain_order=True)
    held = long.with_columns(pl.col("time_ps").shift(-1).over("of", "metric") - 1).drop_nulls("time_ps")
    # Samples have equal intervals between all instants, and are joined by lines.
    steps = long.group_by("of", "metric").agg(pl.col("time_ps").diff().drop_nulls().n_unique().alias("steps"))
    held = held.join(steps.filter(pl.col("steps") <= 1), on=["of", "metric"], how="anti")
    both = pl.concat([long, held]).sort("time_ps", maintain_order=True)
    drawn = both.unique(["time_ps", "of", "metric"], keep="first", maintain_order=True)
    time = (pl.col("time_ps") / 1e12).alias("time (s)")
    return replace(from_frame(drawn.select(time, "of", "metric", "unit", "value"), name), is_series=True)


def read_results(file: Path) -> Data:
    """Returns the numbers in a file. Raises InputError if it cannot be read, or has none."""
    shown = path_text(file)
    try:
        require_file(file, is_read_whole=True)
        content = file.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{shown}: there is no such file.") from None
    except OSError as error:
        raise InputError(f"{shown}: cannot be read: {error.strerror or error}.") from None
    if not content.strip():
        raise InputError(f"{shown}: is empty, so there is nothing to plot.")
    if file.suffix.lower() == ".json":
        try:
            data = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{shown}: is no JSON: {shortened(str(error), 200)}.") from None
        return from_json(data, shown)
    import polars as pl

    try:
        read = pl.read_csv if file.suffix.lower() == ".csv" else pl.read_parquet
        frame = read(content)
    except pl.exceptions.PolarsError as error:
        what = file.suffix.lower().lstrip(".")
        raise InputError(f"{shown}: is no {what} file that can be read: {shortened(str(error), 200)}.") from None
    return from_series(frame, shown) if is_series(frame) else from_frame(frame, shown)


def suited(request: PlotRequest, data: Data) -> PlotRequest:
    """Returns the request with defaults for time series: all variables, and a line for each series."""
    several = len({each.cells.get("of") for each in data.numbers}) > 1
    return replace(
        request,
        kind=request.kind or "series",
        y=request.y or tuple(data.metrics),
        by=request.by or ("of" if several and "of" not in request.named else None),
    )


def is_time(column: str) -> bool:
    """Whether a column is a time.

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
    unit = str(row.get("unit") or "1")
    values = row.get("values") or ()
    low, high = _bound(row.get("ci_low")), _bound(row.get("ci_high"))
    return Datum(str(row["metric"]), unit, point, labels, _mean_of(mean), low, high, values)


def _mean_of(value: Any) -> float:
    return math.nan if value is None else float(value)


def _bound(value: Any) -> float | None:
    return None if value is None else float(value)


def _mean(group: Sequence[Datum]) -> Datum:
    values = [each.mean for each in group]
    over = interval_of(group[0].metric, group[0].labels, values)
    point = {name: value for name, value in group[0].point.items() if name not in REPLICATION}
    return replace(group[0], point=point, mean=over.mean, low=over.low, high=over.high, values=values)


def _numeric(frame: pl.DataFrame) -> tuple[str, ...]:
    return tuple(name for name, kind in frame.schema.items() if kind.is_numeric())


def cell(value: Any) -> Cell:
    """Returns a parameter's value as plots have it: text if it is no single value, or has no position on an axis.

    >>> cell({"red": {}}), cell(math.nan), cell(5)
    ('{ red = {} }', 'nan', 5)
    """
    is_placed = not isinstance(value, float) or math.isfinite(value)
    return value if isinstance(value, Cell) and is_placed else toml.value(value)
