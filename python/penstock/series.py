"""Time series: the state of ports, flows and their components over time, as frames, Parquet or CSV."""

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
    """A run whose state over time can be read once, in the order of time.

    Parameters
    ----------
    scenario : str
        The scenario's TOML text.
    name : str
        What it is called in messages.
    folder : str, optional
        Where the files that it names are.
    sets : sequence of (str, str)
        Settings changed after reading, as path and value.
    seed : int, optional
        Root of the random streams; the scenario's own if left out.
    replication : int
        Which of the independent runs, from 0.
    of : str or sequence of str, optional
        Links, nodes with the ports of the links that begin there, groups of flows or calls, or members such as
        ``"tcp[3]"``.
    what : str or sequence of str, optional
        Variables, such as ``"queue"``, ``"cwnd"`` or ``"queue.red.average"``; all if left out.
    sum : bool
        Whether what each name of `of` stands for is added up: one value of every variable, instead of one of each
        member.
    every : str, s, optional
        The interval at which they are read.
    on : {"change"}, optional
        They are read whenever they have changed, in the place of an interval.
    start, stop : str, s, optional
        When the series begins and ends, both inclusive.
    executor : {"horizon", "plain"}
        In which order the engine works; the series is the same.
    threads : int
        How many cores the run may use; the series is the same.

    Raises
    ------
    ScenarioError
        If the scenario has mistakes, or what is asked for does not exist.
    InputError
        If neither the scenario has a ``[[series]]`` nor anything is asked for.

    Notes
    -----
    If any of `of`, `what`, `sum`, `every`, `on`, `start` and `stop` is given, they stand in the place of the scenario's
    ``[[series]]``.
    """

    section = "series"
    scenario: _core.Scenario
    """The scenario, with its settings."""

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
        """Draws all of it over time, a panel for each variable.

        Parameters
        ----------
        **asked
            As of :meth:`penstock.studies.result.StudyResult.plot`.

        Returns
        -------
        matplotlib.figure.Figure
            Its ``savefig`` writes the same bytes for the same numbers.
        """
        from penstock.plots import picture, request_of
        from penstock.plots.over_time import data_of, suited

        request = request_of(**asked)
        data = data_of(self.frame())
        return picture(data, suited(request, data))


def wide(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame of series with a column of seconds and one for each series, named by what tells them apart.

    Parameters
    ----------
    frame : polars.DataFrame
        Rows as a :class:`TimeSeries` has them.

    Returns
    -------
    polars.DataFrame
        ``time`` in seconds, in order, and a column for each series; null where one has no value at that instant.
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
