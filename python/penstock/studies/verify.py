"""Checks, before anything long is run, that the numbers that a study names are measured."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from penstock import _core
from penstock.errors import InputError, ScenarioError
from penstock.printable import quoted, utf8
from penstock.records import Metric, each_once
from penstock.studies.compare import compare
from penstock.studies.plan import StudyPlan
from penstock.studies.quantity import ExpressionError, dimension_of
from penstock.studies.request import PointRequest
from penstock.studies.select import DerivedMetrics, select

_PARTS = (20, 4, 1)  # divisors of a run; a larger part is tried if a smaller one makes no sense


def verify(plan: StudyPlan, asked: Sequence[PointRequest]) -> None:
    """Raises ScenarioError if a number that the study names does not exist, or its unit does not match its target.

    Runs the beginning of a point for each choice of measures. Equal measures may still give other rows, so all points
    are looked up in the rows that their runs can have.
    """
    if plan.precision is None and plan.compare is None and plan.warm_up is None and not plan.metrics:
        return
    firsts: dict[tuple[str, ...], PointRequest] = {}
    for each in asked:
        firsts.setdefault(tuple(each.scenario.measures), each)
    found: list[tuple[str, str]] = []
    for each in firsts.values():
        where = each.point.place if len(firsts) > 1 else ""
        found = [(path, f"{message}{where}") for path, message in _mistakes(plan, measured(each))]
        if found:
            break
    for each in asked if len(asked) > 1 else ():
        if found:
            break
        found = [(path, f"{message}{each.point.place}") for path, message in _mistakes(plan, _expected(each))]
    found += _mistakes_of_points(plan)
    mistakes: list[_core.Mistake] = [
        {"file": utf8(plan.place), "line": plan.origins.get(path), "path": path, "message": message}
        for path, message in found
    ]
    if mistakes:
        raise ScenarioError(mistakes)


def _mistakes_of_points(plan: StudyPlan) -> Iterator[tuple[str, str]]:
    """The mistakes of a comparison that no number causes."""
    if plan.compare is None:
        return
    if plan.precision is None and plan.runs < 2:
        yield "compare", "a comparison needs at least two runs of each point"
    try:
        compare([(point, ()) for point in plan.points], replace(plan.compare, metrics=()))
    except InputError as error:
        yield "compare", str(error).removeprefix("compare: ").rstrip(".")


def _mistakes(plan: StudyPlan, own: Sequence[Metric]) -> Iterator[tuple[str, str]]:
    """The numbers that a study names and a point, whose numbers are `own`, lacks."""
    metrics = list(own)
    taken = {metric.name for metric in own}
    for name, text in plan.metrics.items():
        if name in taken:
            yield f"metrics.{name}", f"{quoted(name)} is measured; give the computed number another name"
        try:
            metrics += DerivedMetrics({name: text}).of(metrics)
        except ExpressionError as error:
            yield f"metrics.{name}", str(error)
    if plan.warm_up is not None:
        yield from _selected("warm-up", plan.warm_up.metric, own)
    if plan.precision is not None:
        yield from _selected("precision.metric", plan.precision.metric, metrics)
        try:
            unit = select(plan.precision.metric, metrics).unit
        except ExpressionError:
            return
        if not plan.precision.relative and dimension_of(unit)[1] != plan.precision.dimension:
            yield (
                "precision.half-width",
                f'has not the unit of {plan.precision.metric}, {unit}; or write a share, such as "5 %"',
            )
    if plan.compare is not None:
        yield from _compared(plan.compare.metrics, metrics)


def _compared(selectors: Sequence[str], metrics: Sequence[Metric]) -> Iterator[tuple[str, str]]:
    """The selectors of a comparison that are wrong, or repeat a number, which would count twice for the p-values."""
    first: dict[str, str] = {}
    for selector in selectors:
        wrong = [*_selected("compare.metrics", selector, metrics)]
        yield from wrong
        number = selector if wrong else select(selector, metrics).selector
        if number in first:
            yield "compare.metrics", f"{quoted(selector)} is {number}, which {quoted(first[number])} is too"
        first[number] = selector


def _selected(path: str, selector: str, metrics: Sequence[Metric]) -> Iterator[tuple[str, str]]:
    try:
        select(selector, metrics)
    except ExpressionError as error:
        yield path, str(error)


def beginning(asked: PointRequest) -> PointRequest:
    """The shortest beginning of its runs that makes sense."""
    end = asked.scenario.window[1]
    return next(filter(None, (asked.window(0.0, end / divisor) for divisor in _PARTS)), asked)


def measured(asked: PointRequest) -> Sequence[Metric]:
    """Returns the numbers of a run, from the shortest beginning of one that makes sense."""
    part = beginning(asked)
    run = part.scenario.run(asked.seed, 0)
    return each_once([Metric(name, dict(labels), unit, value) for name, labels, unit, value in run.metrics])


def _expected(asked: PointRequest) -> Sequence[Metric]:
    """The numbers that a run may have, with unknown values."""
    return each_once([Metric(name, dict(labels), unit, math.nan) for name, labels, unit, _ in asked.scenario.rows()])


def middle_of(plan: StudyPlan) -> tuple[PointRequest, list[Metric]]:
    """Returns the middle of the ranges, and the numbers of a run there, derived ones included.

    Raises ScenarioError for mistakes there or at an end of the ranges, InputError if nothing varies or the seed does.
    """
    if not plan.ranges:
        raise InputError("nothing varies: give ranges, --range PATH=LOW..HIGH, or [ranges] in a study file.")
    middle = plan.read()[0]
    verify(plan, [middle])
    if len({each.seed for each in plan.at(ends(plan)).read()}) > 1:
        raise InputError("the seed varies with the ranges, and points of different seeds share no random numbers.")
    own = measured(middle)
    return middle, [*own, *DerivedMetrics(plan.metrics).of(own)]


def selected(metrics: Sequence[str], own: Sequence[Metric], what: str) -> list[str]:
    """Returns `metrics` without repetitions; raises InputError with all that a run does not have."""
    wrong = []
    for metric in metrics:
        try:
            select(metric, own)
        except ExpressionError as error:
            wrong.append(f"{what} {error}.")
    if wrong:
        raise InputError("\n".join(dict.fromkeys(wrong)))
    return list(dict.fromkeys(metrics))


def ends(plan: StudyPlan) -> list[dict[str, Any]]:
    """Returns both ends of each range (or all of its choices), with the others in their middles."""
    middle = {name: each.value(0.5) for name, each in plan.ranges.items()}
    return [
        middle | {name: value}
        for name, each in plan.ranges.items()
        for value in (each.choices or (each.value(0.0), each.value(1.0)))
    ]
