"""Workers that make runs: threads, processes or a Dask cluster, behind one protocol and with identical results.

Each worker makes one run after the other, and a crew has several workers. All kinds call the same function
(:func:`~penstock.workers.job.make`), which returns the numbers and the content of the run's file in the store. The
requesting process writes the file, so a worker that dies loses only the run in progress.
"""

from penstock.workers.crew import Crew, crew
from penstock.workers.processes import Reserve

__all__ = ["Crew", "Reserve", "crew"]
