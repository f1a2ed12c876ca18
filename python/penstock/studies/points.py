"""The points of a study: which values its parameters take together."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["MOST", "Point", "grid", "steps"]

MOST = 100_000
"""The most points of a study: a store of so many runs is still opened in seconds."""


@dataclass(frozen=True, slots=True)
class Point:
    """One combination of parameters, and the settings of the scenario that it comes to.

    Parameters
    ----------
    parameters : dict of str to value
        What varies, by name.
    sets : tuple of (str, str)
        Settings changed after reading, as path and value.
    derived : dict of str to value
        What follows from the parameters, by name.
    """

    parameters: dict[str, Any] = field(default_factory=dict)
    sets: tuple[tuple[str, str], ...] = ()
    derived: dict[str, Any] = field(default_factory=dict)


def grid(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Every combination; the first parameter varies slowest.

    Raises
    ------
    InputError
        If there would be more than :data:`MOST`.

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
    """The first values together, the second ones together, and so on; all lists are equally long.

    Examples
    --------
    >>> steps({"a": [1, 2], "b": ["x", "y"]})
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': 'y'}]
    """
    return [dict(zip(axes, values, strict=True)) for values in zip(*axes.values(), strict=True)]
