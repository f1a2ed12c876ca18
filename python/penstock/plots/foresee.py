"""Checks before the runs of a study whether its plot can be drawn."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.plots.chart import chart_of
from penstock.plots.data import Data, Datum, cell
from penstock.studies.derived import at
from penstock.studies.expression import ExpressionError
from penstock.studies.runner import Reader
from penstock.studies.select import DerivedMetrics, SelectionError
from penstock.studies.verify import measured

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.plots.request import PlotRequest
    from penstock.records import Metric
    from penstock.store import Store
    from penstock.studies.plan import StudyPlan
    from penstock.studies.request import PointRequest

_PROBES = 50
"""Maximum number of points that are examined before a plot is refused, spread over all points."""


def foresee(plan: StudyPlan, asked: Sequence[PointRequest], request: PlotRequest, store: Store, name: str) -> None:
    """Builds the chart with placeholder numbers, named like those of a stored run or of the beginning of one.

    Points may measure different numbers, so several are examined before a plot is refused. Raises InputError if a
    column or number does not exist, or numbers would share a position.
    """
    derived = DerivedMetrics(plan.metrics)
    ahead: dict[int, list[Metric]] = {}
    spread = range(0, len(asked), max(1, len(asked) // _PROBES))
    refused: InputError | None = None
    for number in dict.fromkeys([0, len(asked) - 1, *spread]):
        first = replace(asked[number], replications=asked[number].replications[:1])
        (kept,) = Reader(store).kept([first])
        metrics = kept[0].metrics if kept else measured(asked[number])
        try:
            ahead[number] = [*metrics, *derived.of(metrics)]
        except (ExpressionError, SelectionError) as error:
            raise InputError(f"metrics: {error}{at(asked[number].point.parameters)}.") from None
        # Points that were not looked at measure what the first one does.
        numbers = [_datum(each, metric) for i, each in enumerate(asked) for metric in ahead.get(i, ahead[0])]
        try:
            chart_of(Data(numbers, name=name), request)
        except InputError as error:
            refused = refused or error
        else:
            return
    if refused is not None:
        raise refused


def _datum(asked: PointRequest, metric: Metric) -> Datum:
    parameters = {**asked.point.parameters, **asked.point.derived}
    point = {path: cell(value) for path, value in parameters.items()}
    return Datum(metric.name, metric.unit, point, dict(metric.labels), 1.0, 1.0, 1.0, (1.0,))
