"""Proposes settings by Optuna's tree-structured Parzen estimator, seeded, in batches of fixed size."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.search.data import Trial
    from penstock.search.question import Question
    from penstock.studies.ranges import Range

BATCH = 8
"""Number of trials proposed before any of them is known. It is fixed, so that proposals depend neither on the number of
parallel runs nor on which ends first.
"""
RANDOM = 16
"""Number of random trials at the start: two batches."""


class Sampler:
    """Proposals that depend only on the question, the seed, and the results of whole batches, in their order."""

    def __init__(self, ranges: Mapping[str, Range], question: Question, seed: int) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        self._ranges = ranges
        self._conditions = question.conditions
        # It takes 32 bits.
        sampler = optuna.samplers.TPESampler(seed=(seed ^ (seed >> 32)) % 2**32, n_startup_trials=RANDOM)
        direction = "maximize" if question.greatest else "minimize"
        self._study = optuna.create_study(direction=direction, sampler=sampler)
        self._failed = optuna.trial.TrialState.FAIL
        self._space = {name: _distribution(each) for name, each in ranges.items()}
        self._asked: list[Any] = []

    def propose(self, count: int) -> list[dict[str, Any]]:
        """Returns the values of the next trials as TOML values."""
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
                trial.set_constraint(condition.text, missed)
            self._study.tell(trial, result.value)
        self._asked = []


def _distribution(each: Range) -> Any:
    """Choices and whole numbers as such, everything else by its share of the range."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    if each.choices:
        return CategoricalDistribution(range(len(each.choices)))
    if each.is_whole:
        assert each.low is not None
        assert each.high is not None
        return IntDistribution(int(each.low.value), int(each.high.value), log=each.log)
    return FloatDistribution(0.0, 1.0)


def _value(each: Range, proposed: float) -> Any:
    if each.choices:
        return each.choices[int(proposed)]
    return each.whole(int(proposed)) if each.is_whole else each.value(proposed)
