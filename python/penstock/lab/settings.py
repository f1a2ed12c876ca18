"""A scenario with settings applied, as plain values for the controls of the page."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from penstock.studies.toml_text import plain_value

SECTIONS = ("links", "flows", "transfers", "calls", "circuits")
"""Lists of tables whose entries have names."""


def entries(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yields section, path and table of each entry; the path is an index if the name is missing or not unique."""
    found = [
        (section, number, entry) for section in SECTIONS for number, entry in enumerate(_tables(document.get(section)))
    ]
    names = [_name(section, entry) for section, _, entry in found]
    for (section, number, entry), name in zip(found, names, strict=True):
        unique = name and names.count(name) == 1 and name not in document and section != "circuits"
        yield section, name if unique else f"{section}[{number}]", entry


def measured(document: Mapping[str, Any]) -> set[str]:
    """Returns the names of links and flows that the scenario measures."""
    found = [each.get("of") for each in _tables(document.get("measure"))]
    return {name for of in found for name in (of if isinstance(of, list) else [of]) if isinstance(name, str)}


def applied(document: dict[str, Any], sets: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Returns the document with settings applied; settings with unknown paths are left to the checker."""
    made = copy.deepcopy(document)
    for path, value in sets:
        table, rest = _begin(made, path)
        if table is None or not rest:
            continue
        for part in rest[:-1]:
            inner = table.setdefault(part, {})
            if not isinstance(inner, dict):
                break
            table = inner
        else:
            table[rest[-1]] = plain_value(value)
    return made


def located(document: Mapping[str, Any], path: str) -> Any:
    """Returns the value at a path, or None."""
    found, rest = _begin(dict(document), path)
    for part in rest:
        found = found.get(part) if isinstance(found, dict) else None
    return found


def _begin(document: dict[str, Any], path: str) -> tuple[dict[str, Any] | None, list[str]]:
    """Table in which a path begins, and the rest of the path."""
    parts = path.split(".")
    named = {own: entry for _, own, entry in entries(document)}
    if parts[0] in named:
        return named[parts[0]], parts[1:]
    if parts[0] in SECTIONS and len(parts) > 1 and parts[1] in named:
        return named[parts[1]], parts[2:]
    if found := re.fullmatch(r"(\w[\w-]*)\[(\d+)\]", parts[0]):
        tables = _tables(document.get(found[1]))
        return (tables[int(found[2])] if int(found[2]) < len(tables) else None), parts[1:]
    if parts[0] == "nodes" and len(parts) > 2:
        nodes = document.get("nodes")
        node = nodes.get(parts[1]) if isinstance(nodes, dict) else None
        return (node if isinstance(node, dict) else None), parts[2:]
    return (document, parts) if len(parts) == 1 else (None, [])


def _tables(found: Any) -> list[dict[str, Any]]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _name(section: str, entry: dict[str, Any]) -> str:
    if isinstance(entry.get("name"), str):
        return str(entry["name"])
    ends = (entry.get("from"), entry.get("to"))
    joined = f"{ends[0]}-{ends[1]}"
    is_plain = section == "links" and all(isinstance(end, str) for end in ends)
    return joined if is_plain and re.fullmatch(r"[\w-]+", joined) else ""
