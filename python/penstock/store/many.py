"""Many runs at once: through the index where there is one, else from their own files."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.records import collection_paused
from penstock.store.index import LEAST, SUFFIX, Index
from penstock.store.manifest import scenario_hash

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from penstock.store.folder import Folder
    from penstock.store.index import Seen
    from penstock.store.kept import KeptRuns, NamedPoint
    from penstock.store.manifest import Manifest
    from penstock.store.runfile import StoredRun

    Get = Callable[[str], StoredRun | None]
    """Reads a run from its own file, and sets that aside if it is damaged."""

__all__ = ["RUN_FILE", "Finder", "indexed", "manifests", "prefixes", "seen_files"]

RUN_FILE = re.compile(r"([0-9a-f]{64})\.json")
_FOLDER = re.compile(r"[0-9a-f]{2}")
_INDEX = re.compile(rf"([0-9a-f]{{64}}){re.escape(SUFFIX)}")


class Finder:
    """Finds many runs of a store at once; keeps the index that was used last, as studies ask in several rounds.

    Parameters
    ----------
    disk : Folder
        The store's.
    get : callable
        Reads one run.
    """

    def __init__(self, disk: Folder, get: Get) -> None:
        self._disk = disk
        self._get = get
        self._index: Index | None = None

    def find(self, wanted: Iterable[tuple[str, str]]) -> dict[str, StoredRun]:
        """Those of the runs that are there in one piece.

        Parameters
        ----------
        wanted : iterable of (str, str)
            Their names, each with its scenario's text.

        Returns
        -------
        dict
            The runs by name; those that were in the index come without their manifests.
        """
        by_text: dict[str, list[str]] = {}
        for key, text in wanted:
            by_text.setdefault(text, []).append(key)
        found: dict[str, StoredRun] = {}
        with collection_paused():
            for text, keys in by_text.items():
                self._find(scenario_hash(text), keys, found)
        return found

    def whole(self, points: Sequence[NamedPoint]) -> list[KeptRuns | None]:
        """The runs of each point of which all are in the index as their files are now; None for others."""
        by_text: dict[str, list[int]] = {}
        for number, point in enumerate(points):
            by_text.setdefault(point.first.scenario, []).append(number)
        found: list[KeptRuns | None] = [None] * len(points)
        with collection_paused():
            for text, numbers in by_text.items():
                index = self._index_of(scenario_hash(text), sum(len(points[number].keys) for number in numbers))
                if index is not None:
                    own = index.whole([points[number] for number in numbers])
                    for number, runs in zip(numbers, own, strict=True):
                        found[number] = runs
        return found

    def _find(self, scenario: str, keys: Sequence[str], found: dict[str, StoredRun]) -> None:
        """Only the files of runs that the index has not as they are now are opened."""
        index = self._index_of(scenario, len(keys))
        if index is None:
            found.update((key, run) for key in keys if (run := self._get(key)) is not None)
            return
        for prefix, names in _by_prefix(keys).items():
            with suppress(FileNotFoundError), self._disk.opened("runs", prefix) as folder:
                seen = _seen(folder, names)
                for key in index.take(seen, found):
                    run = self._get(key)
                    if run is not None:
                        index.add(key, seen[key], run)
                        found[key] = run
        index.keep()

    def _index_of(self, scenario: str, runs: int) -> Index | None:
        """A scenario's index; None if reading it is not worth it for so many runs."""
        if self._index is not None and self._index.scenario == scenario:
            return self._index
        if runs < LEAST:
            return None
        self._index = Index(self._disk, scenario)
        return self._index


def manifests(disk: Folder, get: Get) -> Iterator[Manifest]:
    """What all runs in the store were made from, in the order of their names; damaged ones are set aside by `get`."""
    indexes = {name: Index(disk, name) for name in indexed(disk)}
    owner = {key: index for index in indexes.values() for key in index}
    there = []
    for key, seen in seen_files(disk):
        index = owner.get(key)
        manifest = index.manifest(key, seen) if index is not None else None
        if manifest is None:
            run = get(key)
            if run is None or run.manifest is None:
                continue
            manifest = run.manifest
            if manifest.scenario:
                if manifest.scenario not in indexes:
                    indexes[manifest.scenario] = Index(disk, manifest.scenario)
                indexes[manifest.scenario].add(key, seen, run)
        there.append(key)
        yield manifest
    for index in indexes.values():
        index.keep(there=there)


def seen_files(disk: Folder, only: str | None = None) -> Iterator[tuple[str, Seen]]:
    """The names of all runs, or of those in one folder, with what can be seen of their files without opening them."""
    for prefix in prefixes(disk) if only is None else [only]:
        with suppress(FileNotFoundError, NotADirectoryError), disk.opened("runs", prefix) as folder:
            found = []
            for entry in os.scandir(folder):
                name = RUN_FILE.fullmatch(entry.name)
                if name is None or name[1][:2] != prefix:
                    continue
                with suppress(FileNotFoundError):
                    status = entry.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode):
                        found.append((name[1], (status.st_size, status.st_mtime_ns)))
            yield from sorted(found)


def prefixes(disk: Folder) -> list[str]:
    """The names of the folders that runs are spread over."""
    with suppress(FileNotFoundError), disk.opened("runs") as runs:
        return sorted(entry.name for entry in os.scandir(runs) if _FOLDER.fullmatch(entry.name))
    return []


def indexed(disk: Folder) -> list[str]:
    """The scenarios that have an index."""
    with suppress(OSError), disk.opened("index") as folder:
        found = (_INDEX.fullmatch(entry.name) for entry in os.scandir(folder))
        return sorted(name[1] for name in found if name is not None)
    return []


def _seen(folder: int, names: Sequence[str]) -> dict[str, Seen]:
    """What can be seen of runs' files in an open folder, of those that are there."""
    found = {}
    for key in names:
        try:
            status = os.stat(f"{key}.json", dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            continue
        found[key] = status.st_size, status.st_mtime_ns
    return found


def _by_prefix(keys: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key in keys:
        found.setdefault(key[:2], []).append(key)
    return found
