"""Line numbers of edges in files, searched only for a mistake since the libraries do not report them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.parsers import expat

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    Places = Callable[[Hashable, Hashable, int, bool], int | None]
    """The line of an edge between two nodes; of several, that with a number from 0. The last argument tells whether
    edges are directed."""
    Lines = dict[tuple[Hashable, Hashable], list[int]]


def nth_line(lines: Lines, a: Hashable, b: Hashable, number: int, directed: bool) -> int | None:
    """Returns the line of the edge with this number; the first between its nodes if there are fewer."""
    there = lines.get((a, b), []) if directed else sorted({*lines.get((a, b), []), *lines.get((b, a), [])})
    return there[number if number < len(there) else 0] if there else None


def graphml_places(content: bytes) -> Places:
    r"""Finds edges by their identifiers.

    Examples
    --------
    >>> graphml_places(b'<graphml>\n<graph>\n<edge target="b" source="a"/></graph></graphml>')("a", "b", 0, False)
    3
    """
    lines: Lines = {}

    def find(a: Hashable, b: Hashable, number: int, directed: bool) -> int | None:
        if not lines:
            parser = expat.ParserCreate()

            def start(name: str, attributes: dict[str, str]) -> None:
                if name.rpartition(":")[2] == "edge":
                    ends = (attributes.get("source"), attributes.get("target"))
                    lines.setdefault(ends, []).append(parser.CurrentLineNumber)

            parser.StartElementHandler = start
            try:
                parser.Parse(content, True)
            except expat.ExpatError:
                return None
        return nth_line(lines, a, b, number, directed)

    return find


def gml_places(text: str) -> Places:
    r"""Finds edges by the numbers of their nodes.

    Examples
    --------
    >>> gml_places("graph [\n edge [\n source 0\n target 1 ] ]")(0, 1, 0, False)
    2
    """
    lines: Lines = {}

    def find(a: Hashable, b: Hashable, number: int, directed: bool) -> int | None:
        if not lines:
            line, counted = 1, 0
            for edge in re.finditer(r"\bedge\s*\[([^\]]*)", text):
                line += text.count("\n", counted, edge.start())
                counted = edge.start()
                source, target = (re.search(rf"\b{end}\s+(-?\d+)", edge[1]) for end in ("source", "target"))
                if source and target:
                    lines.setdefault((int(source[1]), int(target[1])), []).append(line)
        return nth_line(lines, a, b, number, directed)

    return find


def dot_places(text: str) -> Places:
    r"""Finds edges that are written between the names of their nodes.

    Examples
    --------
    >>> dot_places('graph {\n a -- "b c" }')("a", "b c", 0, False), dot_places("graph { a -- {b} }")("a", "b", 0, False)
    (2, None)
    """

    def find(a: Hashable, b: Hashable, number: int, directed: bool) -> int | None:
        # Edges of undirected graphs may come the other way round.
        found: list[int] = []
        for origin, destination in ((a, b), (b, a))[: 1 if directed else 2]:
            ends = f"{_written(origin)}(?::\\w+)?\\s*(?:--|->)\\s*{_written(destination)}"
            found += [edge.start() for edge in re.finditer(ends, text)]
        if found:
            found.sort()
            return text.count("\n", 0, found[number if number < len(found) else 0]) + 1
        return None

    return find


def _written(name: Hashable) -> str:
    """A pattern for a name in a text, with or without quotes."""
    plain = str(name)
    in_quotes = re.escape(plain.replace('"', '\\"'))
    return rf'(?:"{in_quotes}"|(?<!\w){re.escape(plain)}(?!\w))'
