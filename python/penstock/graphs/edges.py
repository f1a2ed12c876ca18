"""Converts the edges of a graph into links, with remarks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from penstock.graphs.attributes import DELAY, JITTER, LOSS, RATE, WEIGHTS, EdgeError, weight_of
from penstock.graphs.distances import COORDINATES, coordinates, delay_of_distance
from penstock.graphs.impairments import impaired
from penstock.printable import quoted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from penstock.graphs.reading import Reading

_SHOWN = 8
"""Maximum number of attributes that a remark names."""
_IDENTITY = ("id", "key")
"""Attributes that only identify edges and nodes."""


def has_coordinates(graph: Any) -> bool:
    """Whether any node has a position."""
    return any(name in data for _, data in graph.nodes(data=True) for names in COORDINATES for name in names[:1])


class EdgeReader:
    """Reads edges and counts differences in the network."""

    def __init__(self, graph: Any, reading: Reading) -> None:
        self._graph = graph
        self._reading = reading
        self._rounded = 0
        self._by_distance = 0
        self._jitters = 0
        self._unitless: Counter[str] = Counter()

    def link(self, a: Hashable, b: Hashable, edge: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the keys of the link of an edge from `a` to `b`.

        Raises EdgeError if it has no rate or delay, or an attribute is invalid.
        """
        reading = self._reading
        rate = reading.quantity(RATE, edge) or reading.rate
        if rate is None:
            raise EdgeError("has no rate")
        made = impaired(edge, self._delay(a, b, edge), reading.loss_unit, reading.delay_unit)
        link: dict[str, Any] = {"rate": str(rate), "delay": made.delay}
        weight, is_rounded = weight_of(edge, reading.weight_attribute)
        if weight is not None:
            link["weight"] = weight
            self._rounded += is_rounded
        if made.parts:
            link["impairments"] = made.parts
        self._jitters += any(part.KEY == "delay" for part in made.parts)
        self._unitless.update(made.unitless)
        return link

    def _delay(self, a: Hashable, b: Hashable, edge: Mapping[str, Any]) -> str:
        reading = self._reading
        delay = reading.quantity(DELAY, edge)
        if delay is None and reading.delay_per_km is not None:
            places = [coordinates(self._graph.nodes[node]) for node in (a, b)]
            if places[0] is not None and places[1] is not None:
                self._by_distance += 1
                return delay_of_distance(places[0], places[1], reading.delay_per_km)
        found = delay or reading.delay
        if found is None:
            raise EdgeError("has no delay" + ", nor have both its nodes a place" * (reading.delay_per_km is not None))
        return str(found)

    def remarks(self) -> list[str]:
        """Returns the differences from the edges, and which parts of the graph are left out."""
        said = []
        if self._rounded:
            said.append(f"{self._rounded} weight{'s' * (self._rounded != 1)} rounded to thousandths")
        if self._by_distance:
            delays = f"{self._by_distance} delay{'s' * (self._by_distance != 1)}"
            said.append(f"{delays} from latitude and longitude: great circle, {self._reading.delay_per_km} a km")
        if self._jitters:
            edges = f"{self._jitters} edge{'s' * (self._jitters != 1)}"
            said.append(f"jitter of {edges}: the delay is uniform around its mean, and packets keep their order")
        for name, count in self._unitless.items():
            unit = "delay_unit" if name in JITTER.attributes else 'loss_unit = "%" or "probability"'
            edges = f"{count} edge{'s' * (count != 1)}"
            said.append(f"{quoted(name)} of {edges} left out: a number without a unit, which {unit} would tell")
        return said + self._left_out()

    def _left_out(self) -> list[str]:
        reading = self._reading
        read: set[str] = {*WEIGHTS, *JITTER.attributes, *LOSS.attributes, *_IDENTITY}
        for kind in (RATE, DELAY):
            chosen = getattr(reading, f"{kind.name}_attribute")
            read |= set(kind.attributes) if chosen is None else {chosen}
        if reading.weight_attribute is not None:
            read = read - set(WEIGHTS) | {reading.weight_attribute}
        of_nodes = {"label", "name", *_IDENTITY} | ({reading.names} if reading.names else set())
        if reading.delay_per_km is not None:
            of_nodes |= {name for names in COORDINATES for name in names}
        edges = _names((data for *_, data in self._graph.edges(data=True)), read)
        nodes = _names((data for _, data in self._graph.nodes(data=True)), of_nodes)
        parts = [f"{_list(names)} of {what}" for names, what in ((edges, "edges"), (nodes, "nodes")) if names]
        return [f"attributes that mean nothing here are left out: {'; '.join(parts)}"] if parts else []


def _names(of: Iterable[Mapping[str, Any]], known: set[str]) -> list[str]:
    """The attributes that are not among the known ones."""
    return sorted({str(name) for data in of for name in data if name not in known})


def _list(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(quoted(name) for name in names[:_SHOWN]) + more
