"""Store of finished runs: a folder with one file per run.

A run's file is named by the hash of its simulation, so no run is repeated and an interrupted study resumes.
``runs/ab/<hash>.json`` holds the numbers, everything the run was made from, and a checksum of all of it. Files are
written under a temporary name and renamed, so several processes may share a store and none sees a partial file. A
damaged file is moved to ``damaged/`` and its run is repeated.
"""

from penstock.store.manifest import RunKeys, run_key
from penstock.store.runfile import Record, StoredRun, measuring, pick
from penstock.store.store import Store, default_folder

__all__ = [
    "Record",
    "RunKeys",
    "Store",
    "StoredRun",
    "default_folder",
    "measuring",
    "pick",
    "run_key",
]
