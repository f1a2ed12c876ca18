"""Progress of a study: stored and failed runs of each point, why others are missing, and how long they may take."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from penstock.processors import available, usable
from penstock.store import Store, StoredRun
from penstock.store.folder import Failed
from penstock.store.history import Change, told
from penstock.store.manifest import point_of
from penstock.studies.request import PointRequest
from penstock.studies.runner import there
from penstock.studies.verify import beginning
from penstock.toml import json_value

_PROBES = 12
"""Maximum number of points whose runs are timed, spread over all points."""
_PATIENCE = 5.0
"""Seconds after which no further point is timed."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Progress of a point."""

    asked: PointRequest  # the point
    stored: int  # number of its runs in the store
    failures: list[Failed]  # failed runs that are not stored
    changes: list[Change] | None  # changes since similar runs were made; None if there are none

    @property
    def runs(self) -> int:
        """Number of runs in total."""
        return len(self.asked.replications)

    @property
    def failed(self) -> int:
        """Number of failed runs."""
        return len(self.failures)

    @property
    def left(self) -> int:
        """Number of runs still to make, including failed ones."""
        return self.runs - self.stored

    @property
    def why(self) -> str:
        """What has changed, on one line; empty if no similar run exists."""
        return told(self.changes) if self.changes else ""

    def data(self) -> dict[str, Any]:
        """Returns it as JSON data."""
        return {
            "parameters": json_value(self.asked.point.parameters),
            "settings": dict(self.asked.point.sets),
            "runs": self.runs,
            "stored": self.stored,
            "failed": self.failed,
            "left": self.left,
            "changes": None if self.changes is None else [change.data() for change in self.changes],
            "failures": [
                {"replication": it.replication, "message": it.message, "attempts": it.attempts} for it in self.failures
            ],
        }


def standing(asked: Sequence[PointRequest], store: Store) -> list[Standing]:
    """Returns the progress of all points, in their order, by reading the store."""
    stored = there(asked, store)
    failures = {failed.key: failed for failed in store.failures()}
    why = store.why(
        each.first() for each, known in zip(asked, stored, strict=True) if len(known) < len(each.replications)
    )
    found = []
    for each, known in zip(asked, stored, strict=True):
        first, own = each.first(), each.keys()
        because = why.get((first.name, point_of(first))) if len(known) < len(own) else None
        failed = [failures[key] for key in own if key in failures and key not in known]
        found.append(Standing(each, len(known), failed, None if because is None else because.changes))
    return found


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a study would run."""

    runs: list[int]  # number of runs of each point, and of those in the store
    stored: list[int]
    left: int  # number of runs to make; equal runs count once
    seconds: float | None  # estimated time, in s; None if unknown
    workers: int  # number of runs at once


def dry_run(asked: Sequence[PointRequest], store: Store | None, jobs: int | None) -> DryRun:
    """Counts stored runs and times the beginnings of a few missing ones, which are not kept."""
    stored, missing = [], []
    wanted: set[str] = set()
    found: list[dict[str, StoredRun]] = there(asked, store) if store is not None else [{} for _ in asked]
    for each, own in zip(asked, found, strict=True):
        keys = each.keys()
        absent = {key for key in keys if key not in own}
        stored.append(len(keys) - len(absent))
        if absent - wanted:
            missing.append((each, len(absent - wanted)))
        wanted |= absent
    workers = max(1, min(jobs or available(), len(wanted) or 1))
    seconds = _seconds(missing, usable(workers))
    return DryRun([len(each.replications) for each in asked], stored, len(wanted), seconds, workers)


def _seconds(missing: Sequence[tuple[PointRequest, int]], cores: int) -> float | None:
    if not missing:
        return 0.0
    step = max(1, len(missing) // _PROBES)
    begin = time.monotonic()
    spent = work = 0.0
    for each, _ in missing[::step]:
        taken = _time(each)
        if taken is not None:
            spent += taken
            work += each.hops or 1.0
        if time.monotonic() - begin > _PATIENCE:
            break
    return sum((each.hops or 1.0) * count for each, count in missing) * spent / work / cores if work else None


def _time(asked: PointRequest) -> float | None:
    """Estimated seconds of one run, from its first part; the start differs from the rest, so this is rough."""
    part = beginning(asked)
    begin = time.perf_counter()
    try:
        part.scenario.run(asked.seed, asked.replications[0])
    except (ValueError, MemoryError):
        return None
    return (time.perf_counter() - begin) * asked.scenario.window[1] / part.scenario.window[1]
