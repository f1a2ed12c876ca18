"""Printed tables: their columns, rows and cells, and how closely a printed number is compared."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from penstock.unit_scale import number

Cell = str | int | float
"""Contents of a cell."""


def cell_text(cell: object) -> str:
    """A key cell; a dash where there is nothing."""
    return "-" if cell in ("N/A", "none") else str(cell)


def is_number(cell: Cell) -> bool:
    """Whether it is a number, also if that is written as a text."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Column:
    """A column of a printed table; `role` is ``key`` (what was varied) or ``value``."""

    name: str
    unit: str
    role: str
    decimals: int | None = None
    label: str = ""
    compared: bool = True

    @property
    def heading(self) -> str:
        """What people call it."""
        return self.label or self.name.replace("_", " ")

    @property
    def symbol(self) -> str:
        """The unit as people write it; empty for a plain number."""
        return {"kbps": "kb/s", "Mbps": "Mb/s", "1": "", "ratio": "", "percent": "%"}.get(self.unit, self.unit)

    def written(self, value: float) -> str:
        """A printed number of this column as it is printed."""
        return number(value) if self.decimals is None else f"{value:.{self.decimals}f}"


@dataclass(frozen=True)
class Row:
    """A printed row: what was varied, and what was printed for it."""

    key: Mapping[str, Cell]
    values: Mapping[str, Cell]

    def matches(self, key: Mapping[str, Cell]) -> bool:
        """Whether the row has these key cells."""
        return all(self.key.get(name) == cell for name, cell in key.items())

    @property
    def id(self) -> tuple[Cell, ...]:
        """The key cells, which tell the row from the others of its table."""
        return tuple(self.key.values())

    @property
    def name(self) -> str:
        """The key cells in one short text."""
        return " ".join(str(cell) for cell in self.key.values())


def heading(column: Column) -> str:
    """What a column is called, with its unit."""
    unit = column.symbol
    return f"{column.heading} ({unit})" if unit and unit != column.heading else column.heading


def row_name(row: Row) -> str:
    """The key cells that say something."""
    return "  ".join(cell_text(cell) for cell in row.key.values())


@dataclass(frozen=True)
class Table:
    """A printed table: its `rows`, and those that are only `quoted`, with the reason why they are `not_computed`.

    A table `is_own` if its numbers are ours alone: it stands for a figure that is lost, so nothing is compared.
    """

    id: str
    where: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    quoted: tuple[Row, ...] = ()
    not_computed: str = ""
    is_own: bool = False

    @property
    def keys(self) -> list[Column]:
        """The columns that say what was varied."""
        return [column for column in self.columns if column.role == "key"]

    @property
    def compared(self) -> list[Column]:
        """The columns whose numbers are results."""
        return [column for column in self.columns if column.role == "value" and column.compared]

    @property
    def factors(self) -> list[str]:
        """The key columns that vary on their own: another column's cells do not determine theirs."""
        kept: list[str] = []
        for column in self.keys:
            cells = [row.key[column.name] for row in self.rows]
            before = [[row.key[name] for row in self.rows] for name in kept]
            if not any(len(set(zip(other, cells, strict=True))) == len(set(other)) for other in before):
                kept.append(column.name)
        return kept

    def numbers(self) -> list[tuple[Row, Column, float]]:
        """Every printed number that is a result; cells printed as text, such as N/A, are none."""
        return self._numbers(self.rows)

    def results(self) -> list[tuple[Row, Column, float | None]]:
        """Every number that is a result, with the print: the printed ones, or all of an own table with None."""
        if not self.is_own:
            return [*self.numbers()]
        return [(row, column, None) for row in self.rows for column in self.compared]

    def quoted_numbers(self) -> list[tuple[Row, Column, float]]:
        """Every printed number that is only quoted, since it cannot be computed."""
        return self._numbers(self.quoted)

    def _numbers(self, rows: tuple[Row, ...]) -> list[tuple[Row, Column, float]]:
        return [
            (row, column, float(cell))
            for row in rows
            for column in self.compared
            if not self.is_own and not isinstance(cell := row.values[column.name], str)
        ]


@dataclass(frozen=True)
class Tolerance:
    """How far our mean may lie from a printed number: the larger of `absolute` and `relative` times the print."""

    columns: tuple[str, ...]  # the columns that it is for
    absolute: float = 0.0  # in the column's unit
    relative: float = 0.0  # as a share of the printed number
    tables: tuple[str, ...] = ()  # the tables that it is for; all if empty
    rows: Mapping[str, Any] = field(default_factory=dict)  # key cells of the rows that it is for; all rows if empty
    reason: str = ""  # why so much

    def covers(self, table: str, key: Mapping[str, Any], column: str) -> bool:
        """Whether the tolerance is for this cell."""
        of_table = not self.tables or table in self.tables
        return of_table and column in self.columns and all(key.get(name) == cell for name, cell in self.rows.items())

    def allows(self, published: float) -> float:
        """How far from `published` still agrees.

        Examples
        --------
        >>> Tolerance(("rate",), absolute=0.3, relative=0.1).allows(20.0)
        2.0
        """
        return max(self.absolute, self.relative * abs(published))
