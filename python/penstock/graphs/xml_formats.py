"""Graphs in XML: mistakes in handwritten GraphML with their lines, and networks of SNDlib."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree
from xml.parsers import expat

from penstock.errors import InputError
from penstock.graphs.text import Lines, refuse
from penstock.printable import quoted, things

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

Elements = dict[str, list[tuple[int, dict[str, str]]]]
"""Elements by kind, each with its line and attributes."""

_NEEDED = {"key": ["id"], "data": ["key"], "node": ["id"], "edge": ["source", "target"]}
"""Attributes that elements of GraphML must have."""
_TYPES = ("boolean", "int", "long", "float", "double", "string")
"""Values of ``attr.type`` in GraphML; networkx accepts more."""


def checked_graphml(content: bytes, shown: str) -> Lines:
    """Returns the line of each edge, and refuses incomplete elements and references.

    The messages of networkx about these have no line. A file that is no XML is left to its reader.

    Raises InputError with the mistakes and their lines.
    """
    elements: Elements = {kind: [] for kind in _NEEDED}
    parser = expat.ParserCreate()

    def start(name: str, attributes: dict[str, str]) -> None:
        if (kind := name.rpartition(":")[2]) in elements:
            elements[kind].append((parser.CurrentLineNumber, attributes))

    parser.StartElementHandler = start
    lines: Lines = defaultdict(list)
    try:
        parser.Parse(content, True)
    except expat.ExpatError:
        return lines
    except (LookupError, ValueError) as error:
        raise InputError(f"{shown}:1: its encoding cannot be read ({error}); save it as UTF-8.") from None
    refuse([f"{shown}:{line}: {message}" for line, message in sorted(_mistakes(elements))])
    for line, attributes in elements["edge"]:
        lines[attributes["source"], attributes["target"]].append(line)
    return lines


def _mistakes(elements: Elements) -> Iterator[tuple[int, str]]:
    """Mistakes in GraphML with their lines."""
    for kind, needed in _NEEDED.items():
        for line, attributes in elements[kind]:
            for name in needed:
                if name not in attributes:
                    yield line, f"this <{kind}> has no attribute {quoted(name)}"
    yield from _mistakes_of_keys(elements)
    for kind, name, of, message in (
        ("data", "key", "key", "no <key> has the id"),
        ("edge", "source", "node", "there is no node"),
        ("edge", "target", "node", "there is no node"),
    ):
        known = {attributes.get("id") for _, attributes in elements[of]}
        for line, attributes in elements[kind]:
            if name in attributes and attributes[name] not in known:
                yield line, f"{message} {quoted(attributes[name])}"


def _mistakes_of_keys(elements: Elements) -> Iterator[tuple[int, str]]:
    from networkx.readwrite.graphml import GraphML

    reader = GraphML()
    reader.construct_types()
    for line, attributes in elements["key"]:
        # yEd's keys of shapes and labels have neither a name nor a type.
        if "yfiles.type" in attributes:
            continue
        if "attr.name" not in attributes:
            yield line, "this <key> has no attribute 'attr.name', which says what its values are"
        kind = attributes.get("attr.type", "string")
        if kind not in reader.python_type:
            yield line, f"{quoted(kind)} is no type of values; one of {', '.join(_TYPES)}"


def is_sndlib(content: bytes) -> bool:
    """Whether XML is a network of SNDlib, by its namespace."""
    return b"sndlib.zib.de/network" in content[:4096]


def read_sndlib(content: bytes, shown: str) -> Any:
    """Returns nodes with their positions, and links with their pre-installed or only capacity.

    Raises InputError if an end of a link is missing or unknown, ParseError if it is no XML.
    """
    import networkx

    root = ElementTree.fromstring(content)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    graph = networkx.MultiGraph()
    nodes = root.find("networkStructure/nodes")
    geographical = nodes is not None and nodes.get("coordinatesType", "geographical") == "geographical"
    for node in root.iterfind("networkStructure/nodes/node"):
        x, y = node.findtext("coordinates/x"), node.findtext("coordinates/y")
        place = {"longitude": x, "latitude": y} if geographical and x and y else {}
        graph.add_node(node.get("id", ""), **place)
    choices = 0
    for number, link in enumerate(root.iterfind("networkStructure/links/link"), start=1):
        name = quoted(link.get("id", str(number)))
        ends = [(link.findtext(end) or "").strip() for end in ("source", "target")]
        for end in ends:
            if end not in graph:
                raise InputError(f"{shown}: link {name}: there is no node {quoted(end)}.")
        capacity, several = _capacity(link)
        choices += several
        graph.add_edge(*ends, **({"capacity": capacity} if capacity else {}))
    if choices:
        links = things(choices, "link")
        warnings.warn(f"{links} could have one of several capacities, and none is taken; choose one", stacklevel=2)
    demands = sum(1 for _ in root.iterfind("demands/demand"))
    if demands:
        warnings.warn(f"{things(demands, 'demand')} left out; [[transfers]] take a matrix of loads", stacklevel=2)
    return graph


def _capacity(link: Element) -> tuple[str | None, bool]:
    """The capacity of a link, and whether there are several to choose from."""
    installed = (link.findtext("preInstalledModule/capacity") or "").strip()
    if installed and installed.strip("0.") != "":
        return installed, False
    modules = [(capacity.text or "").strip() for capacity in link.iterfind("additionalModules/addModule/capacity")]
    return (modules[0] if len(modules) == 1 else None), len(modules) > 1
