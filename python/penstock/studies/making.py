"""Makes the runs of a study: as many as it says, or as its precision target takes."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.records import Status
from penstock.running import run_all
from penstock.studies.quantity import dimension_of
from penstock.studies.result import PointResult, StudyResult
from penstock.studies.select import DerivedMetrics, SelectionError, select
from penstock.studies.warmup import find_warm_up

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.records import RunResult
    from penstock.store import Store
    from penstock.studies.plan import StudyPlan
    from penstock.studies.precision import Precision
    from penstock.studies.request import PointRequest

__all__ = ["make"]


def make(
    plan: StudyPlan,
    asked: Sequence[PointRequest],
    *,
    jobs: int | None = None,
    store: Store | None = None,
    progress: Callable[[Status], None] | None = None,
    executor: str = "horizon",
    threads: int = 1,
    on: str = "threads",
) -> StudyResult:
    """Makes the runs of a study, those of all points side by side; see :func:`penstock.running.run_all`.

    Parameters
    ----------
    plan : StudyPlan
        The study.
    asked : sequence of PointRequest
        What :meth:`~penstock.studies.plan.StudyPlan.read` gave.
    """
    rounds = _Rounds(progress)
    derived = DerivedMetrics(plan.metrics)
    warm_up = None
    if plan.warm_up is not None:
        warm_up = find_warm_up(asked, plan.warm_up, jobs=jobs, store=store, progress=rounds.watch, on=on)
        rounds.end()
        settled = [each.window_from(warm_up.seconds) for each in asked]
        asked = [each for each in settled if each is not None]

    def run(wanted: Sequence[PointRequest]) -> list[list[RunResult]]:
        requests = [request for each in wanted for request in each.requests()]
        made = run_all(
            requests, jobs=jobs, store=store, progress=rounds.watch, executor=executor, threads=threads, on=on
        )
        rounds.end()
        runs = iter(derived.added(each) for each in made)
        return [list(islice(runs, len(each.replications))) for each in wanted]

    if plan.precision is None:
        points = [PointResult(each, runs) for each, runs in zip(asked, run(asked), strict=True)]
    else:
        points = _sequentially(asked, plan.precision, run)
    return StudyResult(plan, points, warm_up)


def _sequentially(
    asked: Sequence[PointRequest],
    target: Precision,
    run: Callable[[Sequence[PointRequest]], list[list[RunResult]]],
) -> list[PointResult]:
    """More and more runs of the points that have not reached the target yet, in rounds."""
    made: list[list[RunResult]] = [[] for _ in asked]
    ended: dict[int, PointResult] = {}
    wanted = dict.fromkeys(range(len(asked)), target.least)
    while wanted:
        parts = [
            replace(asked[i], replications=tuple(range(len(made[i]), count)), hops=_hops(asked[i], made[i]))
            for i, count in wanted.items()
        ]
        for i, runs in zip(wanted, run(parts), strict=True):
            made[i] += runs
        wanted = {i: following for i in wanted if (following := _following(i, asked[i], made[i], target, ended))}
    return [ended[i] for i in range(len(asked))]


def _following(
    i: int, asked: PointRequest, runs: list[RunResult], target: Precision, ended: dict[int, PointResult]
) -> int | None:
    """How many runs a point has next; none if it has ended, which is noted."""
    values = _values(runs, target)
    why = target.why_hopeless(values)
    count = target.stop(values) if why is None else None
    if count is None and why is None and len(values) < target.most:
        return target.next_runs(values)
    if count is None and why is None:
        why = f"has not reached ±{target.goal} after {target.most} runs; about {target.needed(values):.0f} would"
    kept = runs if count is None else runs[:count]
    seen = replace(asked, replications=tuple(range(len(kept))))
    ended[i] = PointResult(seen, kept, "t, sequential", None if count is not None else f"{target.metric} {why}")
    return None


def _values(runs: Sequence[RunResult], target: Precision) -> list[float]:
    try:
        found = [select(target.metric, run.metrics) for run in runs]
    except SelectionError as error:
        raise InputError(f"precision: {error}.") from None
    return [metric.value * float(dimension_of(metric.unit)[0]) for metric in found]


def _hops(asked: PointRequest, runs: Sequence[RunResult]) -> float:
    """What one run takes, as far as is known: all points know it after their first runs, or none does."""
    return sum(run.packet_hops for run in runs) / len(runs) if runs else asked.hops


class _Rounds:
    """Joins the progress of one round after another."""

    def __init__(self, progress: Callable[[Status], None] | None) -> None:
        self._progress = progress
        self._before = Status(0)
        self._now = Status(0)

    def watch(self, status: Status) -> None:
        """Shows the rounds that have ended and this one together."""
        self._now = status
        if self._progress is not None:
            self._progress(self._sum())

    def end(self) -> None:
        """The next status is of another round."""
        self._before, self._now = self._sum(), Status(0)

    def _sum(self) -> Status:
        before, now = self._before, self._now
        counts = ("total", "done", "cached", "failed", "packet_hops", "replaced")
        # Efforts are told in units of their own in each round.
        return Status(
            **{name: getattr(before, name) + getattr(now, name) for name in counts}, work=now.work, worked=now.worked
        )
