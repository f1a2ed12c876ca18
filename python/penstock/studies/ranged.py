"""What sensitivity studies and searches share: their numbers, and the ends of their ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.studies.select import DerivedMetrics, SelectionError, described, select
from penstock.studies.verify import measured, verify

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.records import Metric
    from penstock.studies.plan import StudyPlan
    from penstock.studies.request import PointRequest


def chosen(plan: StudyPlan, middle: PointRequest, metrics: Sequence[str]) -> list[str]:
    """Returns the numbers to analyse, all that are measured by default. Raises InputError with all that are not."""
    own = numbers_of(plan, middle)
    if not metrics:
        return list(dict.fromkeys(map(described, own)))
    return selected(metrics, own, "metric")


def require_ranges(plan: StudyPlan) -> None:
    """Raises InputError if nothing varies."""
    if not plan.ranges:
        raise InputError("nothing varies: give ranges, --range PATH=LOW..HIGH, or [ranges] in a study file.")


def numbers_of(plan: StudyPlan, middle: PointRequest) -> list[Metric]:
    """Returns the numbers of a run in the middle of the ranges, derived ones included."""
    verify(plan, [middle])
    own = measured(middle)
    return own + DerivedMetrics(plan.metrics).of(own)


def selected(metrics: Sequence[str], own: Sequence[Metric], what: str) -> list[str]:
    """Returns `metrics` without repetitions; raises InputError with all that a run does not have."""
    wrong = []
    for metric in metrics:
        try:
            select(metric, own)
        except SelectionError as error:
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
