"""The objective of a search: a number to minimise or maximise, and conditions."""

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from penstock.errors import InputError, advice
from penstock.printable import quoted
from penstock.records import Metric
from penstock.statistics import Interval
from penstock.studies.expression import Expression, parse
from penstock.studies.quantity import ExpressionError
from penstock.studies.sections import MOST_TRIALS, is_whole
from penstock.studies.select import DerivedMetrics
from penstock.studies.verify import selected

TRIALS = 64
FINALISTS = 5
FRESH = 20


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that the best setting must meet on average."""

    text: str  # as written, such as ``"loss[voice] < 1 %"``
    margin: DerivedMetrics  # violation in a run, in the unit of its sides: not above zero where it is met
    is_strict: bool  # whether it is met only below zero

    @classmethod
    def read(cls, text: str) -> Self:
        """Raises ExpressionError if it is no inequality."""
        found = parse(text)
        if found.kind != "relation" or found.what in ("==", "!="):
            raise ExpressionError("is no inequality; write one with <, <=, > or >=")
        left, right = found.operands if found.what in ("<", "<=") else reversed(found.operands)
        margin = DerivedMetrics({"margin": Expression("operator", "-", (left, right))})
        return cls(text, margin, found.what in ("<", ">"))

    def missed_by(self, metrics: Sequence[Metric]) -> float:
        """Returns the violation in a run; NaN if a number in it is NaN."""
        return self.margin.of(metrics)[0].value

    def is_met(self, missed: float) -> bool:
        """Whether a violation is none."""
        return missed < 0 if self.is_strict else missed <= 0

    def verdict(self, missed: Interval) -> str:
        """Returns ``yes`` or ``no`` if the whole interval of a violation says so, else ``not sure``."""
        if missed.low is None or missed.high is None:
            return "not sure"
        low, high = self.is_met(missed.low), self.is_met(missed.high)
        return "yes" if low and high else "not sure" if low else "no"


@dataclass(frozen=True, slots=True)
class Question:
    """The aim of the search."""

    metric: str  # the number
    greatest: bool = False  # whether to maximise it; else it is minimised
    conditions: tuple[Condition, ...] = ()  # conditions that must hold
    trials: int = TRIALS  # number of settings to try
    finalists: int = FINALISTS  # number of the best to repeat in fresh runs
    fresh: int = FRESH  # number of fresh runs of each finalist

    @classmethod
    def of(cls, asked: Mapping[str, Any]) -> Self:
        """Reads ``[search]``, or options with its keys. Raises InputError with all mistakes, or without Optuna."""
        wrong = []
        least, greatest = asked.get("minimise", []), asked.get("maximise", [])
        if len(least) + len(greatest) != 1:
            wrong.append(
                "search: needs one number to minimise or to maximise, not "
                f"{len(least) + len(greatest) or 'none'}; others may be conditions (subject-to)."
            )
        conditions = []
        for text in asked.get("subject-to", []):
            try:
                conditions.append(Condition.read(text))
            except ExpressionError as error:
                wrong.append(f"subject-to {quoted(text)}: {error}.")
        counts = {"trials": (TRIALS, 1, MOST_TRIALS), "finalists": (FINALISTS, 1, 100), "fresh": (FRESH, 2, 10_000)}
        found = {key: asked.get(key, usual) for key, (usual, _, _) in counts.items()}
        wrong += [
            f"{key}: {found[key]} is not from {low} to {high}, or no whole number."
            for key, (_, low, high) in counts.items()
            if not is_whole(found[key]) or not low <= found[key] <= high
        ]
        if importlib.util.find_spec("optuna") is None:
            wrong.append(f"a search needs Optuna; install it with: {advice('search')}")
        if wrong:
            raise InputError("\n".join(wrong))
        return cls((least or greatest)[0], bool(greatest), tuple(conditions), **found)

    def check(self, own: Sequence[Metric]) -> None:
        """Raises InputError with all numbers that a run does not have, and units that do not match."""
        wrong = []
        try:
            selected([self.metric], own, "maximise" if self.greatest else "minimise")
        except InputError as error:
            wrong.append(str(error))
        for each in self.conditions:
            try:
                each.missed_by(own)
            except ExpressionError as error:
                wrong.append(f"subject-to {quoted(each.text)}: {error}.")
        if wrong:
            raise InputError("\n".join(wrong))
