"""Making a store smaller: what is left over, and runs that are not wanted any more."""

from __future__ import annotations

import calendar
import os
import stat
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from penstock.store.folder import TEMPORARY, failure, located, open_below
from penstock.store.index import SUFFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from penstock.store import Store
    from penstock.store.folder import Folder
    from penstock.store.manifest import Manifest

__all__ = ["Swept", "older_than", "sweep"]

_AN_HOUR = 3600.0
_A_DAY = 86400.0
_MOST_DEPTH = 8


@dataclass
class Swept:
    """How much was removed of what, and how many bytes that freed."""

    runs: int = 0
    scenarios: int = 0
    indexes: int = 0
    unfinished: int = 0
    failed: int = 0
    damaged: int = 0
    bytes: int = 0

    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        return asdict(self)


def older_than(run: Manifest, seconds: float) -> bool:
    """Whether a run was begun so long ago; not if that is not known."""
    if run.made is None:
        return False
    return time.time() - calendar.timegm(time.strptime(run.made.begin, "%Y-%m-%dT%H:%M:%SZ")) > seconds


def sweep(store: Store, unwanted: Iterable[Manifest] = (), *, damaged: bool = False, dry: bool = False) -> Swept:
    """Removes runs that are not wanted, and what nothing in the store stands for.

    Parameters
    ----------
    store : Store
        What is swept.
    unwanted : iterable of Manifest
        Runs to be removed.
    damaged : bool
        Whether damaged files that were set aside are removed too.
    dry : bool
        Whether it is only counted.

    Returns
    -------
    Swept
        What was removed: the runs; scenarios that no run was made from, unless they are a day old at most, since runs
        of theirs may be under way; indexes of such; files that were not finished within an hour; notes of failed runs
        that were made since; and the damaged ones, if they are to be.

    Raises
    ------
    StoreError
        If something cannot be removed.
    """
    disk, swept = store.disk, Swept()
    remove = _Remover(disk, dry=dry)
    try:
        gone = {run.key for run in unwanted}
        for key in gone:
            swept.runs += remove.file(("runs", key[:2]), f"{key}.json", 0.0)
        kept = {run.scenario for run in store.manifests() if run.key not in gone}
        open_failures = store.failures()
        kept |= {failed.scenario for failed in open_failures}
        swept.failed = _failed(disk, remove, {failed.key for failed in open_failures})
        for name in _names(disk, "scenarios"):
            if name.removesuffix(".toml") not in kept:
                swept.scenarios += remove.file(("scenarios",), name, _A_DAY)
        for name in _names(disk, "index"):
            if name.removesuffix(SUFFIX) not in kept:
                swept.indexes += remove.file(("index",), name, _AN_HOUR)
        swept.unfinished = _unfinished(disk, remove)
        if damaged:
            swept.damaged = remove.below(("damaged",))
    except OSError as error:
        raise failure(error, disk.path) from error
    swept.bytes = remove.bytes
    return swept


class _Remover:
    """Removes files, and counts their bytes; or only counts them."""

    def __init__(self, disk: Folder, *, dry: bool) -> None:
        self._disk = disk
        self._dry = dry
        self.bytes = 0

    def file(self, folders: tuple[str, ...], name: str, age: float) -> int:
        """Removes a file that is so many seconds old, and says how many that were."""
        with suppress(FileNotFoundError), self._disk.opened(*folders) as folder:
            return self._one(folder, self._disk.path.joinpath(*folders, name), age)
        return 0

    def below(self, folders: tuple[str, ...]) -> int:
        """Removes all that is in a folder."""
        with suppress(FileNotFoundError), self._disk.opened(*folders) as folder:
            return self._all(folder, self._disk.path.joinpath(*folders), _MOST_DEPTH)
        return 0

    def _all(self, folder: int, path: Path, depth: int) -> int:
        count = 0
        for entry in list(os.scandir(folder)):
            place = path / entry.name
            if not entry.is_dir(follow_symlinks=False):
                count += self._one(folder, place, 0.0)
            elif depth:
                with located(place):
                    inner = open_below(folder, place)
                    try:
                        count += self._all(inner, place, depth - 1)
                    finally:
                        os.close(inner)
                    if not self._dry:
                        with suppress(OSError):
                            os.rmdir(entry.name, dir_fd=folder)
        return count

    def _one(self, folder: int, path: Path, age: float) -> int:
        with located(path):
            status = os.stat(path.name, dir_fd=folder, follow_symlinks=False)
            if age and time.time() - status.st_mtime < age:
                return 0
            if not self._dry:
                os.unlink(path.name, dir_fd=folder)
            if stat.S_ISREG(status.st_mode):
                self.bytes += status.st_size
            return 1


def _failed(disk: Folder, remove: _Remover, still: set[str]) -> int:
    """Notes of runs that were made since, and scenarios beside notes that are gone."""
    short = {key[:16] for key in still}
    count = 0
    for name in _names(disk, "failed"):
        stem, _, suffix = name.partition(".")
        if suffix == "json" and stem not in still:
            count += remove.file(("failed",), name, 0.0)
        elif suffix == "toml" and stem not in short:
            remove.file(("failed",), name, 0.0)
    return count


def _unfinished(disk: Folder, remove: _Remover) -> int:
    count = 0
    prefixes = [("runs", name) for name in _names(disk, "runs") if not name.startswith(TEMPORARY)]
    for folders in ((), ("runs",), ("scenarios",), ("failed",), ("index",), ("points",), *prefixes):
        for name in _names(disk, *folders):
            if name.startswith(TEMPORARY):
                count += remove.file(folders, name, _AN_HOUR)
    return count


def _names(disk: Folder, *folders: str) -> Iterator[str]:
    with suppress(FileNotFoundError, NotADirectoryError), disk.opened(*folders) as folder:
        yield from sorted(entry.name for entry in os.scandir(folder))
