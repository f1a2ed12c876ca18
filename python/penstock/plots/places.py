"""Columns by name, and the positions of their values on the x axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.printable import quoted, shortened
from penstock.studies.quantity import read_quantity
from penstock.suggest import suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.plots.data import Cell, Data, Datum
    from penstock.plots.request import Roles


@dataclass(frozen=True)
class Across:
    """The x axis."""

    column: str | None  # its column; None if all numbers have one position, or are on the x axis themselves
    label: str  # axis label
    places: Mapping[Cell, float]  # position of each value
    names: list[str]  # tick labels at 0, 1, 2, ... if the values are not numbers; else empty

    @property
    def is_numeric(self) -> bool:
        """Whether positions are the numbers themselves."""
        return not self.names

    def position(self, datum: Datum) -> float:
        """Returns the position of a number."""
        return 0.0 if self.column is None else self.places[datum.cells[self.column]]


def columns_of(data: Data, name: str) -> str:
    """Returns the column with this name, or path ending. Raises InputError unless there is exactly one."""
    if name in data.columns:
        return name
    ends = [column for column in data.columns if column.endswith(f".{name}")]
    if len(ends) == 1:
        return ends[0]
    there = ", ".join(shortened(column, 60) for column in data.columns[:30]) or "none, as nothing varies"
    if ends:
        raise InputError(f"{quoted(name)} is the end of several columns: {', '.join(ends)}.")
    short = [column.rpartition(".")[2] for column in data.columns]
    hint = suggestion(name, dict.fromkeys([*data.columns, *short]), ".")
    raise InputError(f"there is no column {quoted(name)} in {data.name}{hint} The columns are {there}.")


def across(roles: Roles, numbers: Sequence[Datum]) -> Across:
    """Returns the x axis of a chart."""
    column = roles.x
    if column is None:
        return Across(None, "", {}, [] if roles.kind == "cdf" else [""])
    values = list(dict.fromkeys(each.cells[column] for each in numbers))
    found = numbers_in(values)
    label = roles.short(column)
    if found is not None:
        known, unit = found
        label = f"{label} ({unit})" if unit else label
        if roles.kind in ("line", "series"):
            return Across(column, label, known, [])
        values.sort(key=lambda value: known[value])
        names = [f"{known[value]:g}" for value in values]
    else:
        names = [text_of(value) for value in values]
    return Across(column, label, {value: float(place) for place, value in enumerate(values)}, names)


def numbers_in(values: Sequence[Cell]) -> tuple[dict[Cell, float], str] | None:
    """Returns the values as numbers in the unit of the first, and that unit; None if they are names.

    Examples
    --------
    >>> numbers_in(["500 us", "2 ms"])
    ({'500 us': 500.0, '2 ms': 2000.0}, 'us')
    >>> numbers_in(["red", "2 ms"]), numbers_in([True, False]), numbers_in([1, 2])
    (None, None, ({1: 1.0, 2: 2.0}, ''))
    """
    if not any(isinstance(value, (str, bool)) for value in values):
        return {value: float(value) for value in values}, ""
    read = {value: read_quantity(value) for value in values if isinstance(value, str)}
    first = next(iter(read.values()), None)
    if len(read) < len(values) or first is None:
        return None
    if any(each is None or each.dimension != first.dimension for each in read.values()):
        return None
    unit = next(str(value).strip().lstrip("+-0123456789._").strip() for value in values)
    one = read_quantity(f"1 {unit}") if unit else read_quantity("1")
    if one is None:
        return None
    return {value: float(each.value / one.value) for value, each in read.items() if each is not None}, unit


def pooled(numbers: Sequence[Datum], roles: Roles) -> list[list[Datum]]:
    """Groups the numbers by position."""
    groups: dict[tuple[Cell | None, ...], list[Datum]] = {}
    for each in numbers:
        cells = each.cells
        groups.setdefault(tuple(cells.get(name) for name in roles.named), []).append(each)
    return list(groups.values())


def text_of(value: object) -> str:
    """Returns a cell as text.

    Examples
    --------
    >>> text_of(0.5), text_of(True), text_of("red"), text_of(3)
    ('0.5', 'true', 'red', '3')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    return shortened(str(value), 60)
