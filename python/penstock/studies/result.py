"""What came out of a study."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.printable import json_text
from penstock.results import frame_of, summarise, to_data
from penstock.running import run_all

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl

    from penstock.records import RunResult, Status
    from penstock.results import Summary
    from penstock.store import Store
    from penstock.studies.plan import StudyPlan
    from penstock.studies.request import PointRequest

__all__ = ["PointResult", "StudyResult", "make"]


@dataclass(frozen=True, slots=True)
class PointResult:
    """A point and its runs, in the order of their numbers."""

    asked: PointRequest
    runs: list[RunResult]

    def summaries(self) -> list[Summary]:
        """Its numbers, with its parameters and what follows from them."""
        point = {**self.asked.point.parameters, **self.asked.point.derived}
        return [replace(summary, point=point) for summary in summarise(self.runs)]


@dataclass(frozen=True)
class StudyResult:
    """All points of a study with their runs.

    Parameters
    ----------
    plan : StudyPlan
        What was run.
    points : list of PointResult
        In the order of the plan.
    """

    plan: StudyPlan
    points: list[PointResult]

    @property
    def runs(self) -> list[RunResult]:
        """The runs of all points."""
        return [run for point in self.points for run in point.runs]

    @property
    def parameters(self) -> list[str]:
        """What differs from point to point, by name."""
        return list(dict.fromkeys(name for point in self.points for name in point.asked.point.parameters))

    def summaries(self) -> list[Summary]:
        """The numbers of all points."""
        return [summary for point in self.points for summary in point.summaries()]

    def frame(self) -> pl.DataFrame:
        """One row per number and point, with the parameters as columns; see :func:`penstock.results.to_frame`."""
        return frame_of(self.summaries())

    def json(self) -> str:
        """The study as JSON, without times, paths and hosts: equal runs give equal bytes.

        Of a scenario an object with its numbers, see :func:`penstock.results.to_json`; of a sweep an array with one for
        each point, which has its ``settings``; of a study file ``{"study", "description", "points"}``, and each of the
        points has its ``parameters`` too.
        """
        points = [self._point(point) for point in self.points]
        if not self.plan.is_file:
            return json_text(points if len(points) > 1 else points[0])
        return json_text({"study": self.plan.name, "description": self.plan.description, "points": points})

    def _point(self, point: PointResult) -> dict[str, Any]:
        asked, more = point.asked, {}
        if self.plan.is_file:
            more["parameters"] = asked.point.parameters
        if self.plan.is_file or len(self.points) > 1:
            more["settings"] = dict(asked.point.sets)
        return to_data(
            self.plan.scenario_name,
            point.runs,
            **more,
            description=asked.scenario.description,
            seed=asked.seed,
            model_version=_core.MODEL_VERSION,
        )


def make(
    plan: StudyPlan,
    asked: Sequence[PointRequest],
    *,
    jobs: int | None = None,
    store: Store | None = None,
    progress: Callable[[Status], None] | None = None,
    executor: str = "horizon",
    threads: int = 1,
) -> StudyResult:
    """Makes the runs of a study, those of all points side by side; see :func:`penstock.running.run_all`.

    Parameters
    ----------
    plan : StudyPlan
        The study.
    asked : sequence of PointRequest
        What :meth:`~penstock.studies.plan.StudyPlan.read` gave.
    """
    requests = [request for each in asked for request in each.requests()]
    results = iter(run_all(requests, jobs=jobs, store=store, progress=progress, executor=executor, threads=threads))
    return StudyResult(plan, [PointResult(each, list(islice(results, len(each.replications)))) for each in asked])
