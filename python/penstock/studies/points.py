"""The points of a study: combinations of parameter values, also those of ``--set a=1,2 --set b=x,y``."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.printable import quoted
from penstock.studies.toml_text import TomlError, parsed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST = 100_000
"""Maximum number of points of a study; a store with one run of each opens in seconds."""
_CLOSING = {"[": "]", "{": "}", "(": ")"}


@dataclass(frozen=True, slots=True)
class Point:
    """One combination of parameters."""

    parameters: dict[str, Any] = field(default_factory=dict)  # what varies, by name
    sets: tuple[tuple[str, str], ...] = ()  # resulting settings of the scenario, as path and value
    derived: dict[str, Any] = field(default_factory=dict)  # what follows from the parameters, by name


def grid(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Returns every combination; the first parameter varies slowest. Raises InputError above :data:`MOST`.

    Examples
    --------
    >>> grid({"a": [1, 2], "b": ["x", "y"]})
    [{'a': 1, 'b': 'x'}, {'a': 1, 'b': 'y'}, {'a': 2, 'b': 'x'}, {'a': 2, 'b': 'y'}]
    """
    count = math.prod(len(values) for values in axes.values())
    if count > MOST:
        raise InputError(f"{count} combinations of {len(axes)} parameters are too many; at most {MOST} points.")
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def steps(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Returns the first values together, the second ones together, and so on, of lists of equal length.

    Examples
    --------
    >>> steps({"a": [1, 2], "b": ["x", "y"]})
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'y'}]
    """
    return [dict(zip(axes, values, strict=True)) for values in zip(*axes.values(), strict=True)]


def sweep(sets: Sequence[tuple[str, str]]) -> list[Point]:
    """Returns the points of settings given as (path, value) pairs; one point if none has several values.

    Raises InputError if one of several values is missing or repeated, a path that varies is set twice, or there are too
    many points.
    """
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

    Examples
    --------
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
    parts, begin, open_ones, quote = [], 0, [], ""
    escaped = False
    for position, letter in enumerate(text):
        if quote:
            if letter == quote and not escaped:
                quote = ""
            escaped = letter == "\\" and quote == '"' and not escaped
        elif letter in "\"'":
            quote = letter
        elif letter in _CLOSING:
            open_ones.append(_CLOSING[letter])
        elif open_ones:
            if letter == open_ones[-1]:
                open_ones.pop()
        elif letter == ",":
            parts.append(text[begin:position])
            begin = position + 1
    return [text] if quote or open_ones else [*parts, text[begin:]]
