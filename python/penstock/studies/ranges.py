"""Ranges of parameters, for sensitivity studies and searches."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from penstock.printable import quoted, shortened
from penstock.short_values import value_text
from penstock.studies.derived import as_value
from penstock.studies.quantity import DIMENSIONLESS, ExpressionError, Quantity, setting_text, setting_value

FORM = "LOW..HIGH, such as '1 Mbit/s..10 Mbit/s', with ' log' behind it for steps of equal ratio, or choices: A,B,C"
DIGITS = 6  # significant digits of sampled values: readable, and finer than a sample of some hundred points

_ZERO = Quantity(Fraction(0))


@dataclass(frozen=True, slots=True)
class Range:
    """The values that a parameter may have."""

    text: str  # as written
    low: Quantity = _ZERO  # its ends; unused if there are choices
    high: Quantity = _ZERO
    log: bool = False  # whether equal shares of it are equal ratios
    choices: tuple[Any, ...] = ()  # the values themselves, in order: levels of a factor
    is_whole: bool = False

    @property
    def kind(self) -> str:
        """``choices``, ``whole`` or ``real``."""
        return "choices" if self.choices else "whole" if self.is_whole else "real"

    def value(self, share: float) -> Any:
        """Returns the value at a `share` (0 to 1) of the range, in which each whole number or choice has an equal part.

        >>> read_range("1 Mbit/s..3 Mbit/s").value(0.5), read_range("1..100 log").value(0.5)
        ('2 Mbit/s', 10)
        >>> [read_range("1..4").value(share) for share in (0, 0.3, 0.6, 1)], read_range(["a", "b"]).value(0.5)
        ([1, 2, 3, 4], 'b')
        """
        if self.choices:
            return self.choices[min(len(self.choices) - 1, int(share * len(self.choices) + _SLACK))]
        low, high = self.low.value, self.high.value
        if share <= 0 or share >= 1:
            return setting_value(Quantity(low if share <= 0 else high, self.low.dimension))
        # Whole numbers reach up to the next one, so that the last has as large a part as the others.
        end = high + 1 if self.is_whole else high
        if self.log:
            exact = Fraction(math.exp(math.log(low) + share * (math.log(end) - math.log(low))))
        else:
            exact = low + Fraction(share) * (end - low)
        if self.is_whole:
            rounded = Fraction(min(int(high), math.floor(exact + Fraction(_SLACK))))
        else:
            rounded = Fraction(f"{float(exact):.{DIGITS - 1}e}")  # the last bit of a logarithm changes no scenario
        return setting_value(Quantity(max(low, min(high, rounded)), self.low.dimension))

    def whole(self, number: int) -> Any:
        """Returns a whole number in the range as a TOML value."""
        return setting_value(Quantity(Fraction(number), self.low.dimension))

    def data(self) -> dict[str, Any]:
        """Returns it as JSON data."""
        if self.choices:
            return {"kind": self.kind, "choices": list(self.choices)}
        return {
            "kind": self.kind,
            "low": self.value(0.0),
            "high": self.value(1.0),
            "scale": "logarithmic" if self.log else "linear",
        }


_SLACK = 1e-9  # tolerance for shares such as 1/3 and 2/3 of three parts


def read_range(written: Any) -> Range:
    """Reads a range: a text ``LOW..HIGH``, with `` log`` at the end for equal ratios, or a list of choices.

    Two whole numbers without a unit, or of packets, make a range of whole numbers. Raises ValueError if it is none.

    >>> read_range("2..40").kind, read_range("2.0..40").kind, read_range([True, False]).kind
    ('whole', 'real', 'choices')
    >>> read_range("5 ms..1 ms")
    Traceback (most recent call last):
    ValueError: is upside-down: its low end, 5 ms, is above its high one, 1 ms
    """
    if isinstance(written, (list, tuple)):
        return _choices(written)
    if not isinstance(written, str) or ".." not in written:
        raise ValueError(f"{shortened(quoted(str(written)), 60)} is no range; write {FORM}")
    text = written.strip()
    log = text.endswith(" log")
    first, _, last = (text[:-4] if log else text).partition("..")
    low, high = _end(first, "low"), _end(last, "high")
    if low.dimension != high.dimension:
        raise ValueError(f"its ends have different units: {first.strip()} and {last.strip()}")
    if low.value > high.value:
        raise ValueError(f"is upside-down: its low end, {first.strip()}, is above its high one, {last.strip()}")
    if low.value == high.value:
        raise ValueError("has one value only; what does not vary is a setting (--set, or [set] of a study)")
    if log and low.value <= 0:
        raise ValueError(f"is logarithmic, so its low end must be above 0, not {first.strip()}")
    packets = low.dimension == (("packet", 1),)
    whole = low.value.denominator == high.value.denominator == 1
    plain = low.dimension == DIMENSIONLESS and not any(mark in first + last for mark in ".%")
    return Range(text, low, high, log, is_whole=whole and (packets or plain))


def _choices(written: Sequence[Any]) -> Range:
    if len(written) < 2:
        raise ValueError("has one choice only; what does not vary is a setting (--set, or [set] of a study)")
    texts = [repr(each) for each in written]
    twice = next((each for each, text in zip(written, texts, strict=True) if texts.count(text) > 1), None)
    if twice is not None:
        raise ValueError(f"has the choice {shortened(quoted(str(twice)), 60)} twice")
    return Range(", ".join(map(value_text, written)), choices=tuple(written))


def _end(text: str, which: str) -> Quantity:
    found = as_value(text.strip())
    if not isinstance(found, Quantity):
        what = f"{shortened(quoted(text.strip()), 60)} is no number with a unit" if text.strip() else "is missing"
        raise ValueError(f"its {which} end {what}; write {FORM}")
    try:
        setting_text(found)
    except ExpressionError as error:
        raise ValueError(f"its {which} end: {error}") from None
    return found
