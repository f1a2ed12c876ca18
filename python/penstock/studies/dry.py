"""What a study would do: how many runs are in the store, and about how long the others take."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.processors import available
from penstock.studies.runner import there

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.store import Store, StoredRun
    from penstock.studies.request import PointRequest

__all__ = ["DryRun", "dry_run"]

_PROBES = 12
"""Points whose runs are timed, spread over all of them."""
_PARTS = (20, 4, 1)
"""The share of a run that is timed: a twentieth, more where that is too short to make sense."""
_PATIENCE = 5.0
"""Seconds after which no further point is timed."""


@dataclass(frozen=True, slots=True)
class DryRun:
    """What would be run.

    Parameters
    ----------
    runs, stored : list of int
        For each point how many runs it has, and how many of them the store has.
    left : int
        How many are to be made; those that mean the same are made once.
    seconds : float or None
        About how long the others take; None if that cannot be said.
    workers : int
        How many of them are made at the same time.
    """

    runs: list[int]
    stored: list[int]
    left: int
    seconds: float | None
    workers: int


def dry_run(asked: Sequence[PointRequest], store: Store | None, jobs: int | None) -> DryRun:
    """Looks into the store, and times the beginnings of a few runs, which are not kept."""
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
    return DryRun([len(each.replications) for each in asked], stored, len(wanted), _seconds(missing, workers), workers)


def _seconds(missing: Sequence[tuple[PointRequest, int]], workers: int) -> float | None:
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
    return sum((each.hops or 1.0) * count for each, count in missing) * spent / work / workers if work else None


def _time(asked: PointRequest) -> float | None:
    """Seconds of one run, from its first part: it begins with what is scarce later, so this is rough."""
    end = asked.scenario.window[1]
    for divisor in _PARTS:
        part = asked.window(0.0, end / divisor)
        if part is not None:
            begin = time.perf_counter()
            try:
                part.scenario.run(asked.seed, asked.replications[0])
            except (ValueError, MemoryError):
                return None
            return (time.perf_counter() - begin) * divisor
    return None
