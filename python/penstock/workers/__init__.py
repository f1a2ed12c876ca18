"""Workers that make runs: threads, processes or a Dask cluster, behind one protocol and with identical results.

They return the content of the run's file, which the requesting process writes: a worker that dies loses one run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from penstock.workers.job import Ended, Failed, How, Job, Lost, Made, Stop, make
from penstock.workers.place import Place
from penstock.workers.processes import ProcessWorker, Reserve

__all__ = ["Crew", "Reserve", "crew"]

if TYPE_CHECKING:
    from penstock.workers.dask_crew import DaskCrew


class ThreadWorker:
    """Executes runs in the calling thread: the core releases the interpreter lock while it runs."""

    def __init__(self, how: How) -> None:
        self._how = how
        self._stop = Stop()

    def make(self, job: Job) -> Made | Failed:
        """Makes a run; returns any failure."""
        return make(job.scenario, job.request, job.key, self._how, self._stop)

    def stop(self) -> None:
        """Stops the run in progress; called by another thread."""
        self._stop.set()

    def close(self) -> None:
        """Does nothing: there is nothing to release."""


class Crew:
    """Workers in threads. Their queues are written in C: an interruption of others could keep a lock or lose a run."""

    def __init__(self, workers: Sequence[ThreadWorker | ProcessWorker]) -> None:
        self._workers = workers
        self._waiting: SimpleQueue[Job] = SimpleQueue()
        self._stopped = False
        self._threads: list[Thread] = []

    def start(self, work: Sequence[Job], tell: Callable[[Ended | BaseException], None]) -> None:
        """Starts the work; `tell` is called from any thread, once per job or with an exception that ends the work."""
        for job in work:
            self._waiting.put(job)
        for n, worker in enumerate(self._workers):
            self._threads.append(Thread(target=self._work, args=(worker, tell), name=f"penstock-run-{n}", daemon=True))
            self._threads[-1].start()

    def stop(self) -> None:
        """Stops all workers, including runs in progress; :meth:`join` waits for them. Safe in a signal handler."""
        self._stopped = True
        for worker in self._workers:
            worker.stop()

    def join(self) -> None:
        """Waits for the end of all workers."""
        for thread in self._threads:
            thread.join()

    def _work(self, worker: ThreadWorker | ProcessWorker, tell: Callable[[Ended | BaseException], None]) -> None:
        try:
            with suppress(Empty):
                while not self._stopped:
                    job = self._waiting.get_nowait()
                    tell(Ended(job, worker.make(job)))
        except BaseException as error:  # raised again in the thread that collects
            tell(error)
        finally:
            worker.close()


def crew(place: Place, count: int | None, how: How, lost: Callable[[Lost], None], reserve: Reserve) -> Crew | DaskCrew:
    """Returns a crew of `count` workers (None: all of a cluster); any thread calls `lost` if a worker process dies."""
    if place.kind == "dask":
        from penstock.workers.dask_crew import DaskCrew

        return DaskCrew(place, count, how, reserve)
    assert count is not None
    if place.kind == "threads":
        return Crew([ThreadWorker(how) for _ in range(count)])
    return Crew([ProcessWorker(how, lost, reserve) for _ in range(count)])
