"""Makes the runs of points: of studies, of sweeps, of published studies; in one round or in several."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any
from weakref import finalize

from penstock.errors import PenstockError
from penstock.records import RunResult, Status, collection_paused
from penstock.running import make_all
from penstock.store import RunKeys
from penstock.workers import Reserve
from penstock.workers.job import How

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from penstock.store import Store
    from penstock.studies.request import PointRequest

__all__ = ["Reader", "Runner"]


class Runner:
    """Who makes runs, and where they are kept; the parameters are those of :func:`penstock.running.run_all`.

    All points that are handed over together share the workers. Several rounds have one progress, and worker processes
    stay from round to round, until nobody has their runner any more.
    """

    def __init__(
        self,
        *,
        jobs: int | None = None,
        store: Store | None = None,
        progress: Callable[[Status], None] | None = None,
        executor: str = "horizon",
        threads: int = 1,
        on: str = "threads",
    ) -> None:
        self.jobs = jobs
        self.store = store
        self._progress = progress
        self._how = How(executor, threads)
        self._on = on
        self._reserve = Reserve()
        finalize(self, self._reserve.close)
        self._before = Status(0)
        self._now = Status(0)

    def make(self, points: Sequence[PointRequest]) -> list[list[RunResult]]:
        """The runs of each point, in the order of their numbers.

        Raises
        ------
        RunsFailed
            If any failed, after all others.
        """
        with collection_paused():
            asked = [(request, point.scenario) for point in points for request in point.requests()]
            options: Any = {"jobs": self.jobs, "store": self.store, "progress": self._watch}
            made = iter(make_all(asked, how=self._how, on=self._on, reserve=self._reserve, **options))
        self._before, self._now = self._sum(), Status(0)
        return [list(islice(made, len(point.replications))) for point in points]

    def _watch(self, status: Status) -> None:
        """Shows the rounds that have ended and this one together."""
        self._now = status
        if self._progress is not None:
            self._progress(self._sum())

    def _sum(self) -> Status:
        before, now = self._before, self._now
        counts = ("total", "done", "cached", "failed", "packet_hops", "replaced")
        # Efforts are told in units of their own in each round.
        summed = {name: getattr(before, name) + getattr(now, name) for name in counts}
        return Status(**summed, work=now.work, worked=now.worked, notes=before.notes + now.notes)


class Reader(Runner):
    """Makes nothing, and has only what is in a store: perhaps while another process is filling it."""

    def __init__(self, store: Store) -> None:
        super().__init__(store=store)
        self._store = store

    def make(self, points: Sequence[PointRequest]) -> list[list[RunResult]]:
        """The runs of each point.

        Raises
        ------
        PenstockError
            If any of them is not there.
        """
        found = [list(self.kept(point)) for point in points]
        total, there = sum(len(point.replications) for point in points), sum(map(len, found))
        if there < total:
            raise PenstockError(
                f"only {there} of the {total} runs that come first are in the store, and nothing is run."
            )
        return found

    def kept(self, point: PointRequest) -> Iterator[RunResult]:
        """Those runs of a point that are there."""
        keys = RunKeys(point.scenario.canonical)
        wanted = [(keys.of(each.seed, each.replication), each) for each in point.requests()]
        found, window = self._store.find(wanted), point.scenario.window
        for key, request in wanted:
            if (run := found.get(key)) is not None:
                yield RunResult(request, run.metrics, run.digest, run.packet_hops, cached=True, window=window)

    def kept_up_to(self, point: PointRequest, most: int) -> Iterator[RunResult]:
        """Those of the first `most` runs, as far as there are any among twice as many as before."""
        begin, end = 0, len(point.replications)
        while begin < most:
            found = list(self.kept(replace(point, replications=tuple(range(begin, min(end, most))))))
            if not found:
                return
            yield from found
            begin, end = end, 2 * end
