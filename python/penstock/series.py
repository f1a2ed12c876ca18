"""Time series of the state of ports, flows and their components, as frames, Parquet or CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.errors import InputError
from penstock.printable import path_text
from penstock.rows import RowStream

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from penstock.plots.canvas import Picture
    from penstock.rows import Names

__all__ = ["TimeSeries", "wide"]


class TimeSeries(RowStream):
    """A run whose state over time can be read once, in order.

    Parameters
    ----------
    scenario : str
        TOML text of the scenario.
    name : str
        Name of the scenario in messages.
    folder : str, optional
        Folder of the files that the scenario names.
    sets : sequence of (str, str)
        Settings changed after reading, as path and value.
    seed : int, optional
        Root of the random streams; that of the scenario if left out.
    replication : int
        Number of the independent run, from 0.
    of : str or sequence of str, optional
        Links, nodes (with the ports of their outgoing links), groups of flows or calls, or members such as
        ``"tcp[3]"``.
    what : str or sequence of str, optional
        Variables such as ``"queue"``, ``"cwnd"`` or ``"queue.red.average"``; all if left out.
    sum : bool
        Whether the members of each name in `of` are added up to one value per variable.
    every : str, s, optional
        Sampling interval.
    on : {"change"}, optional
        Samples after each change, instead of at an interval.
    start, stop : str, s, optional
        Start and end of the series, both inclusive.
    executor : {"horizon", "plain"}
        Executor of the engine; does not change the series.
    threads : int
        Number of cores that the run may use; does not change the series.

    Raises
    ------
    ScenarioError
        If the scenario has mistakes, or a requested member or variable does not exist.
    InputError
        If the scenario has no ``[[series]]`` and nothing is requested.

    Notes
    -----
    Any of `of`, `what`, `sum`, `every`, `on`, `start` and `stop` replaces the scenario's ``[[series]]``.
    """

    section = "series"
    scenario: _core.Scenario
    """The scenario with its settings."""

    _of_core = _core.Series

    def __init__(
        self,
        scenario: str,
        *,
        name: str = "scenario",
        folder: str | None = None,
        sets: Sequence[tuple[str, str]] = (),
        seed: int | None = None,
        replication: int = 0,
        of: Names | None = None,
        what: Names | None = None,
        sum: bool = False,  # noqa: A002  (the key of a scenario)
        every: str | None = None,
        on: str | None = None,
        start: str | None = None,
        stop: str | None = None,
        executor: str = "horizon",
        threads: int = 1,
    ) -> None:
        super().__init__(
            scenario,
            {"of": of, "what": what, "sum": sum or None, "every": every, "on": on, "start": start, "stop": stop},
            name=name,
            folder=folder,
            sets=sets,
            seed=seed,
            replication=replication,
            executor=executor,
            threads=threads,
        )

    def _check(self, read: _core.Scenario, name: str, is_asked: bool) -> None:
        self.scenario = read
        if not is_asked and not read.has_series:
            raise InputError(
                f"{path_text(name)} has no [[series]]: say of what and when, as in --of r1-r2 --every 10ms."
            )

    def plot(self, **asked: Any) -> Picture:
        """Plots the series over time, with a panel for each variable.

        Parameters
        ----------
        **asked
            As for :meth:`penstock.studies.result.StudyResult.plot`.

        Returns
        -------
        matplotlib.figure.Figure
            ``savefig`` writes the same bytes for the same numbers.
        """
        from penstock.plots import picture, request_of
        from penstock.plots.over_time import data_of, suited

        request = request_of(**asked)
        data = data_of(self.frame())
        return picture(data, suited(request, data))


def wide(frame: pl.DataFrame) -> pl.DataFrame:
    """Returns a frame with a column of seconds and one column per series, named by what distinguishes them.

    Parameters
    ----------
    frame : polars.DataFrame
        Rows of a :class:`TimeSeries`.

    Returns
    -------
    polars.DataFrame
        ``time`` in seconds, in order, and a column for each series; null where it has no value at that time.
    """
    import polars as pl

    apart = [
        column
        for column in ("place", "flow", "component", "class", "number", "variable")
        if frame[column].n_unique() > 1 or column == "variable"
    ]
    parts = [pl.col(column).cast(pl.String) for column in apart]
    name = pl.concat_str(parts, separator=" ", ignore_nulls=True).alias("name")
    named = frame.select((pl.col("time_ps") / 1e12).alias("time"), name, "value")
    return named.pivot("name", index="time", values="value", aggregate_function="last").sort("time")
