"""What runs were made before under the names of those that are asked for, and what has changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.store.manifest import scenario_hash
from penstock.store.points import Points, point_of
from penstock.store.stale import Why, changes, nearest, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from penstock.records import RunRequest
    from penstock.store.folder import Folder
    from penstock.store.points import PointOf
    from penstock.store.texts import Texts

__all__ = ["History"]

_EXPLAINED = 20
"""Points of which it is said at most why they are made anew."""


class History:
    """The history of a store.

    Parameters
    ----------
    disk : Folder
        The store's.
    texts : Texts
        Its scenarios.
    tell : callable or None
        Told why runs are made anew.
    """

    def __init__(self, disk: Folder, texts: Texts, tell: Callable[[str], None] | None) -> None:
        self._points = Points(disk)
        self._texts = texts
        self._tell = tell
        self._asked: set[tuple[str, PointOf]] = set()

    def ask(self, requests: Iterable[RunRequest]) -> None:
        """Notes what is asked for: nothing else has come in its place."""
        self._asked.update(_points(requests))

    def note(self, requests: Sequence[RunRequest]) -> None:
        """Says why runs are made anew that were made before in another form, and notes that these are made."""
        points = _points(requests)
        self._asked.update(points)
        if self._tell is not None:
            first = {(each.name, point_of(each)): each for each in reversed(requests)}
            found = self.why(first[point] for point in points[:_EXPLAINED]).items()
            # What is set on the command line, or by a study, is known to whoever has set it.
            for what in dict.fromkeys(told(why.changes) for (_, now), why in found if why.is_hidden(now)):
                self._tell(f"made anew, for what has changed since runs like these were made: {what}.")
        for name, own in _by_name(points).items():
            self._points.keep(name, own)

    def why(self, requests: Iterable[RunRequest]) -> dict[tuple[str, PointOf], Why]:
        """What has changed since runs like these were made; of those alone for which there is something like them.

        Parameters
        ----------
        requests : iterable of RunRequest
            Runs that are not in the store.

        Returns
        -------
        dict
            By the name of the scenario and the point.
        """
        requests = list(requests)
        texts = {scenario_hash(each.scenario): (each.scenario, each.folder) for each in requests}
        found = {}
        for name, points in _by_name(_points(requests)).items():
            known = self._points.of(name)
            others = {point for own, point in self._asked if own == name}
            for point in points:
                before = nearest(point, known, others)
                if before is not None:
                    found[name, point] = Why(before, changes(before, point, self._texts, *texts[point.scenario]))
        return found


def _points(requests: Iterable[RunRequest]) -> list[tuple[str, PointOf]]:
    """The points of runs, with the names of their scenarios."""
    distinct: dict[Any, RunRequest] = {}
    before: RunRequest | None = None
    for each in requests:
        # The runs of a point follow one another, and share its settings: most need no hashing.
        if (
            before is None
            or each.sets is not before.sets
            or each.scenario is not before.scenario
            or each.name != before.name
            or each.seed != before.seed
        ):
            distinct[each.name, each.scenario, each.sets, each.seed] = before = each
    return [(request.name, point_of(request)) for request in distinct.values()]


def _by_name(points: Iterable[tuple[str, PointOf]]) -> dict[str, list[PointOf]]:
    found: dict[str, list[PointOf]] = {}
    for name, point in points:
        found.setdefault(name, []).append(point)
    return found
