"""Workers that are threads of this process: the core leaves the interpreter free while it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.workers.job import Failed, How, Job, Made, Stop, make

if TYPE_CHECKING:
    from penstock.store import Store

__all__ = ["ThreadWorker"]


class ThreadWorker:
    """Makes runs in the thread that asks; see :class:`penstock.workers.Worker`."""

    def __init__(self, how: How, store: Store | None) -> None:
        self._how = how
        self._store = store
        self._stop = Stop()

    def make(self, job: Job) -> Made | Failed:
        """Makes a run."""
        return make(job.scenario, job.request, job.key, self._how, self._store, self._stop)

    def stop(self) -> None:
        """Lets the run that is under way end."""
        self._stop.set()

    def close(self) -> None:
        """There is nothing to be closed."""
