"""Converts the edges of a graph into links: rate, delay, weight and impairments, with remarks."""

import math
from collections import Counter
from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import Any

from penstock.component import Component
from penstock.components import Delay, Loss
from penstock.graphs.attributes import (
    DELAY,
    JITTER,
    LOSS,
    LOSS_UNITS,
    RATE,
    WEIGHTS,
    EdgeError,
    Reading,
    chosen_attribute,
    is_given,
    number_of,
    weight_of,
)
from penstock.printable import quoted, represented, things
from penstock.studies.quantity import Quantity, read_quantity, setting_text

_MOST_ATTRIBUTES = 8
_IDENTITY = ("id", "key")
"""Attributes that only identify edges and nodes."""
_COORDINATES = (("Latitude", "Longitude"), ("latitude", "longitude"), ("lat", "lon"), ("lat", "lng"), ("lat", "long"))
"""Pairs of attributes with the position of a node, in degrees."""
_EARTH_RADIUS_KM = 6371.0088


def has_coordinates(graph: Any) -> bool:
    """Whether any node has a position."""
    return any(latitude in data for _, data in graph.nodes(data=True) for latitude, _ in _COORDINATES)


class EdgeReader:
    """Reads edges and counts differences in the network."""

    def __init__(self, graph: Any, reading: Reading) -> None:
        self._graph, self._reading = graph, reading
        self._rounded = self._by_distance = self._jitters = 0
        self._unitless: Counter[str] = Counter()

    def link(self, a: Hashable, b: Hashable, edge: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the keys of the link of an edge. Raises EdgeError if rate or delay is missing, or one is invalid."""
        reading = self._reading
        rate = reading.quantity(RATE, edge) or reading.rate
        if rate is None:
            raise EdgeError("has no rate")
        delay, impairments = self._with_jitter(edge, self._delay(a, b, edge))
        impairments += self._loss(edge)
        link: dict[str, Any] = {"rate": str(rate), "delay": delay}
        weight, is_rounded = weight_of(edge, reading.weight_attribute)
        if weight is not None:
            link["weight"] = weight
            self._rounded += is_rounded
        if impairments:
            link["impairments"] = impairments
        return link

    def _delay(self, a: Hashable, b: Hashable, edge: Mapping[str, Any]) -> str:
        reading = self._reading
        delay = reading.quantity(DELAY, edge)
        if delay is None and reading.delay_per_km is not None:
            here, there = (_coordinates(self._graph.nodes[node]) for node in (a, b))
            if here is not None and there is not None:
                self._by_distance += 1
                return _delay_of_distance(here, there, reading.delay_per_km)
        found = delay or reading.delay
        if found is None:
            raise EdgeError("has no delay" + ", nor have both its nodes a place" * (reading.delay_per_km is not None))
        return str(found)

    def _with_jitter(self, edge: Mapping[str, Any], delay: str) -> tuple[str, list[Component]]:
        """The minimum delay, and the uniform delay added to it: jitter is the maximum deviation, as in netem."""
        name = chosen_attribute(edge, JITTER.attributes, "jitter")
        if name is None:
            return delay, []
        unit = JITTER.attributes[name] or self._reading.delay_unit
        if unit is None and number_of(edge[name]) is not None:
            self._unitless[name] += 1
            return delay, []
        jitter = read_quantity(JITTER.of_edge(edge, name, unit))
        mean = read_quantity(delay)
        if jitter is None or mean is None or not jitter.value:
            return delay, []
        if jitter.value > mean.value:
            raise EdgeError(f"{name}: {setting_text(jitter)} is more than the delay, {delay}")
        self._jitters += 1
        widest = setting_text(Quantity(2 * jitter.value, jitter.dimension))
        return setting_text(mean - jitter), [Delay(added={"uniform": ["0 s", widest]}, keep_order=True)]

    def _loss(self, edge: Mapping[str, Any]) -> list[Component]:
        name = chosen_attribute(edge, LOSS.attributes, "loss")
        if name is None:
            return []
        value, unit = edge[name], LOSS.attributes[name] or self._reading.loss_unit
        text = value.strip() if isinstance(value, str) else value
        if isinstance(text, str) and text.endswith("%"):
            text, unit = text[:-1].strip(), "%"
        number = number_of(text)
        if number is None:
            raise EdgeError(f'{name}: {quoted(represented(value))} is no loss; such as "{LOSS.example}"')
        if not number:
            return []
        if unit is None:
            self._unitless[name] += 1
            return []
        probability = number / LOSS_UNITS[unit]
        if not LOSS.least <= probability <= LOSS.most:
            raise EdgeError(f"{name}: {quoted(represented(value))} is out of range; {LOSS.limits}")
        return [Loss(probability=float(probability))]

    def remarks(self) -> list[str]:
        """Returns the differences from the edges, and which parts of the graph are left out."""
        said = []
        if self._rounded:
            said.append(f"{things(self._rounded, 'weight')} rounded to thousandths")
        if self._by_distance:
            how = f"great circle, {self._reading.delay_per_km} a km"
            said.append(f"{things(self._by_distance, 'delay')} from latitude and longitude: {how}")
        if self._jitters:
            how = "the delay is uniform around its mean, and packets keep their order"
            said.append(f"jitter of {things(self._jitters, 'edge')}: {how}")
        for name, count in self._unitless.items():
            unit = "delay_unit" if name in JITTER.attributes else 'loss_unit = "%" or "probability"'
            why = f"a number without a unit, which {unit} would tell"
            said.append(f"{quoted(name)} of {things(count, 'edge')} left out: {why}")
        return said + self._left_out()

    def _left_out(self) -> list[str]:
        reading = self._reading
        weights = WEIGHTS if reading.weight_attribute is None else (reading.weight_attribute,)
        known = {*weights, *JITTER.attributes, *LOSS.attributes, *_IDENTITY}
        known |= {*reading.names_of(RATE), *reading.names_of(DELAY)}
        of_nodes = {"label", "name", *_IDENTITY, reading.names}
        if reading.delay_per_km is not None:
            of_nodes |= {name for names in _COORDINATES for name in names}
        parts = []
        for what, of, kept in (("edges", self._graph.edges, known), ("nodes", self._graph.nodes, of_nodes)):
            names = sorted({str(name) for *_, data in of(data=True) for name in data if name not in kept})
            more = f" and {len(names) - _MOST_ATTRIBUTES} more" if len(names) > _MOST_ATTRIBUTES else ""
            if names:
                parts.append(f"{', '.join(quoted(name) for name in names[:_MOST_ATTRIBUTES])}{more} of {what}")
        return [f"attributes that mean nothing here are left out: {'; '.join(parts)}"] if parts else []


def _coordinates(node: Mapping[str, Any]) -> tuple[float, float] | None:
    """Latitude and longitude of a node, if it has both. Raises EdgeError if they are invalid."""
    for latitude, longitude in _COORDINATES:
        if is_given(node.get(latitude)) and is_given(node.get(longitude)):
            return _degrees(node, latitude, 90), _degrees(node, longitude, 360)
    return None


def _degrees(node: Mapping[str, Any], name: str, most: int) -> float:
    number = number_of(node[name])
    if number is None or abs(number) > most:
        raise EdgeError(f"{name}: {quoted(represented(node[name]))} is not between -{most} and {most} degrees")
    return float(number)


def _delay_of_distance(a: tuple[float, float], b: tuple[float, float], per_km: str) -> str:
    """The delay along the great circle between two positions, as a scenario writes it, in whole nanoseconds.

    >>> _delay_of_distance((52.52, 13.405), (48.137, 11.575), "5 us")  # Berlin to Munich, 504 km
    '2.521693 ms'
    """
    unit = read_quantity(per_km)
    if unit is None:
        raise EdgeError(f"{quoted(per_km)} is no delay")
    (north_a, east_a), (north_b, east_b) = (map(math.radians, place) for place in (a, b))
    # The haversine of the angle between the two.
    haversine = math.sin((north_b - north_a) / 2) ** 2
    haversine += math.cos(north_a) * math.cos(north_b) * math.sin((east_b - east_a) / 2) ** 2
    kilometres = 2 * _EARTH_RADIUS_KM * math.asin(min(1.0, math.sqrt(haversine)))
    nanoseconds = round(Fraction(kilometres) * unit.value * 10**9)
    return setting_text(Quantity(Fraction(nanoseconds, 10**9), unit.dimension))
