"""From a graph to a network."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.graphs.attributes import DELAY, RATE, EdgeError, Kind, weight_of
from penstock.graphs.names import free_name, mapped_names, renaming_remark
from penstock.network import Network, Node
from penstock.printable import quoted
from penstock.topologies.links import link_both_ways

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from penstock.graphs.places import Places

__all__ = ["GraphNetwork", "Reading", "convert", "from_networkx"]

_SHOWN = 10
"""Mistakes that are listed."""


class GraphNetwork(Network):
    """A network from a graph.

    Attributes
    ----------
    node_of : dict
        The node of each node of the graph.
    remarks : list of str
        What is otherwise here than in the graph.
    renamed : dict of str to str
        The nodes that have another name here, by the name that the graph has for them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.node_of: dict[Hashable, Node] = {}
        self.remarks: list[str] = []
        self.renamed: dict[str, str] = {}
        self._beyond: dict[str, list[str]] = {}

    def farthest(self) -> tuple[str, str]:
        """The first node from which a link leads on, and a node that is most links away from it."""
        start = next(iter(self._beyond))
        reached = {start: 0}
        waiting = [start]
        for node in waiting:
            for beyond in self._beyond.get(node, []):
                if beyond not in reached:
                    reached[beyond] = reached[node] + 1
                    waiting.append(beyond)
        return start, waiting[-1]

    def link(self, origin: Node | str, destination: Node | str, **link: Any) -> None:
        """As :meth:`penstock.network.Network.link`."""
        super().link(origin, destination, **link)
        ends = [node if isinstance(node, str) else node.name for node in (origin, destination)]
        for a, b in [ends, ends[::-1]][: 2 if link.get("both_ways") else 1]:
            self._beyond.setdefault(a, []).append(b)


@dataclass(frozen=True, slots=True)
class Reading:
    """How attributes are read; the fields are the parameters of :func:`from_networkx`."""

    rate: str | None = None
    delay: str | None = None
    rate_attribute: str | None = None
    delay_attribute: str | None = None
    weight_attribute: str | None = None
    rate_unit: str | None = None
    delay_unit: str | None = None
    names: str | None = None

    def quantity(self, kind: Kind, edge: Mapping[str, Any]) -> str:
        """The rate or delay of an edge, as a scenario writes it.

        Raises
        ------
        EdgeError
            If there is none.
        """
        name = kind.attribute(edge, getattr(self, f"{kind.name}_attribute"))
        if name is None:
            default = getattr(self, kind.name)
            if default is None:
                raise EdgeError(f"has no {kind.name}")
            return str(default)
        try:
            return kind.read(edge[name], kind.attributes.get(name) or getattr(self, f"{kind.name}_unit"))
        except EdgeError as mistake:
            raise EdgeError(f"{name}: {mistake}") from None


def from_networkx(
    graph: Any,
    *,
    rate: str | None = None,
    delay: str | None = None,
    rate_attribute: str | None = None,
    delay_attribute: str | None = None,
    weight_attribute: str | None = None,
    rate_unit: str | None = None,
    delay_unit: str | None = None,
    names: str | None = None,
    **port: Any,
) -> GraphNetwork:
    """A network of the nodes and edges of a graph of networkx.

    Rates, delays and weights are attributes of edges, as :mod:`penstock.graphs` lists them. Nodes are called as in the
    graph if a scenario can (letters, digits, ``-`` and ``_``); other names are changed, with a warning that says how.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Edges of a directed graph become links one way, of another both ways.
    rate : str, bit/s, optional
        Rate of the edges that have none.
    delay : str, s, optional
        Delay of the edges that have none.
    rate_attribute, delay_attribute, weight_attribute : str, optional
        The attribute to read instead of those that are usual.
    rate_unit, delay_unit : str, optional
        The unit of attributes that are plain numbers, such as ``"Mbit/s"`` and ``"ms"``.
    names : str, optional
        The attribute of nodes that holds their names.
    **port
        What all ports are like, as for :meth:`penstock.network.Network.link`.

    Raises
    ------
    InputError
        If an edge has no rate or delay, or one that is none.

    Examples
    --------
    >>> import networkx
    >>> graph = networkx.Graph()
    >>> graph.add_edge("a", "b", rate="10 Mbit/s", delay="5 ms", weight=2)
    >>> net = from_networkx(graph)
    >>> print(net.toml(duration="1 s"))
    duration = "1 s"
    <BLANKLINE>
    [nodes]
    a = {}
    b = {}
    <BLANKLINE>
    [[links]]
    from = "a"
    to = "b"
    rate = "10 Mbit/s"
    delay = "5 ms"
    weight = 2
    both-ways = true
    <BLANKLINE>
    """
    reading = Reading(rate, delay, rate_attribute, delay_attribute, weight_attribute, rate_unit, delay_unit, names)
    net = convert(graph, reading, "graph", port)
    for remark in net.remarks:
        warnings.warn(remark, stacklevel=2)
    return net


def convert(
    graph: Any, reading: Reading, source: str, port: Mapping[str, Any], places: Places | None = None
) -> GraphNetwork:
    """As :func:`from_networkx`, leaving remarks to the caller.

    Mistakes name `source`, and the line of an edge if `places` finds it there.

    Raises
    ------
    InputError
        With all mistakes.
    """
    if not all(hasattr(graph, name) for name in ("nodes", "edges", "is_directed")):
        raise InputError(f"{source}: {quoted(type(graph).__name__)} is no graph of networkx.")
    if not len(graph.nodes):
        raise InputError(f"{source}: has no nodes.")
    if not len(graph.edges):
        raise InputError(f"{source}: has no edges.")
    _check_options(reading, source)
    net = GraphNetwork()
    texts = _texts(graph, reading.names, source)
    names = mapped_names(texts.items())
    for node, name in names.items():
        net.node_of[node] = net.node(name)
    net.renamed = {texts[node]: name for node, name in names.items() if texts[node] != name}
    if net.renamed:
        net.remarks.append(renaming_remark(net.renamed))
    _check_that_some(graph, reading, source)
    _add_links(net, graph, reading, (source, places), port)
    return net


def _check_options(reading: Reading, source: str) -> None:
    for kind in (RATE, DELAY):
        try:
            default, unit = getattr(reading, kind.name), getattr(reading, f"{kind.name}_unit")
            if default is not None:
                kind.read(default, None)
            if unit is not None:
                kind.unit(unit)
        except EdgeError as mistake:
            raise InputError(f"{source}: {kind.name}: {mistake}.") from None


def _texts(graph: Any, attribute: str | None, source: str) -> dict[Hashable, str]:
    if attribute is None:
        return {node: str(node) for node in graph.nodes}
    without = [node for node, data in graph.nodes(data=True) if data.get(attribute) in {None, ""}]
    if without:
        raise InputError(
            f"{source}: {len(without)} of {len(graph.nodes)} nodes have no attribute {quoted(attribute)} for their "
            f"name, such as {quoted(str(without[0]))}."
        )
    return {node: str(data[attribute]) for node, data in graph.nodes(data=True)}


def _check_that_some(graph: Any, reading: Reading, source: str) -> None:
    """A graph in which nothing has a rate needs one message, not one for each edge."""
    edges = [data for _, _, data in graph.edges(data=True)]
    for kind in (RATE, DELAY):
        chosen = getattr(reading, f"{kind.name}_attribute")
        known = (chosen,) if chosen is not None else tuple(kind.attributes)
        if getattr(reading, kind.name) is not None or any(
            data.get(name) is not None for data in edges for name in known
        ):
            continue
        has = sorted({str(name) for data in edges for name in data})[:8]
        shown = f"edges have {', '.join(quoted(name) for name in has)}" if has else "edges have no attributes"
        usual = chosen or f"{', '.join(list(kind.attributes)[:2])} or another name that is usual"
        raise InputError(
            f"{source}: no edge has a {kind.name}, as {quoted(usual) if chosen else usual} would tell it; {shown}. "
            f'Name the attribute with {kind.name}_attribute, or give all edges one with {kind.name} = "{kind.example}".'
        )


def _add_links(
    net: GraphNetwork, graph: Any, reading: Reading, origin: tuple[str, Places | None], port: Mapping[str, Any]
) -> None:
    source, places = origin
    mistakes: list[tuple[Hashable, Hashable, EdgeError]] = []
    taken: set[str] = set()
    loops = rounded = 0
    for a, b, data in graph.edges(data=True):
        if a == b:
            loops += 1
            continue
        link: dict[str, Any] = {}
        try:
            for kind in (RATE, DELAY):
                link[kind.name] = reading.quantity(kind, data)
            weight, is_rounded = weight_of(data, reading.weight_attribute)
        except EdgeError as mistake:
            mistakes.append((a, b, mistake))
            continue
        if weight is not None:
            link["weight"] = weight
            rounded += is_rounded
        _link(net, (net.node_of[a], net.node_of[b]), not graph.is_directed(), taken, link | dict(port))
    if mistakes:
        count = len(mistakes)
        lines = [_mistake_line(source, places, *mistake) for mistake in mistakes[:_SHOWN]]
        lines += [f"... and {count - _SHOWN} more."] if count > _SHOWN else []
        raise InputError("\n".join([*lines, f"{count} mistake{'s' * (count != 1)} in the graph."]))
    if loops == len(graph.edges):
        raise InputError(f"{source}: has no edges between two nodes.")
    if loops:
        net.remarks.append(f"{loops} edge{'s' * (loops != 1)} from a node to itself left out")
    if rounded:
        net.remarks.append(f"{rounded} weight{'s' * (rounded != 1)} rounded to thousandths")


def _mistake_line(source: str, places: Places | None, a: Hashable, b: Hashable, mistake: EdgeError) -> str:
    line = None if places is None else places(a, b)
    place = source if line is None else f"{source}:{line}"
    return f"{place}: edge {quoted(str(a))} to {quoted(str(b))}: {mistake}"


def _link(net: Network, ends: tuple[Node, Node], both_ways: bool, taken: set[str], link: Mapping[str, Any]) -> None:
    """Adds an edge; where another has its name, as between the same nodes, with a number behind it."""
    a, b = ends
    there, back = f"{a.name}-{b.name}", f"{b.name}-{a.name}"
    if both_ways and not {there, back} & taken and there != back:
        taken |= {there, back}
        link_both_ways(net, a, b, **link)
        return
    for origin, destination, usual in [(a, b, there), (b, a, back)][: 1 + both_ways]:
        name = free_name(usual, taken)
        net.link(origin, destination, name=None if name == usual else name, **link)
