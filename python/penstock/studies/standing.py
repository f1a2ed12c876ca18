"""Progress of a study: stored and failed runs of each point, and why others are missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.store.manifest import point_of
from penstock.store.stale import told
from penstock.studies.runner import there
from penstock.toml import json_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.store import Store
    from penstock.store.failed import Failed
    from penstock.store.stale import Change
    from penstock.studies.request import PointRequest


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
    keys = [each.keys() for each in asked]
    failures = {failed.key: failed for failed in store.failures()}
    missing = [
        each.first()
        for each, own, known in zip(asked, keys, stored, strict=True)
        if any(key not in known for key in own)
    ]
    why = store.why(missing)
    found = []
    for each, own, known in zip(asked, keys, stored, strict=True):
        first = each.first()
        because = why.get((first.name, point_of(first)))
        count = len(known)
        changes = because.changes if because is not None and count < len(own) else None
        failed = [failures[key] for key in own if key in failures and key not in known]
        found.append(Standing(each, count, failed, changes))
    return found
