"""Checks that the numbers that a study names are measured, before anything long is run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.errors import InputError, ScenarioError
from penstock.printable import utf8
from penstock.records import Metric
from penstock.studies.compare import compare
from penstock.studies.expression import ExpressionError
from penstock.studies.quantity import dimension_of
from penstock.studies.select import DerivedMetrics, SelectionError, select

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from penstock import _core
    from penstock.studies.plan import StudyPlan
    from penstock.studies.request import PointRequest

_PARTS = (20, 4, 1)
"""Divisors of a run; a larger part is tried if a smaller one makes no sense."""


def verify(plan: StudyPlan, asked: Sequence[PointRequest]) -> None:
    """Runs the beginning of the first point and looks up every number that the study names.

    Raises ScenarioError if one does not exist, or its unit does not match its target.
    """
    if plan.precision is None and plan.compare is None and plan.warm_up is None and not plan.metrics:
        return
    mistakes: list[_core.Mistake] = [
        {"file": utf8(plan.place), "line": plan.origins.get(path), "path": path, "message": message}
        for path, message in _mistakes(plan, asked[0])
    ]
    if mistakes:
        raise ScenarioError(mistakes)


def _mistakes(plan: StudyPlan, asked: PointRequest) -> Iterator[tuple[str, str]]:
    own = measured(asked)
    metrics = list(own)
    for name, text in plan.metrics.items():
        try:
            metrics += DerivedMetrics({name: text}).of(metrics)
        except (ExpressionError, SelectionError) as error:
            yield f"metrics.{name}", str(error)
    if plan.warm_up is not None:
        yield from _selected("warm-up", plan.warm_up.metric, own)
    if plan.precision is not None:
        yield from _selected("precision.metric", plan.precision.metric, metrics)
        try:
            unit = select(plan.precision.metric, metrics).unit
        except SelectionError:
            return
        if not plan.precision.relative and dimension_of(unit)[1] != plan.precision.dimension:
            yield (
                "precision.half-width",
                f'has not the unit of {plan.precision.metric}, {unit}; or write a share, such as "5 %"',
            )
    if plan.compare is not None:
        for selector in plan.compare.metrics:
            yield from _selected("compare.metrics", selector, metrics)
        try:
            compare([(point, ()) for point in plan.points], replace(plan.compare, metrics=()))
        except InputError as error:
            yield "compare", str(error).removeprefix("compare: ").rstrip(".")


def _selected(path: str, selector: str, metrics: Sequence[Metric]) -> Iterator[tuple[str, str]]:
    try:
        select(selector, metrics)
    except SelectionError as error:
        yield path, str(error)


def beginning(asked: PointRequest) -> PointRequest:
    """The shortest beginning of its runs that makes sense."""
    end = asked.scenario.window[1]
    return next(filter(None, (asked.window(0.0, end / divisor) for divisor in _PARTS)), asked)


def measured(asked: PointRequest) -> list[Metric]:
    """Returns the numbers of a run, from the shortest beginning of one that makes sense."""
    part = beginning(asked)
    run = part.scenario.run(asked.seed, 0)
    return [Metric(name, dict(labels), unit, value) for name, labels, unit, value in run.metrics]
