"""Selections of stored runs, and short texts about them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from penstock import _core
from penstock.cli.options import pairs
from penstock.printable import quoted, shortened
from penstock.store import RunKeys, Store
from penstock.store.folder import Failed, Texts
from penstock.store.history import page_of
from penstock.store.manifest import Manifest, PointOf, in_order


@dataclass
class Selection:
    """A selection of runs; all of them by default."""

    texts: Texts  # the store's scenarios
    name: str | None = None  # name of the scenario, with the wildcards `*` and `?`
    where: Sequence[tuple[str, str]] = ()  # settings and their values, as given or as in the scenario
    seed: int | None = None  # root of the random streams
    other_models: bool | None = None  # True for runs of other model versions only, False for runs of this one only
    study: Sequence[tuple[int, RunKeys]] | None = None  # seeds of a study's points, and names of their runs
    _keys: dict[tuple[int, int], set[str]] = field(default_factory=dict)
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
        return self._is_of_study(run) and self._has(run.point, run.folder)

    def _is_of_study(self, run: Manifest | Failed) -> bool:
        """Returns whether a point of the study has this run, whatever text and settings it was made from."""
        if self.study is None:
            return True
        numbers = run.seed, run.replication
        if numbers not in self._keys:
            self._keys[numbers] = {keys.of(*numbers) for seed, keys in self.study if seed == run.seed}
        return run.key in self._keys[numbers]

    def _has(self, point: PointOf, folder: str | None) -> bool:
        if not self.where:
            return True
        given = dict(point.settings)
        left = [(path, value) for path, value in self.where if given.get(path) != value]
        if left and point not in self._pages:
            self._pages[point] = page_of(point, self.texts.get(point.scenario), folder) or {}
        return all(self._pages[point].get(path) == value for path, value in left)


def selection(
    store: Store,
    name: str | None,
    where: list[str] | None,
    seed: int | None = None,
    study: Path | None = None,
    *,
    other_models: bool | None = None,
) -> Selection:
    """The selection of these options. Raises click.BadParameter if a condition is not of the form ``path=value``."""
    points = None
    if study is not None:
        from penstock.cli.studies import plan_of

        points = [(each.seed, RunKeys(each.scenario.canonical)) for each in plan_of(study, ()).read()]
    return Selection(store.texts, name, pairs(where, "--where"), seed, other_models, points)


def settings_text(settings: Sequence[tuple[str, str]], most: int = 60) -> str:
    """Settings on one line."""
    return shortened(", ".join(f"{path}={value}" for path, value in settings), most)


def age_text(text: str) -> float:
    """Seconds of an age such as ``30 days``. Raises ValueError if it is none.

    >>> age_text("2 h"), age_text("30 days")
    (7200.0, 2592000.0)
    """
    number, _, unit = text.strip().partition(" ")
    seconds = {"h": 3600, "hour": 3600, "hours": 3600, "day": 86400, "days": 86400, "weeks": 604800, "week": 604800}
    if not number.isascii() or not number.isdigit() or len(number) > 6 or unit.strip() not in seconds:
        raise ValueError(f"{quoted(text)} is not an age such as '30 days' or '12 hours'.")
    return float(int(number) * seconds[unit.strip()])
