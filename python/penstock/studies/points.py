"""The points of a study: combinations of parameter values."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MOST = 100_000
"""Maximum number of points of a study; a store with one run of each opens in seconds."""


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
    count = 1
    for values in axes.values():
        count *= len(values)
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
