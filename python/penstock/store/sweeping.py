"""Makes a store smaller: removes leftovers, and runs that are selected for removal."""

from __future__ import annotations

import calendar
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from penstock.store import Store
from penstock.store.folder import names, reported
from penstock.store.manifest import Manifest
from penstock.whole_file import UNFINISHED

_HOUR = 3600.0
_DAY = 86400.0


@dataclass
class Swept:
    """Number of files removed, by kind, and bytes freed."""

    runs: int = 0
    scenarios: int = 0
    unfinished: int = 0
    failed: int = 0
    damaged: int = 0
    bytes: int = 0

    def data(self) -> dict[str, Any]:
        """Returns the JSON form."""
        return asdict(self)


def older_than(run: Manifest, seconds: float) -> bool:
    """Returns whether a run was begun more than `seconds` ago; False if its start is unknown."""
    if run.made is None:
        return False
    return time.time() - calendar.timegm(time.strptime(run.made.begin, "%Y-%m-%dT%H:%M:%SZ")) > seconds


def sweep(store: Store, unwanted: Iterable[Manifest] = (), *, damaged: bool = False, dry: bool = False) -> Swept:
    """Removes unwanted runs and leftovers, and with `damaged` the damaged files that were set aside; `dry` only counts.

    Leftovers are scenarios without runs that are older than a day (younger ones may belong to runs in progress), files
    that were not finished within an hour, and records of failed runs that have succeeded since. Raises StoreError if a
    file cannot be removed.
    """
    swept, folder = Swept(), store.folder
    gone = {run.key for run in unwanted}
    kept = {run.scenario for run in store.manifests() if run.key not in gone}
    failures = store.failures()
    kept |= {failed.scenario for failed in failures}
    still = {failed.key for failed in failures}

    def remove(files: Iterable[Path], age: float = 0.0) -> int:
        count = 0
        for file in files:
            with suppress(FileNotFoundError):
                status = file.lstat()
                if age and time.time() - status.st_mtime < age:
                    continue
                if not dry:
                    shutil.rmtree(file) if file.is_dir() and not file.is_symlink() else file.unlink()
                count += 1
                swept.bytes += status.st_size
        return count

    def below(name: str) -> list[Path]:
        return [folder / name / each for each in names(folder / name)]

    with reported(folder):
        swept.runs = remove(folder / "runs" / key[:2] / f"{key}.json" for key in gone)
        swept.failed = remove(file for file in below("failed") if file.suffix == ".json" and file.stem not in still)
        texts = (file for file in below("scenarios") if file.suffix == ".toml" and file.stem not in kept)
        swept.scenarios = remove(texts, _DAY)
        swept.unfinished = remove(sorted(folder.rglob(UNFINISHED)), _HOUR)
        if damaged:
            swept.damaged = remove(below("damaged"))
    return swept
