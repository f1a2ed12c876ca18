"""What a store holds, point by point: no object is made for a run that an index knows."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.records import collection_paused
from penstock.store.index import Index
from penstock.store.many import RUN_FILE, indexed, prefixes, seen_files
from penstock.store.selection import in_order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.store.folder import Folder
    from penstock.store.manifest import Manifest
    from penstock.store.runfile import StoredRun

__all__ = ["StoredRuns", "merged", "stored_runs"]


@dataclass(frozen=True, slots=True)
class StoredRuns:
    """Stored runs of one point.

    Parameters
    ----------
    first : Manifest
        What the one with the lowest number was made from.
    count : int
        How many there are.
    begun : str
        When the last of them began; empty if that was not noted.
    size : int, bytes
        Of their files.
    """

    first: Manifest
    count: int
    begun: str
    size: int


def merged(found: Iterable[StoredRuns]) -> list[StoredRuns]:
    """Those of one point together, in the order of :func:`~penstock.store.selection.in_order`."""
    points: dict[object, StoredRuns] = {}
    for each in sorted(found, key=lambda it: in_order(it.first)):
        before = points.get(each.first.point, StoredRuns(each.first, 0, "", 0))
        begun = max(before.begun, each.begun)
        points[each.first.point] = StoredRuns(before.first, before.count + each.count, begun, before.size + each.size)
    return list(points.values())


def stored_runs(disk: Folder, get: Callable[[str], StoredRun | None]) -> list[StoredRuns]:
    """All runs in the store, those together that were made at one point in one place; `get` sets damaged ones aside."""
    with collection_paused():
        names = _names(disk)
        left, found = set(names), []
        indexes = {name: Index(disk, name) for name in indexed(disk)}
        for index in indexes.values():
            rows = index.unchanged()
            # A run may be in the indexes of several scenarios that simulate the same.
            rows = [row for row, key in zip(rows, index.keys(rows), strict=True) if f"{key}.json" in left]
            left.difference_update(f"{key}.json" for key in index.keys(rows))
            found += [_of(index, own) for own in index.grouped(rows)]
        others = {name[1] for name in map(RUN_FILE.fullmatch, left) if name is not None}
        for prefix in sorted({key[:2] for key in others}):
            for key, seen in seen_files(disk, prefix):
                run = get(key) if key in others else None
                if run is None or run.manifest is None:
                    continue
                made, scenario = run.manifest.made, run.manifest.scenario
                found.append(StoredRuns(run.manifest, 1, "" if made is None else made.begin, seen[0]))
                if scenario:
                    if scenario not in indexes:
                        indexes[scenario] = Index(disk, scenario)
                    indexes[scenario].add(key, seen, run)
        for index in indexes.values():
            index.keep(there=(name.removesuffix(".json") for name in names))
    return found


def _of(index: Index, rows: list[int]) -> StoredRuns:
    known = index.known
    first = min(rows, key=lambda row: (known.replication[row], known.key[row]))
    begun = max(known.begin[row] for row in rows)
    return StoredRuns(index.manifest_of(first), len(rows), begun, sum(known.size[row] for row in rows))


def _names(disk: Folder) -> set[str]:
    """What the folders of runs hold."""
    found: set[str] = set()
    for prefix in prefixes(disk):
        with suppress(FileNotFoundError, NotADirectoryError), disk.opened("runs", prefix) as folder:
            found.update(entry.name for entry in os.scandir(folder) if entry.name.startswith(prefix))
    return found
