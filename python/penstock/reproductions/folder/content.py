"""What the file of a study's folder may contain, and what it leaves to defaults."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from penstock.printable import quoted, suggestion
from penstock.records import MOST_RUNS
from penstock.reproductions.tables import is_number
from penstock.studies.file import flat
from penstock.studies.toml_text import Mistakes

Place = tuple[str | int, ...]

_TEXT, _NUMBER, _COUNT, _FLAG, _TABLE, _TABLES, _TEXTS = "text", "number", "count", "flag", "table", "tables", "texts"
_DECIMALS, _COLUMNS, _SWAPS = "decimals", "columns", "swaps"
_KINDS = {
    _TEXT: "a text in quotes",
    _NUMBER: "a number",
    _COUNT: f"a whole number, 1 to {MOST_RUNS:,}",
    _DECIMALS: "a whole number, 0 or more",
    _FLAG: "true or false",
    _TABLE: "a table",
    _TABLES: "a list of tables",
    _TEXTS: "a list of texts",
    _COLUMNS: 'a list of columns, or a table COLUMN = "OTHER COLUMN"',
    _SWAPS: "a table of tables, COLUMN = { CELL = OTHER CELL }",
}


def _keys(text: str) -> dict[str, str]:
    """Keys with their kinds, written as ``key:kind``; a key alone is a text."""
    pairs = (word.partition(":") for word in text.split())
    return {name: kind or _TEXT for name, _, kind in pairs}


SECTIONS: dict[str, dict[str, str]] = {
    "document": _keys("id title authors:texts name? summary? date? year?:count note? runs?:count"),
    "table": _keys("id caption columns:tables rows:tables where? note? scenario? set?:table"),
    "columns": _keys("name unit role label? decimals?:decimals compared?:flag from?"),
    "tolerance": _keys("columns:texts reason absolute?:number relative?:number tables?:texts rows?:table"),
    "claim": _keys("id claim tables:texts holds?:texts where? kind? basis? test? printed_support? note?"),
    "ambiguity": _keys(
        "id question chosen reason options:tables where? kind? impact? evidence? fitted? printed? words?"
    ),
    "options": _keys("key text set?:table"),
    "null": _keys(
        "id text columns?:columns rows?:swaps tables?:table only?:texts value?:number schemes?:flag ours?:flag"
    ),
    "contradiction": _keys("answers:texts reason"),
}
"""The keys of each section; a question mark follows those that may be left out."""

INNER = {"table": ("columns",), "ambiguity": ("options",)}
"""Sections within sections."""
FREE = ("setup", "assumed")
"""Sections with names of the author's choice."""
SINGLE = ("document",)
"""Sections that are one table, not a list of them."""
_DEFAULTS = {
    "table": {"where": "", "note": ""},
    "claim": {"where": "", "kind": "", "basis": "", "printed_support": "", "note": ""},
    "ambiguity": {"where": "", "kind": "missing", "impact": "", "evidence": ""},
}


def mistakes_in(data: Mapping[str, Any], mistakes: Mistakes) -> None:
    """Tells of all keys that are unknown, missing or of another kind, and of rows without their cells."""
    known = (*SINGLE, *FREE, "table", "tolerance", "claim", "ambiguity", "null", "contradiction", "print", "quantity")
    for key, found in data.items():
        if key not in known:
            mistakes.add((key,), _unknown("section", key, known))
        elif key in SINGLE:
            _check(key, (key,), found, mistakes)
        elif key in SECTIONS:
            _check_each(key, (key,), found, mistakes)
    for key in ("document", "table"):
        if key not in data:
            mistakes.add((key,), f"is missing; a study needs [{key}]" if key in SINGLE else "is missing: [[table]]")
    if not mistakes.found:
        for number, table in enumerate(data["table"]):
            _check_rows(("table", number), table, mistakes)
        _check_columns(data, mistakes)


def complete(data: Mapping[str, Any]) -> dict[str, Any]:
    """The same with all that may be left out, and without what only a folder's file has."""
    full = dict(data)
    for section, defaults in _DEFAULTS.items():
        full[section] = [{**defaults, **entry} for entry in data.get(section, ())]
    for claim in full["claim"]:
        conditions = claim.pop("holds", [])
        claim.setdefault("test", " and ".join(conditions) or "Not tested: the file has no condition for it.")
    for question in full["ambiguity"]:
        question["options"] = [{**option, "set": flat(option.get("set", {}))} for option in question["options"]]
    return full


def _check_each(section: str, place: Place, found: Any, mistakes: Mistakes) -> None:
    if not _is(_TABLES, found):
        mistakes.add(place, f"needs tables, [[{section}]]")
        return
    seen: set[str] = set()
    for number, entry in enumerate(found):
        _check(section, (*place, number), entry, mistakes)
        own = entry.get("id", entry.get("key", entry.get("name")))
        if isinstance(own, str):
            if own in seen and section not in ("tolerance", "contradiction"):
                mistakes.add((*place, number), f"{quoted(own)} is used twice")
            seen.add(own)


def _check(section: str, place: Place, found: Any, mistakes: Mistakes) -> None:
    if not isinstance(found, dict):
        mistakes.add(place, f"needs a table, [{section}]")
        return
    kinds = {name.removesuffix("?"): kind for name, kind in SECTIONS[section].items()}
    for key, value in found.items():
        if key not in kinds:
            mistakes.add((*place, key), _unknown("key", key, tuple(kinds)))
        elif not _is(kinds[key], value):
            mistakes.add((*place, key), f"needs {_KINDS[kinds[key]]}")
        elif key in INNER.get(section, ()):
            _check_each(key, (*place, key), value, mistakes)
    for name in SECTIONS[section]:
        if not name.endswith("?") and name not in found:
            mistakes.add((*place, name), f"{name} is missing")


def _check_columns(data: Mapping[str, Any], mistakes: Mistakes) -> None:
    """Tells of tolerances and null models of columns that no table has, and of tolerances without a size."""
    columns = tuple(dict.fromkeys(column["name"] for table in data["table"] for column in table["columns"]))
    for section in ("tolerance", "null"):
        for number, entry in enumerate(data.get(section, ())):
            for name in (*entry.get("columns", ()), *entry.get("rows", ())):
                if name not in columns:
                    mistakes.add((section, number), _unknown("column", name, columns))
    for number, tolerance in enumerate(data.get("tolerance", ())):
        sizes = [tolerance[key] for key in ("absolute", "relative") if key in tolerance]
        if not sizes or min(sizes) < 0:
            mistakes.add(("tolerance", number), "needs absolute, relative or both, 0 or more")


def _check_rows(place: Place, table: Mapping[str, Any], mistakes: Mistakes) -> None:
    names = {column["name"]: column["role"] for column in table["columns"]}
    for number, column in enumerate(table["columns"]):
        if column["role"] not in ("key", "value"):
            mistakes.add((*place, "columns", number, "role"), "is key (what was varied) or value (what was printed)")
        if column["role"] == "value" and column.get("compared", True) and "from" not in column:
            what = f'column {quoted(column["name"])} needs from = "METRIC", how a run gives its numbers'
            mistakes.add((*place, "columns", number, "from"), what)
    keys = [name for name, role in names.items() if role == "key"]
    first: dict[tuple[Any, ...], int] = {}
    for number, row in enumerate(table["rows"]):
        same = first.setdefault(tuple(str(row.get(name)) for name in keys), number)
        if same != number:
            mistakes.add((*place, "rows", number), f"row {number + 1} has the key cells of row {same + 1}")
        for name in sorted(set(names) ^ set(row)):
            what = "has no such column" if name in row else "lacks this column"
            mistakes.add((*place, "rows", number), f"row {number + 1} {what}: {quoted(name)}")
        for name, cell in row.items():
            if names.get(name) == "value" and isinstance(cell, str) and is_number(cell):
                mistakes.add((*place, "rows", number), f"row {number + 1}: {quoted(name)} is a number in quotes")
        if not all(isinstance(cell, str) or _is(_NUMBER, cell) for cell in row.values()):
            mistakes.add((*place, "rows", number), f"row {number + 1}: cells are finite numbers or texts")


def _is(kind: str, value: Any) -> bool:
    if isinstance(value, bool):
        return kind == _FLAG
    if isinstance(value, list):
        inner: type | None = {_TABLES: dict, _TEXTS: str, _COLUMNS: str}.get(kind)
        return inner is not None and all(isinstance(each, inner) for each in value)
    if isinstance(value, dict):
        inner = {_COLUMNS: str, _SWAPS: dict, _TABLE: object}.get(kind)
        return inner is not None and all(isinstance(each, inner) for each in value.values())
    if kind in (_COUNT, _DECIMALS):
        return isinstance(value, int) and int(kind == _COUNT) <= value <= MOST_RUNS
    if kind == _NUMBER:
        return isinstance(value, (int, float)) and math.isfinite(value)
    return kind == _TEXT and isinstance(value, str)


def _unknown(what: str, given: str, known: tuple[str, ...]) -> str:
    return f"unknown {what} {quoted(given)}{suggestion(given, known)} (there are {', '.join(known)})"
