"""Workers that are threads of this process: the core releases the interpreter lock while it runs."""

from __future__ import annotations

from penstock.workers.job import Failed, How, Job, Made, Stop, make


class ThreadWorker:
    """Executes runs in the calling thread; see :class:`penstock.workers.Worker`."""

    def __init__(self, how: How, keeps: bool) -> None:
        self._how = how
        self._keeps = keeps
        self._stop = Stop()

    def make(self, job: Job) -> Made | Failed:
        """Makes a run."""
        return make(job.scenario, job.request, job.key, self._how, self._keeps, self._stop)

    def stop(self) -> None:
        """Stops the run in progress."""
        self._stop.set()

    def close(self) -> None:
        """Does nothing: there is nothing to release."""
