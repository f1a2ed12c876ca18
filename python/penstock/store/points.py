"""Log of the points that were run under each scenario name.

It explains why a run is missing although a similar one exists. ``points/<hash of the name>.jsonl`` has one line per
point; damaged lines are skipped.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.store.manifest import scenario_hash

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from penstock.records import RunRequest


@dataclass(frozen=True, slots=True)
class PointOf:
    """The part that runs share that differ only in their replication: see `Manifest`."""

    scenario: str
    settings: tuple[tuple[str, str], ...]
    seed: int
    model_version: str


def point_of(request: RunRequest) -> PointOf:
    """Returns the point of a run that is made with this version."""
    return PointOf(scenario_hash(request.scenario), request.sets, request.seed, _core.MODEL_VERSION)


class Points:
    """The points of a store."""

    def __init__(self, store: Path) -> None:
        self._folder = store / "points"

    def of(self, name: str) -> list[PointOf]:
        """Returns the points that were run under a name, oldest first; none if they cannot be read."""
        try:
            lines = self._file(name).read_bytes().split(b"\n")
        except OSError:
            return []
        return list(dict.fromkeys(point for line in lines if (point := _point(line, name)) is not None))

    def keep(self, name: str, points: Iterable[PointOf]) -> None:
        """Appends new points; a failure to do so is ignored."""
        known = set(self.of(name))
        new = [
            json.dumps([name, point.scenario, point.settings, point.seed, point.model_version])
            for point in dict.fromkeys(points)
            if point not in known
        ]
        if new:
            with suppress(OSError):
                self._folder.mkdir(exist_ok=True)
                with self._file(name).open("ab", buffering=0) as file:
                    # One write, since processes may append at once; the line before may have been cut off.
                    file.write("\n".join(["", *new, ""]).encode())

    def _file(self, name: str) -> Path:
        return self._folder / f"{hashlib.blake2b(json.dumps(name).encode(), digest_size=16).hexdigest()}.jsonl"


def _point(line: bytes, name: str) -> PointOf | None:
    """Reads a line; None if it is empty, cut off or damaged."""
    try:
        data: Any = json.loads(line)
        own, scenario, settings, seed, model_version = data
        if own != name or type(scenario) is not str or type(model_version) is not str or type(seed) is not int:
            return None
        pairs = tuple((str(path), str(value)) for path, value in settings)
    except (ValueError, TypeError, RecursionError):
        return None
    return PointOf(scenario, pairs, seed, model_version)
