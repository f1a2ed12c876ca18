"""Who makes runs: threads, worker processes, or a Dask cluster, behind one protocol and with identical results.

A :class:`Worker` makes one run after the other, and a :class:`Crew` has several side by side. What a worker does for a
run is the same function in both kinds (:func:`~penstock.workers.job.make`): the run itself, its numbers, and the
content of its file in the store. Writing that file is left to the process that asked, in groups, so a worker process
that is killed takes nothing with it that has been finished.
"""

from penstock.workers.crew import Crew, Worker, crew
from penstock.workers.job import Ended, Failed, Job, Lost, Made
from penstock.workers.processes import DEATHS, Reserve

__all__ = ["DEATHS", "Crew", "Ended", "Failed", "Job", "Lost", "Made", "Reserve", "Worker", "crew"]
