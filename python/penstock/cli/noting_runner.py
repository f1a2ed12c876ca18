"""A runner of points that records on how many cores the runs were made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.errors import RunsFailed
from penstock.studies.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.cli.cores import Cores
    from penstock.records import RunResult
    from penstock.studies.request import PointRequest


class NotingRunner(Runner):
    """Adds each run to `cores`; the other parameters are those of :class:`Runner`."""

    def __init__(self, cores: Cores, **options: Any) -> None:
        super().__init__(threads=cores.threads, **options)
        self._cores = cores

    def make(self, points: Sequence[PointRequest]) -> list[Sequence[RunResult]]:
        """As that of :class:`Runner`."""
        try:
            made = super().make(points)
        except RunsFailed as error:
            self._note_rest(points, error)
            raise
        if self._cores.threads == 1:
            return made
        for point, runs in zip(points, made, strict=True):
            for run in runs:
                if run.threads is not None:
                    self._cores.note_run(run.request, run.threads, point.scenario)
        return made

    def _note_rest(self, points: Sequence[PointRequest], error: RunsFailed) -> None:
        """If a run fails, the results of the others are not known here; looks at the network only."""
        failed = {each.request for each in error.failures}
        for point in points:
            if (made := next((each for each in point.requests() if each not in failed), None)) is not None:
                self._cores.note_run(made, scenario=point.scenario)
