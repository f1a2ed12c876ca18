"""Several workers side by side."""

from __future__ import annotations

from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Protocol

from penstock.workers.job import Ended, Failed, How, Job, Lost, Made
from penstock.workers.processes import ProcessWorker, Reserve
from penstock.workers.threads import ThreadWorker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.store import Store
    from penstock.workers.dask_crew import DaskCrew
    from penstock.workers.place import Place

__all__ = ["Crew", "Worker", "crew"]


class Worker(Protocol):
    """Makes runs one after the other, in a thread of its own."""

    def make(self, job: Job) -> Made | Failed:
        """Makes a run; what is wrong with it is given back, whatever it is.

        Raises
        ------
        PenstockError
            If no run can be made here at all.
        """
        ...

    def stop(self) -> None:
        """Lets :meth:`make` return soon, with whatever; called by another thread."""
        ...

    def close(self) -> None:
        """Nothing more is to be made."""
        ...


class Crew:
    """Workers, each with its thread, that take jobs from one queue.

    Threads and who started them meet only in queues written in C: an interruption that is raised between any two
    instructions could otherwise leave a lock taken that nobody releases, or lose a run that has ended.

    Parameters
    ----------
    workers : sequence of Worker
        Who does the work.
    """

    def __init__(self, workers: Sequence[Worker]) -> None:
        self._workers = workers
        self._waiting: SimpleQueue[Job] = SimpleQueue()
        self._stopped = False
        self._threads: list[Thread] = []

    def start(self, work: Sequence[Job], tell: Callable[[Ended | BaseException], None]) -> None:
        """Begins; every job is told of once, from any thread, unless it is stopped or an exception is told."""
        for job in work:
            self._waiting.put(job)
        for number, worker in enumerate(self._workers):
            thread = Thread(target=self._work, args=(worker, tell), name=f"penstock-run-{number}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Ends all soon, also what is under way; :meth:`join` waits for it. A signal's handler may call this."""
        self._stopped = True
        for worker in self._workers:
            worker.stop()

    def join(self) -> None:
        """Waits for the end."""
        for thread in self._threads:
            thread.join()

    def _work(self, worker: Worker, tell: Callable[[Ended | BaseException], None]) -> None:
        try:
            with suppress(Empty):
                while not self._stopped:
                    job = self._waiting.get_nowait()
                    tell(Ended(job, worker.make(job)))
        except BaseException as error:  # who asked is told, whatever it is
            tell(error)
        finally:
            worker.close()


def crew(
    place: Place,
    count: int | None,
    how: How,
    store: Store | None,
    lost: Callable[[Lost], None],
    reserve: Reserve | None = None,
) -> Crew | DaskCrew:
    """So many workers of a kind.

    Parameters
    ----------
    place : Place
        Where they are.
    count : int, optional
        How many; on a cluster elsewhere, as many as it has if left out.
    how : How
        In which way they run.
    store : Store, optional
        For which runs are encoded.
    lost : callable
        Told of each worker process that ended before its run, from any thread.
    reserve : Reserve, optional
        Where worker processes come from, if there are any, and go to.
    """
    if place.kind == "dask":
        from penstock.workers.dask_crew import DaskCrew

        return DaskCrew(place, count, how, store is not None, reserve)
    assert count is not None
    if place.kind == "threads":
        return Crew([ThreadWorker(how, store) for _ in range(count)])
    return Crew([ProcessWorker(how, store, lost, reserve) for _ in range(count)])
