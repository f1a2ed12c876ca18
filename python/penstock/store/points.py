"""What has been run under a name: the points that runs were made at, a line each.

So it can be said why a run is not in the store although one like it was made before. The lines are in
``points/<hash of the name>.jsonl``; they are a help for people, and what is damaged among them is passed over.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.store.folder import located, write
from penstock.store.manifest import scenario_hash
from penstock.store.sealed import read

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from penstock.records import RunRequest
    from penstock.store.folder import Folder

__all__ = ["PointOf", "Points", "point_of"]

_MOST = 20_000
"""Lines of a file; of more the older half is forgotten."""
_LARGEST = 1 << 28


@dataclass(frozen=True, slots=True)
class PointOf:
    """What runs have in common that differ only in their replication: see `Manifest`."""

    scenario: str
    settings: tuple[tuple[str, str], ...]
    seed: int
    model_version: str


def point_of(request: RunRequest) -> PointOf:
    """Of a run that is made with this version."""
    return PointOf(scenario_hash(request.scenario), request.sets, request.seed, _core.MODEL_VERSION)


class Points:
    """The points of a store.

    Parameters
    ----------
    disk : Folder
        The store's.
    """

    def __init__(self, disk: Folder) -> None:
        self._disk = disk
        self._path = disk.path / "points"

    def of(self, name: str) -> list[PointOf]:
        """The points at which runs were made under a name, the oldest first."""
        with suppress(OSError), self._disk.opened("points") as folder:
            return self._read(folder, self._file(name), name)
        return []

    def keep(self, name: str, points: Iterable[PointOf]) -> None:
        """Notes points that are new; that this fails changes nothing."""
        with suppress(OSError), self._disk.opened("points", create=True) as folder:
            path = self._file(name)
            known = self._read(folder, path, name)
            before = set(known)
            new = [point for point in dict.fromkeys(points) if point not in before]
            if len(known) + len(new) > _MOST:
                kept = [*known, *new][-_MOST // 2 :]
                write(folder, path, "".join(_line(name, point) for point in kept).encode())
            elif new:
                self._append(folder, path, "".join(_line(name, point) for point in new).encode())

    def _file(self, name: str) -> Path:
        return self._path / f"{hashlib.blake2b(json.dumps(name).encode(), digest_size=16).hexdigest()}.jsonl"

    @staticmethod
    def _append(folder: int, path: Path, content: bytes) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        with located(path):
            file = os.open(path.name, flags, 0o666, dir_fd=folder)
            try:
                if stat.S_ISREG(os.fstat(file).st_mode):
                    # At once: several processes may do so at the same time. A line before may have been cut off.
                    os.write(file, b"\n" + content)
            finally:
                os.close(file)

    @staticmethod
    def _read(folder: int, path: Path, name: str) -> list[PointOf]:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        try:
            file = os.open(path.name, flags, dir_fd=folder)
        except FileNotFoundError:
            return []
        try:
            status = os.fstat(file)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
                return []
            lines = read(file, status.st_size).split(b"\n")
        finally:
            os.close(file)
        found: dict[PointOf, None] = {}
        for line in lines:
            point = _point(line, name)
            if point is not None:
                found[point] = None
        return list(found)


def _line(name: str, point: PointOf) -> str:
    data = [name, point.scenario, point.settings, point.seed, point.model_version]
    return f"{json.dumps(data)}\n"


def _point(line: bytes, name: str) -> PointOf | None:
    """What a line says; None if it is cut off, damaged or empty."""
    try:
        data: Any = json.loads(line)
        own, scenario, settings, seed, model_version = data
        if own != name or type(scenario) is not str or type(model_version) is not str or type(seed) is not int:
            return None
        pairs = tuple((str(path), str(value)) for path, value in settings)
    except (ValueError, TypeError, RecursionError):
        return None
    return PointOf(scenario, pairs, seed, model_version)
