"""Converts a graph into a network, whose nodes get valid names."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Hashable, Mapping
from typing import Any

import networkx

from penstock.arguments import Node
from penstock.component import Component
from penstock.drawing import ends_of
from penstock.errors import InputError
from penstock.graphs.attributes import DELAY, RATE, EdgeError, Reading, is_given
from penstock.graphs.edges import EdgeReader, has_coordinates
from penstock.graphs.text import Lines, nth_line
from penstock.network import Network
from penstock.printable import printable, quoted, things
from penstock.topologies.small import link_both_ways

_MOST_MISTAKES = 10
_MOST_RENAMED = 5
_LONGEST_NAME = 100


class GraphNetwork(Network):
    """A network from a graph.

    Attributes
    ----------
    node_of : dict
        The node of each node of the graph.
    remarks : list of str
        Differences from the graph.
    renamed : dict of str to str
        Nodes with another name here, by their names in the graph.
    """

    def __init__(self) -> None:
        super().__init__()
        self.node_of: dict[Hashable, Node] = {}
        self.remarks: list[str] = []
        self.renamed: dict[str, str] = {}

    def farthest(self) -> tuple[str, str]:
        """Returns the first node with a link, and a node at the maximum distance in links from it."""
        graph = networkx.DiGraph()
        for link in self._tables["links"]:
            for a, b in ends_of(link):
                graph.add_edge(a, b)
                if link.get("both-ways"):
                    graph.add_edge(b, a)
        start = next(iter(graph))
        return start, list(networkx.single_source_shortest_path_length(graph, start))[-1]


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
    loss_unit: str | None = None,
    delay_per_km: str | None = None,
    both_ways: bool = False,
    names: str | None = None,
    **port: Any,
) -> GraphNetwork:
    """Returns a network of the nodes and edges of a networkx graph.

    Rates, delays, weights, jitter and loss are attributes of edges, as :mod:`penstock.graphs` lists them. Names that a
    scenario does not allow (it allows letters, digits, ``-`` and ``_``) are changed, with a warning.

    Parameters
    ----------
    graph : networkx.Graph, DiGraph, MultiGraph or MultiDiGraph
        Edges of a directed graph become one-way links, others links both ways.
    rate : str, bit/s, optional
        Rate of edges that have none.
    delay : str, s, optional
        Delay of edges that have none.
    rate_attribute, delay_attribute, weight_attribute : str, optional
        Attribute to read instead of the usual ones.
    rate_unit, delay_unit : str, optional
        Unit of plain numbers, such as ``"Mbit/s"`` and ``"ms"``.
    loss_unit : str, optional
        Unit of loss as a plain number: ``"%"`` or ``"probability"``.
    delay_per_km : str, s, optional
        Delay per kilometre, such as ``"5 us"`` in fibre, for edges without a delay whose nodes have a latitude and a
        longitude; the distance is the great circle.
    both_ways : bool
        Gives each edge of a directed graph a way back if there is none.
    names : str, optional
        Attribute of nodes that holds their names.
    **port
        Properties of all ports, as for :meth:`penstock.network.Network.link`.

    Raises
    ------
    InputError
        If an edge has no valid rate or delay.

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
    reading = Reading(
        rate=rate,
        delay=delay,
        rate_attribute=rate_attribute,
        delay_attribute=delay_attribute,
        weight_attribute=weight_attribute,
        rate_unit=rate_unit,
        delay_unit=delay_unit,
        loss_unit=loss_unit,
        delay_per_km=delay_per_km,
        both_ways=both_ways,
        names=names,
    )
    net = convert(graph, reading, "graph", port)
    for remark in net.remarks:
        warnings.warn(remark, stacklevel=2)
    return net


def convert(
    graph: Any, reading: Reading, source: str, port: Mapping[str, Any], lines: Lines | None = None
) -> GraphNetwork:
    """As :func:`from_networkx`, without warnings. Raises InputError with all mistakes, and known `lines` of edges."""
    if not all(hasattr(graph, name) for name in ("nodes", "edges", "is_directed")):
        raise InputError(f"{source}: {quoted(type(graph).__name__)} is no graph of networkx.")
    if not len(graph.nodes):
        raise InputError(f"{source}: has no nodes.")
    if not len(graph.edges):
        raise InputError(f"{source}: has no edges.")
    reading = reading.checked(source)
    net = GraphNetwork()
    texts = _texts(graph, reading.names, source)
    names = _mapped_names(texts)
    net.node_of |= {node: net.node(name) for node, name in names.items()}
    net.renamed = {texts[node]: name for node, name in names.items() if texts[node] != name}
    if net.renamed:
        net.remarks.append(_renaming_remark(net.renamed))
    _check_that_some(graph, reading, source)
    _add_links(net, graph, reading, (source, lines or {}), port)
    return net


def _texts(graph: Any, attribute: str | None, source: str) -> dict[Hashable, str]:
    if attribute is None:
        return {node: str(node) for node in graph.nodes}
    without = [node for node, data in graph.nodes(data=True) if not is_given(data.get(attribute))]
    if without:
        raise InputError(
            f"{source}: {len(without)} of {len(graph.nodes)} nodes have no attribute {quoted(attribute)} for their "
            f"name, such as {quoted(str(without[0]))}."
        )
    return {node: str(data[attribute]) for node, data in graph.nodes(data=True)}


def _check_that_some(graph: Any, reading: Reading, source: str) -> None:
    """Reports once, not per edge, that no edge has a rate or a delay."""
    edges = [data for _, _, data in graph.edges(data=True)]
    places = has_coordinates(graph)
    for kind in (RATE, DELAY):
        known, by_place = reading.names_of(kind), kind is DELAY and places
        has_all = getattr(reading, kind.name) is not None or (by_place and reading.delay_per_km is not None)
        if has_all or any(data.get(name) is not None for data in edges for name in known):
            continue
        has = sorted({str(name) for data in edges for name in data})[:8]
        shown = f"edges have {', '.join(quoted(name) for name in has)}" if has else "edges have no attributes"
        is_chosen = getattr(reading, f"{kind.name}_attribute") is not None
        usual = quoted(known[0]) if is_chosen else f"{', '.join(known[:2])} or another name that is usual"
        by_distance = ', or take it from latitude and longitude with delay_per_km = "5 us"' * by_place
        raise InputError(
            f"{source}: no edge has a {kind.name}, as {usual} would tell it; {shown}. Name the attribute with "
            f'{kind.name}_attribute, or give all edges one with {kind.name} = "{kind.example}"{by_distance}.'
        )


def _add_links(
    net: GraphNetwork, graph: Any, reading: Reading, origin: tuple[str, Lines], port: Mapping[str, Any]
) -> None:
    source, lines = origin
    mistakes: list[str] = []
    between: Counter[tuple[Hashable, Hashable]] = Counter()
    taken = {node.name for node in net.node_of.values()}
    loops = one_way = 0
    reader = EdgeReader(graph, reading)
    for a, b, data in graph.edges(data=True):
        if a == b:
            loops += 1
            continue
        between[a, b] += 1
        try:
            link = _with_port(reader.link(a, b, data), port)
        except EdgeError as mistake:
            line = nth_line(lines, a, b, between[a, b] - 1, directed=graph.is_directed())
            place = source if line is None else f"{source}:{line}"
            mistakes.append(f"{place}: edge {quoted(str(a))} to {quoted(str(b))}: {mistake}")
            continue
        is_one_way = graph.is_directed() and not graph.has_edge(b, a)
        one_way += is_one_way
        both_ways = not graph.is_directed() or (is_one_way and reading.both_ways)
        _link(net, (net.node_of[a], net.node_of[b]), both_ways, taken, link)
    if mistakes:
        more = [f"... and {len(mistakes) - _MOST_MISTAKES} more."] if len(mistakes) > _MOST_MISTAKES else []
        count = f"{things(len(mistakes), 'mistake')} in the graph."
        raise InputError("\n".join([*mistakes[:_MOST_MISTAKES], *more, count]))
    if loops == len(graph.edges):
        raise InputError(f"{source}: has no edges between two nodes.")
    if loops:
        net.remarks.append(f"{things(loops, 'edge')} from a node to itself left out")
    if one_way:
        edges = f"{one_way} of {len(graph.edges) - loops} edges"
        net.remarks.append(
            f"{edges} of the directed graph have no edge back and became links both ways"
            if reading.both_ways
            else f"{edges} have no edge back, as the graph is directed: nothing returns over these links, "
            "acknowledgements included; both_ways = true gives each a way back"
        )
    net.remarks += reader.remarks()


def _with_port(link: dict[str, Any], port: Mapping[str, Any]) -> dict[str, Any]:
    """A link with the keys of all ports; impairments of both apply. Raises EdgeError if both have one of a kind."""
    own, more = link.get("impairments", ()), port.get("impairments", ())
    twice = sorted({each.KEY for each in own} & {each.KEY for each in more if isinstance(each, Component)})
    if twice:
        raise EdgeError(f"has {quoted(twice[0])} of its own, and impairments of all ports have another; leave one out")
    both = [*own, *more]
    return link | dict(port) | ({"impairments": both} if both else {})


def _link(net: Network, ends: tuple[Node, Node], both_ways: bool, taken: set[str], link: Mapping[str, Any]) -> None:
    """Adds an edge; a number follows its name if a node or another edge has it, as between the same nodes."""
    a, b = ends
    there, back = f"{a.name}-{b.name}", f"{b.name}-{a.name}"
    if both_ways and not {there, back} & taken and there != back:
        taken |= {there, back}
        link_both_ways(net, a, b, **link)
        return
    for origin, destination, usual in [(a, b, there), (b, a, back)][: 1 + both_ways]:
        name = _free_name(usual, taken)
        net.link(origin, destination, name=None if name == usual else name, **link)


def _is_name(text: str) -> bool:
    """Whether a scenario allows a text as the name of a node.

    >>> _is_name("r-1"), _is_name("Zürich"), _is_name("New York"), _is_name("")
    (True, True, False, False)
    """
    sound = all((character.isalnum() or character in "-_") and printable(character) == character for character in text)
    return 0 < len(text) <= _LONGEST_NAME and sound


def _mapped_names(texts: Mapping[Hashable, str]) -> dict[Hashable, str]:
    """Returns a unique name for each node: its own if that is allowed, else a similar one.

    >>> _mapped_names({1: "New York", 2: "New-York", 3: "São Paulo (2)", 4: "?!"})
    {1: 'New-York-2', 2: 'New-York', 3: 'São-Paulo-2', 4: 'node'}
    """
    taken = {text for text in texts.values() if _is_name(text)}
    first: set[str] = set()
    names: dict[Hashable, str] = {}
    for node, text in texts.items():
        if _is_name(text) and text not in first:
            names[node] = text
            first.add(text)
        else:
            names[node] = _free_name(_similar(text), taken)
    return names


def _free_name(name: str, taken: set[str]) -> str:
    """Returns `name`, or `name` with a number if that is taken, and adds it to `taken`."""
    found, number = name, 1
    while found in taken:
        number += 1
        end = f"-{number}"
        found = name[: _LONGEST_NAME - len(end)] + end
    taken.add(found)
    return found


def _similar(text: str) -> str:
    kept = "".join(character if _is_name(character) else "-" for character in text[: 2 * _LONGEST_NAME])
    return re.sub("-{2,}", "-", kept).strip("-")[:_LONGEST_NAME] or "node"


def _renaming_remark(renamed: dict[str, str]) -> str:
    """Returns the remark on renamed nodes.

    >>> _renaming_remark({"New York": "New-York"})
    "1 node has another name here, as names have letters, digits, '-' and '_' only: 'New York' is New-York"
    """
    pairs = [f"{quoted(text)} is {name}" for text, name in list(renamed.items())[:_MOST_RENAMED]]
    more = f", and {len(renamed) - _MOST_RENAMED} more" if len(renamed) > _MOST_RENAMED else ""
    have = "node has another name" if len(renamed) == 1 else "nodes have other names"
    return f"{len(renamed)} {have} here, as names have letters, digits, '-' and '_' only: {', '.join(pairs)}{more}"
