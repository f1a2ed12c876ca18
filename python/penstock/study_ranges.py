"""What a study asks of ranges: which parameters matter, and which of their values are best."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.search import SearchResult
    from penstock.sensitivity import SensitivityResult
    from penstock.store import Store
    from penstock.studies.plan import StudyPlan
    from penstock.studies.runner import Runner

__all__ = ["StudyRanges"]


class StudyRanges(ABC):
    """The part of a :class:`~penstock.study.Study` that samples ranges of its parameters."""

    name: str

    @abstractmethod
    def plan(self) -> StudyPlan:
        """The study with its points worked out."""

    @abstractmethod
    def _changed(self, **parts: Any) -> StudyRanges:
        """The same study with these parts of its definition."""

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
        """Samples ranges of parameters, makes the runs that are not in the store yet, and tells which of them matter.

        Parameters
        ----------
        ranges : mapping of str to (str or list)
            By name: ``"1 Mbit/s..10 Mbit/s"``, with ``" log"`` behind it for steps of equal ratio; or choices.
        metrics : sequence of str, optional
            Which numbers, such as ``"delay[voice]"``; all that are measured if left out.
        method : {"morris", "sobol"}
            Elementary effects, or parts of the variance.
        samples : int, optional
            Trajectories (20), or rows of the Sobol sample (64), a power of two.
        second_order : bool
            Whether pairs have Sobol indices, too.
        **options
            ``jobs``, ``store``, ``threads`` and ``on``, as of :meth:`run`.

        Raises
        ------
        ScenarioError, InputError
            If ranges or numbers have mistakes, or SALib is not installed (the extra ``sensitivity``).
        RunsFailed
            If any run failed.
        """
        from penstock.sensitivity import Design, analyse

        design = Design.of(method, samples, second_order)
        plan = self._ranged(ranges)
        with self._runner(**options) as runner:
            return analyse(plan, design, runner, [metrics] if isinstance(metrics, str) else metrics)

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
        """Searches ranges of parameters for the best setting, and runs the best ones afresh.

        Parameters
        ----------
        ranges : mapping of str to (str or list)
            As of :meth:`sensitivity`.
        minimise, maximise : str, optional
            The number; one of both.
        subject_to : sequence of str
            Conditions that hold on average, such as ``"loss[voice] < 1 %"``.
        trials, finalists, fresh : int
            How many settings are tried, how many of them get fresh runs, and how many of those.
        **options
            ``jobs``, ``store``, ``threads`` and ``on``, as of :meth:`run`.

        Raises
        ------
        ScenarioError, InputError
            If ranges, numbers or conditions have mistakes, or Optuna is not installed (the extra ``search``).
        """
        from penstock.search import Question
        from penstock.search import search as found

        aims = {"minimise": minimise, "maximise": maximise}
        asked: dict[str, Any] = {name: [each] for name, each in aims.items() if each is not None}
        conditions = [subject_to] if isinstance(subject_to, str) else list(subject_to)
        asked |= {"subject-to": conditions, "trials": trials, "finalists": finalists, "fresh": fresh}
        question, plan = Question.of(asked), self._ranged(ranges)
        with self._runner(**options) as runner:
            return found(plan, question, runner)

    def _ranged(self, ranges: Mapping[str, Any]) -> StudyPlan:
        """The plan with ranges, all of whose mistakes are told at once."""
        from penstock.errors import ScenarioError
        from penstock.studies.definition import Mistakes
        from penstock.studies.plan import placed
        from penstock.studies.questions import ranges_of

        mistakes = Mistakes()
        found = ranges_of(ranges, mistakes)
        if mistakes.found:
            raise ScenarioError(placed(self.name, lambda _: None, mistakes))
        return self._changed(ranges=found).plan()

    @contextmanager
    def _runner(
        self, *, jobs: int | None = None, store: Store | None = None, threads: int = 1, on: str = "threads"
    ) -> Iterator[Runner]:
        from penstock.progress import Progress
        from penstock.store import Store as Folder
        from penstock.studies.runner import Runner

        with Progress() as progress:
            kept = store if store is not None else Folder()
            yield Runner(jobs=jobs, store=kept, progress=progress, threads=threads, on=on)
