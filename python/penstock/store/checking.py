"""Verifies stored runs: compares names and rows with scenarios, and repeats a sample of runs."""

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from penstock import _core
from penstock.memory import require
from penstock.printable import quoted, utf8
from penstock.records import Metric, RunRequest, RunResult
from penstock.store.manifest import Manifest, run_key
from penstock.store.runfile import StoredRun

RunAll = Callable[[list[RunRequest]], list[RunResult]]

Row = tuple[str, tuple[tuple[str, str], ...], str]  # name, labels and unit

_SEEN = ("ingress", "circuit", "meter", "circle")
"""Labels of rows that exist only if something happened in a run, such as traffic or a circular pause."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A stored run that this version does not reproduce, and the differences."""

    run: Manifest
    what: list[str]

    def data(self) -> dict[str, Any]:
        """Returns the JSON form."""
        return {"key": self.run.key, "name": self.run.name, "differs": self.what}


def sample(runs: Sequence[Manifest], count: int, pick: int) -> list[Manifest]:
    """Returns a random sample of the runs; all of them if `count` is negative."""
    if count < 0 or count >= len(runs):
        return list(runs)
    chosen = random.Random(pick).sample(range(len(runs)), count)
    return [runs[number] for number in sorted(chosen)]


def asked_for(run: Manifest, text: str) -> tuple[RunRequest, str | None, list[str]]:
    """Returns a run's request, its name (None if its scenario cannot be read here), and what it measures."""
    request = RunRequest(text, run.settings, run.seed, run.replication, run.name, folder=run.folder)
    try:
        scenario = _core.Scenario(text, utf8(run.name), list(run.settings), run.folder, leave_out=True)
    except _core.ScenarioError:
        return request, None, []
    return request, run_key(scenario.canonical, run.seed, run.replication), scenario.measures


def measures_these(run: StoredRun, measures: Sequence[str]) -> bool:
    """Returns whether a run says that its numbers belong to these measures."""
    return run.measured is not None and [text for text, _ in run.measured] == list(measures)


def made_again(runs: Iterable[tuple[Manifest, StoredRun, RunRequest]], run_all: RunAll) -> tuple[int, list[Difference]]:
    """Repeats stored runs; returns how many, and those that differ. Raises RunsFailed if one fails."""
    runs = list(runs)
    results = run_all([request for _, _, request in runs])
    found = [difference(manifest, stored, result) for (manifest, stored, _), result in zip(runs, results, strict=True)]
    return len(runs), [each for each in found if each.what]


def difference(manifest: Manifest, stored: StoredRun, made: RunResult) -> Difference:
    """Returns the differences between a stored run and its repetition."""
    what, kept = [], stored.manifest
    if kept.digest != made.digest:
        what.append(f"digest {kept.digest} stored, {made.digest} made")
    if kept.packet_hops != made.packet_hops:
        what.append(f"{kept.packet_hops} packet-hops stored, {made.packet_hops} made")
    if len(stored.metrics) != len(made.metrics):
        what.append(f"{len(stored.metrics)} numbers stored, {len(made.metrics)} made")
    for old, new in zip(stored.metrics, made.metrics, strict=False):
        same = old.value == new.value or (math.isnan(old.value) and math.isnan(new.value))
        if not same or (old.name, old.labels, old.unit) != (new.name, new.labels, new.unit):
            what.append(f"{old.selector} {old.value!r} {old.unit} stored, {new.selector} {new.value!r} {new.unit} made")
    return Difference(manifest, what)


def row_mistake(request: RunRequest, metrics: Sequence[Metric]) -> str | None:
    """Returns the first difference from the rows of a scenario, or None. Raises InputError if memory is too small."""
    needed, possible = _rows(request.scenario, request.name, tuple(request.sets), request.folder)
    found = Counter((metric.name, tuple(metric.labels.items()), metric.unit) for metric in metrics)
    missing = next(iter(needed - found), None)
    if missing is not None:
        return f"it lacks {_shown(missing)}, which its scenario measures"
    for row, count in found.items():
        most = possible[row] or int(any(label in _SEEN for label, _ in row[1]))
        if count > most:
            return f"it has {_shown(row)} " + (f"{count} times" if most else "that its scenario does not measure")
    return None


@lru_cache(maxsize=64)
def _rows(
    text: str, name: str, sets: tuple[tuple[str, str], ...], folder: str | None
) -> tuple[Counter[Row], Counter[Row]]:
    scenario = _core.Scenario(text, utf8(name), list(sets), folder, leave_out=True)
    require([(name, scenario.memory)], 1)
    rows = [((each, tuple(labels), unit), always) for each, labels, unit, always in scenario.rows()]
    return Counter(row for row, always in rows if always), Counter(row for row, _ in rows)


def _shown(row: Row) -> str:
    name, labels, _ = row
    return quoted(f"{name} {', '.join(f'{label}={value}' for label, value in labels)}".strip())
