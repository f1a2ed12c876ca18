"""Store of finished runs: a folder with one file per run.

``runs/ab/<hash>.json``, named by its simulation, has the numbers, what they were made from, and a checksum of all.
A file gets its name when it is complete, so several processes may share a store. Damaged files move to ``damaged/``.
"""

from penstock.store.manifest import RunKeys, run_key
from penstock.store.runfile import Record, StoredRun, measuring, pick
from penstock.store.store import Store, default_folder

__all__ = ["Record", "RunKeys", "Store", "StoredRun", "default_folder", "measuring", "pick", "run_key"]
