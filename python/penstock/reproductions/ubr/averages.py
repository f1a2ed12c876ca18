"""Averages and ranges over the rows of a table, run by run."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from penstock.reproductions.evidence import decide
from penstock.reproductions.finding import Finding
from penstock.reproductions.telling import failures, held, listed, unsettled

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.reproductions.evidence import Test
    from penstock.reproductions.outcome import Outcome
    from penstock.reproductions.tables import Cell

    Wanted = Mapping[str, Cell | tuple[Cell, ...]]

__all__ = ["average", "deviation", "less", "mean_range", "told"]


def average(outcome: Outcome, table: str, column: str, **wanted: Cell | tuple[Cell, ...]) -> list[float]:
    """The mean of a column over all rows with these key cells, by run; a tuple of cells allows each of them."""
    return _columnwise(statistics.fmean, _rows(outcome, table, column, wanted))


def deviation(outcome: Outcome, table: str, column: str, **wanted: Cell | tuple[Cell, ...]) -> list[float]:
    """The standard deviation of a column over all rows with these key cells, by run."""
    return _columnwise(statistics.stdev, _rows(outcome, table, column, wanted))


def mean_range(outcome: Outcome, table: str, column: str, over: str, **wanted: Cell | tuple[Cell, ...]) -> list[float]:
    """How far a column moves over one key, all others staying, in the mean over the others, by run."""
    groups: dict[tuple[Cell, ...], list[list[float]]] = {}
    for row in outcome.rows(table):
        if _is_wanted(row.key, wanted):
            others = tuple(cell for name, cell in row.key.items() if name != over)
            groups.setdefault(others, []).append(outcome.values(table, column, row.key))
    return _columnwise(statistics.fmean, [_columnwise(_range, rows) for rows in groups.values()])


def less(left: Sequence[float], right: Sequence[float]) -> list[float]:
    """`left` minus `right`, run by run."""
    return [a - b for a, b in zip(left, right, strict=True)]


def told(tests: Sequence[Test], what: str, note: str = "") -> Finding:
    """The finding that all of these tests make together, with its numbers in words."""
    decision = decide(tests)
    evidence = f"{what}: {listed(tests)}. {held(decision)} comparisons hold.{failures(decision.failed)}"
    return Finding.of(decision, evidence, " ".join(filter(None, (note, unsettled(decision.open)))))


def _rows(outcome: Outcome, table: str, column: str, wanted: Wanted) -> list[list[float]]:
    found = [outcome.values(table, column, row.key) for row in outcome.rows(table) if _is_wanted(row.key, wanted)]
    if not found:
        raise ValueError(f"table {table} has no rows with {wanted}")
    return found


def _is_wanted(key: Mapping[str, Cell], wanted: Wanted) -> bool:
    return all(key[name] in (allowed if isinstance(allowed, tuple) else (allowed,)) for name, allowed in wanted.items())


def _range(values: Sequence[float]) -> float:
    return max(values) - min(values)


def _columnwise(what: Callable[[Sequence[float]], float], rows: Sequence[Sequence[float]]) -> list[float]:
    return [what(numbers) for numbers in zip(*rows, strict=True)]
