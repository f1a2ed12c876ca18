"""How closely a printed number is compared."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


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
