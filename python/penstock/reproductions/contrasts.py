"""What a table says by differences: which number is greater, how far schemes are apart, how far settings move one.

A contrast is two numbers of a table that differ in one respect. It counts where the print itself is clear: where its
difference exceeds what the pilot's spread and the rounding leave open. Wrong models that have no differences, or those
of the other scheme, fail here even where every single number is within its tolerance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from penstock.reproductions.document import Document
    from penstock.reproductions.pilot import Pilot
    from penstock.reproductions.tables import Cell, Column, Row, Table

    Place = tuple[str, tuple[Cell, ...], str]

__all__ = ["DIFFERENCE", "KINDS", "ORDERING", "SLOPE", "Contrast", "clear_contrasts"]

ORDERING = "ordering"
"""Which of two numbers is the greater: of two rows that differ in one setting, or of two columns of one quantity."""
DIFFERENCE = "difference"
"""How far the two schemes are apart."""
SLOPE = "slope"
"""How far a number moves from the first to the last value of a setting, or from the first to the last of a row of
columns that hold one quantity."""
KINDS = (ORDERING, DIFFERENCE, SLOPE)


@dataclass(frozen=True)
class Contrast:
    """Two printed numbers, how far apart they are, and how closely that is to be compared.

    Parameters
    ----------
    kind : str
        One of :data:`KINDS`.
    left, right : tuple
        Where they stand: table, key cells of the row, column.
    printed : float
        `left` less `right`.
    allowed : float
        By how much another difference may miss it and still agree; orderings only need its sign.
    """

    kind: str
    left: Place
    right: Place
    printed: float
    allowed: float

    def agrees(self, numbers: Mapping[Place, float]) -> bool:
        """Whether `numbers` have this contrast; not if they lack one of the two."""
        if self.left not in numbers or self.right not in numbers:
            return False
        difference = numbers[self.left] - numbers[self.right]
        if self.kind == ORDERING:
            return difference * self.printed > 0
        return abs(difference - self.printed) <= self.allowed


def clear_contrasts(
    document: Document, table: Table, pilot: Pilot, allowed: Callable[[Row, Column], float]
) -> list[Contrast]:
    """The contrasts of a table that the print shows clearly; `allowed` is the tolerance of a number."""
    found = []
    for kind, (row, column), (other_row, other_column) in _pairs(document, table):
        cells = row.values[column.name], other_row.values[other_column.name]
        ranges = pilot.range(document, table, row, column), pilot.range(document, table, other_row, other_column)
        if any(isinstance(cell, str) for cell in cells) or any(each is None for each in ranges):
            continue
        printed = float(cells[0]) - float(cells[1])
        if abs(printed) > math.hypot(*(each or 0.0 for each in ranges)):
            margin = math.hypot(allowed(row, column), allowed(other_row, other_column))
            places = (table.id, row.id, column.name), (table.id, other_row.id, other_column.name)
            found.append(Contrast(kind, *places, printed, margin))
    return found


def _pairs(document: Document, table: Table) -> Iterable[tuple[str, tuple[Row, Column], tuple[Row, Column]]]:
    for column in table.compared:
        for row, other in combinations(table.rows, 2):
            if _varied(table, row, other) is not None:
                yield ORDERING, (row, column), (other, column)
        for first, last in _ends(table):
            yield SLOPE, (first, column), (last, column)
    for names in document.quantities:
        series = [column for column in table.compared if column.name in names]
        if len(series) >= 3:
            yield from ((SLOPE, (row, series[0]), (row, series[-1])) for row in table.rows)
    for one, other_column in combinations(table.compared, 2):
        if any({one.name, other_column.name} <= set(names) for names in document.quantities):
            for row in table.rows:
                yield ORDERING, (row, one), (row, other_column)
    yield from ((DIFFERENCE, *pair) for pair in _schemes(document, table))


def _schemes(document: Document, table: Table) -> Iterable[tuple[tuple[Row, Column], tuple[Row, Column]]]:
    """Every number and that of the other scheme, once."""
    seen = set()
    columns = {column.name: column for column in table.compared}
    for null in (null for null in document.nulls if null.schemes):
        for row in table.rows:
            for column in table.compared:
                other_row = null.row(table, row)
                other = columns.get(null.columns.get(column.name, column.name))
                pair = frozenset([(row.id, column.name), (other_row.id, other.name)] if other_row and other else ())
                if len(pair) == 2 and pair not in seen:
                    seen.add(pair)
                    yield (row, column), (other_row, other)  # type: ignore[misc]  # both there: two in the pair


def _varied(table: Table, row: Row, other: Row) -> str | None:
    """The one setting in which two rows differ; None if they differ in none or several. N/A is like anything."""
    different = [
        name
        for name in table.factors
        if row.key[name] != other.key[name] and "N/A" not in (row.key[name], other.key[name])
    ]
    return different[0] if len(different) == 1 else None


def _ends(table: Table) -> Iterable[tuple[Row, Row]]:
    """The first and the last row of each row of settings in which one is varied, if there are three or more."""
    for name in table.factors:
        groups: dict[tuple[Cell, ...], list[Row]] = {}
        for row in table.rows:
            if row.key[name] != "N/A":
                rest = tuple(row.key[factor] for factor in table.factors if factor != name)
                groups.setdefault(rest, []).append(row)
        for rows in groups.values():
            if len(rows) >= 3 and all(isinstance(row.key[name], int | float) for row in rows):
                yield rows[0], rows[-1]
