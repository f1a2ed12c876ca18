"""Names that tolerances, null models and answers of a study's folder refer to: columns, cells and settings."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from penstock.printable import quoted, shortened, suggestion
from penstock.reproductions.tables import Cell
from penstock.studies.file import flat
from penstock.studies.toml_text import Mistakes, Place

_CELLS_SHOWN = 200
"""Maximum number of characters of the cells that a message lists."""


def unknown(what: str, given: str, known: Sequence[str]) -> str:
    """The message for a name that does not exist, with a close one and all that do."""
    return f"unknown {what} {quoted(given)}{suggestion(given, known)} (there are {', '.join(known)})"


def check_references(data: Mapping[str, Any], mistakes: Mistakes) -> None:
    """Tells of tolerances and null models of columns and cells that no table has, and of those without effect."""
    columns = tuple(dict.fromkeys(column["name"] for table in data["table"] for column in table["columns"]))
    for section in ("tolerance", "null"):
        for number, entry in enumerate(data.get(section, ())):
            own = entry.get("columns", ())
            for name in (*own, *(own.values() if isinstance(own, dict) else ())):
                if name not in columns:
                    mistakes.add((section, number, "columns"), unknown("column", name, columns))
    for number, tolerance in enumerate(data.get("tolerance", ())):
        sizes = [tolerance[key] for key in ("absolute", "relative") if key in tolerance]
        if not sizes or min(sizes) < 0:
            mistakes.add(("tolerance", number), "needs absolute, relative or both, 0 or more")
        cells = _cells(data, tolerance.get("tables", ()))
        for name, cell in tolerance.get("rows", {}).items():
            _check_cells(name, [cell], cells, ("tolerance", number, "rows", name), mistakes)
    for number, null in enumerate(data.get("null", ())):
        _check_null(null, _cells(data, null.get("only", ())), _cells(data), ("null", number), mistakes)


def _check_null(
    null: Mapping[str, Any],
    own: Mapping[str, Sequence[Cell]],
    every: Mapping[str, Sequence[Cell]],
    place: Place,
    mistakes: Mistakes,
) -> None:
    columns = null.get("columns", {})
    if "value" in null and not columns:
        mistakes.add((*place, "value"), "is for no column; name them in columns")
    exchanges = isinstance(columns, dict) and any(name != other for name, other in columns.items())
    if not (exchanges or any(key in null for key in ("rows", "tables", "value"))):
        mistakes.add(place, "reads no other number; needs columns, rows, tables or value")
    for name, swaps in null.get("rows", {}).items():
        texts = {column: [str(cell) for cell in cells] for column, cells in own.items()}
        _check_cells(name, [*swaps], texts, (*place, "rows", name), mistakes)
        _check_cells(name, [*swaps.values()], every, (*place, "rows", name), mistakes)


def _cells(data: Mapping[str, Any], tables: Collection[str] = ()) -> dict[str, list[Cell]]:
    """The cells of each key column, of these tables or of all."""
    found: dict[str, list[Cell]] = {}
    for table in data["table"]:
        if not tables or table["id"] in tables:
            for name in (column["name"] for column in table["columns"] if column["role"] == "key"):
                found.setdefault(name, []).extend(row[name] for row in table["rows"] if name in row)
    return found


def _check_cells(
    name: str, wanted: Sequence[Any], cells: Mapping[str, Sequence[Cell]], place: Place, mistakes: Mistakes
) -> None:
    if name not in cells:
        mistakes.add(place, unknown("key column", name, [*cells] or ["none"]))
        return
    for cell in wanted:
        if not any(own == cell and isinstance(own, str) == isinstance(cell, str) for own in cells[name]):
            known = ", ".join(dict.fromkeys(map(_written, cells[name])))
            told = f"no row has {name} = {_written(cell)}; there are {shortened(known, _CELLS_SHOWN)}"
            mistakes.add(place, told)


def _written(cell: Any) -> str:
    return quoted(cell) if isinstance(cell, str) else str(cell)


def check_used(data: Mapping[str, Any], used: Collection[str], mistakes: Mistakes) -> None:
    """Tells of settings of answers that no expression of a table uses."""
    for number, question in enumerate(data.get("ambiguity", ())):
        for index, option in enumerate(question["options"]):
            for name in flat(option.get("set", {})):
                if not any(each == name or each.startswith(f"{name}.") for each in used):
                    what = "changes nothing: no [table.set] and no from of a column uses it"
                    place = ("ambiguity", number, "options", index, "set", name)
                    mistakes.add(place, f"{what}{suggestion(name, sorted(used))}")
