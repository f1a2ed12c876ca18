"""What the file of a study's folder may contain, and what it leaves to defaults."""

import math
from collections.abc import Mapping
from typing import Any

from penstock.printable import quoted
from penstock.records import MOST_RUNS
from penstock.reproductions.folder.references import check_references, unknown
from penstock.reproductions.tables import is_number
from penstock.studies.file import flat
from penstock.studies.toml_text import Mistakes

Place = tuple[str | int, ...]

_TEXT, _NUMBER, _COUNT, _FLAG, _TABLE, _TABLES, _TEXTS = "text", "number", "count", "flag", "table", "tables", "texts"
_DECIMALS, _COLUMNS, _SWAPS, _CELLS, _PAIRS, _ANSWERS = "decimals", "columns", "swaps", "cells", "pairs", "answers"
_KINDS = {
    _TEXT: "a text in quotes",
    _NUMBER: "a number",
    _COUNT: f"a whole number, 1 to {MOST_RUNS:,}",
    _DECIMALS: "a whole number, 0 or more",
    _FLAG: "true or false",
    _TABLE: "a table",
    _TABLES: "a list of one or more tables",
    _TEXTS: "a list of texts",
    _COLUMNS: 'a list of columns, or a table COLUMN = "OTHER COLUMN"',
    _SWAPS: "a table of tables, COLUMN = { CELL = OTHER CELL }",
    _CELLS: "a table COLUMN = CELL",
    _PAIRS: 'a table TABLE = "OTHER TABLE"',
    _ANSWERS: 'a list of two answers, each "QUESTION=KEY"',
}


def _keys(text: str) -> dict[str, str]:
    """Keys with their kinds, written as ``key:kind``; a key alone is a text."""
    pairs = (word.partition(":") for word in text.split())
    return {name: kind or _TEXT for name, _, kind in pairs}


SECTIONS: dict[str, dict[str, str]] = {
    "document": _keys("id title authors:texts name? summary? date? year?:count note? runs?:count"),
    "table": _keys("id caption columns:tables rows:tables where? note? scenario? set?:table"),
    "columns": _keys("name unit role label? decimals?:decimals compared?:flag from?"),
    "tolerance": _keys("columns:texts reason absolute?:number relative?:number tables?:texts rows?:cells"),
    "claim": _keys("id claim tables:texts holds?:texts where? kind? basis? test? printed_support? note?"),
    "ambiguity": _keys(
        "id question chosen reason options:tables where? kind? impact? evidence? fitted? printed? words?"
    ),
    "options": _keys("key text set?:table"),
    "null": _keys(
        "id text columns?:columns rows?:swaps tables?:pairs only?:texts value?:number schemes?:flag ours?:flag"
    ),
    "contradiction": _keys("answers:answers reason"),
    "print": _keys("runs?:count"),
    "quantity": _keys("columns:texts"),
}
"""The keys of each section; a question mark follows those that may be left out."""

INNER = {"table": ("columns",), "ambiguity": ("options",)}
"""Sections within sections."""
FREE = ("setup", "assumed")
"""Sections with names of the author's choice."""
SINGLE = ("document", "print")
"""Sections that are one table, not a list of them."""
_DEFAULTS = {
    "table": {"where": "", "note": ""},
    "claim": {"where": "", "kind": "", "basis": "", "printed_support": "", "note": ""},
    "ambiguity": {"where": "", "kind": "missing", "impact": "", "evidence": ""},
}


def mistakes_in(data: Mapping[str, Any], mistakes: Mistakes) -> None:
    """Tells of all keys that are unknown, missing or of another kind, and of rows without their cells."""
    inner = [section for sections in INNER.values() for section in sections]
    known = tuple(dict.fromkeys((*SINGLE[:1], *FREE, *(section for section in SECTIONS if section not in inner))))
    for key, found in data.items():
        if key not in known:
            mistakes.add((key,), unknown("section", key, known))
        elif key in FREE and not _is(_TABLE, found):
            mistakes.add((key,), f"needs a table, [{key}]")
        elif key in SINGLE:
            _check(key, (key,), found, mistakes)
        elif key in SECTIONS:
            _check_each(key, (key,), found, mistakes)
    for key in ("document", "table"):
        if key not in data:
            mistakes.add((key,), f"is missing; a study needs [{key}]" if key in SINGLE else "is missing: [[table]]")
    if not mistakes.found:
        _check_twice(data, mistakes)
        for number, table in enumerate(data["table"]):
            _check_rows(("table", number), table, mistakes)
        check_references(data, mistakes)


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


def _check_twice(data: Mapping[str, Any], mistakes: Mistakes) -> None:
    """Tells of names that are set twice; only the last value would count."""
    if {"date", "year"} <= data["document"].keys():
        mistakes.add(("document", "year"), "is given next to date, which has the year too; leave one of them out")
    for name in flat(data.get("setup", {}), ("setup",), mistakes).keys() & flat(data.get("assumed", {})).keys():
        mistakes.add(("assumed", name), "is set in [setup] too; leave one of them out")
    flat(data.get("assumed", {}), ("assumed",), mistakes)
    for number, table in enumerate(data["table"]):
        flat(table.get("set", {}), ("table", number, "set"), mistakes)
    claims = [claim["id"] for claim in data.get("claim", ())]
    for number, question in enumerate(data.get("ambiguity", ())):
        if question["id"] in claims:
            mistakes.add(("ambiguity", number, "id"), f"{quoted(question['id'])} is a claim too")
        for index, option in enumerate(question["options"]):
            flat(option.get("set", {}), ("ambiguity", number, "options", index, "set"), mistakes)


def _check_each(section: str, place: Place, found: Any, mistakes: Mistakes) -> None:
    if not _is(_TABLES, found):
        mistakes.add(place, f"needs tables, [[{section}]]")
        return
    seen: set[str] = set()
    for number, entry in enumerate(found):
        _check(section, (*place, number), entry, mistakes)
        key = next((key for key in ("id", "key", "name") if isinstance(entry.get(key), str)), None)
        if key is None:
            continue
        own = entry[key]
        if own in seen:
            mistakes.add((*place, number), f"{quoted(own)} is used twice")
        seen.add(own)
        if own != own.strip() or not own:
            what = "without blanks around it" if own.strip() else "that is not blank"
            mistakes.add((*place, number, key), f"needs a text {what}")
        elif section in ("claim", "ambiguity") and {"=", "/"} & {*own}:
            mistakes.add((*place, number, key), "needs a text without = and /, which part it from other words")


def _check(section: str, place: Place, found: Any, mistakes: Mistakes) -> None:
    if not isinstance(found, dict):
        mistakes.add(place, f"needs a table, [{section}]")
        return
    kinds = {name.removesuffix("?"): kind for name, kind in SECTIONS[section].items()}
    for key, value in found.items():
        if key not in kinds:
            mistakes.add((*place, key), unknown("key", key, tuple(kinds)))
        elif not _is(kinds[key], value):
            mistakes.add((*place, key), f"needs {_KINDS[kinds[key]]}")
        elif key in INNER.get(section, ()):
            _check_each(key, (*place, key), value, mistakes)
    for name in SECTIONS[section]:
        if not name.endswith("?") and name not in found:
            mistakes.add((*place, name), f"{name} is missing")


def _check_rows(place: Place, table: Mapping[str, Any], mistakes: Mistakes) -> None:
    names = {column["name"]: column["role"] for column in table["columns"]}
    for number, column in enumerate(table["columns"]):
        if column["role"] not in ("key", "value"):
            mistakes.add((*place, "columns", number, "role"), "is key (what was varied) or value (what was printed)")
        if column["role"] == "value" and column.get("compared", True) and "from" not in column:
            what = f'column {quoted(column["name"])} needs from = "METRIC", how a run gives its numbers'
            mistakes.add((*place, "columns", number, "from"), what)
    results = [
        column["name"] for column in table["columns"] if column["role"] == "value" and column.get("compared", True)
    ]
    if not any(_is(_NUMBER, row.get(name)) for row in table["rows"] for name in results):
        mistakes.add((*place, "rows"), "print no number in a value column, so there is nothing to compare with")
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
        return _is_list(kind, value)
    if isinstance(value, dict):
        return _is_table(kind, value)
    if kind in (_COUNT, _DECIMALS):
        return isinstance(value, int) and int(kind == _COUNT) <= value <= MOST_RUNS
    if kind == _NUMBER:
        return isinstance(value, (int, float)) and math.isfinite(value)
    return kind == _TEXT and isinstance(value, str)


def _is_list(kind: str, value: list[Any]) -> bool:
    if kind == _TABLES:
        return bool(value) and all(isinstance(each, dict) for each in value)
    texts = all(isinstance(each, str) for each in value)
    if kind == _ANSWERS:
        return texts and [("=" in answer) for answer in value] == [True, True]
    return texts and kind in (_TEXTS, _COLUMNS)


def _is_table(kind: str, value: dict[str, Any]) -> bool:
    if kind == _CELLS:
        return all(isinstance(each, str) or _is(_NUMBER, each) for each in value.values())
    inner: type | None = {_COLUMNS: str, _PAIRS: str, _SWAPS: dict, _TABLE: object}.get(kind)
    return inner is not None and all(isinstance(each, inner) for each in value.values())
