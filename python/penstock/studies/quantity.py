"""Numbers with units, exact except for irrational roots."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

Dimension = tuple[tuple[str, int], ...]  # powers of base units, sorted by name; empty for plain numbers

DIMENSIONLESS: Dimension = ()
_BIT: Dimension = (("bit", 1),)
SECOND: Dimension = (("s", 1),)
_RATE: Dimension = (("bit", 1), ("s", -1))
_PACKET: Dimension = (("packet", 1),)
_PREFIXES = ("", "k", "M", "G", "T")
_LARGEST = 4096  # maximum number of bits of a numerator or denominator; no setting needs a hundredth of it


class ExpressionError(ValueError):
    """An expression that cannot be read or has no value, such as one of a name that does not exist."""


UNITS: Mapping[str, tuple[Fraction, Dimension]] = {
    "%": (Fraction(1, 100), DIMENSIONLESS),
    **dict.fromkeys(("packets", "packet"), (Fraction(1), _PACKET)),
    "calls": (Fraction(1), (("call", 1),)),
    **{name: (Fraction(1), ((name, 1),)) for name in ("frames", "links", "timeouts", "transfers")},
    "min": (Fraction(60), SECOND),
    "bits": (Fraction(1), _BIT),
    **{name: (Fraction(1, 1000**power), SECOND) for power, name in enumerate(("s", "ms", "us", "ns", "ps"))},
    **{f"{prefix}bit": (Fraction(1000**power), _BIT) for power, prefix in enumerate(_PREFIXES)},
    **{f"{prefix}bit/s": (Fraction(1000**power), _RATE) for power, prefix in enumerate(_PREFIXES)},
    **{f"{prefix}B": (Fraction(8 * 1000**power), _BIT) for power, prefix in enumerate(_PREFIXES[:4])},
    **{f"{prefix}B": (Fraction(8 * 1024**power), _BIT) for power, prefix in enumerate(("Ki", "Mi", "Gi"), start=1)},
    **dict.fromkeys(("bytes", "byte"), (Fraction(8), _BIT)),
}
"""The units of scenarios, metrics and expressions, each as a multiple of base units."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of bits, seconds or packets, or of products and quotients of these."""

    value: Fraction
    dimension: Dimension = DIMENSIONLESS

    def __add__(self, other: Quantity) -> Quantity:
        return Quantity(_checked(self.value + other.same(self, "added to").value), self.dimension)

    def __sub__(self, other: Quantity) -> Quantity:
        return Quantity(_checked(self.value - other.same(self, "taken from").value), self.dimension)

    def __mul__(self, other: Quantity) -> Quantity:
        return Quantity(_checked(self.value * other.value), _combined(self.dimension, other.dimension, 1))

    def __truediv__(self, other: Quantity) -> Quantity:
        if other.value == 0:
            raise ExpressionError("division by zero")
        return Quantity(_checked(self.value / other.value), _combined(self.dimension, other.dimension, -1))

    def __pow__(self, exponent: Quantity) -> Quantity:
        if exponent.dimension != DIMENSIONLESS or exponent.value.denominator != 1 or abs(exponent.value) > 16:
            raise ExpressionError("an exponent is a whole number from -16 to 16; sqrt() takes a root")
        power = int(exponent.value)
        if self.value == 0 and power < 0:
            raise ExpressionError("division by zero")
        size = max(self.value.numerator.bit_length(), self.value.denominator.bit_length())
        if size * abs(power) > _LARGEST:
            raise ExpressionError("the number is too large")
        return Quantity(Fraction(self.value**power), tuple((unit, n * power) for unit, n in self.dimension if power))

    def sqrt(self) -> Quantity:
        """Returns the square root, exact if it is rational."""
        if self.value < 0:
            raise ExpressionError(f"there is no square root of {self}")
        if any(power % 2 for _, power in self.dimension):
            raise ExpressionError(f"there is no square root of {self}: its unit is no square")
        top, bottom = math.isqrt(self.value.numerator), math.isqrt(self.value.denominator)
        root = Fraction(top, bottom)
        if root * root != self.value:
            root = Fraction(math.sqrt(self.value))
        return Quantity(root, tuple((unit, power // 2) for unit, power in self.dimension))

    def whole(self, how: str) -> Quantity:
        """Rounds to a whole number, plain or of packets, by ``round`` (halves up), ``floor`` or ``ceil``."""
        if self.dimension not in (DIMENSIONLESS, _PACKET):
            raise ExpressionError(f"{how}() takes a number or packets, not {self}")
        value = self.value
        rounded = {"floor": math.floor(value), "ceil": math.ceil(value), "round": math.floor(value + Fraction(1, 2))}
        return Quantity(Fraction(rounded[how]), self.dimension)

    def same(self, other: Quantity, done: str = "compared with") -> Quantity:
        """Returns itself if it has the unit of `other`; raises ExpressionError otherwise."""
        if self.dimension != other.dimension:
            raise ExpressionError(f"{self} cannot be {done} {other}")
        return self

    def __str__(self) -> str:
        unit = _unit_name(self.dimension)
        return f"{float(self.value):.6g}{' ' if unit else ''}{unit}"


def read_quantity(text: str) -> Quantity | None:
    """Reads a number with its unit; None if `text` is none.

    >>> str(read_quantity("1.5 Mbit/s")), str(read_quantity("30 ms")), read_quantity("red")
    ('1.5e+06 bit/s', '0.03 s', None)
    """
    found = re.fullmatch(r"\s*([+-]?(?:\d[\d_]*\.?\d*|\.\d+))\s*(\S*)\s*", text, re.ASCII)
    if found is None or (found[2] and found[2] not in UNITS) or len(found[1]) > 100:
        return None
    scale, dimension = UNITS[found[2]] if found[2] else (Fraction(1), DIMENSIONLESS)
    return Quantity(Fraction(found[1].replace("_", "")) * scale, dimension)


def setting_text(quantity: Quantity) -> str:
    """Returns how a scenario writes it, in whole ps, bytes or bit/s. Raises ExpressionError if no setting can have it.

    >>> setting_text(read_quantity("0.0125 s")), setting_text(read_quantity("1.5 Mbit/s") * read_quantity("5 ms"))
    ('12.5 ms', '938 bytes')
    """
    value, dimension = quantity.value, quantity.dimension
    if dimension == DIMENSIONLESS:
        return str(value.numerator) if value.denominator == 1 else repr(float(value))
    if dimension == SECOND:
        steps = (("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 1000), ("ps", 1))
        return _scaled(_rounded(value * 10**12), steps)
    if dimension == _RATE:
        return _scaled(_rounded(value), (("Gbit/s", 10**9), ("Mbit/s", 10**6), ("kbit/s", 1000), ("bit/s", 1)))
    if dimension == _BIT:
        return f"{_rounded(value / 8)} bytes"
    if dimension == _PACKET:
        if value.denominator != 1:
            raise ExpressionError(f"{quantity} are no whole packets; round(), floor() or ceil() makes them so")
        return f"{value.numerator} packets"
    raise ExpressionError(f"{quantity} has a unit that no setting has: those are numbers, s, bit/s, bytes and packets")


def setting_value(quantity: Quantity) -> int | float | str:
    """As :func:`setting_text`, with plain numbers as such."""
    if quantity.dimension != DIMENSIONLESS:
        return setting_text(quantity)
    return int(quantity.value) if quantity.value.denominator == 1 else float(quantity.value)


def dimension_of(unit: str) -> tuple[Fraction, Dimension]:
    """Returns a metric's unit as a multiple of base units; an unknown unit is a base unit of its own.

    >>> dimension_of("bytes"), dimension_of("1")
    ((Fraction(8, 1), (('bit', 1),)), (Fraction(1, 1), ()))
    """
    if unit in ("", "1"):
        return Fraction(1), DIMENSIONLESS
    return UNITS.get(unit, (Fraction(1), ((unit, 1),)))


def base_unit(dimension: Dimension) -> str:
    """Returns the unit of a number of base units, as metrics have it.

    >>> base_unit((("bit", 1), ("s", -1))), base_unit(()), base_unit((("packet", 1),)), base_unit((("s", 2),))
    ('bit/s', '1', 'packets', 's^2')
    """
    return {DIMENSIONLESS: "1", _PACKET: "packets", (("call", 1),): "calls"}.get(dimension, _unit_name(dimension))


def _scaled(steps: int, units: tuple[tuple[str, int], ...]) -> str:
    """`steps` of the smallest unit, written in the largest unit that gives at least 1."""
    name, size = next(((name, size) for name, size in units if abs(steps) >= size), units[-1])
    return f"{Decimal(steps) / size:f} {name}"


def _rounded(value: Fraction) -> int:
    return math.floor(value + Fraction(1, 2))


def _checked(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _LARGEST:
        raise ExpressionError("the number is too large")
    return value


def _combined(one: Dimension, other: Dimension, sign: int) -> Dimension:
    powers = dict(one)
    for unit, power in other:
        powers[unit] = powers.get(unit, 0) + sign * power
    return tuple(sorted((unit, power) for unit, power in powers.items() if power))


def _unit_name(dimension: Dimension) -> str:
    above = "*".join(f"{unit}^{power}" if power > 1 else unit for unit, power in dimension if power > 0)
    below = "/".join(f"{unit}^{-power}" if power < -1 else unit for unit, power in dimension if power < 0)
    return f"{above or '1'}/{below}" if below else above
