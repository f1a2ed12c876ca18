"""Lists the runs of a store point by point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.store.selection import in_order

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.store.manifest import Manifest


@dataclass(frozen=True, slots=True)
class StoredRuns:
    """Stored runs of one point."""

    first: Manifest  # what the run with the lowest number was made from
    count: int  # number of runs
    begun: str  # start of the last one; empty if not recorded
    size: int  # size of their files (bytes)


def merged(runs: Iterable[tuple[Manifest, int]]) -> list[StoredRuns]:
    """Joins the runs of each point; each run is given with the size of its file.

    The points are in the order of :func:`~penstock.store.selection.in_order`.
    """
    points: dict[object, list[tuple[Manifest, int]]] = {}
    for run in sorted(runs, key=lambda each: in_order(each[0])):
        points.setdefault(run[0].point, []).append(run)
    return [
        StoredRuns(
            own[0][0],
            len(own),
            max("" if run.made is None else run.made.begin for run, _ in own),
            sum(size for _, size in own),
        )
        for own in points.values()
    ]
