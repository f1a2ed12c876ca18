"""How far a study is: what is stored of each point, what has failed, and why the rest is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.store.points import point_of
from penstock.store.stale import told
from penstock.studies.runner import there
from penstock.toml import json_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.store import Store
    from penstock.store.failed import Failed
    from penstock.store.stale import Change
    from penstock.studies.request import PointRequest

__all__ = ["Standing", "standing"]


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a point is.

    Parameters
    ----------
    asked : PointRequest
        The point.
    stored : int
        How many of its runs are in the store.
    failures : list of Failed
        Those that have failed and are not stored.
    changes : list of Change or None
        What has changed since runs like the missing ones were made; None if there is nothing like them.
    """

    asked: PointRequest
    stored: int
    failures: list[Failed]
    changes: list[Change] | None

    @property
    def runs(self) -> int:
        """How many there are to be."""
        return len(self.asked.replications)

    @property
    def failed(self) -> int:
        """How many have failed."""
        return len(self.failures)

    @property
    def left(self) -> int:
        """How many are still to be made, the failed ones among them."""
        return self.runs - self.stored

    @property
    def why(self) -> str:
        """What has changed, on one line; empty if nothing like the missing runs was made."""
        return told(self.changes) if self.changes else ""

    def data(self) -> dict[str, Any]:
        """As JSON has it."""
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
    """How far all points are, in their order.

    Parameters
    ----------
    asked : sequence of PointRequest
        The points, each with all runs that it is to have.
    store : Store
        Only read.

    Raises
    ------
    StoreError
        If it cannot be.
    """
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
