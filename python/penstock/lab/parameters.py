"""Controls of the page: sliders, choices and switches for a scenario's parameters, with ranges, units and docs."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from penstock import _core
from penstock.reference import catalogue
from penstock.short_values import value_text
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


_KINDS = {"links": "link", "flows": "flow", "transfers": "transfers", "calls": "calls", "circuits": "circuit"}
_TITLES = {section: section.capitalize() for section in (*_KINDS, "nodes")} | {"links": "Link", "circuits": "Circuit"}
_HIDDEN = {"description", "name", "both-ways", "cells", "cell-switch", "precedence", "shift", "pcn-at"}
"""Keys that define the network's structure; they are edited in the text."""
_WHOLE = {"packet", "packets", "cell", "cells", "byte", "bytes", "B", "call", "calls", "bit", "bits"}
"""Units that are counted in whole numbers."""
_NUMBER = re.compile(r"\s*(\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?|\.\d+)\s*(?:/\s*(\d+)\s*)?([A-Za-z%/µ]*)\s*")
_WIDE = 1000
"""Ratio of a bound to the value above which a range of whole numbers is treated as unbounded."""
_FACTOR = 10
"""Ratio of the ends of an unbounded range to the scenario's value."""
_HUGE = 1e300
"""Numbers from here on have no slider: its ends would overflow."""

Control = dict[str, Any]
Slot = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its unit, which is empty for a plain number."""

    value: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Slider:
    """Ends of a slider, in `unit`; logarithmic steps have equal ratios."""

    low: float
    high: float
    unit: str
    log: bool
    whole: bool


def controls(document: Mapping[str, Any], written: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Returns the controls of a scenario in groups; they reset to the values of `written`, the scenario as written."""
    before = {each["path"]: each["value"] for group in _groups(written) for each in _flat(group["parts"])}
    groups = _groups(document)
    for group in groups:
        for each in _flat(group["parts"]):
            each["written"] = before.get(each["path"])
    return groups


def slots(document: Mapping[str, Any]) -> list[Slot]:
    """Returns the places for one component of a kind, each with its path, kind and current component."""
    return [part["slot"] for group in _groups(document) for part in group["parts"] if "slot" in part]


def _flat(parts: Iterable[dict[str, Any]]) -> list[Control]:
    return [each for part in parts for each in (*part["controls"], *part["defaults"])]


def _groups(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    if not document:  # the text is no TOML
        return []
    groups, watched = [], measured(document)
    for section, path, entry in entries(dict(document)):
        parts = _section(_KINDS[section], path, entry)
        rank = 1 if section != "links" else 0 if len(parts) > 1 else 2
        rank -= 2 * (section == "links" and path in watched)
        ends = entry.get("from"), entry.get("to")
        is_plain = "[" in path and all(isinstance(end, str) for end in ends)
        groups.append((rank, f"{_TITLES[section]} {f'{ends[0]} to {ends[1]}' if is_plain else path}", parts))
    nodes = document.get("nodes")
    for name, node in nodes.items() if isinstance(nodes, dict) else ():
        if isinstance(node, dict) and node:
            groups.append((3, f"{_TITLES['nodes']} {name}", _section("node", f"nodes.{name}", node)))
    groups.append((4, "The run", _section("scenario", "", document)))
    groups.sort(key=lambda group: group[0])
    return [
        {"title": title, "parts": parts}
        for _, title, parts in groups
        if any(part["controls"] or part["defaults"] or "slot" in part for part in parts)
    ]


def _section(name: str, path: str, table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Parts of a table of the scenario; the first has the table's own keys."""
    section: _core.Section = next(each for each in catalogue()["sections"] if each["name"] == name)
    dotted = f"{path}." if path else ""
    own = _parameters(section["parameters"], dotted, table, defaults=False)
    if name == "scenario":
        own += [_warm_up(document=table)] if "warm-up" not in table else []
        duration = read_number(table.get("duration"))
        for control in own:
            # The slider of the warm-up ends at the duration, if both have the same unit.
            value = read_number(control["value"]) if control["path"] == "warm-up" else None
            if value is not None and duration is not None and value.unit == duration.unit:
                control |= {"low": 0.0, "high": duration.value, "log": False, "unit": duration.unit}
    parts = [{"title": "", "controls": own, "defaults": []}]
    for part in section["parts"]:
        inner = table.get(part["key"])
        if name == "scenario" or not isinstance(inner, dict):
            continue
        below = f"{dotted}{part['key']}"
        match part["takes"]:
            case "one component" | "several components":
                parts += _components(part["of"], below, inner, part["doc"], single=part["takes"] == "one component")
            case "named tables":
                for each, own_table in inner.items():
                    if isinstance(own_table, dict):
                        parts += _titled(f"{part['key']} {each}", _section(part["of"], f"{below}.{each}", own_table))
            case _:
                parts += _titled(part["key"], _section(part["of"], below, inner))
    return parts


def _titled(title: str, parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**part, "title": f"{title} {part['title']}".strip()} for part in parts]


def _components(kind: str, path: str, table: Mapping[str, Any], doc: str, *, single: bool) -> list[dict[str, Any]]:
    known = {each["name"]: each for each in catalogue()["components"].get(kind, [])}
    parts: list[dict[str, Any]] = []
    for name, inner in table.items():
        if name not in known or not isinstance(inner, dict):
            continue
        component, below = known[name], f"{path}.{name}"
        part: dict[str, Any] = {"title": path.rpartition(".")[2], "name": name, "doc": component["summary"]}
        own = _parameters(component["parameters"], f"{below}.", inner, defaults=True)
        part["controls"] = [each for each in own if each["is_written"]]
        part["defaults"] = [each for each in own if not each["is_written"]]
        if single:
            part["slot"] = {"path": path, "kind": kind, "name": name, "doc": _line(doc), "parent": None}
        parts.append(part)
        for parameter in component["parameters"]:
            if parameter["kind"] == "component":
                parts += _nested(parameter, below, inner)
    return parts


def _nested(parameter: _core.Parameter, path: str, table: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Parts of a component inside another, such as TCP's congestion control; it may be absent."""
    key = parameter["key"]
    kind, doc = parameter["of"], parameter["doc"]
    if isinstance(table.get(key), dict):
        made = _components(kind, f"{path}.{key}", table[key], doc, single=True)
    else:
        made = [{"title": key, "name": None, "doc": "", "controls": [], "defaults": []}]
    for part in made[:1]:
        slot = {"path": f"{path}.{key}", "kind": kind, "name": part["name"], "doc": _line(doc), "parent": path}
        part["slot"] = slot
    return made


def _parameters(
    parameters: Sequence[_core.Parameter], dotted: str, table: Mapping[str, Any], *, defaults: bool
) -> list[Control]:
    found: list[Control] = []
    for parameter in parameters:
        key = parameter["key"]
        is_written = key in table
        if key in _HIDDEN or (not is_written and (not defaults or "default" not in parameter)):
            continue
        default = parameter.get("default", "")
        value = table[key] if is_written else {"true": True, "false": False}.get(default, default)
        if isinstance(value, dict) and parameter["kind"] == "law":
            found += _law(parameter, f"{dotted}{key}", value)
        elif (made := _control(parameter, f"{dotted}{key}", value, is_written=is_written)) is not None:
            found.append({**made, "is_written": is_written})
    return found


def _law(parameter: _core.Parameter, path: str, table: Mapping[str, Any]) -> list[Control]:
    """The numbers of a distribution, such as the mean of an exponential one."""
    found = []
    for name, value in table.items():
        if isinstance(value, dict):
            found += _law(parameter, f"{path}.{name}", value)
        elif (number := read_number(value)) is not None:
            label = f"{parameter['key']} {path.rpartition('.')[2]} {name}"
            found.append({**_numeric(parameter, f"{path}.{name}", value, number), "label": label, "is_written": True})
    return found


def _control(parameter: _core.Parameter, path: str, value: Any, *, is_written: bool) -> Control | None:
    kind = parameter["kind"]
    about = {"path": path, "label": parameter["key"], "value": value_text(value), "doc": _line(parameter["doc"])}
    about |= {"default": parameter.get("default", "")}
    if kind == "choice":
        return {**about, "kind": "choice", "choices": parameter.get("choices", [])}
    if kind == "switch":
        return {**about, "kind": "switch"} if isinstance(value, bool) else None
    if kind not in ("quantity", "number", "integer", "integer or list", "law"):
        return None
    number = read_number(value)
    if number is None and is_written and not isinstance(value, list | dict):
        # A mistake keeps its control, to be corrected there; the names that stand for a law have no number as example.
        number = _example(parameter) or (None if kind == "law" else Number(1.0))
    return None if number is None else _numeric(parameter, path, value, number)


def _numeric(parameter: _core.Parameter, path: str, value: Any, number: Number) -> Control:
    range_words = parameter.get("range", "")
    return {
        "kind": "number" if path == "seed" else "slider",
        "path": path,
        "label": parameter["key"],
        "value": value_text(value),
        "default": parameter.get("default", ""),
        "doc": _line(parameter["doc"]),
        "allowed": _line(range_words),
        **asdict(slider(parameter["kind"], range_words, number, _example(parameter))),
    }


def _example(parameter: _core.Parameter) -> Number | None:
    return read_number(parameter.get("example", "").partition(",")[0].partition(" or ")[0].strip('" '))


def _warm_up(document: Mapping[str, Any]) -> Control:
    section: _core.Section = next(each for each in catalogue()["sections"] if each["name"] == "scenario")
    parameter = next(each for each in section["parameters"] if each["key"] == "warm-up")
    duration = read_number(document.get("duration")) or Number(1.0, "s")
    return {**_numeric(parameter, "warm-up", f"0 {duration.unit}", Number(0.0, duration.unit)), "is_written": False}


def _line(doc: str) -> str:
    return re.sub(r"\s+", " ", doc.replace("`", "")).strip()


def read_number(value: Any) -> Number | None:
    """Returns a value of a scenario as a number with a unit; None if it is not one.

    >>> read_number("1.5 Mbit/s"), read_number(3), read_number("1/4").value, read_number("red")
    (Number(value=1.5, unit='Mbit/s'), Number(value=3.0, unit=''), 0.25, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return Number(float(value)) if abs(value) < _HUGE else None
    found = _NUMBER.fullmatch(value) if isinstance(value, str) and len(value) < 100 else None
    if found is None or (found[2] and not int(found[2])):
        return None
    number = float(found[1].replace("_", "")) / int(found[2] or 1)
    return Number(number, found[3]) if number < _HUGE else None


def slider(kind: str, allowed: str, value: Number, example: Number | None = None) -> Slider:
    """Returns the range of a slider, from a parameter's kind and `allowed` values; `example` replaces a value of zero.

    >>> slider("quantity", "above zero", Number(20.0, "ms"))
    Slider(low=2.0, high=200.0, unit='ms', log=True, whole=False)
    >>> slider("integer", "a whole number, at least 1", Number(2.0))
    Slider(low=1.0, high=20.0, unit='', log=False, whole=True)
    >>> slider("number", "between 0 and 1", Number(0.1))
    Slider(low=0.0, high=1.0, unit='', log=False, whole=False)
    >>> slider("number", "above 0, at most 1", Number(0.002))
    Slider(low=2e-05, high=1.0, unit='', log=True, whole=False)
    """
    unit = value.unit
    whole = kind.startswith("integer") or unit in _WHOLE
    low, high = _bounds(allowed, whole)
    if unit == "%":
        low, high = low * 100, high * 100
    number = value.value
    if number <= 0:
        if math.isinf(high):
            usual = example if example is not None and example.value > 0 else Number(1.0, unit)
            return Slider(low, usual.value * _FACTOR, usual.unit, log=False, whole=whole or usual.unit in _WHOLE)
        return Slider(low, high, unit, log=False, whole=whole)
    if math.isfinite(high) and not (whole and high > _WIDE * number):
        if number >= high / 50:
            return Slider(low, max(high, number), unit, log=False, whole=whole)
        return Slider(max(low, 1.0 if whole else number / _FACTOR**2), high, unit, log=True, whole=whole)
    if whole and number <= 3:
        return Slider(low, number * _FACTOR, unit, log=False, whole=True)
    smallest = max(low, number / _FACTOR)
    return Slider(max(1.0, math.floor(smallest)) if whole else smallest, number * _FACTOR, unit, log=True, whole=whole)


def _bounds(allowed: str, whole: bool) -> tuple[float, float]:
    """Ends that the words of a range name; infinite where there is none."""
    words = allowed.partition(";")[0]
    if found := re.fullmatch(r"(?:a whole number, |between )?(\d+)(?:, [\d, ]+)? (?:to|and|or) (\d+)", words):
        return float(found[1]), float(found[2])
    if words.endswith("at most 1"):
        return 0.0, 1.0
    return (1.0 if whole and ("at least 1" in words or "above zero" in words) else 0.0), math.inf
