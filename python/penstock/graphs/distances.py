"""Delays of edges from the latitude and longitude of their nodes."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from penstock.graphs.attributes import EdgeError, is_given, number_of
from penstock.printable import quoted, represented
from penstock.studies.quantity import Quantity, read_quantity, setting_text

if TYPE_CHECKING:
    from collections.abc import Mapping

COORDINATES = (("Latitude", "Longitude"), ("latitude", "longitude"), ("lat", "lon"), ("lat", "lng"), ("lat", "long"))
"""Pairs of attributes with the position of a node, in degrees."""

_RADIUS = 6371.0088
"""Mean radius of the earth, in km."""


def coordinates(node: Mapping[str, Any]) -> tuple[float, float] | None:
    """Returns latitude and longitude of a node, if it has both. Raises EdgeError if they are invalid."""
    for names in COORDINATES:
        if all(is_given(node.get(name)) for name in names):
            found = []
            for name, most in zip(names, (90, 360), strict=True):
                number = number_of(node[name])
                if number is None or abs(number) > most:
                    raise EdgeError(
                        f"{name}: {quoted(represented(node[name]))} is not between -{most} and {most} degrees"
                    )
                found.append(float(number))
            return found[0], found[1]
    return None


def delay_of_distance(a: tuple[float, float], b: tuple[float, float], per_km: str) -> str:
    """Returns the delay along the great circle between two positions, as a scenario writes it, in whole nanoseconds.

    Examples
    --------
    >>> delay_of_distance((52.52, 13.405), (48.137, 11.575), "5 us")  # Berlin to Munich, 504 km
    '2.521693 ms'
    """
    unit = read_quantity(per_km)
    if unit is None:
        raise EdgeError(f"{quoted(per_km)} is no delay")
    (north_a, east_a), (north_b, east_b) = (map(math.radians, place) for place in (a, b))
    # The haversine of the angle between the two.
    haversine = math.sin((north_b - north_a) / 2) ** 2
    haversine += math.cos(north_a) * math.cos(north_b) * math.sin((east_b - east_a) / 2) ** 2
    kilometres = 2 * _RADIUS * math.asin(min(1.0, math.sqrt(haversine)))
    nanoseconds = round(Fraction(kilometres) * unit.value * 10**9)
    return setting_text(Quantity(Fraction(nanoseconds, 10**9), unit.dimension))
