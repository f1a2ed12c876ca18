"""Explains why runs are repeated: what was run under the same scenario names, and what has changed since.

``points/<hash of the name>.jsonl`` is a log of the points that were run under a name, one per line; damaged lines are
skipped.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from itertools import groupby
from typing import TYPE_CHECKING

from penstock.store.manifest import PointOf, point_of
from penstock.store.stale import Why, changes, nearest, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from penstock.records import RunRequest
    from penstock.store.folder import Texts

_EXPLAINED = 20
"""Maximum number of points for which it is explained why they are repeated."""


class History:
    """The history of a store; `tell` is called with the reason why runs are repeated."""

    def __init__(self, store: Path, texts: Texts, tell: Callable[[str], None] | None) -> None:
        self._folder = store / "points"
        self._texts = texts
        self._tell = tell
        self._asked: set[tuple[str, PointOf]] = set()

    def ask(self, requests: Iterable[RunRequest]) -> None:
        """Records requested points, since a requested point was not replaced by another one."""
        self._asked.update(_first_of_points(requests))

    def note(self, requests: Sequence[RunRequest]) -> None:
        """Says why runs are repeated that exist in another form, and adds the points to the log."""
        points = _first_of_points(requests)
        self._asked.update(points)
        if self._tell is not None:
            found = self.why(list(points.values())[:_EXPLAINED]).items()
            # The user knows the settings of the command line and of a study.
            for what in dict.fromkeys(told(why.changes) for (_, now), why in found if why.is_hidden(now)):
                self._tell(f"repeated because of what has changed since similar runs: {what}.")
        for name in dict.fromkeys(name for name, _ in points):
            self._keep(name, [point for own, point in points if own == name])

    def why(self, requests: Iterable[RunRequest]) -> dict[tuple[str, PointOf], Why]:
        """Returns what has changed since similar runs were made, by the name of the scenario and the point.

        `requests`: runs that are not in the store; those without a similar run are left out of the result.
        """
        known: dict[str, list[PointOf]] = {}
        others: dict[str, set[PointOf]] = {}
        for name, point in self._asked:
            others.setdefault(name, set()).add(point)
        found = {}
        for (name, point), request in _first_of_points(requests).items():
            if name not in known:
                known[name] = self._log(name)
            before = nearest(point, known[name], others.get(name, ()))
            if before is not None:
                found[name, point] = Why(before, changes(before, point, self._texts, request.scenario, request.folder))
        return found

    def _log(self, name: str) -> list[PointOf]:
        """Returns the points that were run under a name, oldest first; none if they cannot be read."""
        try:
            lines = self._file(name).read_bytes().split(b"\n")
        except OSError:
            return []
        return list(dict.fromkeys(point for line in lines if (point := _point(line, name)) is not None))

    def _keep(self, name: str, points: Iterable[PointOf]) -> None:
        """Appends new points to the log; a failure to do so is ignored."""
        known = set(self._log(name))
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
        own, scenario, settings, seed, model_version = json.loads(line)
        if own != name or type(scenario) is not str or type(model_version) is not str or type(seed) is not int:
            return None
        pairs = tuple((str(path), str(value)) for path, value in settings)
    except (ValueError, TypeError, RecursionError):
        return None
    return PointOf(scenario, pairs, seed, model_version)


def _first_of_points(requests: Iterable[RunRequest]) -> dict[tuple[str, PointOf], RunRequest]:
    """Returns the first run of each point, by the name of its scenario and the point."""
    found: dict[tuple[str, PointOf], RunRequest] = {}
    # The runs of a point are consecutive and share its settings, so most of them need no hashing.
    for _, runs in groupby(requests, lambda each: (each.name, each.seed, id(each.sets), id(each.scenario))):
        first = next(runs)
        found.setdefault((first.name, point_of(first)), first)
    return found
