"""Assigns runs to the workers of a cluster, and finds the run to blame when a worker dies.

Runs are sent in batches of about :attr:`Dealer.TARGET` seconds, so that many short runs share the cost of a message. A
worker has one more batch than cores, so that it need not wait for the next. If a worker dies, any of its runs may be
the cause: each is repeated as the only one on some worker, and a run that ends several workers that way has failed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.workers.job import Failed, Job
from penstock.workers.processes import DEATHS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Runs that a worker makes one after the other; `alone` if the worker has no others, since one may end it."""

    worker: str
    jobs: Sequence[Job]
    alone: bool = False


class Dealer:
    """The runs that are still to be made, and the batches in progress."""

    TARGET = 0.5
    """Duration of a batch in seconds."""
    MOST = 200
    """Maximum number of runs in a batch."""

    def __init__(self, work: Iterable[Job], most: int | None = None) -> None:
        self._waiting = deque(work)
        self._suspects: deque[Job] = deque()
        self._deaths: dict[str, int] = {}
        self._under_way: dict[str, list[Batch]] = {}
        self._most = most
        self._seconds = self._cost = 0.0

    @property
    def left(self) -> bool:
        """Whether any run has not ended."""
        return bool(self._waiting or self._suspects or self.under_way)

    @property
    def under_way(self) -> list[Batch]:
        """The batches in progress."""
        return [batch for batches in self._under_way.values() for batch in batches]

    def deal(self, worker: str, cores: int, of: int) -> Batch | None:
        """Returns the next batch for a worker with n `cores`, `of` all; None if it should not have one."""
        own = self._under_way.setdefault(worker, [])
        total = len(self.under_way)
        is_full = len(own) > cores if self._most is None else len(own) >= cores or total >= self._most
        if is_full or any(batch.alone for batch in own):
            return None
        if self._suspects:
            # Its other batches must end first.
            batch = None if own else Batch(worker, [self._suspects.popleft()], alone=True)
        else:
            batch = Batch(worker, jobs) if (jobs := self._next(of)) else None
        if batch is not None:
            own.append(batch)
        return batch

    def ended(self, batch: Batch, seconds: float) -> None:
        """Notes that a batch has ended, and its duration."""
        self._forget(batch)
        self._seconds += seconds
        self._cost += sum(_cost(job) for job in batch.jobs)

    def returned(self, batch: Batch) -> None:
        """Takes back a batch that was not made for reasons unrelated to its runs."""
        self._forget(batch)
        # They go first again, since they are the longest of the rest.
        self._waiting.extendleft(reversed(batch.jobs))

    def lost(self, worker: str, called: str) -> list[tuple[Job, Failed]]:
        """Takes back the runs of a worker that died; returns those that have failed."""
        own = self._under_way.pop(worker, [])
        jobs = [job for batch in own for job in batch.jobs]
        if len(jobs) != 1:
            self._suspects.extend(jobs)
            return []
        [job] = jobs
        self._deaths[job.key] = self._deaths.get(job.key, 0) + 1
        if self._deaths[job.key] < DEATHS:
            self._suspects.append(job)
            return []
        told = f"ended {DEATHS} workers of the cluster, which had no other run then, the last one {called}"
        return [(job, Failed(told, ours=False, attempts=DEATHS))]

    def _forget(self, batch: Batch) -> None:
        self._under_way[batch.worker].remove(batch)

    def _next(self, cores: int) -> list[Job]:
        # Batches become small towards the end, so that all workers end together. Until the first one has ended, the
        # duration of a run is unknown.
        fair = len(self._waiting) // (2 * max(1, cores))
        most = max(1, min(self.MOST, fair)) if self._cost else 1
        jobs: list[Job] = []
        cost = 0.0
        while self._waiting and len(jobs) < most and (not jobs or cost * self._seconds < self.TARGET * self._cost):
            jobs.append(self._waiting.popleft())
            cost += _cost(jobs[-1])
        return jobs


def _cost(job: Job) -> float:
    """Returns the expected packet-hops; 1 for every run if unknown."""
    return job.request.hops or 1.0
