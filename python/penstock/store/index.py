"""What many runs' files hold, gathered in one file a scenario, so that a large study opens at once.

The files of the runs stay the truth. ``index/<hash of the scenario>.columns`` has of each the size and the time of its
last change beside what it holds, and stands for it only as long as both are what they were, as in the index of Git. It
can be deleted, is not written where that is not allowed, and is ignored if its checksum is not right.
"""

from __future__ import annotations

import json
import os
import re
import stat
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.records import MetricRow
from penstock.store.columns import Columns, decode, encode
from penstock.store.folder import write
from penstock.store.kept import KeptRuns
from penstock.store.manifest import Made, Manifest
from penstock.store.measured import Picker
from penstock.store.runfile import StoredRun
from penstock.store.sealed import content_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from penstock.store.folder import Folder
    from penstock.store.kept import NamedPoint

__all__ = ["LEAST", "SUFFIX", "Index", "Seen"]

LEAST = 256
"""Runs of a scenario from which on they are gathered, and new ones that it takes to write the file again."""
SUFFIX = ".columns"
_PART = 200
"""New ones are written once they are this part of the others, which all are written again then."""
_MOST_METRICS = 200
"""What has more is read from its own file, which takes longer than finding it."""
_SETTLED = 2_000_000_000
"""Nanoseconds since a file's last change from which on another change has another time, on any file system."""
_LARGEST = 1 << 30
_DIGEST = re.compile(r"[0-9a-f]+")
_MOST = (1 << 64) - 1

Seen = tuple[int, int]
"""Size and time of the last change of a file."""


class Index:
    """The gathered runs that one scenario's text was asked for; some may have been made for other texts.

    Parameters
    ----------
    disk : Folder
        The store's.
    scenario : str
        The hash of the scenario's text.
    """

    def __init__(self, disk: Folder, scenario: str) -> None:
        self._disk = disk
        self._path = disk.path / "index" / f"{scenario}{SUFFIX}"
        self.scenario = scenario
        self.known = Columns()
        self._rows: dict[str, int] = {}
        self._heads: dict[int, tuple[Any, ...]] = {}
        self._new: dict[str, tuple[Seen, StoredRun]] = {}
        with suppress(Exception):  # whatever it is, the files tell it too
            self._read()

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def take(self, seen: Mapping[str, Seen], into: dict[str, StoredRun]) -> list[str]:
        """Puts those runs `into` a table that are known as their files are `seen`; gives the names of the others.

        They come without their manifests, which are not always wanted; see :meth:`manifest`.
        """
        # A study may have a hundred thousand: nothing is looked up twice here.
        known, rows, others = self.known, self._rows, []
        sizes, times, shapes, shape = known.size, known.time, known.shapes, known.shape
        measures, measured = known.measures, known.measured
        decisions, decided = known.decisions, known.decided
        values_of, digests, hops = known.values_of, known.digest, known.packet_hops
        for key, (size, changed) in seen.items():
            row = rows.get(key)
            if row is None or sizes[row] != size or times[row] != changed:
                others.append(key)
            else:
                metrics = MetricRow(shapes[shape[row]], values_of(row))
                of, why = measures[measured[row]], decisions[decided[row]]
                into[key] = StoredRun(metrics, digests[row], hops[row], None, of, why)
        return others

    def whole(self, points: Sequence[NamedPoint]) -> list[KeptRuns | None]:
        """The runs of each point of which all are known as their files are now, and measure the same; None for others.

        Raises
        ------
        OSError
            If a folder of runs is a symbolic link.
        """
        known, rows = self.known, [self._rows_of(point.keys) for point in points]
        wanted = [row for own in rows if own is not None for row in own]
        if not wanted:
            return [None] * len(points)
        self._disk.refuse_links("runs")
        seen = self._seen(wanted)
        found: list[KeptRuns | None] = []
        at = 0
        for point, own in zip(points, rows, strict=True):
            begin, at = at, at + len(own or ())
            shapes = {known.shape[row] for row in own or ()}
            measured = {known.measured[row] for row in own or ()}
            if own is None or len(shapes) != 1 or len(measured) != 1 or 0 in seen[begin:at]:
                found.append(None)
                continue
            places = Picker(point.measures).places(known.measures[measured.pop()])
            is_all = isinstance(places, range)
            found.append(None if places is None else KeptRuns(point, known, own, None if is_all else places))
        return found

    def _rows_of(self, keys: Sequence[str]) -> list[int] | None:
        """Where runs stand; None if one of them is not there."""
        with suppress(KeyError):
            return list(map(self._rows.__getitem__, keys))
        return None

    def manifest(self, key: str, seen: Seen) -> Manifest | None:
        """What the run called `key` was made from, if its file is known as it is `seen`."""
        row, known = self._rows.get(key), self.known
        if row is None or (known.size[row], known.time[row]) != seen:
            return None
        return self.manifest_of(row)

    def unchanged(self) -> list[int]:
        """The rows of all runs that are known as their files are now."""
        rows = list(self._rows.values())
        self._disk.refuse_links("runs")
        seen = self._seen(rows)
        return [row for row, is_same in zip(rows, seen, strict=True) if is_same]

    def keys(self, rows: Iterable[int]) -> list[str]:
        """The names of runs."""
        return list(map(self.known.key.__getitem__, rows))

    def grouped(self, rows: Iterable[int]) -> list[list[int]]:
        """Rows, those together that were made at one point in one place."""
        known = self.known
        groups: dict[tuple[int, int], list[int]] = {}
        for row in rows:
            groups.setdefault((known.head[row], known.place[row]), []).append(row)
        return list(groups.values())

    def _seen(self, rows: list[int]) -> bytes:
        known = self.known
        folder = str(self._disk.path / "runs")
        return _core.unchanged(folder, known.key, known.size, known.time, rows) if rows else b""

    def manifest_of(self, row: int) -> Manifest:
        """What a run was made from."""
        known, key = self.known, self.known.key[row]
        model_version, version, name, settings, seed, scenario = self._head(known.head[row])
        place = known.places[known.place[row]]
        made = None if place is None else Made(place[0], known.begin[row], known.seconds[row], place[1])
        origin = (key, model_version, seed, known.replication[row], name, scenario, settings, version, made)
        return Manifest(*origin, known.digest[row], known.packet_hops[row])

    def _head(self, number: int) -> tuple[Any, ...]:
        """What runs have in common that differ only in their replication; one object for all of them."""
        if (head := self._heads.get(number)) is None:
            model_version, version, name, settings, seed, scenario = self.known.heads[number]
            pairs = tuple((path, value) for path, value in settings)
            head = self._heads[number] = (model_version, version, name, pairs, seed, scenario)
        return head

    def add(self, key: str, seen: Seen, run: StoredRun) -> None:
        """Takes a run that was read from its own file; see :meth:`keep`."""
        found = run.manifest
        if (
            found is not None
            and len(run.metrics) <= _MOST_METRICS
            and time.time_ns() - seen[1] > _SETTLED
            and _DIGEST.fullmatch(run.digest)
            and max(run.packet_hops, found.replication) <= _MOST
        ):
            self._new[key] = seen, run

    def keep(self, *, there: Iterable[str] | None = None) -> None:
        """Writes what was added, if it is worth it; that this fails changes nothing.

        Parameters
        ----------
        there : iterable of str, optional
            The names of all runs in the store; others are left out from now on.
        """
        if len(self._new) < max(LEAST, len(self._rows) // _PART):
            return
        before, names = self.known, set(self._rows if there is None else there).difference(self._new)
        after = Columns(before.shapes, before.heads, before.places, before.measures, before.decisions)
        after.take(before, [row for key, row in self._rows.items() if key in names])
        tables = (after.shapes, after.heads, after.places, after.measures, after.decisions)
        numbers = [_Numbers(table) for table in tables]
        for key, (seen, run) in self._new.items():
            _append(after, key, seen, run, *numbers)
        after.measure()
        self._take(after)
        self._new = {}
        with suppress(OSError), self._disk.opened("index", create=True) as folder:
            write(folder, self._path, encode(after))

    def _read(self) -> None:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        with self._disk.opened("index") as folder:
            file = os.open(self._path.name, flags, dir_fd=folder)
            try:
                status = os.fstat(file)
                if not stat.S_ISREG(status.st_mode):
                    return
                content = content_of(file, status.st_size, _LARGEST)
            finally:
                os.close(file)
        known = decode(content)
        if known is not None:
            self._take(known)

    def _take(self, known: Columns) -> None:
        self.known, self._heads = known, {}
        self._rows = dict(zip(known.key, range(len(known.key)), strict=True))


class _Numbers:
    """Numbers the entries of a list, to which new ones are added."""

    def __init__(self, entries: list[Any]) -> None:
        self._entries = entries
        self._numbers = {json.dumps(entry): number for number, entry in enumerate(entries)}

    def of(self, entry: Any) -> int:
        """The number of an entry."""
        text = json.dumps(entry)
        if text not in self._numbers:
            self._numbers[text] = len(self._entries)
            self._entries.append(entry)
        return self._numbers[text]


def _append(
    to: Columns,
    key: str,
    seen: Seen,
    run: StoredRun,
    shapes: _Numbers,
    heads: _Numbers,
    places: _Numbers,
    measures: _Numbers,
    decisions: _Numbers,
) -> None:
    """Adds a run; only what one of them has as its own is a column."""
    found = run.manifest
    if found is None:
        return
    made = found.made
    to.key.append(key)
    to.size.append(seen[0])
    to.time.append(seen[1])
    to.digest.append(run.digest)
    to.packet_hops.append(run.packet_hops)
    to.shape.append(shapes.of([[metric.name, metric.labels, metric.unit] for metric in run.metrics]))
    to.values.extend(metric.value for metric in run.metrics)
    head = [found.model_version, found.version, found.name, found.settings, found.seed, found.scenario]
    to.head.append(heads.of(head))
    to.measured.append(measures.of(run.measured))
    to.decided.append(decisions.of(run.decided))
    to.replication.append(found.replication)
    to.place.append(places.of(None if made is None else [made.host, made.folder]))
    to.begin.append("" if made is None else made.begin)
    to.seconds.append(0.0 if made is None else made.seconds)
