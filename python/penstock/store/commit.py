"""Group commit: finished runs are synchronised with the disk together.

A disk takes milliseconds to say that something is on it, mostly the same for one file and for many. So runs are
gathered for a moment and written at once, by several threads, whose waiting overlaps.
"""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.store.folder import failure, open_below, synchronise, write

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.store.folder import Folder

__all__ = ["GroupCommit", "Record"]

_THREADS = 16


@dataclass(frozen=True, slots=True)
class Record:
    """A finished run as its file will hold it."""

    key: str
    content: bytes


class GroupCommit:
    """Finished runs on their way to the disk.

    Parameters
    ----------
    folder : Folder
        The store's.
    """

    RUNS = 1024
    """How many are written at once at most, unless they are added faster than written."""
    SIZE = 64 << 20
    """Bytes that are held back at most, likewise."""
    AGE = 0.5
    """Seconds that a finished run waits for others; what a power cut may cost."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._waiting: list[tuple[Record, Callable[[], None]]] = []
        self._size = 0
        self._begin = 0.0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, record: Record, kept: Callable[[], None]) -> None:
        """Takes a run; :meth:`commit` calls `kept` when the disk has it."""
        if not self._waiting:
            self._begin = time.monotonic()
        self._waiting.append((record, kept))
        self._size += len(record.content)

    def is_due(self) -> bool:
        """Whether it is time to write."""
        if not self._waiting:
            return False
        age = time.monotonic() - self._begin
        return age >= self.AGE or len(self._waiting) >= self.RUNS or self._size >= self.SIZE

    def commit(self) -> None:
        """Writes all that wait, and tells of each that is on the disk.

        Raises
        ------
        StoreError
            If any could not be written; the others have been told of.
        """
        waiting, self._waiting, self._size = self._waiting, [], 0
        if not waiting:
            return
        folders: dict[str, dict[str, Record]] = {}
        for record, _ in waiting:
            folders.setdefault(record.key[:2], {})[record.key] = record
        try:
            errors = self._write(folders)
        except OSError as error:
            raise failure(error, self._folder.path) from error
        for record, kept in waiting:
            if record.key not in errors:
                kept()
        if errors:
            first = next(iter(errors.values()))
            raise failure(first, self._folder.path) from first

    def _write(self, folders: dict[str, dict[str, Record]]) -> dict[str, OSError]:
        """Gives what went wrong, by key."""
        errors: dict[str, OSError] = {}
        with self._folder.opened("runs", create=True) as runs, ThreadPoolExecutor(min(_THREADS, len(folders))) as pool:
            for wrong in pool.map(lambda name: self._write_folder(runs, name, list(folders[name].values())), folders):
                errors.update(wrong)
        if sum(map(len, folders.values())) > len(errors):
            self._folder.synchronise_above()
        return errors

    def _write_folder(self, runs: int, name: str, records: Sequence[Record]) -> dict[str, OSError]:
        """The files first, then the names that stand for them, all in one folder."""
        errors: dict[str, OSError] = {}
        path = self._folder.path / "runs" / name
        try:
            folder = open_below(runs, path, create=True)
        except OSError as error:
            return dict.fromkeys((record.key for record in records), error)
        try:
            for record in records:
                try:
                    write(folder, path / f"{record.key}.json", record.content)
                except OSError as error:
                    errors[record.key] = error
            synchronise(folder, path)
        except OSError as error:
            return dict.fromkeys((record.key for record in records), error) | errors
        finally:
            os.close(folder)
        return errors
