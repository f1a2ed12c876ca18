"""Null models of the study that need a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.pcn.cases import ADMISSION, TERMINATION, cases
from penstock.reproductions.pcn.oracle import counted
from penstock.reproductions.pcn.traffic import counted_rate, overload_calls, supportable_rate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table


def counter(settings: Settings, table: Table, row: Row) -> Mapping[str, float]:
    """Over-admission if calls are counted: the same for every scheme, and at every bottleneck of a parking lot."""
    admitting = [case for case in cases(settings, table, row).values() if case.kind == ADMISSION]
    if not admitting:
        return {}
    over = counted(settings, admitting[0])[1]
    return {column.name: over for column in table.compared}


def no_feedback(settings: Settings, table: Table, row: Row) -> Mapping[str, float]:
    """Over-termination if no mark reaches an edge: all calls stay. There is no time, as no call ends."""
    overloaded = [case for case in cases(settings, table, row).values() if case.kind == TERMINATION]
    if not overloaded:
        return {}
    case = overloaded[0]
    load = overload_calls(settings, case)[1] * counted_rate(settings, case)
    over = float(100 * (1 - load / supportable_rate(settings, case)))
    return {column.name: over for column in table.compared if not column.name.startswith("termination_time")}


NULLS = {"counter": counter, "no-feedback": no_feedback}
