"""Null models of the study that need a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.pcn.cases import ADMISSION, cases
from penstock.reproductions.pcn.oracle import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table

__all__ = ["NULLS", "counter"]


def counter(settings: Settings, table: Table, row: Row) -> Mapping[str, float]:
    """Over-admission if calls are counted: the same for every scheme, and at every bottleneck of a parking lot."""
    admitting = [case for case in cases(settings, table, row).values() if case.kind == ADMISSION]
    if not admitting:
        return {}
    over = counted(settings, admitting[0])[1]
    return {column.name: over for column in table.compared}


NULLS = {"counter": counter}
