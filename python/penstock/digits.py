"""Numbers as texts, with their significant digits."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.statistics import Interval


def plus_minus(numbers: Interval, digits: int | None = None) -> str:
    """Returns a mean and half its interval, with the digits that the interval supports.

    The interval is rounded up if `digits`, the maximum number of significant digits of the mean, is smaller.

    >>> from penstock.statistics import Interval
    >>> plus_minus(Interval(20.318, 20.2, 20.43, 10))
    '20.32 ±0.12'
    >>> plus_minus(Interval(20.318, None, None, 1))
    '20.32'
    >>> plus_minus(Interval(1234567.0, 1232000.0, 1237134.0, 10))
    '1234600 ±2600'
    >>> plus_minus(Interval(0.101094, 0.101034, 0.101154, 10), 4)
    '0.1011 ±0.0001'
    """
    half = numbers.half
    if math.isnan(numbers.mean):
        return "unknown"
    if half is None:
        return number(numbers.mean)
    if half == 0:
        return f"{number(numbers.mean)} ±0"
    # Two digits of the interval are all that can be known about it from a few runs.
    places = 1 - math.floor(math.log10(half))
    if digits is not None and numbers.mean != 0:
        most = digits - 1 - math.floor(math.log10(abs(numbers.mean)))
        if places > most:
            places, half = most, math.ceil(half * 10**most) / 10**most
    return f"{round(numbers.mean, places):.{max(places, 0)}f} ±{round(half, places):.{max(places, 0)}f}"


def number(value: float) -> str:
    """Returns a number with four significant digits, and all digits before the point.

    >>> number(20.318), number(1234567.2), number(0.000012345), number(0.0)
    ('20.32', '1234567', '1.234e-05', '0')
    """
    if value != 0 and math.isfinite(value) and abs(value) >= 10_000:
        return f"{value:.0f}"
    return f"{value:.4g}"
