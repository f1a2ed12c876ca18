"""Study files: TOML that says what varies in a scenario, which is a file of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from penstock import _core
from penstock.errors import InputError, ScenarioError
from penstock.printable import quoted, suggestion, utf8
from penstock.records import MOST_RUNS
from penstock.studies.definition import Definition, is_path
from penstock.studies.plan import RUNS, StudyPlan, points_of
from penstock.studies.ranges import Range
from penstock.studies.sections import AIMS, aims_of, asks_of, ranges_of, refuse_beside_ranges, whens_of
from penstock.studies.toml_text import Lines, Mistakes, Place, TomlError, parsed, path_of

KEYS = (
    *("description", "scenario", "runs", "seed", "set", "grid", "zip", "list", "when", "where", "derived"),
    *AIMS,
    *("ranges", "sensitivity", "search"),
)


def is_study(text: str) -> bool:
    """Whether a text is a study file, which names its scenario; a scenario does not.

    >>> is_study('scenario = "two.toml"'), is_study('duration = "1 s"')
    (True, False)
    """
    try:
        return "scenario" in parsed(text)
    except TomlError:
        return re.search(r"^scenario\s*=", text, re.MULTILINE) is not None


def read_study(
    text: str,
    file: Path,
    read: Callable[[Path], str],
    override: Mapping[str, Any] | None = None,
    ranges: Mapping[str, Range] | None = None,
) -> StudyPlan:
    """Reads the study in `text` of `file`; `read` gets the scenario's path, which is relative to the study's folder.

    `override` has values by name, several as a list. Raises ScenarioError for mistakes, InputError if `read` does.
    """
    place = str(file)
    try:
        content = parsed(text)
    except TomlError as error:
        raise ScenarioError([toml_mistake(place, error)]) from None
    lines = Lines(text)
    mistakes = Mistakes()
    for key in content:
        if key not in KEYS:
            why = f"unknown key {quoted(key)}{suggestion(key, KEYS)} (a study has {', '.join(KEYS)})"
            if is_path(key):
                why = "is a setting of the scenario; put it in [set], or if it varies in [grid], [[zip]] or [[list]]"
            mistakes.add((key,), why)
    description, scenario = (_text(content, key, mistakes) for key in ("description", "scenario"))
    runs, seed = _count(content, "runs", 1, mistakes, MOST_RUNS) or RUNS, _count(content, "seed", 0, mistakes)
    definition = _definition(content, mistakes)
    aimed = aims_of(content, mistakes)
    for name, at in definition.places():
        if name in ("warm-up", "seed") and name in content:
            mistakes.add(at, f"is set at the top of the study too, as {name} = ...; a name has its values in one place")
    if isinstance(aimed["warm_up"], str):
        definition.settings["warm-up"] = aimed.pop("warm_up")
    asks = asks_of(content, mistakes)
    if ranges or "ranges" in content:
        refuse_beside_ranges(aimed, mistakes)
    mistakes.raise_any(place, lines.of)
    assert scenario is not None, "its absence is a mistake"
    _override(definition, override or {}, ranges or {})
    path = file.parent / scenario
    try:
        page = read(path)
    except InputError as error:
        raise InputError(f"{place}:{lines.of('scenario')}: scenario: {error}") from None
    points = points_of(definition, page, str(path), place, lines.of)
    origins = {name: lines.of(*where) for name, where in definition.places() if name not in (override or {})}
    if "warm-up" in content and "warm-up" not in (override or {}):
        origins["warm-up"] = lines.of("warm-up")
    named = [("precision", "metric"), ("precision", "half-width"), ("compare",), ("compare", "metrics")]
    origins |= {
        path_of(where): lines.of(*where) for where in (*named, *(("metrics", name) for name in aimed["metrics"]))
    }
    head_of_plan = (file.stem, page, str(path), points, description, runs, seed, utf8(place))
    ranged = definition if definition.ranges else None
    return StudyPlan(*head_of_plan, is_file=True, origins=origins, **aimed, definition=ranged, asks=asks)


def _text(content: Mapping[str, Any], key: str, mistakes: Mistakes) -> str | None:
    value = content.get(key)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        mistakes.add((key,), "needs a text in quotes")
    return value if isinstance(value, str) else None


def _count(content: Mapping[str, Any], key: str, least: int, mistakes: Mistakes, most: int = 2**63 - 1) -> int | None:
    value = content.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and least <= value <= most):
        return value
    mistakes.add((key,), f"needs a whole number, {least} {f'to {most:,}' if most == MOST_RUNS else 'or more'}")
    return None


def _definition(content: Mapping[str, Any], mistakes: Mistakes) -> Definition:
    definition = Definition()
    targets = {"set": definition.settings, "grid": definition.grid, "derived": definition.derived}
    for key, target in targets.items():
        table = content.get(key, {})
        if not isinstance(table, dict):
            mistakes.add((key,), f"needs a table, [{key}]")
            continue
        target.update(flat(table, (key,), mistakes))
        if not target and key in content:
            mistakes.add((key,), "is empty")
    for key, found in (("zip", definition.zips), ("list", definition.entries)):
        tables = content.get(key, [])
        tables = [tables] if isinstance(tables, dict) and key == "zip" else tables
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            mistakes.add((key,), f"needs tables, [[{key}]]")
            continue
        if not tables and key in content:
            mistakes.add((key,), "is empty, so there would be no point")
        for number, table in enumerate(tables):
            found.append(flat(table, (key, number), mistakes))
            if not table:
                mistakes.add((key, number), "is empty")
    definition.when = whens_of(content, flat, mistakes)
    ranges = content.get("ranges", {})
    if isinstance(ranges, dict) and (ranges or "ranges" not in content):
        definition.ranges = ranges_of(flat(ranges, ("ranges",), mistakes), mistakes)
    else:
        mistakes.add(("ranges",), "needs a table, [ranges], with a range for each parameter")
    where = content.get("where", [])
    definition.where = [where] if isinstance(where, str) else where
    if not isinstance(definition.where, list):
        mistakes.add(("where",), 'needs conditions, such as ["flows * rate <= 1 Gbit/s"]')
        definition.where = []
    if "scenario" not in content:
        mistakes.add(("scenario",), 'is missing; write scenario = "FILE.toml", with its path from here')
    return definition


def flat(table: Mapping[str, Any], place: Place = (), mistakes: Mistakes | None = None) -> dict[str, Any]:
    """Turns nested tables into paths; an empty table, or one under a quoted path, is a value.

    >>> flat({"a-b": {"rate": 1, "delay": {}}, "a-b.queue": {"red": 2}})
    {'a-b.rate': 1, 'a-b.delay': {}, 'a-b.queue': {'red': 2}}
    """
    found: dict[str, Any] = {}
    for path, value in _paths(table):
        if path in found and mistakes is not None:
            mistakes.add((*place, path), "is set twice, with and without quotes; leave one of them out")
        found[path] = value
    return found


def _paths(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict) and value and "." not in key:
            yield from _paths(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _override(definition: Definition, override: Mapping[str, Any], ranges: Mapping[str, Range]) -> None:
    for name, value in override.items():
        conditional = [dict(each.names()) for each in definition.when]
        there = (("list", definition.entries), ("zip", definition.zips), ("derived", [definition.derived]))
        for kind, tables in (*there, ("when", conditional)):
            if any(name in table for table in tables):
                raise InputError(f"--set {name}: is set in {kind} of the study, which only an edit can change.")
        definition.grid.pop(name, None)
        definition.settings.pop(name, None)
        definition.ranges.pop(name, None)
        if isinstance(value, list):
            definition.grid[name] = value
        else:
            definition.settings[name] = value
    for name in ranges:
        definition.settings.pop(name, None)
    definition.ranges.update(ranges)


def toml_mistake(place: str, error: TomlError) -> _core.Mistake:
    """The message of the TOML reader, with its line."""
    return {"file": utf8(place), "line": error.line, "path": "", "message": str(error)}
