"""Explains why runs are repeated: logs points by the names of scenarios, one per line, and compares them."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from penstock import _core
from penstock.printable import shortened, utf8
from penstock.records import RunRequest
from penstock.store.folder import Texts
from penstock.store.manifest import PointOf, point_of

_EXPLAINED = 20  # maximum number of points for which it is explained why they are repeated
_CANDIDATES = 500  # number of newest points that are compared if none has the same settings
_SHOWN = 3  # number of changes that are listed


@dataclass(frozen=True, slots=True)
class Change:
    """A difference between an earlier run and a request; None for a missing value."""

    what: str
    before: str | None
    now: str | None

    def __str__(self) -> str:
        if self.what == "model version":
            return f"model version {(self.before or '')[:12]} -> {(self.now or '')[:12]}"
        before, now = (_shown(value) for value in (self.before, self.now))
        return f"{shortened(self.what, 100)}: {before} -> {now}"


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
            # The user knows the settings of the command line and of a study.
            found = self.why(list(points.values())[:_EXPLAINED], unasked=True)
            for what in dict.fromkeys(map(told, found.values())):
                self._tell(f"repeated because of what has changed since similar runs: {what}.")
        for name in dict.fromkeys(name for name, _ in points):
            self._keep(name, [point for own, point in points if own == name])

    def why(self, requests: Iterable[RunRequest], *, unasked: bool = False) -> dict[tuple[str, PointOf], list[Change]]:
        """Returns the changes since similar runs; `unasked` leaves out points with only other settings or seeds."""
        known: dict[str, list[PointOf]] = {}
        others: dict[str, set[PointOf]] = {}
        for name, point in self._asked:
            others.setdefault(name, set()).add(point)
        found = {}
        for (name, point), request in _first_of_points(requests).items():
            if name not in known:
                known[name] = self._log(name)
            before = _nearest(point, known[name], others.get(name, set()))
            if before is not None and not (unasked and before.text_and_model == point.text_and_model):
                found[name, point] = _changes(before, point, self._texts, request.scenario, request.folder)
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
        pairs = tuple((path, value) for path, value in settings)
    except (ValueError, TypeError, RecursionError):
        return None
    return PointOf(scenario, pairs, seed, model_version) if own == name else None


def _first_of_points(requests: Iterable[RunRequest]) -> dict[tuple[str, PointOf], RunRequest]:
    """Returns the first run of each point, by the name of its scenario and the point."""
    found: dict[tuple[str, PointOf], RunRequest] = {}
    # The runs of a point are consecutive and share its settings, so most of them need no hashing.
    for _, runs in groupby(requests, lambda each: (each.name, each.seed, id(each.sets), id(each.scenario))):
        first = next(runs)
        found.setdefault((first.name, point_of(first)), first)
    return found


def _nearest(asked: PointOf, known: Sequence[PointOf], others: set[PointOf]) -> PointOf | None:
    """Returns the known point most similar to the requested one; None if the request only adds runs or points."""
    if any(point == asked or (point in others and point.text_and_model == asked.text_and_model) for point in known):
        return None
    found = [point for point in known if point not in others]
    same = [point for point in found if point.settings == asked.settings]
    # Among equally similar points, the newest.
    return min(reversed(same or found[-_CANDIDATES:]), key=lambda point: _distance(asked, point), default=None)


def _changes(before: PointOf, now: PointOf, texts: Texts, text: str, folder: str | None = None) -> list[Change]:
    """Returns the differences, setting by setting: of whole scenarios if both can be read."""
    found = []
    old, new = page_of(before, texts.get(before.scenario), folder), page_of(now, text, folder)
    if old is None or new is None:
        old, new = dict(before.settings), dict(now.settings)
        if before.scenario != now.scenario:
            found.append(Change("scenario", before.scenario[:12], now.scenario[:12]))
    found += [
        Change(path, old.get(path), new.get(path))
        for path in dict.fromkeys((*old, *new))
        if old.get(path) != new.get(path) and path != "seed"
    ]
    if before.seed != now.seed:
        found.append(Change("seed", str(before.seed), str(now.seed)))
    if before.model_version != now.model_version:
        found.append(Change("model version", before.model_version, now.model_version))
    return found


def told(found: Sequence[Change]) -> str:
    """Returns the changes on one line.

    >>> told([Change("duration", "10 s", "20 s"), Change("model version", "a" * 64, "b" * 64)])
    'duration: 10 s -> 20 s; model version aaaaaaaaaaaa -> bbbbbbbbbbbb'
    """
    more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    # A change of the model version is always listed, since it changes everything.
    shown = sorted(found, key=lambda change: change.what != "model version")[:_SHOWN] if more else found
    return "; ".join(map(str, shown)) + more


def _flattened(page: Any, path: str = "") -> dict[str, str]:
    """Returns the values of a scenario by their paths.

    >>> _flattened({"links": [{"from": "r1", "to": "r2", "rate": "2 Mbit/s"}], "measure": [{"of": "bulk"}]})
    {'r1-r2.from': 'r1', 'r1-r2.to': 'r2', 'r1-r2.rate': '2 Mbit/s', 'measure[0].of': 'bulk'}
    """
    if isinstance(page, dict) and page:
        parts = [(f"{path}.{key}" if path else str(key), value) for key, value in page.items()]
    elif isinstance(page, list) and page and any(isinstance(value, (dict, list)) for value in page):
        parts = list(zip(_labels(page, path), page, strict=True))
    else:
        return {path: page if isinstance(page, str) else json.dumps(page)}
    return {name: value for each, below in parts for name, value in _flattened(below, each).items()}


def _labels(entries: Sequence[Any], path: str) -> list[str]:
    """Returns names for the entries of a list: their own, as in settings, if those are unique."""
    names = []
    for entry in entries:
        known = entry if isinstance(entry, dict) else {}
        own = known.get("name", f"{known['from']}-{known['to']}" if {"from", "to"} <= known.keys() else None)
        if not isinstance(own, str) or own in names:
            return [f"{path}[{number}]" for number in range(len(entries))]
        names.append(own)
    return names


def _distance(asked: PointOf, point: PointOf) -> int:
    others = ("scenario", "seed", "model_version")
    different = [name for name in others if getattr(asked, name) != getattr(point, name)]
    return len(different) + len(set(asked.settings) ^ set(point.settings))


def page_of(point: PointOf, text: str | None, folder: str | None = None) -> dict[str, str] | None:
    """Returns all settings of a point by their paths; None if its scenario is missing or cannot be read."""
    if text is None:
        return None
    try:
        read = _core.Scenario(text, utf8("scenario"), list(point.settings), folder, leave_out=True)
    except _core.ScenarioError:
        return None
    measures = [json.loads(text) for text in read.measures if text.startswith("{")]
    return _flattened(json.loads(read.canonical)) | (_flattened({"measure": measures}) if measures else {})


def _shown(value: str | None) -> str:
    return "nothing" if value is None else shortened(value, 60) or "''"
