"""Checks that a run has the rows that its scenario measures, each once."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from penstock import _core
from penstock.memory import require
from penstock.printable import quoted, utf8

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.records import Metric, RunRequest

Row = tuple[str, tuple[tuple[str, str], ...], str]
"""Name, labels and unit."""

_SEEN = ("ingress", "circuit", "meter", "circle")
"""Labels of rows that exist only if something happened in a run, such as traffic or a circular pause."""


def row_mistake(request: RunRequest, metrics: Sequence[Metric]) -> str | None:
    """Returns the first difference between the rows of a run and those that its scenario measures; None if equal.

    Raises InputError if a run of the scenario does not fit into memory.
    """
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
    """Returns the rows that every run has, and those that a run may have."""
    scenario = _core.Scenario(text, utf8(name), list(sets), folder, leave_out=True)
    require([(name, scenario.memory)], 1)
    rows = [((each, tuple(labels), unit), always) for each, labels, unit, always in scenario.rows()]
    return Counter(row for row, always in rows if always), Counter(row for row, _ in rows)


def _shown(row: Row) -> str:
    name, labels, _ = row
    return quoted(f"{name} {', '.join(f'{label}={value}' for label, value in labels)}".strip())
