"""The lines of edges in files: the libraries that read them keep none, so a mistaken edge is looked for once more."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.parsers import expat

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    Places = Callable[[Hashable, Hashable], int | None]

__all__ = ["dot_places", "gml_places", "graphml_places"]


def graphml_places(content: bytes) -> Places:
    r"""Finds edges by their identifiers.

    Examples
    --------
    >>> graphml_places(b'<graphml>\n<graph>\n<edge target="b" source="a"/></graph></graphml>')("a", "b")
    3
    """
    lines: dict[tuple[Hashable, Hashable], int] = {}

    def find(a: Hashable, b: Hashable) -> int | None:
        if not lines:
            parser = expat.ParserCreate()

            def start(name: str, attributes: dict[str, str]) -> None:
                if name.rpartition(":")[2] == "edge":
                    ends = (attributes.get("source"), attributes.get("target"))
                    lines.setdefault(ends, parser.CurrentLineNumber)

            parser.StartElementHandler = start
            try:
                parser.Parse(content, True)
            except expat.ExpatError:
                return None
        return lines.get((a, b), lines.get((b, a)))

    return find


def gml_places(text: str) -> Places:
    r"""Finds edges by the numbers of their nodes.

    Examples
    --------
    >>> gml_places("graph [\n edge [\n source 0\n target 1 ] ]")(0, 1)
    2
    """
    lines: dict[tuple[Hashable, Hashable], int] = {}

    def find(a: Hashable, b: Hashable) -> int | None:
        if not lines:
            line, counted = 1, 0
            for edge in re.finditer(r"\bedge\s*\[([^\]]*)", text):
                line += text.count("\n", counted, edge.start())
                counted = edge.start()
                source, target = (re.search(rf"\b{end}\s+(-?\d+)", edge[1]) for end in ("source", "target"))
                if source and target:
                    lines.setdefault((int(source[1]), int(target[1])), line)
        return lines.get((a, b), lines.get((b, a)))

    return find


def dot_places(text: str) -> Places:
    r"""Finds edges that are written between their nodes' names.

    Examples
    --------
    >>> dot_places('graph {\n a -- "b c" }')("a", "b c"), dot_places("graph { a -- {b} }")("a", "b")
    (2, None)
    """

    def find(a: Hashable, b: Hashable) -> int | None:
        # Edges of undirected graphs may come the other way round.
        for origin, destination in ((a, b), (b, a)):
            ends = f"{_written(origin)}(?::\\w+)?\\s*(?:--|->)\\s*{_written(destination)}"
            found = re.search(ends, text)
            if found is not None:
                return text.count("\n", 0, found.start()) + 1
        return None

    return find


def _written(name: Hashable) -> str:
    """A pattern of a name as it stands in a text, in quotes or without."""
    plain = str(name)
    in_quotes = re.escape(plain.replace('"', '\\"'))
    return rf'(?:"{in_quotes}"|(?<!\w){re.escape(plain)}(?!\w))'
