"""What varies in a study, as written, and the points that result; also for ``--set a=1,2 --set b=x,y``."""

import itertools
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock import toml
from penstock.errors import InputError
from penstock.printable import one_line, printable, quoted, shortened
from penstock.reference import catalogue
from penstock.short_values import value_text as short_text
from penstock.studies.derived import Derived, When, at
from penstock.studies.ranges import Range
from penstock.studies.toml_text import Mistakes, Place, TomlError, parsed

MOST = 100_000  # maximum number of points of a study; a store with one run of each opens in seconds
_PIECES = re.compile(r""" "(?:\\.|[^"\\])*" | '[^']*' | . """, re.DOTALL | re.VERBOSE)
"""Texts in quotes, and other characters."""


@dataclass(frozen=True, slots=True)
class Point:
    """One combination of parameters."""

    parameters: dict[str, Any] = field(default_factory=dict)  # what varies, by name
    sets: tuple[tuple[str, str], ...] = ()  # resulting settings of the scenario, as path and value
    derived: dict[str, Any] = field(default_factory=dict)  # what follows from the parameters, by name

    @property
    def place(self) -> str:
        """Its parameters as the end of a message, labels first; empty if nothing varies."""
        named = ((name, self.parameters[name]) for name in sorted(self.parameters, key=is_path))
        where = one_line(", ".join(f"{name} = {short_text(value)}" for name, value in named))
        return f" (at {where})" if where else ""


def grid(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Returns every combination; the first parameter varies slowest. Raises InputError above :data:`MOST`.

    >>> grid({"a": [1, 2], "b": ["x", "y"]})
    [{'a': 1, 'b': 'x'}, {'a': 1, 'b': 'y'}, {'a': 2, 'b': 'x'}, {'a': 2, 'b': 'y'}]
    """
    count = math.prod(len(values) for values in axes.values())
    if count > MOST:
        raise InputError(f"{count} combinations of {len(axes)} parameters are too many; at most {MOST} points.")
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def steps(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Returns the first values together, the second ones together, and so on, of lists of equal length.

    >>> steps({"a": [1, 2], "b": ["x", "y"]})
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'y'}]
    """
    return [dict(zip(axes, values, strict=True)) for values in zip(*axes.values(), strict=True)]


def sweep(sets: Sequence[tuple[str, str]]) -> list[Point]:
    """Returns the points of (path, value) pairs. Raises InputError if values are missing or repeated, or too many."""
    axes: dict[str, list[str]] = {}
    for path, value in sets:
        values = alternatives(path, value)
        if path in axes and (len(values) > 1 or len(axes[path]) > 1):
            raise InputError(f"--set {path}: is given twice, and has several values; write all of them in one.")
        if "" in values and len(values) > 1:
            raise InputError(f"--set {path}: {quoted(value)} has a comma without a value on one side of it.")
        twice = next((each for each in values if values.count(each) > 1), None)
        if twice is not None:
            raise InputError(f"--set {path}: {quoted(twice)} is repeated in {quoted(value)}.")
        axes[path] = values
    several = {path: values for path, values in axes.items() if len(values) > 1}
    return [Point(point, tuple((path, point.get(path, value)) for path, value in sets)) for point in grid(several)]


def alternatives(path: str, value: str) -> list[str]:
    """Splits `value` at its commas, outside quotes and brackets. A TOML value or a description is one value.

    >>> alternatives("a.rate", "1 Mbit/s, 2 Mbit/s")
    ['1 Mbit/s', '2 Mbit/s']
    >>> alternatives("a.levels", "[0.5, 0.9]"), alternatives("a.levels", "[0.5, 0.9],[0.1]")
    (['[0.5, 0.9]'], ['[0.5, 0.9]', '[0.1]'])
    """
    if path == "description" or _is_toml(value):
        return [value]
    return [part.strip() for part in _split(value)]


def _is_toml(value: str) -> bool:
    try:
        return len(parsed(f"value = {value}")) == 1
    except TomlError:
        return False


def _split(text: str) -> list[str]:
    """The parts between commas outside quotes and brackets; the whole text if those do not match."""
    parts, depth = [""], 0
    for piece in _PIECES.findall(text):
        if piece in ("'", '"'):
            return [text]
        depth = max(0, depth + (piece in ("[", "{", "(")) - (piece in ("]", "}", ")")))
        if piece == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return [text] if depth else parts


@dataclass
class Definition:
    """Varied and derived settings, and points that are left out."""

    grid: dict[str, Any] = field(default_factory=dict)  # values; every combination is a point
    zips: list[dict[str, Any]] = field(default_factory=list)
    """Values that vary in step: the first ones of a table together, and so on."""
    entries: list[dict[str, Any]] = field(default_factory=list)  # explicit points
    where: list[str] = field(default_factory=list)  # conditions that points must meet
    derived: dict[str, str] = field(default_factory=dict)  # settings and auxiliary values as expressions
    settings: dict[str, Any] = field(default_factory=dict)  # settings that are equal at all points
    ranges: dict[str, Range] = field(default_factory=dict)
    """Ranges for a sensitivity study or a search; nothing else varies then."""
    sampled: Sequence[dict[str, Any]] | None = None  # the points in these ranges; their middle if left out
    when: list[When] = field(default_factory=list)  # settings of points that meet a condition

    def places(self) -> Iterator[tuple[str, Place]]:
        """All names that get a value, with their places."""
        yield from ((name, ("set", name)) for name in self.settings)
        for number, entry in enumerate(self.entries):
            yield from ((name, ("list", number, name)) for name in entry)
        for number, table in enumerate(self.zips):
            yield from ((name, ("zip", number, name)) for name in table)
        yield from ((name, ("grid", name)) for name in self.grid)
        yield from ((name, ("derived", name)) for name in self.derived)
        yield from ((name, ("ranges", name)) for name in self.ranges)
        for number, each in enumerate(self.when):
            yield from ((name, ("when", number, key, name)) for name, key in each.names())

    def points(self, document: Mapping[str, Any], mistakes: Mistakes) -> list[Point]:
        """Returns the points over a scenario with this `document`; none if there are mistakes."""
        derived = Derived(self.derived, self.where, document, mistakes.add, self.when)
        self._check_names(derived, mistakes)
        self._check_values(mistakes)
        if mistakes.found:
            return []
        points: list[Point] = []
        for base in self._combinations(mistakes):
            met = derived.met(base, {**self.settings, **base})
            if met is None or not self._are_apart(met, base, mistakes):
                continue
            conditional = {name: value for number in met for name, value in self.when[number].settings.items()}
            for chosen in self._conditional(met, base, len(points), mistakes):
                parameters = {**base, **chosen}
                fixed = {**self.settings, **base, **conditional, **chosen}
                values = derived.values(parameters, fixed, met)
                if values is None:
                    continue
                texts = {name: value_text(value) for name, value in (fixed | values).items() if is_path(name)}
                points.append(Point(parameters, tuple(texts.items()), values))
        if not points and not mistakes.found:
            mistakes.add(("where",), "leaves out every point")
        return points if not mistakes.found else []

    def _are_apart(self, met: Sequence[int], base: Mapping[str, Any], mistakes: Mistakes) -> bool:
        """Whether no two conditions that hold at a point set the same name."""
        first: dict[str, int] = {}
        for number in met:
            for name, key in self.when[number].names():
                if (earlier := first.setdefault(name, number)) != number:
                    what = f"is set in when[{earlier}] too, and both conditions hold{at(base)}"
                    mistakes.add(("when", number, key, name), what)
        return not mistakes.found

    def _conditional(
        self, met: Sequence[int], base: Mapping[str, Any], before: int, mistakes: Mistakes
    ) -> Iterable[dict[str, Any]]:
        """All combinations of what varies where conditions hold."""
        axes = {name: values for number in met for name, values in self.when[number].grid.items()}
        count = math.prod(len(values) for values in axes.values())
        if before + count > MOST:
            what = f"the points are more than {MOST}, which is the most{at(base)}"
            mistakes.add(("when", met[0] if met else 0), what)
            return []
        return grid(axes)

    def _combinations(self, mistakes: Mistakes) -> Iterable[dict[str, Any]]:
        if self.ranges:
            middle = {name: each.value(0.5) for name, each in self.ranges.items()}
            return [middle] if self.sampled is None else self.sampled
        parts = [self.entries or [{}], *(steps(table) for table in self.zips)]
        count = math.prod(len(values) for values in (*parts, *self.grid.values()))
        if count > MOST:
            mistakes.add(("grid",), f"makes {count} points, and at most {MOST} are possible")
            return []
        parts.append(grid(self.grid))
        return (
            {name: value for part in chosen for name, value in part.items()} for chosen in itertools.product(*parts)
        )

    def _check_names(self, derived: Derived, mistakes: Mistakes) -> None:
        if self.ranges:
            there = {"list": self.entries, "zip": self.zips, "grid": self.grid, "where": self.where, "when": self.when}
            for other, given in there.items():
                if given:
                    mistakes.add((other,), "cannot vary together with ranges; put fixed values in [set]")
        first: dict[str, Place] = {}
        for name, place in self.places():
            earlier = first.setdefault(name, place)
            others = [earlier[0], place[0]] == ["when", "when"] and earlier[1] != place[1]
            if earlier != place and (earlier[0], place[0]) != ("list", "list") and not others:
                mistakes.add(place, f"is set in {earlier[0]} too; a name has its values in one place")
        if not derived.are_read:
            return
        companions = {name for table in (*self.entries, *self.zips) if any(map(is_path, table)) for name in table}
        for name, place in self.places():
            if not is_path(name) and name not in derived.used and name not in companions:
                keys = ", ".join(_top_keys())
                users = "no derived value and no condition of a [[when]] uses it"
                if name in derived.compared:
                    users = f"'where' only leaves out points, {users}"
                what = f"it is no setting, which has dots or is one of {keys}"
                mistakes.add(place, f"changes nothing: {users}, and {what}")

    def _check_values(self, mistakes: Mistakes) -> None:
        tables: list[tuple[Place, dict[str, Any]]] = [(("grid",), self.grid)]
        tables += [(("zip", number), table) for number, table in enumerate(self.zips)]
        tables += [(("when", number, "grid"), each.grid) for number, each in enumerate(self.when)]
        for place, table in tables:
            for name, values in table.items():
                if not isinstance(values, list):
                    mistakes.add((*place, name), "needs a list of values; put a fixed value in [set]")
                elif not values:
                    mistakes.add((*place, name), "is an empty list, so there would be no point")
                elif place[0] != "zip" and (twice := _first_twice(values)) is not None:
                    mistakes.add((*place, name), f"has {shortened(toml.value(twice), 60)} twice")
            lengths = {name: len(values) for name, values in table.items() if isinstance(values, list)}
            if place[0] == "zip" and len(set(lengths.values())) > 1:
                told = ", ".join(f"{name} has {length}" for name, length in lengths.items())
                mistakes.add(place, f"needs lists of one length: {told}")


def is_path(name: str) -> bool:
    """Whether a name is a setting of the scenario, rather than an auxiliary value or a label."""
    return "." in name or "[" in name or name in _top_keys()


def value_text(value: Any) -> str:
    """Returns a value as ``--set`` has it: texts without quotes where these are not needed.

    >>> value_text("60 packets"), value_text(0.5), value_text(["a", "b"]), value_text("5"), value_text("a, b")
    ('60 packets', '0.5', '["a", "b"]', '"5"', '"a, b"')
    """
    if not isinstance(value, str):
        return toml.value(value)
    plain = bool(value) and value == value.strip() == printable(value) and not set(",[]{}'\"#=\\") & set(value)
    return value if plain and not _is_toml(value) else toml.value(value)


def _top_keys() -> tuple[str, ...]:
    """The scenario's top-level keys that a study may set; lists such as ``flows`` are not among them."""
    top = next((section for section in catalogue()["sections"] if section["path"] == ""), None)
    return (*(parameter["key"] for parameter in top["parameters"]), "measure") if top else ()


def _first_twice(values: list[Any]) -> Any:
    """The first repeated value; None if all differ."""
    seen: set[str] = set()
    for value in values:
        try:
            text = json.dumps(value, sort_keys=True, default=repr)
        except (RecursionError, ValueError):
            continue  # nested too deeply or within itself, and refused with its place when it is written
        if text in seen:
            return value
        seen.add(text)
    return None
