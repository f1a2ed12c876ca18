"""Ranges of sliders, from the allowed range and the scenario's value."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

_WHOLE = {"packet", "packets", "cell", "cells", "byte", "bytes", "B", "call", "calls", "bit", "bits"}
"""Units that are counted in whole numbers."""
_NUMBER = re.compile(r"\s*(\d[\d_]*\.?\d*(?:[eE][+-]?\d+)?|\.\d+)\s*(?:/\s*(\d+)\s*)?([A-Za-z%/µ]*)\s*")
_WIDE = 1000
"""Ratio of a bound to the value above which a range of whole numbers is treated as unbounded."""
_FACTOR = 10
"""Ratio of the ends of an unbounded range to the scenario's value."""


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


def read_number(value: Any) -> Number | None:
    """Returns a value of a scenario as a number with a unit; None if it is not one.

    Examples
    --------
    >>> read_number("1.5 Mbit/s"), read_number(3), read_number("1/4").value, read_number("red")
    (Number(value=1.5, unit='Mbit/s'), Number(value=3.0, unit=''), 0.25, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return Number(float(value)) if math.isfinite(value) else None
    found = _NUMBER.fullmatch(value) if isinstance(value, str) and len(value) < 100 else None
    if found is None or (found[2] and not int(found[2])):
        return None
    return Number(float(found[1].replace("_", "")) / int(found[2] or 1), found[3])


def slider(kind: str, allowed: str, value: Number, example: Number | None = None) -> Slider:
    """Returns the range of a slider.

    Parameters
    ----------
    kind : str
        The parameter's kind in the catalogue.
    allowed : str
        Its range in the catalogue's words.
    value : Number
        The scenario's value, or the default.
    example : Number, optional
        A usual value, for parameters whose value is zero.

    Examples
    --------
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
