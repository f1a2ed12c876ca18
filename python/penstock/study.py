"""A study: a network, how long it is watched, what varies, and its independent runs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from penstock.plots import request_of
from penstock.progress import Progress
from penstock.search.making import Search
from penstock.search.question import Question
from penstock.search.result import SearchResult
from penstock.sensitivity.indices import Design
from penstock.sensitivity.result import Sampling, SensitivityResult
from penstock.series import TimeSeries
from penstock.store import Store
from penstock.studies.making import make, stored
from penstock.studies.plan import StudyPlan, points_of
from penstock.studies.request import warnings_of
from penstock.studies.runner import Runner
from penstock.studies.sections import aims_of, ranges_of, refuse_beside_ranges
from penstock.studies.toml_text import Mistakes
from penstock.studies.verify import verify
from penstock.study_result import StudyResult
from penstock.study_settings import StudySettings
from penstock.trace import PacketTrace

if TYPE_CHECKING:
    import polars as pl

    from penstock.plots.canvas import Picture


class Study(StudySettings):
    """A study that can be run; :class:`~penstock.study_settings.StudySettings` has its parameters and what varies."""

    def plan(self) -> StudyPlan:
        """Returns the study with its points. Raises ScenarioError if what varies has mistakes."""
        mistakes = Mistakes()
        aimed = aims_of(self.aims, mistakes)
        if self.definition.ranges:
            refuse_beside_ranges(aimed, mistakes)
        mistakes.raise_any(self.name)
        text, ranged = self.scenario(), self.definition if self.definition.ranges else None
        points = points_of(self.definition, text, self.name, self.name)
        own = (self.name, text, self.name, points, self.description, self.replications)
        origins = {name: None for name, _ in self.definition.places()}
        return StudyPlan(*own, place=self.name, origins=origins, **aimed, definition=ranged)

    def run(
        self, *, jobs: int | None = None, store: Store | None = None, threads: int = 1, on: str = "threads"
    ) -> pl.DataFrame:
        """Makes the runs that the store does not have; returns the frame of their numbers.

        Arguments are as for :func:`penstock.running.run_all`; finished runs are kept in the default folder if `store`
        is left out.

        Returns
        -------
        polars.DataFrame
            One row per metric, labels and point; see :func:`penstock.results.to_frame`.

        Raises
        ------
        ScenarioError
            If the scenario has mistakes at any point; nothing is run then.
        RunsFailed
            If any run failed.
        PrecisionMissed
            If a point missed the target of :meth:`precision`; it has the result.

        Warns
        -----
        UserWarning
            If the scenario may not mean what it says, for example flows between groups of unequal sizes.
        """
        result = self._made(jobs=jobs, store=store, threads=threads, on=on)
        result.require_precision()
        return result.frame()

    def result(
        self, *, jobs: int | None = None, store: Store | None = None, threads: int = 1, on: str = "threads"
    ) -> StudyResult:
        """As :meth:`run`, with the single runs of every point; ``missed`` lists the points without their precision."""
        return self._made(jobs=jobs, store=store, threads=threads, on=on)

    def _made(self, **options: Any) -> StudyResult:
        """The result; warnings about the scenario point at the caller of the caller."""
        plan = self.plan()
        asked = plan.read()
        verify(plan, asked)
        for warning in warnings_of(asked):
            warnings.warn(warning, stacklevel=3)
        with _runner(**options) as runner:
            return StudyResult.of(make(plan, asked, runner))

    def stored(self, store: Store | None = None) -> StudyResult:
        """Returns what a store, or the default one, has of the study. Raises PenstockError if it has no run of it."""
        plan = self.plan()
        return StudyResult.of(stored(plan, plan.read(), store if store is not None else Store()))

    def plot(self, kind: str | None = None, **asked: Any) -> Picture:
        """Makes the runs that the store does not have, and draws their numbers as a Matplotlib figure.

        Arguments are as for :meth:`penstock.study_result.StudyResult.plot`. The figure's ``savefig`` writes equal
        bytes for equal numbers.
        """
        request_of(kind, **asked)  # refuses mistakes before anything is run
        return self.result().plot(kind, **asked)

    def trace(self, **options: Any) -> PacketTrace:
        """Returns the events of one run, to be read once: ``study.trace(events="drop").frame()``.

        Options and errors are as for :class:`penstock.trace.PacketTrace`: ``at``, ``flows``, ``events`` and others.
        """
        return PacketTrace(self.scenario(), name=self.name, **options)

    def series(self, **options: Any) -> TimeSeries:
        """Returns the state of one run over time, to be read once: ``study.series(of="tcp", on="change").frame()``.

        Options and errors are as for :class:`penstock.series.TimeSeries`: ``of``, ``what``, ``every`` and others.
        """
        return TimeSeries(self.scenario(), name=self.name, **options)

    def sensitivity(
        self,
        ranges: Mapping[str, Any],
        metrics: Sequence[str] = (),
        *,
        method: str = "morris",
        samples: int | None = None,
        second_order: bool = False,
        **options: Any,
    ) -> SensitivityResult:
        """Samples ranges of parameters and computes which of them matter.

        Parameters
        ----------
        ranges : mapping of str to (str or list)
            By name: ``"1 Mbit/s..10 Mbit/s"``, with ``" log"`` at the end for steps of equal ratio; or choices.
        metrics : sequence of str, optional
            Numbers such as ``"delay[voice]"``; all that are measured by default.
        method : {"morris", "sobol"}
            Elementary effects, or parts of the variance.
        samples : int, optional
            Number of trajectories (20), or of rows of the Sobol sample (64), a power of two.
        second_order : bool
            Whether to compute Sobol indices of pairs, too.
        **options
            ``jobs``, ``store``, ``threads`` and ``on``, as for :meth:`run`.

        Raises
        ------
        ScenarioError, InputError
            If ranges or numbers have mistakes, or SALib is not installed (the extra ``sensitivity``).
        RunsFailed
            If any run failed.
        """
        design = Design.of(method, samples, second_order)
        plan = self._ranged(ranges)
        with _runner(**options) as runner:
            sampling = Sampling(plan, design, [metrics] if isinstance(metrics, str) else metrics)
            return sampling.result(runner.make(sampling.asked))

    def search(
        self,
        ranges: Mapping[str, Any],
        *,
        minimise: str | None = None,
        maximise: str | None = None,
        subject_to: Sequence[str] = (),
        trials: int = 64,
        finalists: int = 5,
        fresh: int = 20,
        **options: Any,
    ) -> SearchResult:
        """Searches ranges of parameters for the best setting, and repeats the best ones in fresh runs.

        Parameters
        ----------
        ranges : mapping of str to (str or list)
            As for :meth:`sensitivity`.
        minimise, maximise : str, optional
            The number; one of the two.
        subject_to : sequence of str
            Conditions that hold on average, such as ``"loss[voice] < 1 %"``.
        trials, finalists, fresh : int
            Number of settings to try, of the best ones to repeat, and of fresh runs of each of those.
        **options
            ``jobs``, ``store``, ``threads`` and ``on``, as for :meth:`run`.

        Raises
        ------
        ScenarioError, InputError
            If ranges, numbers or conditions have mistakes, or Optuna is not installed (the extra ``search``).
        """
        aims = {"minimise": minimise, "maximise": maximise}
        asked: dict[str, Any] = {name: [each] for name, each in aims.items() if each is not None}
        conditions = [subject_to] if isinstance(subject_to, str) else list(subject_to)
        asked |= {"subject-to": conditions, "trials": trials, "finalists": finalists, "fresh": fresh}
        question, plan = Question.of(asked), self._ranged(ranges)
        with _runner(**options) as runner:
            return Search(plan, question).made_by(runner)

    def _ranged(self, ranges: Mapping[str, Any]) -> StudyPlan:
        mistakes = Mistakes()
        found = ranges_of(ranges, mistakes)
        mistakes.raise_any(self.name)
        return self._changed(ranges=found).plan()


@contextmanager
def _runner(
    *, jobs: int | None = None, store: Store | None = None, threads: int = 1, on: str = "threads"
) -> Iterator[Runner]:
    with Progress() as progress:
        kept = store if store is not None else Store()
        yield Runner(jobs=jobs, store=kept, progress=progress, threads=threads, on=on)
