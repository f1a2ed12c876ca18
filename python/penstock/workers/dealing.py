"""Which runs go to which worker of a cluster, and which run is to blame when one ends.

Runs go out in batches that take about as long as :attr:`Dealer.TARGET`, so that what a batch costs to send is shared by
many short runs, and a worker has one more batch than it has cores, so that it need not wait for the next. When a worker
ends, any of its runs may have ended it: each of them is tried again as the only one on some worker, and one that ends
several workers that way has failed.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.workers.job import Failed, Job
from penstock.workers.processes import DEATHS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Batch", "Dealer"]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Runs that a worker makes one after the other; `alone` if it has nothing else, because one may end it."""

    worker: str
    jobs: Sequence[Job]
    alone: bool = False


class Dealer:
    """Runs that are still to be made, and where each of the others is.

    Parameters
    ----------
    work : iterable of Job
        In the order in which they are to be made.
    most : int, optional
        How many at the same time at most.
    """

    TARGET = 0.5
    """Seconds that a batch takes."""
    MOST = 200
    """Runs in a batch."""

    def __init__(self, work: Iterable[Job], most: int | None = None) -> None:
        self._waiting = deque(work)
        self._suspects: deque[Job] = deque()
        self._deaths: dict[str, int] = {}
        self._under_way: dict[str, list[Batch]] = {}
        self._most = most
        self._seconds = self._cost = 0.0

    @property
    def left(self) -> bool:
        """Whether any run has not ended yet."""
        return bool(self._waiting or self._suspects or self.under_way)

    @property
    def under_way(self) -> list[Batch]:
        """All batches that have been dealt and have not come back."""
        return [batch for batches in self._under_way.values() for batch in batches]

    def deal(self, worker: str, cores: int, of: int) -> Batch | None:
        """The next batch for a worker, if it should have one.

        Parameters
        ----------
        worker : str
            Its name.
        cores : int
            How many runs it makes at the same time.
        of : int
            The cores of all workers.
        """
        own = self._under_way.setdefault(worker, [])
        total = len(self.under_way)
        is_full = len(own) > cores if self._most is None else len(own) >= cores or total >= self._most
        if is_full or any(batch.alone for batch in own):
            return None
        if self._suspects:
            # What it has comes to its end first.
            batch = None if own else Batch(worker, [self._suspects.popleft()], alone=True)
        else:
            batch = Batch(worker, jobs) if (jobs := self._next(of)) else None
        if batch is not None:
            own.append(batch)
        return batch

    def ended(self, batch: Batch, seconds: float) -> None:
        """A batch has come back, and how long it took."""
        self._forget(batch)
        self._seconds += seconds
        self._cost += sum(_cost(job) for job in batch.jobs)

    def returned(self, batch: Batch) -> None:
        """A batch has not been made, for no reason that has to do with its runs."""
        self._forget(batch)
        # First again: they are the longest of those that are left.
        self._waiting.extendleft(reversed(batch.jobs))

    def lost(self, worker: str, called: str) -> list[tuple[Job, Failed]]:
        """A worker has ended; gives the runs that have failed now."""
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
        # Towards the end the batches become small, so that all workers end together; before the first one has come
        # back nobody knows how long a run takes.
        fair = len(self._waiting) // (2 * max(1, cores))
        most = max(1, min(self.MOST, fair)) if self._cost else 1
        jobs: list[Job] = []
        cost = 0.0
        while self._waiting and len(jobs) < most and (not jobs or cost * self._seconds < self.TARGET * self._cost):
            jobs.append(self._waiting.popleft())
            cost += _cost(jobs[-1])
        return jobs


def _cost(job: Job) -> float:
    """In packet-hops as foreseen, or alike for all where nobody knows."""
    return job.request.hops or 1.0
