"""Time series: the state of ports, flows and components over time, as frames, Parquet or CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.errors import InputError
from penstock.plots import picture, request_of
from penstock.plots.data import APART, from_series, suited
from penstock.printable import path_text
from penstock.rows import Names, RowStream

if TYPE_CHECKING:
    import polars as pl

    from penstock.plots.canvas import Picture


__all__ = ["TimeSeries", "wide"]


class TimeSeries(RowStream):
    """The state of a run over time, to be read once.

    Any of `of`, `what`, `sum`, `every`, `on`, `start` and `stop` replaces the scenario's ``[[series]]``. Other options
    and errors are as for :class:`penstock.rows.RowStream`: ``name``, ``folder``, ``sets``, ``seed``, ``replication``,
    ``executor`` and ``threads``. Raises InputError if neither the scenario nor an option selects a series.

    Parameters
    ----------
    scenario : str
        TOML text of the scenario.
    of : str or sequence of str, optional
        Links, nodes with the ports of the links that begin there, groups of flows or calls, or members such as
        ``"tcp[3]"``.
    what : str or sequence of str, optional
        Variables, such as ``"queue"``, ``"cwnd"`` or ``"queue.red.average"``; all by default.
    sum : bool
        Whether to add up the members of each name of `of`.
    every : str, s, optional
        Interval between samples.
    on : {"change"}, optional
        Samples at each change instead of at intervals.
    start, stop : str, s, optional
        Beginning and end of the series, both inclusive.
    """

    section = "series"
    _of_core = _core.Series

    def __init__(
        self,
        scenario: str | _core.Scenario,
        *,
        of: Names | None = None,
        what: Names | None = None,
        sum: bool = False,  # noqa: A002  (the key of a scenario)
        every: str | None = None,
        on: str | None = None,
        start: str | None = None,
        stop: str | None = None,
        **run: Any,
    ) -> None:
        asked = {"of": of, "what": what, "sum": sum or None, "every": every, "on": on, "start": start, "stop": stop}
        super().__init__(scenario, asked, **run)

    def _check(self, read: _core.Scenario, name: str, is_asked: bool) -> None:
        if not is_asked and not read.has_series:
            raise InputError(
                f"{path_text(name)} has no [[series]]: say of what and when, as in --of r1-r2 --every 10ms."
            )

    def plot(self, **asked: Any) -> Picture:
        """Draws it over time, with a panel per variable; `asked` is as for :func:`penstock.plots.plot`."""
        request = request_of(**asked)
        data = from_series(self.frame())
        return picture(data, suited(request, data))


def wide(frame: pl.DataFrame) -> pl.DataFrame:
    """Returns rows of a :class:`TimeSeries` with a column ``time`` in seconds, and a column per series.

    A series without a value at an instant is null there. With several runs, the names of columns begin with what
    distinguishes the runs.
    """
    import polars as pl

    apart = [
        column
        for column in (*APART, "variable")
        if column == "variable" or (column in frame.columns and frame[column].n_unique() > 1)
    ]
    parts = [pl.col(column).cast(pl.String) for column in apart]
    name = pl.concat_str(parts, separator=" ", ignore_nulls=True).alias("name")
    named = frame.select((pl.col("time_ps") / 1e12).alias("time"), name, "value")
    return named.pivot("name", index="time", values="value", aggregate_function="last").sort("time")
