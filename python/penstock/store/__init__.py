"""The store of finished runs: a folder of files that are never changed in part, one per run.

A run's file is named by the hash of what is simulated, so a run is never made twice and a study that was interrupted
continues where it stopped. ``runs/ab/<hash>.json`` holds the numbers, what they are of, what measures them, and a
checksum over all of it. A run that lacks numbers is made again, and its file replaced by one that has all of them.
Files are written under a temporary name, synchronised with the disk in groups and renamed, so several processes may
share a store, none ever sees half a run, and a power cut takes no run that was reported as kept. A file that is damaged
is moved to ``damaged/``, and its run is made again.
"""

from penstock.store.commit import GroupCommit, Record
from penstock.store.kept import KeptRuns, NamedPoint
from penstock.store.keys import RunKeys, run_key
from penstock.store.measured import Measured, Picker, measuring
from penstock.store.place import default_folder
from penstock.store.runfile import StoredRun
from penstock.store.store import Store

__all__ = [
    "GroupCommit",
    "KeptRuns",
    "Measured",
    "NamedPoint",
    "Picker",
    "Record",
    "RunKeys",
    "Store",
    "StoredRun",
    "default_folder",
    "measuring",
    "run_key",
]
