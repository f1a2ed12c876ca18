"""Runs a search: batches of trials that depend on the seed and earlier trials alone, then fresh runs of the best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from penstock.errors import InputError, PenstockError, RunsFailed, ScenarioError
from penstock.records import RunResult
from penstock.results import interval_of
from penstock.search.question import Question
from penstock.search.result import Finalist, SearchResult, Trial
from penstock.statistics import Interval, holm, interval, mean, paired
from penstock.studies.plan import StudyPlan
from penstock.studies.quantity import ExpressionError
from penstock.studies.ranges import Range
from penstock.studies.request import PointRequest
from penstock.studies.runner import Reader, Runner
from penstock.studies.select import DerivedMetrics, select
from penstock.studies.verify import middle_of

_BATCH = 8
"""Trials proposed before any of them is known; fixed, so that proposals do not depend on which run ends first."""
_RANDOM = 16  # number of random trials at the start: two batches
_TINY = 1e-300  # violation of a strict inequality whose sides are equal


class Search:
    """A search before its runs. Raises as :func:`middle_of`, and InputError if a number is not measured."""

    def __init__(self, plan: StudyPlan, question: Question) -> None:
        self.plan, self.question = plan, question
        self.middle, own = middle_of(plan)
        question.check(own)
        self._metric = select(question.metric, own)
        self._derived = DerivedMetrics(plan.metrics)

    def first(self) -> list[PointRequest]:
        """Returns the points of the first batch, without refused ones."""
        proposed = self._sampler().propose(min(_BATCH, self.question.trials))
        return [each for each in map(self._point, proposed) if not isinstance(each, str)]

    def made_by(self, runner: Runner) -> SearchResult:
        """Makes all trials and the fresh runs. Raises InputError if no trial has a number."""
        sampler = self._sampler()
        trials: list[Trial] = []
        while len(trials) < self.question.trials:
            proposed = sampler.propose(min(_BATCH, self.question.trials - len(trials)))
            batch = self._batch(len(trials), proposed, runner)
            sampler.learn(batch)
            trials += batch
        if all(trial.value is None for trial in trials):
            raise InputError(
                f"none of {len(trials)} trials has a number: {trials[0].why}.\n"
                "Nothing can be said of the best; look at one of them by 'penstock run'."
            )
        result = SearchResult(self.plan, self.question, self._metric.unit, self.middle.seed, trials)
        return replace(result, finalists=self._finalists(result, runner))

    def _sampler(self) -> _Sampler:
        return _Sampler(self.plan.ranges, self.question, self.middle.seed)

    def _point(self, values: dict[str, Any]) -> PointRequest | str:
        """The point of a trial, or why it is refused: some combinations of values make no valid scenario."""
        try:
            return self.plan.at([values]).read()[0]
        except ScenarioError as error:
            return f"refused: {error.mistakes[0]['path']}: {error.mistakes[0]['message']}"

    def _batch(self, begin: int, proposed: Sequence[dict[str, Any]], runner: Runner) -> list[Trial]:
        points = [self._point(values) for values in proposed]
        runs = iter(_made([each for each in points if not isinstance(each, str)], runner))
        numbered = enumerate(zip(proposed, points, strict=True), start=begin)
        return [self._trial(number, values, point, runs) for number, (values, point) in numbered]

    def _trial(
        self, number: int, values: dict[str, Any], point: PointRequest | str, runs: Iterator[Sequence[RunResult] | str]
    ) -> Trial:
        if isinstance(point, str):
            return Trial(number, values, why=point)
        if isinstance(made := next(runs), str):
            return Trial(number, values, point, why=f"failed: {made}")
        try:
            numbers, missed = self._numbers(made)
        except (InputError, ExpressionError) as error:  # a choice may change the measures
            return Trial(number, values, point, why=str(error).rstrip("."))
        own = [mean(numbers), *map(mean, missed)]
        if not all(map(math.isfinite, own)):
            what = self.question.metric if not math.isfinite(own[0]) else "a condition"
            return Trial(number, values, point, why=f"{what} is no number in some run")
        met = all(each.is_met(by) for each, by in zip(self.question.conditions, own[1:], strict=True))
        return Trial(number, values, point, own[0], tuple(own[1:]), met, self._interval(numbers))

    def _numbers(self, made: Sequence[RunResult]) -> tuple[list[float], list[list[float]]]:
        runs = [run.metrics for run in self._derived.added(made)]
        numbers = [select(self.question.metric, metrics).value for metrics in runs]
        return numbers, [[each.missed_by(metrics) for metrics in runs] for each in self.question.conditions]

    def _interval(self, numbers: Sequence[float]) -> Interval:
        return interval_of(self._metric.name, self._metric.labels, numbers)

    def _finalists(self, result: SearchResult, runner: Runner) -> list[Finalist]:
        """The best trials in new runs, and their differences from the first of them."""
        chosen = result.leaders(self.question.finalists)
        count = self.plan.runs
        fresh = tuple(range(count, count + self.question.fresh))
        points = [replace(trial.point, replications=fresh) for trial in chosen if trial.point is not None]
        found = []
        for trial, made in zip(chosen, _made(points, runner), strict=True):
            if isinstance(made, str):
                raise PenstockError(f"the fresh runs of trial {trial.number} failed: {made}")
            numbers, missed = self._numbers(made)
            missed_by = tuple(interval(each) for each in missed)
            meets = [each.verdict(by) for each, by in zip(self.question.conditions, missed_by, strict=True)]
            sure = next((verdict for verdict in ("no", "not sure") if verdict in meets), "yes")
            found.append(Finalist(trial, self._interval(numbers), missed_by, sure, numbers))
        others = [paired(each.values, found[0].values) for each in found[1:]]
        adjusted = holm([1.0 if math.isnan(each.p_two_sided) else each.p_two_sided for each in others])
        compared = [replace(each, less=less, p=p) for each, less, p in zip(found[1:], others, adjusted, strict=True)]
        return found[:1] + compared


def _made(points: Sequence[PointRequest], runner: Runner) -> list[Sequence[RunResult] | str]:
    """The runs of each point, or why one of them failed."""
    if not points:
        return []
    try:
        return list(runner.make(points))
    except RunsFailed as failed:
        if runner.store is None:
            raise
        kept = Reader(runner.store).kept(points)
        messages = {(each.request.sets, each.request.replication): each.message for each in failed.failures}
        return [
            own if len(own) == len(point.replications) else _why(point, messages)
            for point, own in zip(points, kept, strict=True)
        ]


def _why(point: PointRequest, messages: dict[tuple[Any, int], str]) -> str:
    own = (messages.get((each.sets, each.replication)) for each in point.requests())
    return next((each for each in own if each is not None), "a run failed")


class _Sampler:
    """Proposals that depend only on the question, the seed, and the results of whole batches, in their order."""

    def __init__(self, ranges: Mapping[str, Range], question: Question, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._ranges = ranges
        self._conditions = question.conditions
        # It takes 32 bits.
        sampler = optuna.samplers.TPESampler(seed=(seed ^ (seed >> 32)) % 2**32, n_startup_trials=_RANDOM)
        direction = "maximize" if question.greatest else "minimize"
        self._study = optuna.create_study(direction=direction, sampler=sampler)
        self._failed = optuna.trial.TrialState.FAIL
        self._space = {name: _distribution(each) for name, each in ranges.items()}
        self._asked: list[Any] = []

    def propose(self, count: int) -> list[dict[str, Any]]:
        self._asked = [self._study.ask(self._space) for _ in range(count)]
        return [
            {name: _value(self._ranges[name], trial.params[name]) for name in self._ranges} for trial in self._asked
        ]

    def learn(self, made: Sequence[Trial]) -> None:
        """Takes the results of the proposed trials, in their order."""
        for trial, result in zip(self._asked, made, strict=True):
            if result.value is None:
                self._study.tell(trial, state=self._failed)
                continue
            for condition, missed in zip(self._conditions, result.missed_by, strict=True):
                # It takes zero as met.
                trial.set_constraint(condition.text, missed if condition.is_met(missed) else max(missed, _TINY))
            self._study.tell(trial, result.value)
        self._asked = []


def _distribution(each: Range) -> Any:
    """Choices and whole numbers as such, everything else by its share of the range."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if each.choices:
        return CategoricalDistribution(range(len(each.choices)))
    if each.is_whole:
        return IntDistribution(int(each.low.value), int(each.high.value), log=each.log)
    return FloatDistribution(0.0, 1.0)


def _value(each: Range, proposed: float) -> Any:
    if each.choices:
        return each.choices[int(proposed)]
    return each.whole(int(proposed)) if each.is_whole else each.value(proposed)
