"""Time series as numbers to draw: steps between changes, and labels that distinguish the series."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.plots.data import from_frame

if TYPE_CHECKING:
    import polars as pl

    from penstock.plots.data import Data
    from penstock.plots.request import PlotRequest

_COLUMNS = {"time_ps", "place", "flow", "component", "variable", "unit", "value"}
_APART = ("scenario", "settings", "seed", "replication", "place", "flow", "component", "class", "number")


def is_series(frame: pl.DataFrame) -> bool:
    """Whether a frame has the columns of ``penstock series``."""
    return set(frame.columns) >= _COLUMNS


def data_of(frame: pl.DataFrame, name: str = "the series") -> Data:
    """Returns the numbers of series: each variable is a metric, and ``of`` distinguishes the series of one variable.

    A state keeps its value until one picosecond before the next one, which draws steps. Rates and shares of an interval
    are points. Raises InputError if there is no value.
    """
    import polars as pl

    if not frame.height:
        raise InputError(f"{name}: has no value, so there is nothing to plot.")
    apart = [column for column in _APART if column in frame.columns and frame[column].drop_nulls().n_unique() > 1]
    of = pl.concat_str([pl.col(column).cast(pl.String) for column in apart], separator=" ", ignore_nulls=True)
    long = frame.select(
        "time_ps",
        (of if apart else pl.lit("")).alias("of"),
        pl.col("variable").cast(pl.String).alias("metric"),
        pl.col("unit").cast(pl.String),
        "value",
    ).unique(["time_ps", "of", "metric"], keep="last", maintain_order=True)
    held = long.with_columns(pl.col("time_ps").shift(-1).over("of", "metric") - 1).drop_nulls("time_ps")
    held = held.join(_regular(long), on=["of", "metric"], how="anti")
    drawn = (
        pl.concat([long, held])
        .sort("time_ps", maintain_order=True)
        .unique(["time_ps", "of", "metric"], keep="first", maintain_order=True)
    )
    time = (pl.col("time_ps") / 1e12).alias("time (s)")
    return replace(from_frame(drawn.select(time, "of", "metric", "unit", "value"), name), is_series=True)


def _regular(long: pl.DataFrame) -> pl.DataFrame:
    """Series with equal intervals between all instants: samples, joined by lines."""
    import polars as pl

    steps = pl.col("time_ps").diff().drop_nulls().n_unique()
    return long.group_by("of", "metric").agg(steps.alias("steps")).filter(pl.col("steps") <= 1).select("of", "metric")


def suited(request: PlotRequest, data: Data) -> PlotRequest:
    """Returns the request with defaults for time series: all variables, and a line for each series."""
    several = len({each.cells.get("of") for each in data.numbers}) > 1
    return replace(
        request,
        kind=request.kind or "series",
        y=request.y or tuple(data.metrics),
        by=request.by or ("of" if several and "of" not in request.named else None),
    )
