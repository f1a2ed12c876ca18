"""A study: a network, how long it is watched, what varies, and how many independent runs are made of it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from penstock.arguments import named
from penstock.errors import ArgumentError
from penstock.printable import quoted
from penstock.studies.definition import Definition
from penstock.study_ranges import StudyRanges

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import polars as pl

    from penstock.network import Network
    from penstock.plots.canvas import Picture
    from penstock.series import TimeSeries
    from penstock.store import Store
    from penstock.studies.plan import StudyPlan
    from penstock.studies.result import StudyResult
    from penstock.trace import PacketTrace

__all__ = ["MOST_RUNS", "Study"]

MOST_RUNS = 100_000
"""The most runs of one scenario; their results are held until they are all there."""


@dataclass(frozen=True)
class Study(StudyRanges):
    """What is to be run; the methods give changed copies.

    Parameters
    ----------
    network : Network
        What is simulated.
    duration : str, s
        How long, such as ``"100 s"``.
    warm_up : str, s, optional
        How much of the beginning is not counted; nothing if left out.
    seed : int, optional
        Root of the random streams; 1 if left out.
    description : str, optional
        One sentence for people.
    name : str
        What it is called in results.
    replications : int
        How many independent runs; see :meth:`runs`.
    definition : Definition
        What varies; see :meth:`vary`.
    aims : dict
        What is aimed at; see :meth:`precision`, :meth:`find_warm_up` and :meth:`metric`.
    """

    network: Network
    duration: str
    warm_up: str | None = None
    seed: int | None = None
    description: str | None = None
    name: str = "study"
    replications: int = 5
    definition: Definition = field(default_factory=Definition)
    aims: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        from penstock.study_display import study_line

        return study_line(self)

    def _repr_html_(self) -> str:
        from penstock.study_display import study_html

        return study_html(self)

    def runs(self, count: int) -> Study:
        """The same study with `count` independent runs.

        Raises
        ------
        ValueError
            If there would be none, or more than :data:`MOST_RUNS`.
        """
        if count < 1:
            raise ValueError(f"a study needs at least one run, not {count}")
        if count > MOST_RUNS:
            raise ValueError(f"a study has at most {MOST_RUNS} runs, not {count}")
        return replace(self, replications=count)

    def vary(self, name: str, values: Sequence[Any]) -> Study:
        """The same study at every combination of its points with these values of a setting.

        Parameters
        ----------
        name : str
            The path of a setting, such as ``"r1-r2.queue.red.limit"``, or a name for :meth:`derive`.
        values : sequence of str, number, bool, list or dict
            As they would stand in a scenario.

        Raises
        ------
        ArgumentError
            If it is a single text instead of a sequence of values.
        """
        return self._changed(grid={**self.definition.grid, name: _listed("vary", name, values)})

    def vary_together(self, values: Mapping[str, Sequence[Any]]) -> Study:
        """The same study with settings that vary in step: the first values with one another, and so on.

        Raises
        ------
        ArgumentError
            If the values of a setting are a single text instead of a sequence.
        """
        table = {name: _listed("vary_together", name, each) for name, each in values.items()}
        return self._changed(zips=[*self.definition.zips, table])

    def points(self, points: Iterable[Mapping[str, Any]]) -> Study:
        """The same study at points that are written out, each with values by name.

        Raises
        ------
        ArgumentError
            If there are none.
        """
        entries = [dict(point) for point in points]
        if not entries:
            raise ArgumentError("points: the list is empty, so there would be no point")
        return self._changed(entries=[*self.definition.entries, *entries])

    def where(self, *conditions: str) -> Study:
        """The same study without the points that do not meet conditions such as ``"flows * rate <= 1 Gbit/s"``."""
        return self._changed(where=[*self.definition.where, *conditions])

    def when(
        self,
        condition: str,
        *,
        vary: Mapping[str, Sequence[Any]] | None = None,
        fix: Mapping[str, Any] | None = None,
        derive: Mapping[str, str] | None = None,
    ) -> Study:
        """The same study with settings that hold only at points that meet a condition.

        Parameters
        ----------
        condition : str
            Such as ``"discipline == 'tail drop'"``, of the parameters of all points.
        vary : mapping of str to sequence, optional
            Values of settings, as of :meth:`vary`: these points are multiplied by every combination of them.
        fix : mapping of str to value, optional
            Settings that are the same at all of these points.
        derive : mapping of str to str, optional
            Settings that follow from others, as of :meth:`derive`.

        Raises
        ------
        ArgumentError
            If nothing is set, or the values of a setting that varies are a single text instead of a sequence.
        """
        from penstock.studies.conditional import When

        grid = {name: _listed("when", name, values) for name, values in (vary or {}).items()}
        if not (grid or fix or derive):
            raise ArgumentError("when: sets nothing; give vary, fix or derive")
        added = When(condition, dict(fix or {}), grid, dict(derive or {}))
        return self._changed(when=[*self.definition.when, added])

    def derive(self, name: str, expression: str) -> Study:
        """The same study with a setting, or a helping value, that follows from others.

        Parameters
        ----------
        name : str
            The path of a setting, or any other name.
        expression : str
            Arithmetic with units, such as ``"0.5 * r1-r2.rate * 100 ms / sqrt(flows)"``.
        """
        return self._changed(derived={**self.definition.derived, name: expression})

    def _changed(self, **parts: Any) -> Study:
        return replace(self, definition=replace(self.definition, **parts))

    def precision(self, metric: str, half_width: str, *, least: int = 30, most: int = 1000) -> Study:
        """The same study with as many runs of each point as a precision takes, in the place of :meth:`runs`.

        Parameters
        ----------
        metric : str
            Of which number, such as ``"goodput[near]"``.
        half_width : str
            Half the width of its 95 % interval: a share of the mean (``"5 %"``), or a number with its unit.
        least, most : int
            How many runs there are at least and at most; see :class:`~penstock.studies.precision.Precision`.
        """
        target = {"metric": metric, "half-width": half_width, "least": least, "most": most}
        return replace(self, aims={**self.aims, "precision": target})

    def find_warm_up(self, metric: str, windows: int = 100) -> Study:
        """The same study with the longest warm-up of any point, by MSER-5 of a metric in so many windows of a run."""
        return replace(self, aims={**self.aims, "warm-up": {"mser-5": metric, "windows": windows}})

    def metric(self, name: str, expression: str) -> Study:
        """The same study with a number that is worked out in each run, such as ``"goodput[near] / goodput[far]"``."""
        return replace(self, aims={**self.aims, "metrics": {**self.aims.get("metrics", {}), name: expression}})

    def plan(self) -> StudyPlan:
        """The study with its points worked out.

        Raises
        ------
        ScenarioError
            If what varies has mistakes.
        """
        from penstock.errors import ScenarioError
        from penstock.studies.definition import Mistakes
        from penstock.studies.file import aims_of, refuse_beside_ranges
        from penstock.studies.plan import StudyPlan, placed, points_of

        mistakes = Mistakes()
        aimed = aims_of(self.aims, mistakes)
        if self.definition.ranges:
            refuse_beside_ranges(aimed, mistakes)
        if mistakes.found:
            raise ScenarioError(placed(self.name, lambda _: None, mistakes))
        text = self.scenario()
        points = points_of(self.definition, text, self.name, self.name, lambda _: None)
        origins = {name: None for name, _ in self.definition.places()}
        return StudyPlan(
            self.name,
            text,
            self.name,
            points,
            self.description,
            self.replications,
            place=self.name,
            origins=origins,
            **aimed,
            definition=self.definition if self.definition.ranges else None,
        )

    def scenario(self) -> str:
        """The scenario's TOML text, for ``penstock run`` and for reading."""
        return self.network.toml(
            description=self.description, duration=self.duration, warm_up=self.warm_up, seed=self.seed
        )

    def run(
        self, *, jobs: int | None = None, store: Store | None = None, threads: int = 1, on: str = "threads"
    ) -> pl.DataFrame:
        """Makes the runs that are not in the store yet.

        Parameters
        ----------
        jobs : int, optional
            How many runs at the same time; by default as many as there are cores for.
        store : Store, optional
            Where finished runs are kept; the default folder if left out.
        threads : int, optional
            How many cores one run may use; the results are the same.
        on : str, optional
            Who makes the runs; see :func:`penstock.running.run_all`.

        Returns
        -------
        polars.DataFrame
            One row per metric, labels and point; see :func:`penstock.results.to_frame`.

        Raises
        ------
        ScenarioError
            If the scenario has mistakes, at any point; nothing is run then.
        RunsFailed
            If any run failed.
        PrecisionMissed
            If a point has not reached the target of :meth:`precision`; it has the result.

        Warns
        -----
        UserWarning
            Of what the scenario may not mean, such as flows between groups of unequal sizes.
        """
        result = self._made(jobs=jobs, store=store, threads=threads, on=on)
        result.require_precision()
        return result.frame()

    def trace(self, **options: Any) -> PacketTrace:
        """The events of one run, to be read once: ``study.trace(events="drop").frame()``.

        Parameters
        ----------
        **options
            Those of :class:`penstock.trace.PacketTrace`, such as ``at``, ``flows``, ``events`` and ``replication``.

        Raises
        ------
        ScenarioError
            If the scenario has mistakes, or what is asked for does not exist.
        """
        from penstock.trace import PacketTrace

        return PacketTrace(self.scenario(), name=self.name, **options)

    def result(
        self, *, jobs: int | None = None, store: Store | None = None, threads: int = 1, on: str = "threads"
    ) -> StudyResult:
        """As :meth:`run`, with the single runs of every point; those without their precision are in its ``missed``."""
        return self._made(jobs=jobs, store=store, threads=threads, on=on)

    def _made(self, *, jobs: int | None, store: Store | None, threads: int, on: str) -> StudyResult:
        """The result; what is to be known of the scenario is a warning to whoever called the caller."""
        from penstock.studies.making import make
        from penstock.studies.request import warnings_of
        from penstock.studies.verify import verify

        plan = self.plan()
        asked = plan.read()
        verify(plan, asked)
        for warning in warnings_of(asked):
            warnings.warn(warning, stacklevel=3)
        with self._runner(jobs=jobs, store=store, threads=threads, on=on) as runner:
            return make(plan, asked, runner)

    def series(self, **options: Any) -> TimeSeries:
        """The state of one run over time, to be read once: ``study.series(of="tcp", on="change").frame()``.

        Parameters
        ----------
        **options
            Those of :class:`penstock.series.TimeSeries`, such as ``of``, ``what``, ``every`` and ``replication``.

        Raises
        ------
        ScenarioError
            If the scenario has mistakes, or what is asked for does not exist.
        """
        from penstock.series import TimeSeries

        return TimeSeries(self.scenario(), name=self.name, **options)

    def stored(self, store: Store | None = None) -> StudyResult:
        """What there is of the study in a store, perhaps while another process is making more of it; nothing is run.

        Parameters
        ----------
        store : Store, optional
            Where finished runs are kept; the default folder if left out.

        Raises
        ------
        PenstockError
            If there is no run of it yet.
        """
        from penstock.store import Store as Folder
        from penstock.studies.making import stored

        plan = self.plan()
        return stored(plan, plan.read(), store if store is not None else Folder())

    def plot(self, kind: str | None = None, **asked: Any) -> Picture:
        """Makes the runs that are not in the store yet, and draws their numbers.

        Parameters
        ----------
        kind : str, optional
            As of :meth:`penstock.studies.result.StudyResult.plot`, which takes the same.
        **asked
            ``x``, ``y``, ``by``, ``facet`` and whatever else it takes.

        Returns
        -------
        matplotlib.figure.Figure
            Its ``savefig`` writes the same bytes for the same numbers.
        """
        from penstock.plots import request_of

        request_of(kind, **asked)  # before anything is run
        return self.result().plot(kind, **asked)


def _listed(method: str, name: str, values: Sequence[Any]) -> list[Any]:
    """The values of a setting; a single text is not taken for a list of its letters."""
    if isinstance(values, str):
        raise ArgumentError(f"{method}: {name} needs a list of values, such as [{quoted(values)}]")
    return list(values)


if not TYPE_CHECKING:
    Study.__init__ = named()(Study.__init__)
