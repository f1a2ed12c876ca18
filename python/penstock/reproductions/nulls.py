"""Null models: what the tolerances of a study grant to models that are wrong.

A null model takes its numbers from elsewhere in the print (the other scheme's rows or columns, another table), has one
number for a whole column, or follows a simple rule. Null models are part of the study's data, or of its code if they
need a formula. A cell for which a null model has no number counts as one that does not agree.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from penstock.reproductions.tables import Cell, Column, Row, Table

Numbers = Mapping[tuple[str, tuple[Cell, ...], str], float]
"Numbers by table, key cells of the row, and column."

CONSTANT = "constant"
"""The null model that every study has: one number for each column of a table, the one that most rows agree with."""


@dataclass(frozen=True)
class Null:
    """A wrong model that reads its numbers off the print."""

    id: str  # its name
    text: str  # its description
    columns: Mapping[str, str] = field(default_factory=dict)
    """Which column is read instead of one; a key column gives that key's cell."""
    rows: Mapping[str, Mapping[str, Cell]] = field(default_factory=dict)
    """For key columns, which cell is read instead of one."""
    tables: Mapping[str, str] = field(default_factory=dict)  # which table is read instead of one
    only: tuple[str, ...] = ()  # the tables that it speaks of; all if empty
    value: float | None = None  # a number for all `columns` named, instead of a printed one
    schemes: bool = False  # whether it exchanges the schemes that the document compares
    ours: bool = False  # whether it reads our runs, also of tables that have a print

    def number(self, tables: Mapping[str, Table], table: Table, row: Row, column: Column) -> float | None:
        """Its number for a cell of one of these tables; None if it has none."""
        if self.only and table.id not in self.only:
            return None
        if self.value is not None:
            return self.value if column.name in self.columns else None
        name = self.columns.get(column.name, column.name)
        if name in row.key:
            return float(row.key[name])
        other = tables[self.tables.get(table.id, table.id)]
        found = self.row(table, row, other)
        if found is None or (other, found, name) == (table, row, column.name):
            return None
        cell = found.values.get(name, "none")
        return None if isinstance(cell, str) else float(cell)

    def row(self, table: Table, row: Row, other: Table | None = None) -> Row | None:
        """The row that is read instead of `row`; None if there is none, or more than one."""
        key = dict(row.key)
        for name, cells in self.rows.items():
            if name in key:
                if str(key[name]) not in cells:
                    return None
                key[name] = cells[str(key[name])]
        where = other or table
        wanted = [key[name] for name in table.factors]
        exact = [each for each in where.rows if [each.key[name] for name in where.factors] == wanted]
        changed = [name for name in key if key[name] != row.key[name]]
        loose = [each for each in where.rows if changed and all(each.key.get(name) == key[name] for name in changed)]
        found = exact or loose
        return found[0] if len(found) == 1 else None


def numbers_of(tables: Sequence[Table], null: Null) -> dict[tuple[str, tuple[Cell, ...], str], float]:
    """All numbers of a null model that reads the print, which are these tables."""
    named = {table.id: table for table in tables}
    found = {
        (table.id, row.id, column.name): null.number(named, table, row, column)
        for table in tables
        for row, column, _ in table.numbers()
    }
    return {place: number for place, number in found.items() if number is not None}


def swapped_rows(null: Null, table: Table) -> list[tuple[Row, Row]]:
    """Pairs of rows of a table whose runs a null model reads: a row, and the one that it reads in its place."""
    if (null.only and table.id not in null.only) or not any(column.name in null.rows for column in table.keys):
        return []
    pairs = ((row, null.row(table, row)) for row in table.rows)
    return [(row, other) for row, other in pairs if other is not None]


def best_constants(table: Table, allowed: Callable[[Row, Column], float]) -> dict[str, float]:
    """For each column of a table the one number that agrees with most of its rows.

    Found with the print in sight, so no other constant does better.
    """
    found = {}
    for column in table.compared:
        ends = [
            (printed - allowed(row, column), printed + allowed(row, column))
            for row, of, printed in table.numbers()
            if of is column
        ]
        if ends:
            found[column.name] = _densest(ends)
    return found


def _densest(intervals: Sequence[tuple[float, float]]) -> float:
    """A point within most of the intervals: the middle of where the most overlap."""

    def within(point: float) -> list[tuple[float, float]]:
        return [(low, high) for low, high in intervals if low <= point <= high]

    most = max((within(low) for low, _ in intervals), key=len)
    return (max(low for low, _ in most) + min(high for _, high in most)) / 2
