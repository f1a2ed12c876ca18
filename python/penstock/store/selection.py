"""Selects runs of a store by name, settings, seed and model version, and lists them point by point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from penstock import _core
from penstock.store.failed import Failed
from penstock.store.folder import Texts
from penstock.store.history import page_of
from penstock.store.manifest import Manifest, PointOf


@dataclass
class Selection:
    """A selection of runs; all of them by default."""

    texts: Texts  # the store's scenarios
    name: str | None = None  # name of the scenario, with the wildcards `*` and `?`
    where: Sequence[tuple[str, str]] = ()  # settings and their values, as given or as in the scenario
    seed: int | None = None  # root of the random streams
    other_models: bool | None = None  # True for runs of other model versions only, False for runs of this one only
    points: set[PointOf] | None = None  # the points of a study
    _pages: dict[PointOf, dict[str, str]] = field(default_factory=dict)

    def of(self, manifests: Iterable[Manifest]) -> list[Manifest]:
        """Returns the selected ones, in the order of :func:`in_order`."""
        return sorted(filter(self.matches, manifests), key=in_order)

    def matches(self, run: Manifest | Failed) -> bool:
        """Returns whether a run is selected."""
        if self.name is not None and not fnmatchcase(run.name, self.name):
            return False
        if self.seed is not None and run.seed != self.seed:
            return False
        if self.other_models is not None and (run.model_version != _core.MODEL_VERSION) != self.other_models:
            return False
        if self.points is None and not self.where:
            return True
        return (self.points is None or run.point in self.points) and self._has(run.point, run.folder)

    def _has(self, point: PointOf, folder: str | None) -> bool:
        if not self.where:
            return True
        given = dict(point.settings)
        left = [(path, value) for path, value in self.where if given.get(path) != value]
        if left and point not in self._pages:
            self._pages[point] = page_of(point, self.texts.get(point.scenario), folder) or {}
        return all(self._pages[point].get(path) == value for path, value in left)


def in_order(run: Manifest) -> tuple[object, ...]:
    """Returns the sort key of a run in listings."""
    return run.name, run.scenario, run.settings, run.seed, run.model_version, run.replication, run.key


@dataclass(frozen=True, slots=True)
class StoredRuns:
    """Stored runs of one point."""

    first: Manifest  # what the run with the lowest number was made from
    count: int  # number of runs
    begun: str  # start of the last one; empty if not recorded
    size: int  # size of their files (bytes)


def merged(runs: Iterable[tuple[Manifest, int]]) -> list[StoredRuns]:
    """Joins the runs of each point; each run is given with the size of its file.

    The points are in the order of :func:`in_order`.
    """
    points: dict[object, list[tuple[Manifest, int]]] = {}
    for run in sorted(runs, key=lambda each: in_order(each[0])):
        points.setdefault((run[0].name, run[0].point), []).append(run)
    return [
        StoredRuns(
            own[0][0],
            len(own),
            max("" if run.made is None else run.made.begin for run, _ in own),
            sum(size for _, size in own),
        )
        for own in points.values()
    ]
