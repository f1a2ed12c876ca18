"""Finds mistakes in handwritten GraphML with their lines; networkx ignores them or gives no line."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.parsers import expat

from penstock.errors import InputError
from penstock.graphs.text import refuse
from penstock.printable import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator

_TYPES = ("boolean", "int", "long", "float", "double", "string")
"""Values of ``attr.type`` in GraphML; networkx accepts more."""


def check_graphml(content: bytes, shown: str) -> None:
    """Refuses incomplete keys, values, nodes and edges, and references to what does not exist.

    A file that is no XML is left to its reader. Raises InputError with the mistakes and their lines.
    """
    elements = _Elements()
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, attributes: elements.add(
        parser.CurrentLineNumber, name.rpartition(":")[2], attributes
    )
    try:
        parser.Parse(content, True)
    except expat.ExpatError:
        return
    except (LookupError, ValueError) as error:
        raise InputError(f"{shown}:1: its encoding cannot be read ({error}); save it as UTF-8.") from None
    refuse([f"{shown}:{line}: {message}" for line, message in sorted(elements.mistakes())])


class _Elements:
    """Elements by kind, each with its line and attributes."""

    def __init__(self) -> None:
        self._of: dict[str, list[tuple[int, dict[str, str]]]] = {"key": [], "data": [], "node": [], "edge": []}

    def add(self, line: int, name: str, attributes: dict[str, str]) -> None:
        if name in self._of:
            self._of[name].append((line, attributes))

    def mistakes(self) -> Iterator[tuple[int, str]]:
        """Yields mistakes with their lines."""
        for kind, needed in (("key", ["id"]), ("data", ["key"]), ("node", ["id"]), ("edge", ["source", "target"])):
            for line, attributes in self._of[kind]:
                for name in needed:
                    if name not in attributes:
                        yield line, f"this <{kind}> has no attribute {quoted(name)}"
        yield from self._of_keys()
        yield from self._unknown("data", "key", "key", "no <key> has the id")
        yield from self._unknown("edge", "source", "node", "there is no node")
        yield from self._unknown("edge", "target", "node", "there is no node")

    def _of_keys(self) -> Iterator[tuple[int, str]]:
        from networkx.readwrite.graphml import GraphML

        reader = GraphML()
        reader.construct_types()
        for line, attributes in self._of["key"]:
            # yEd's keys of shapes and labels have neither a name nor a type.
            if "yfiles.type" in attributes:
                continue
            if "attr.name" not in attributes:
                yield line, "this <key> has no attribute 'attr.name', which says what its values are"
            kind = attributes.get("attr.type", "string")
            if kind not in reader.python_type:
                yield line, f"{quoted(kind)} is no type of values; one of {', '.join(_TYPES)}"

    def _unknown(self, kind: str, name: str, of: str, message: str) -> Iterator[tuple[int, str]]:
        known = {attributes.get("id") for _, attributes in self._of[of]}
        for line, attributes in self._of[kind]:
            if name in attributes and attributes[name] not in known:
                yield line, f"{message} {quoted(attributes[name])}"
