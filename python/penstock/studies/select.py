"""Selects single numbers of a run by metric and labels, and computes derived ones."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from penstock.errors import InputError
from penstock.printable import quoted, suggestion
from penstock.records import RUNS, Metric, RunResult
from penstock.studies.derived import as_value, at
from penstock.studies.expression import Expression, Value, parse
from penstock.studies.quantity import ExpressionError, Quantity, base_unit, dimension_of

_LARGEST = 10**100  # maximum size of a computed number; the squares that its variance sums are finite


def select(selector: str, metrics: Sequence[Metric]) -> Metric:
    """Returns the number that a selector such as ``delay[video, max]`` matches; a label may also be ``name=label``.

    Raises ExpressionError unless exactly one matches.

    >>> found = [Metric("delay", {"of": "video", "statistic": which}, "s", 1.0) for which in ("mean", "max")]
    >>> select("delay[max]", found).labels["statistic"]
    'max'
    """
    name, bracket, rest = selector.strip().partition("[")
    if bracket and not rest.endswith("]"):
        raise ExpressionError(f"{quoted(selector)} has no ']' at its end")
    wanted = [label.strip() for label in rest[:-1].split(",")] if bracket else []
    named = [metric for metric in metrics if metric.name == name.strip()]
    if not named:
        names = list(dict.fromkeys(metric.name for metric in metrics))
        raise ExpressionError(f"{quoted(name)} is not measured here{suggestion(name, names)} ({', '.join(names)})")
    found = [metric for metric in named if all(_has(metric, label) for label in wanted)]
    if len(found) > 1:
        # Without a statistic, the mean.
        plain = [each for each in found if "quantile" not in each.labels]
        means = [each for each in plain if each.labels.get("statistic", "mean") == "mean"]
        found = means if len(means) == 1 else found
    if len(found) != 1:
        what = "means several numbers" if found else "means no number"
        which = ", ".join(metric.selector for metric in (found or named)[:8])
        raise ExpressionError(f"{quoted(selector)} {what}; there are {which}")
    return found[0]


def numbers_of_runs(selector: str, runs: Sequence[RunResult], of: str) -> list[Metric]:
    """Returns the number of each run of a point. Raises InputError, which begins with `of`, as :func:`select` does."""
    try:
        return [select(selector, run.metrics) for run in runs]
    except ExpressionError as error:
        raise InputError(f"{of}: {error}{at(dict(runs[0].request.sets))}.") from None


class DerivedMetrics:
    """Numbers computed from others in each run, 1 or 0 for a condition. Raises ExpressionError if one is malformed."""

    def __init__(self, expressions: Mapping[str, str | Expression]) -> None:
        self._expressions = {name: parse(each) if isinstance(each, str) else each for name, each in expressions.items()}

    @property
    def names(self) -> set[str]:
        """The names in the expressions."""
        return {name for expression in self._expressions.values() for name in expression.names()}

    def of(self, metrics: Sequence[Metric], values: Mapping[str, Any] | None = None) -> list[Metric]:
        """Returns the derived numbers of a run, NaN if unknown; `values` has further names, as TOML values.

        Raises ExpressionError if a name is no metric, or units do not match.
        """
        known = list(metrics)
        for name, expression in self._expressions.items():
            known.append(_derived(name, expression, known, values or {}))
        return known[len(metrics) :]

    def added(self, runs: Sequence[RunResult]) -> Sequence[RunResult]:
        """Returns runs with the derived numbers. Raises InputError if a run lacks one that they need."""
        if not self._expressions:
            return runs
        try:
            return [replace(run, metrics=[*run.metrics, *self.of(run.metrics)]) for run in runs]
        except ExpressionError as error:
            raise InputError(f"metrics: {error}{at(dict(runs[0].request.sets))}.") from None


def _derived(name: str, expression: Expression, metrics: Sequence[Metric], values: Mapping[str, Any]) -> Metric:
    unknown = False

    def look_up(selector: str) -> Value:
        nonlocal unknown
        if (given := _given(selector, metrics, values)) is not None:
            return given
        metric = select(selector, metrics)
        scale, dimension = dimension_of(metric.unit)
        if not math.isfinite(metric.value):
            unknown = True
            return Quantity(Fraction(1), dimension)
        return Quantity(Fraction(metric.value) * scale, dimension)

    try:
        value = expression.evaluate(look_up)
    except ExpressionError as error:
        if str(error) != "division by zero" and "no square root of -" not in str(error):
            raise
        return _unknown(name, expression, metrics, values)
    if isinstance(value, bool):
        return Metric(name, dict(RUNS), "1", math.nan if unknown else float(value))
    if isinstance(value, str):
        raise ExpressionError(f"{quoted(value)} is not a number")
    if abs(value.value) > _LARGEST:
        raise ExpressionError("the number is too large")
    return Metric(name, {}, base_unit(value.dimension), math.nan if unknown else float(value.value))


def _given(selector: str, metrics: Sequence[Metric], values: Mapping[str, Any]) -> Value | None:
    """The value of a name that is no metric; None if unknown."""
    if selector not in values or any(metric.name == selector for metric in metrics):
        return None
    return as_value(values[selector])


def _unknown(name: str, expression: Expression, metrics: Sequence[Metric], values: Mapping[str, Any]) -> Metric:
    """NaN for a number that this run lacks, with its unit, computed with placeholder values that do not cancel out."""
    ranks: dict[str, int] = {}

    def look_up(selector: str, are_small: bool) -> Value:
        if (given := _given(selector, metrics, values)) is not None:
            return given
        rank = ranks.setdefault(selector, len(ranks) % 20 + 1)
        size = Fraction(7) ** (-20 - rank if are_small else rank)
        return Quantity(size, dimension_of(select(selector, metrics).unit)[1])

    try:
        value = expression.evaluate(lambda selector: look_up(selector, are_small=False))
    except ExpressionError:  # a root of a difference, which has the other sign for small values
        value = expression.evaluate(lambda selector: look_up(selector, are_small=True))
    if isinstance(value, Quantity):
        return Metric(name, {}, base_unit(value.dimension), math.nan)
    return Metric(name, dict(RUNS), "1", math.nan)


def _has(metric: Metric, label: str) -> bool:
    key, equals, value = label.partition("=")
    return metric.labels.get(key.strip()) == value.strip() if equals else label in metric.labels.values()
