"""The trials of a search and its finalists."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.statistics import LEVEL

if TYPE_CHECKING:
    from penstock.search.question import Question
    from penstock.statistics import Comparison, Interval
    from penstock.studies.plan import StudyPlan
    from penstock.studies.request import PointRequest


@dataclass(frozen=True, slots=True)
class Trial:
    """A setting that was tried.

    Parameters
    ----------
    number : int
        Number of the proposal, from 0.
    parameters : dict of str to value
        The setting.
    point : PointRequest, optional
        The point as it was run; None if its scenario was refused.
    value : float, optional
        Mean of the number over its runs; None if there is none.
    missed_by : tuple of float
        Mean violation of each condition; not above zero where it is met.
    interval : Interval, optional
        Interval of the mean; biased for a trial that is chosen for its mean.
    why : str, optional
        Why there is no number.
    """

    number: int
    parameters: dict[str, Any]
    point: PointRequest | None = None
    value: float | None = None
    missed_by: tuple[float, ...] = ()
    interval: Interval | None = None
    why: str | None = None

    @property
    def is_feasible(self) -> bool:
        """Whether it has a number and meets all conditions."""
        return self.value is not None and all(each <= 0 for each in self.missed_by)


@dataclass(frozen=True, slots=True)
class Finalist:
    """One of the best trials in fresh runs.

    Parameters
    ----------
    trial : Trial
        The trial.
    interval : Interval
        Mean of the number over the fresh runs, with its 95 % interval.
    missed_by : tuple of Interval
        Violation of each condition in the fresh runs.
    values : list of float
        The number in each fresh run.
    less : Comparison, optional
        Paired difference from the best; None for the best itself.
    p : float, optional
        p-value of that difference, adjusted for all finalists [Holm79].
    """

    trial: Trial
    interval: Interval
    missed_by: tuple[Interval, ...]
    values: list[float]
    less: Comparison | None = None
    p: float | None = None

    @property
    def meets(self) -> str:
        """Whether it meets all conditions in its fresh runs: ``yes``, ``no``, or ``not sure``."""
        if any(each.low is not None and each.low > 0 for each in self.missed_by):
            return "no"
        sure = all(each.high is not None and each.high <= 0 for each in self.missed_by)
        return "yes" if sure else "not sure"

    def verdict(self, greatest: bool) -> str:
        """Returns ``best``, ``worse``, ``better``, or ``cannot be told`` from the best."""
        if self.less is None or self.p is None:
            return "best"
        if self.p >= 1 - LEVEL:
            return "cannot be told"
        return "better" if (self.less.difference > 0) == greatest else "worse"


@dataclass(frozen=True)
class SearchData:
    """A search and its trials.

    Parameters
    ----------
    plan : StudyPlan
        The study with its ranges.
    question : Question
        The aim of the search.
    unit : str
        Unit of the number.
    seed : int
        Seed of runs and proposals.
    trials : list of Trial
        All trials, in their order.
    finalists : list of Finalist
        The best trials in fresh runs, the chosen one first.
    """

    plan: StudyPlan
    question: Question
    unit: str
    seed: int
    trials: list[Trial]
    finalists: list[Finalist] = field(default_factory=list)

    @property
    def best(self) -> Finalist | None:
        """The chosen setting in fresh runs; None if no trial meets the conditions."""
        return self.finalists[0] if self.finalists else None

    def leaders(self, count: int) -> list[Trial]:
        """Returns the best `count` distinct trials, by the runs of the search."""
        sign = -1.0 if self.question.greatest else 1.0
        feasible = [trial for trial in self.trials if trial.is_feasible]
        found: dict[Any, Trial] = {}
        for trial in sorted(feasible, key=lambda trial: (sign * (trial.value or 0.0), trial.number)):
            assert trial.point is not None
            found.setdefault(trial.point.point.sets, trial)
        return list(found.values())[:count]

    def history(self) -> list[Trial]:
        """Returns the trials that were the best so far when they were made."""
        found: list[Trial] = []
        for trial in self.trials:
            if trial.is_feasible and (not found or self._is_better(trial, found[-1])):
                found.append(trial)
        return found

    def _is_better(self, trial: Trial, other: Trial) -> bool:
        assert trial.value is not None
        assert other.value is not None
        return trial.value > other.value if self.question.greatest else trial.value < other.value

    @property
    def warnings(self) -> list[str]:
        """Reasons to doubt the best setting, one line each."""
        found = []
        without = [trial for trial in self.trials if trial.value is None]
        for why in dict.fromkeys(trial.why for trial in without):
            own = [str(trial.number) for trial in without if trial.why == why]
            found.append(f"trial{'s' * (len(own) > 1)} {', '.join(own[:5])}{', ...' * (len(own) > 5)}: {why}.")
        better = [each for each in self.finalists if each.verdict(self.question.greatest) == "better"]
        if better:
            numbers = ", ".join(str(each.trial.number) for each in better)
            found.append(f"trial {numbers} did better in fresh runs than the one chosen; more --runs choose better.")
        best = self.best
        if best is not None:
            for condition, missed in zip(self.question.conditions, best.missed_by, strict=True):
                if missed.mean > 0:
                    found.append(f"the best setting misses {condition.text} in its fresh runs, on average.")
                elif missed.high is not None and missed.high > 0:
                    found.append(f"whether the best setting meets {condition.text} is not sure.")
        return found
