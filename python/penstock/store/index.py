"""What many runs' files hold, gathered in one file a scenario, so that a large study opens at once.

The files of the runs stay the truth. ``index/<hash of the scenario>.json`` has of each the size and the time of its
last change beside what it holds, and stands for it only as long as both are what they were, as in the index of Git. It
can be deleted, is not written where that is not allowed, and is ignored if its checksum is not right.
"""

from __future__ import annotations

import json
import math
import os
import stat
import time
from contextlib import suppress
from dataclasses import astuple
from typing import TYPE_CHECKING, Any

from penstock.records import MetricRow
from penstock.store.folder import write
from penstock.store.manifest import Made, Manifest
from penstock.store.runfile import StoredRun
from penstock.store.sealed import FORMAT, content_of, sealed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from penstock.store.folder import Folder

__all__ = ["LEAST", "Index", "Seen"]

LEAST = 256
"""Runs of a scenario from which on they are gathered, and new ones that it takes to write the file again."""
_PART = 50
"""New ones are written once they are this part of the others, which all are written again then."""
_MOST_METRICS = 200
"""What has more is read from its own file, which takes longer than finding it."""
_SETTLED = 2_000_000_000
"""Nanoseconds since a file's last change from which on another change has another time, on any file system."""
_LARGEST = 1 << 30

Seen = tuple[int, int]
"""Size and time of the last change of a file."""


class Index:
    """The gathered runs of one scenario.

    Parameters
    ----------
    disk : Folder
        The store's.
    scenario : str
        The hash of the scenario's text.
    """

    def __init__(self, disk: Folder, scenario: str) -> None:
        self._disk = disk
        self._path = disk.path / "index" / f"{scenario}.json"
        self._scenario = scenario
        self._lines: dict[str, bytes] = {}
        self._heads: list[Any] = []
        self._origins: dict[str, Any] = {}
        self._shapes: list[Any] = []
        self._rows: dict[str, Any] = {}
        self._new: dict[str, tuple[Seen, StoredRun]] = {}
        with suppress(Exception):  # whatever it is, the files tell it too
            self._read()

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def get(self, key: str, seen: Seen) -> StoredRun | None:
        """The run called `key`, whose file is as it was `seen`; None if another is known, or none.

        It comes without its manifest, which is not always wanted; see :meth:`manifest`.
        """
        row = self._rows.get(key)
        if row is None or row[0] != seen[0] or row[1] != seen[1]:
            return None
        return StoredRun(MetricRow(self._shapes[row[4]], row[5]), row[2], row[3])

    def manifest(self, key: str, seen: Seen) -> Manifest | None:
        """What the run called `key` was made from; None as for :meth:`get`."""
        row = self._rows.get(key)
        if row is None or row[0] != seen[0] or row[1] != seen[1]:
            return None
        self._read_origins()
        head, replication, made = self._origins[key]
        model_version, version, name, settings, seed = self._heads[head]
        return Manifest(
            *(key, model_version, seed, replication, name, self._scenario, settings, version),
            None if made is None else Made(*made),
            *(row[2], row[3]),
        )

    def add(self, key: str, seen: Seen, run: StoredRun) -> None:
        """Takes a run that was read from its own file; see :meth:`keep`."""
        if len(run.metrics) <= _MOST_METRICS and time.time_ns() - seen[1] > _SETTLED:
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
        self._read_origins()
        names = set(self._rows if there is None else there)
        heads = {json.dumps(head): number for number, head in enumerate(self._heads)}
        shapes = {json.dumps(shape): number for number, shape in enumerate(self._shapes)}
        rows = {key: _written(row) for key, row in self._rows.items() if key in names}
        origins = {key: self._origins[key] for key in rows}
        for key, (seen, run) in self._new.items():
            found = run.manifest
            if found is None:
                continue
            head = json.dumps([found.model_version, found.version, found.name, found.settings, found.seed])
            shape = json.dumps([[metric.name, metric.labels, metric.unit] for metric in run.metrics])
            made = None if found.made is None else list(astuple(found.made))
            origins[key] = [heads.setdefault(head, len(heads)), found.replication, made]
            known = (*seen, run.digest, run.packet_hops, shapes.setdefault(shape, len(shapes)))
            rows[key] = _written((*known, [metric.value for metric in run.metrics]))
        # A line a member: each is decoded only if it is wanted.
        lines = [f' "{name}": [{", ".join(table)}],' for name, table in (("heads", heads), ("shapes", shapes))]
        lines += [f' "{name}": {json.dumps(table)},' for name, table in (("origins", origins), ("numbers", rows))]
        with suppress(OSError), self._disk.opened("index", create=True) as folder:
            write(folder, self._path, sealed([f' "format": {FORMAT},', *lines]))

    def _read(self) -> None:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        with self._disk.opened("index") as folder:
            file = os.open(self._path.name, flags, dir_fd=folder)
            try:
                status = os.fstat(file)
                if not stat.S_ISREG(status.st_mode):
                    return
                lines = content_of(file, status.st_size, _LARGEST).split(b"\n")
            finally:
                os.close(file)
        for line in lines:
            name, colon, value = line.partition(b": ")
            if colon and value.endswith(b","):
                self._lines[name.strip(b' "').decode()] = value[:-1]
        if self._line("format") != FORMAT:
            return
        shapes = self._line("shapes")
        unusual = b"n" in self._lines["numbers"]  # as in "nan" and "inf"; names and digests are hexadecimal
        rows = self._line("numbers")
        if unusual:
            for row in rows.values():
                row[5] = [float(value) for value in row[5]]
        self._shapes, self._rows = shapes, rows

    def _read_origins(self) -> None:
        if self._rows and not self._origins:
            self._heads = [
                (model, version, name, tuple(map(tuple, settings)), seed)
                for model, version, name, settings, seed in self._line("heads")
            ]
            self._origins = self._line("origins")

    def _line(self, name: str) -> Any:
        return json.loads(self._lines.pop(name))


def _written(row: Sequence[Any]) -> list[Any]:
    """A row as JSON has it, which knows no numbers that are not finite."""
    return [*row[:5], [value if math.isfinite(value) else repr(value) for value in row[5]]]
