"""Explains why runs are repeated: what was run under the same scenario names, and what has changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.store.points import Points, point_of
from penstock.store.stale import Why, changes, nearest, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from penstock.records import RunRequest
    from penstock.store.points import PointOf
    from penstock.store.texts import Texts

_EXPLAINED = 20
"""Maximum number of points for which it is explained why they are repeated."""


class History:
    """The history of a store.

    `tell`: called with the reason why runs are repeated.
    """

    def __init__(self, store: Path, texts: Texts, tell: Callable[[str], None] | None) -> None:
        self._points = Points(store)
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
            self._points.keep(name, [point for own, point in points if own == name])

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
                known[name] = self._points.of(name)
            before = nearest(point, known[name], others.get(name, ()))
            if before is not None:
                found[name, point] = Why(before, changes(before, point, self._texts, request.scenario, request.folder))
        return found


def _first_of_points(requests: Iterable[RunRequest]) -> dict[tuple[str, PointOf], RunRequest]:
    """Returns the first run of each point, by the name of its scenario and the point."""
    found: dict[tuple[str, PointOf], RunRequest] = {}
    before: RunRequest | None = None
    for each in requests:
        # The runs of a point are consecutive and share its settings, so most of them need no hashing.
        if (
            before is None
            or each.sets is not before.sets
            or each.scenario is not before.scenario
            or each.name != before.name
            or each.seed != before.seed
        ):
            before = each
            found.setdefault((each.name, point_of(each)), each)
    return found
