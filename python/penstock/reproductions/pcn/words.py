"""Quantities as a scenario writes them."""

from __future__ import annotations

from decimal import Decimal


def bits(rate: Decimal) -> str:
    """A rate in bit/s.

    Examples
    --------
    >>> bits(Decimal(115_200_000)), bits(Decimal("39168000.4"))
    ('115.2 Mbit/s', '39168 kbit/s')
    """
    whole = Decimal(round(rate))
    for unit, size in (("Mbit/s", 1_000_000), ("kbit/s", 1_000)):
        if whole >= size and whole % (size // 10) == 0:
            return f"{(whole / size).normalize():f} {unit}"
    return f"{whole:f} bit/s"


def seconds(span: Decimal) -> str:
    """A time to the nanosecond.

    Examples
    --------
    >>> seconds(Decimal("0.0133")), seconds(Decimal(60)), seconds(Decimal("0.0002")), seconds(Decimal(0))
    ('13.3 ms', '60 s', '200 us', '0 s')
    """
    ns = Decimal(round(span * 1_000_000_000))
    for unit, size in (("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)):
        if ns >= size:
            return f"{(ns / size).normalize():f} {unit}"
    return f"{ns} ns" if ns else "0 s"
