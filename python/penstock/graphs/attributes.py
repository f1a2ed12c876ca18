"""Rates, delays and weights from the attributes of edges."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any

from penstock.printable import quoted, represented
from penstock.studies.quantity import UNITS, Quantity, read_quantity, setting_text

if TYPE_CHECKING:
    from collections.abc import Mapping


class EdgeError(ValueError):
    """An attribute without a valid meaning."""


def is_given(value: object) -> bool:
    """Whether an attribute has a value."""
    return value is not None and not (isinstance(value, str) and not value)


@dataclass(frozen=True, slots=True)
class Kind:
    """A quantity of edges: the names of its attributes, each with the unit that the name implies."""

    name: str
    attributes: Mapping[str, str | None]
    example: str
    least: Fraction
    most: Fraction
    limits: str

    @property
    def _dimension(self) -> object:
        example = read_quantity(self.example)
        if example is None:
            raise ValueError(f"{self.example} is no quantity")
        return example.dimension

    def attribute(self, edge: Mapping[str, Any], chosen: str | None) -> str | None:
        """Returns the attribute of an edge that has it, if any. Raises EdgeError if there are several."""
        names = self.attributes if chosen is None else (chosen,)
        there = [name for name in names if is_given(edge.get(name))]
        if len(there) > 1:
            raise EdgeError(f"has both '{there[0]}' and '{there[1]}'; choose one with {self.name}_attribute")
        return there[0] if there else None

    def read(self, value: object, unit: str | None) -> str:
        """Returns a value as a scenario writes it; a plain number has `unit`.

        Raises EdgeError if it is none, has no unit, or is out of range.
        """
        if self is RATE and value == "unlimited":
            return "unlimited"
        quantity = _quantity(value)
        if quantity is None:
            raise EdgeError(f'{quoted(represented(value))} is no {self.name}; such as "{self.example}"')
        if not quantity.dimension:
            if unit is None:
                number = represented(value)
                raise EdgeError(
                    f'{quoted(number)} has no unit; write it as "{self.example}", or tell the unit with '
                    f"{self.name}_unit"
                )
            scale, dimension = UNITS[self.unit(unit)]
            quantity = Quantity(quantity.value * scale, dimension)
        if quantity.dimension != self._dimension:
            raise EdgeError(f'{quoted(represented(value))} is no {self.name}; such as "{self.example}"')
        if not self.least <= quantity.value <= self.most:
            raise EdgeError(f"{quoted(represented(value))} is out of range; {self.limits}")
        return setting_text(quantity)

    def unit(self, text: str) -> str:
        """Returns a unit as scenarios write it. Raises EdgeError if this quantity does not have it."""
        found = _spelled(text)
        fits = [unit for unit, (_, dimension) in UNITS.items() if dimension == self._dimension]
        if found not in fits:
            raise EdgeError(f"{quoted(text)} is no unit of a {self.name}; one of {', '.join(fits)}")
        return found


def _with_units(names: tuple[str, ...], units: Mapping[str, str]) -> dict[str, str | None]:
    plain: dict[str, str | None] = dict.fromkeys(names)
    return plain | {f"{name}_{ending}": unit for name in names for ending, unit in units.items()}


RATE = Kind(
    "rate",
    _with_units(
        ("rate", "bandwidth", "capacity"),
        {"bps": "bit/s", "kbps": "kbit/s", "mbps": "Mbit/s", "gbps": "Gbit/s", "tbps": "Tbit/s"},
    )
    | {"LinkSpeedRaw": "bit/s"},
    "10 Gbit/s",
    Fraction(1),
    Fraction(10**14),
    "1 bit/s to 100 Tbit/s",
)
DELAY = Kind(
    "delay",
    _with_units(("delay", "latency"), {unit: unit for unit in ("s", "ms", "us", "ns")}),
    "5 ms",
    Fraction(0),
    Fraction(3600),
    "zero to one hour",
)
JITTER = Kind(
    "jitter",
    _with_units(("jitter",), {unit: unit for unit in ("s", "ms", "us", "ns")}),
    "2 ms",
    DELAY.least,
    DELAY.most,
    DELAY.limits,
)
LOSS_UNITS: Mapping[str, int] = {"%": 100, "probability": 1}
"""The units of loss, each with the value of a total loss."""
LOSS = Kind(
    "loss",
    _with_units(("loss", "packet_loss", "plr"), {"percent": "%", "pct": "%", "probability": "probability"}),
    "0.1 %",
    Fraction(0),
    Fraction(1),
    "0 % to 100 %",
)
WEIGHTS = ("weight", "cost")
"""The attributes that give weights."""


def weight_of(edge: Mapping[str, Any], chosen: str | None) -> tuple[float | int | None, bool]:
    """Returns the weight of an edge, if it has one, and whether it was rounded. Raises EdgeError if it is none.

    Examples
    --------
    >>> weight_of({"weight": 2.0}, None), weight_of({"cost": "0.12345"}, None), weight_of({}, None)
    ((2, False), (0.123, True), (None, False))
    """
    there = [name for name in (WEIGHTS if chosen is None else (chosen,)) if is_given(edge.get(name))]
    if not there:
        return None, False
    if len(there) > 1:
        raise EdgeError("has both 'weight' and 'cost'; choose one with weight_attribute")
    number = number_of(edge[there[0]])
    if number is None or not Fraction(1, 2000) < number <= 10**9:
        raise EdgeError(f"{there[0]}: {quoted(represented(edge[there[0]]))} is no weight; 0.001 to 1000000000")
    thousandths = math.floor(number * 1000 + Fraction(1, 2))
    rounded = Fraction(thousandths, 1000) != number
    return thousandths // 1000 if thousandths % 1000 == 0 else thousandths / 1000, rounded


def _quantity(value: object) -> Quantity | None:
    if isinstance(value, str):
        found = re.fullmatch(r"\s*(\S*?[\d.])\s*([^\s\d.]*)\s*", value)
        with_unit = None if found is None else read_quantity(f"{found[1]} {_spelled(found[2])}")
        if with_unit is not None:
            return with_unit
    number = number_of(value)
    return None if number is None else Quantity(number)


def number_of(value: object) -> Fraction | None:
    """Returns a number as a decimal fraction; None if `value` is none."""
    if isinstance(value, bool) or not isinstance(value, (str, Real)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return Fraction(repr(number)) if math.isfinite(number) else None


def _spelled(unit: str) -> str:
    """A unit as scenarios write it, from other spellings.

    Examples
    --------
    >>> _spelled("Gbps"), _spelled("kb/s"), _spelled("µs"), _spelled("ms")
    ('Gbit/s', 'kbit/s', 'us', 'ms')
    """
    rate = re.fullmatch(r"([kKMGT]?)(?:bps|b/s|bit/s|bits/s)", unit)
    if rate:
        return f"{rate[1].replace('K', 'k')}bit/s"
    return unit.replace("\N{MICRO SIGN}s", "us").replace("\N{GREEK SMALL LETTER MU}s", "us")
