"""Makes the runs of points, in one round or several."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any
from weakref import finalize

from penstock._core import Scenario
from penstock.errors import PenstockError
from penstock.records import RunResult, Status
from penstock.running import make_all
from penstock.store import Store, StoredRun
from penstock.studies.request import PointRequest
from penstock.workers import Reserve
from penstock.workers.job import How


@dataclass(kw_only=True, eq=False)
class Runner:
    """Runs requests, also in several rounds that share workers and progress; see :func:`penstock.running.make_all`."""

    jobs: int | None = None
    store: Store | None = None
    progress: Callable[[Status], None] | None = None
    executor: str = "horizon"
    threads: int = 1
    on: str = "threads"
    told: Callable[[RunResult, Scenario], None] | None = None

    def __post_init__(self) -> None:
        self._before = self._now = Status(0)
        self._reserve = Reserve()
        finalize(self, self._reserve.close)

    def make(self, points: Sequence[PointRequest]) -> list[Sequence[RunResult]]:
        """Returns the runs of each point, in their order. Raises RunsFailed if any failed, after all others."""
        asked = [(request, point.scenario) for point in points for request in point.requests()]
        how = How(self.executor, self.threads)
        options: Any = {"jobs": self.jobs, "store": self.store, "on": self.on, "told": self.told}
        made = iter(make_all(asked, how=how, progress=self._watch, reserve=self._reserve, **options))
        self._before, self._now = self._sum(), Status(0)
        return [list(islice(made, len(point.replications))) for point in points]

    def _watch(self, status: Status) -> None:
        """Reports this round together with the earlier ones."""
        self._now = status
        if self.progress is not None:
            self.progress(self._sum())

    def _sum(self) -> Status:
        before, now = self._before, self._now
        counts = ("total", "done", "cached", "failed", "packet_hops", "replaced")
        # Each round has its own units of effort.
        summed = {name: sum(getattr(status, name) for status in (before, now)) for name in counts}
        return Status(**summed, work=now.work, worked=now.worked, notes=before.notes + now.notes)


def there(points: Sequence[PointRequest], store: Store) -> list[dict[str, StoredRun]]:
    """Returns, for each point, the stored runs that have all requested numbers, by name."""
    named = [point.keyed() for point in points]
    found = store.find([pair for own in named for pair in own])
    runs = []
    for point, own in zip(points, named, strict=True):
        measures = point.scenario.measures
        picked = ((key, found[key].with_measures(measures)) for key, _ in own if key in found)
        runs.append({key: run for key, run in picked if run is not None})
    return runs


class Reader(Runner):
    """Runs nothing; returns what a store has, even while another process fills it."""

    def __init__(self, store: Store) -> None:
        super().__init__(store=store)
        self._store = store

    def make(self, points: Sequence[PointRequest]) -> list[Sequence[RunResult]]:
        """Returns the runs of each point. Raises PenstockError if any is missing."""
        found = self.kept(points)
        total, there = sum(len(point.replications) for point in points), sum(map(len, found))
        if there < total:
            raise PenstockError(
                f"only {there} of the {total} runs that come first are in the store, and nothing is run."
            )
        return found

    def kept(self, points: Sequence[PointRequest]) -> list[Sequence[RunResult]]:
        """Returns the stored runs of each point."""
        found = there(points, self._store)
        return [
            [run.result(request, point.scenario.window) for key, request in point.keyed() if (run := own.get(key))]
            for own, point in zip(found, points, strict=True)
        ]

    def kept_up_to(self, points: Sequence[PointRequest], most: int) -> list[list[RunResult]]:
        """Returns stored runs of each point among the first `most`, in blocks that double until one is empty."""
        found: list[list[RunResult]] = [[] for _ in points]
        left, begin, end = list(range(len(points))), 0, max((len(point.replications) for point in points), default=0)
        while left and begin < most:
            parts = [replace(points[i], replications=tuple(range(begin, min(end, most)))) for i in left]
            more = dict(zip(left, self.kept(parts), strict=True))
            for i, runs in more.items():
                found[i] += runs
            left = [i for i, runs in more.items() if runs]
            begin, end = end, 2 * end
        return found
