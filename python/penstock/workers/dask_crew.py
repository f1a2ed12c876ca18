"""Workers of a Dask cluster behind the same protocol as threads and processes.

Each batch is bound to its worker: only workers of a verified version get runs, and if one dies its runs are known.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent import futures
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any
from uuid import uuid4

from distributed import KilledWorker

from penstock.errors import PenstockError
from penstock.workers.connection import Connection
from penstock.workers.job import Ended, Failed, How, Job, Lost, Told
from penstock.workers.place import Place
from penstock.workers.processes import DEATHS, Reserve
from penstock.workers.remote import asked, make_batch, told, version

Tell = Callable[[Ended | Lost | Told | BaseException], None]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Runs that a worker makes one after the other; `alone` if the worker has no others, since one may end it."""

    worker: str
    jobs: Sequence[Job]
    alone: bool = False


class Dealer:
    """The runs that are still to be made, and the batches in progress."""

    TARGET = 0.5  # duration of a batch in seconds
    MOST = 200  # maximum number of runs in a batch

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
        self._under_way[batch.worker].remove(batch)
        self._seconds += seconds
        self._cost += sum(_cost(job) for job in batch.jobs)

    def returned(self, batch: Batch) -> None:
        """Takes back a batch of a lost scheduler."""
        self._under_way[batch.worker].remove(batch)
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
    return job.request.hops or 1.0


_GONE = (OSError, futures.CancelledError, asyncio.CancelledError, RuntimeError)
"""Exceptions of Dask when the connection to the scheduler is lost; RuntimeError is a closed event loop."""


class DaskCrew:
    """Makes up to `count` runs at once on a cluster (None: one per core); see :class:`penstock.workers.Crew`."""

    LOOK = 0.5  # seconds between two updates of the list of workers
    HINT = 5.0  # seconds without any worker before a message
    PATIENCE = 300.0  # seconds without any, after which the runs fail unless workers may wait in a batch queue

    _dealer: Dealer
    _connection: Connection
    _tell: Tell

    def __init__(self, place: Place, count: int | None, how: How, reserve: Reserve) -> None:
        self._place = place
        self._count = count
        self._how = how
        self._reserve = reserve
        self._study = uuid4().hex
        self._stopped = False
        self._thread: Thread | None = None
        self._returned: SimpleQueue[tuple[Batch, Any] | None] = SimpleQueue()
        self._futures: dict[Batch, Any] = {}
        self._accepted: dict[str, int] = {}
        self._refused: set[str] = set()

    def start(self, work: Sequence[Job], tell: Tell) -> None:
        """Starts the work; `tell` is called from a thread, once per job or with an exception that ends the work."""
        if work:
            self._tell = tell
            self._dealer = Dealer(work, self._count if self._place.is_elsewhere else None)
            self._thread = Thread(target=self._work, args=(len(work),), name="penstock-dask", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stops all runs, including those in progress; :meth:`join` waits for them. Safe in a signal handler."""
        self._stopped = True
        self._returned.put(None)

    def join(self) -> None:
        """Waits for the end of the work."""
        if self._thread is not None:
            self._thread.join()

    def _is_stopped(self) -> bool:
        return self._stopped

    def _work(self, runs: int) -> None:
        connection = None
        try:
            connection = self._connection = self._connected(min(self._count or runs, runs))
            self._make()
        except BaseException as error:  # raised again in the thread that collects
            self._tell(error)
            self._stopped = True
        if connection is None:
            return
        if self._stopped:
            connection.cancel(self._study)
            self._reserve.connection = None
            connection.close()

    def _connected(self, count: int) -> Connection:
        if self._reserve.connection is not None:
            if self._reserve.connection.local is not None:
                self._reserve.connection.local.expect(count)
            return self._reserve.connection
        connection = self._reserve.connection = Connection(self._place, count)
        if connection.dashboard is not None:
            self._tell(Told(f"dashboard of {connection.name}: {connection.dashboard}"))
        return connection

    def _make(self) -> None:
        looked, seen = 0.0, time.monotonic()
        is_hinted = False
        name = self._connection.name
        while self._dealer.left and not self._is_stopped():
            try:
                now = time.monotonic()
                if now - looked >= self.LOOK:
                    self._look()
                    looked = now
                self._deal()
                self._collect()
            except _GONE:
                if self._is_stopped():
                    return
                self._tell(Told(f"{name}: the scheduler has gone; looking for it"))
                for batch in self._futures:
                    self._dealer.returned(batch)
                self._futures, self._accepted, self._refused = {}, {}, set()
                self._connection.reopen(self._is_stopped)
                looked = 0.0
                continue
            if self._accepted:
                seen, is_hinted = now, False
            elif now - seen > self.PATIENCE and not self._place.deployer:
                raise PenstockError(
                    f"{name}: no worker has been there for {self.PATIENCE:.0f} s; finished runs are kept."
                )
            elif now - seen > self.HINT and not is_hinted:
                is_hinted = True
                self._tell(Told(f"{name}: waiting for workers"))

    def _look(self) -> None:
        """Updates the list of workers: verifies new ones, and takes back the runs of those that died."""
        there = self._connection.workers()
        for worker in [worker for worker in self._accepted if worker not in there]:
            self._lose(worker)
        self._refused &= there.keys()
        new = [worker for worker in there if worker not in self._accepted and worker not in self._refused]
        for worker, found in (self._connection.versions(new) if new else {}).items():
            if isinstance(found, OSError):  # it has left again
                continue
            if isinstance(found, BaseException):
                self._refuse(worker, f"has no Penstock that works ({type(found).__name__}: {found})")
            elif tuple(found) != version():
                self._refuse(worker, f"has {told(tuple(found))}")
            else:
                self._accepted[worker] = there[worker]
        if self._refused and not self._accepted and len(self._refused) == len(there):
            raise PenstockError(
                f"{self._connection.name}: every worker is refused, and nothing more was run there; "
                f"here is {told(version())}: install the same on the workers."
            )

    def _deal(self) -> None:
        cores = sum(self._accepted.values())
        for worker, own in list(self._accepted.items()):
            while (batch := self._dealer.deal(worker, own, cores)) is not None:
                arguments = (self._study, self._how, [asked(job) for job in batch.jobs])
                bound = {"workers": [worker], "allow_other_workers": False, "pure": False}
                future = self._connection.client.submit(make_batch, *arguments, key=f"penstock-{uuid4().hex}", **bound)
                self._futures[batch] = future
                future.add_done_callback(lambda future, batch=batch: self._returned.put((batch, future)))

    def _collect(self) -> None:
        """Collects finished batches; waits at most half of `LOOK` for the first."""
        with suppress(Empty):
            back = self._returned.get(timeout=self.LOOK / 2)
            while back is not None:
                batch, future = back
                if batch in self._futures:
                    try:
                        seconds, answers = future.result(timeout=2.0)
                    except TimeoutError:  # the worker may have died before its results were fetched
                        self._returned.put(back)
                        return
                    except KilledWorker:
                        self._lose(batch.worker)
                    else:
                        del self._futures[batch]
                        if self._connection.local is not None:
                            self._connection.local.proven()
                        self._dealer.ended(batch, seconds)
                        for job, answer in zip(batch.jobs, answers, strict=True):
                            self._tell(Ended(job, answer))
                self._deal()
                back = self._returned.get_nowait()

    def _lose(self, worker: str) -> None:
        self._accepted.pop(worker, None)
        jobs = [job for batch in self._futures if batch.worker == worker for job in batch.jobs]
        self._futures = {batch: future for batch, future in self._futures.items() if batch.worker != worker}
        if jobs:
            self._tell(Lost(jobs[0], f"at {worker}"))
        for job, failed in self._dealer.lost(worker, f"at {worker}"):
            self._tell(Ended(job, failed))

    def _refuse(self, worker: str, why: str) -> None:
        self._refused.add(worker)
        self._tell(Told(f"worker {worker} is refused, since it {why}"))
