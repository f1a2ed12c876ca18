"""Graphs in the DOT language, by pydot."""

import re
from collections import defaultdict
from collections.abc import Mapping
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

import networkx
import pydot

from penstock.errors import InputError
from penstock.graphs.text import Lines, Read, decoded

_TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*)|(?P<edge>--|->)|(?P<name>"(?:[^"\\]|\\.)*+"|[\w.]++)|\S',
    re.DOTALL | re.MULTILINE,
)
_NAME = re.compile(r'("(?:[^"\\]|\\.)*"|[^:]*)(?::.*)?', re.DOTALL)


def read_dot(content: bytes, shown: str) -> Read:
    """Returns the graph of a DOT file, with subgraphs and defaults. Raises InputError unless it holds one graph."""
    text = decoded(content, shown)
    # What is wrong is printed, not raised.
    with redirect_stdout(StringIO()) as said:
        graphs = pydot.graph_from_dot_data(text)
    if not graphs:
        place = re.search(r"\(line:(\d+), col:(\d+)\)", said.getvalue())
        where, column = (f":{place[1]}", f", column {place[2]}") if place else ("", "")
        raise InputError(f"{shown}{where}: is no DOT from here on{column}.")
    if len(graphs) > 1:
        raise InputError(f"{shown}: has {len(graphs)} graphs; one is read.")
    table = graphs[0].obj_dict
    if table["type"] == "digraph":
        graph = networkx.DiGraph() if table["strict"] else networkx.MultiDiGraph()
    else:
        graph = networkx.Graph() if table["strict"] else networkx.MultiGraph()
    try:
        _add(graph, table, {}, {})
    except ValueError as error:
        raise InputError(f"{shown}: {error}.") from None
    return graph, None, _edge_lines(text, shown, "->" if graph.is_directed() else "--")


def _edge_lines(text: str, shown: str, edge: str) -> Lines:
    r"""The lines of edges between two names. Raises InputError if one is not written as `edge`: ``--`` or ``->``.

    >>> dict(_edge_lines('graph { // a -- b\n a:p -- "b c" [x="a -- b"]\n "b c" -- d -- {e} }', "a.dot", "--"))
    {('a', 'b c'): [2], ('b c', 'd'): [3]}
    """
    lines: Lines = defaultdict(list)
    line, counted, depth = 1, 0, 0
    before: tuple[str, int] | None = None
    origin: tuple[str, int] | None = None
    after = ""
    for token in _TOKEN.finditer(text):
        line += text.count("\n", counted, token.start())
        counted = token.start()
        depth += {"[": 1, "]": -1}.get(token[0], 0)
        if token["comment"] or depth > 0:
            continue
        if token["edge"]:
            if token["edge"] != edge:
                raise InputError(f"{shown}:{line}: edges of this graph are written {edge}, not {token['edge']}.")
            before, origin = None, before
        elif token["name"] and after != ":":
            before = (_unquoted(token["name"]), line)
            if origin is not None:
                lines[origin[0], before[0]].append(origin[1])
            origin = None
        elif token[0] != ":" and not token["name"]:
            before = origin = None
        after = token[0]
    return lines


def _add(
    graph: Any, table: Mapping[str, Any], edge_defaults: Mapping[str, str], node_defaults: Mapping[str, str]
) -> None:
    """Adds what a graph or subgraph holds in the order of the text: defaults apply to what follows them."""
    kinds = ("node", "edge", "subgraph")
    held = [(kind, part) for kind in kinds for parts in table[f"{kind}s"].values() for part in parts]
    for kind, part in sorted(held, key=lambda each: each[1]["sequence"]):
        attributes = {name: _unquoted(value) for name, value in part["attributes"].items()}
        if kind == "subgraph":
            _add(graph, part, edge_defaults, node_defaults)
        elif kind == "edge":
            origins, destinations = (_ends(graph, point, edge_defaults, node_defaults) for point in part["points"])
            for a in origins:
                for b in destinations:
                    for node in (a, b):
                        if node not in graph:
                            graph.add_node(node, **node_defaults)
                    is_repeated = not graph.is_multigraph() and graph.has_edge(a, b)
                    graph.add_edge(a, b, **(({} if is_repeated else dict(edge_defaults)) | attributes))
        elif part["name"] == "edge":
            edge_defaults = dict(edge_defaults) | attributes
        elif part["name"] == "node":
            node_defaults = dict(node_defaults) | attributes
        elif part["name"] != "graph":
            name = _node_name(part["name"])
            graph.add_node(name, **((dict(node_defaults) if name not in graph else {}) | attributes))


def _ends(graph: Any, point: Any, edge_defaults: Mapping[str, str], node_defaults: Mapping[str, str]) -> list[str]:
    """The nodes at one end of an edge: one, or all of a subgraph."""
    if isinstance(point, str):
        return [_node_name(point)]
    inner = type(graph)()
    _add(inner, point, edge_defaults, node_defaults)
    if inner.edges:
        # In a -- {b -- c} -- d the subgraph is the end of two edges, and comes twice.
        raise ValueError("an edge ends at a subgraph that has edges of its own; write those apart")
    graph.add_nodes_from(inner.nodes(data=True))
    return list(inner.nodes)


def _node_name(text: str) -> str:
    found = _NAME.fullmatch(text)
    return _unquoted(found[1] if found else text)


def _unquoted(value: Any) -> str:
    text = str(value)
    is_quoted = len(text) >= 2 and text[0] == text[-1] == '"'
    return text[1:-1].replace('\\"', '"') if is_quoted else text
