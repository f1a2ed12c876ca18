"""Graphs from files, among them handwritten GraphML and networks of SNDlib; mistakes have the line."""

from __future__ import annotations

import re
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.parsers import expat

import networkx
from networkx.readwrite.graphml import GraphML

from penstock.errors import InputError
from penstock.graphs.attributes import Reading
from penstock.graphs.convert import GraphNetwork, convert
from penstock.graphs.dot import read_dot
from penstock.graphs.simulators import read_rocketfuel, read_text, refuse_htsim_topology, refuse_traffic
from penstock.graphs.text import ROUTING, Lines, Read, decoded, refuse
from penstock.memory import require_file
from penstock.printable import one_line, path_text, quoted, things

_LARGEST_FILE = 64 * 2**20
_GRAPH = re.compile(r'"[^"]*"|^[ \t]*#.*$|(\bgraph\s*\[)', re.MULTILINE)
"""Matches the start of the graph in a GML text, outside quotes and comments."""


def from_file(path: str | Path, **options: Any) -> GraphNetwork:
    """Returns a network from the file of a graph.

    Formats: GraphML (``.graphml``, ``.xml``), GML (``.gml``), DOT (``.dot``, ``.gv``), SNDlib's XML (``.xml``),
    Rocketfuel's weights or latencies (``.intra``), and ``topology.txt`` of the HPCC simulator (``.txt``).

    Nodes of GraphML and GML are named by their attribute ``label`` or ``name`` if each has one and all differ;
    otherwise, and in the other formats, by their identifiers.

    Parameters
    ----------
    path : str or Path
        The file.
    **options
        As for :func:`penstock.graphs.from_networkx`.

    Raises
    ------
    InputError
        If the file cannot be read, with the line; or as in :func:`penstock.graphs.from_networkx`.
    """
    known = Reading.__dataclass_fields__
    port = {name: value for name, value in options.items() if name not in known}
    net = read_file(Path(path), Reading(**{name: value for name, value in options.items() if name in known}), port)
    for remark in net.remarks:
        warnings.warn(remark, stacklevel=2)
    return net


def read_file(path: Path, reading: Reading, port: Mapping[str, Any]) -> GraphNetwork:
    """As :func:`from_file`, without warnings: remarks are left to the caller."""
    shown = path_text(path)
    read = SUFFIXES.get(path.suffix.lower())
    if read is None:
        known = ", ".join(SUFFIXES)
        raise InputError(f"{shown}: {quoted(path.suffix)} is no format of graphs; one of {known}.")
    try:
        require_file(path)
        with path.open("rb") as stream:
            content = stream.read(_LARGEST_FILE + 1)
    except FileNotFoundError:
        raise InputError(f"{shown}: there is no such file.") from None
    except OSError as error:
        raise InputError(f"{shown}: cannot be read: {error.strerror or error}.") from None
    if len(content) > _LARGEST_FILE:
        raise InputError(f"{shown}: is larger than the 64 MiB that are read.")
    if not content.strip():
        raise InputError(f"{shown}: is empty.")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            graph, names, lines = read(content, shown)
        except RecursionError:
            raise InputError(f"{shown}: is nested too deeply.") from None
        except MemoryError:
            raise InputError(f"{shown}: takes more memory to read than there is.") from None
    if reading.names is None:
        reading = replace(reading, names=names)
    net = convert(graph, reading, shown, port, lines)
    net.routing = graph.graph.get(ROUTING)
    # What the libraries deprecate is not the user's business.
    about_file = [warning for warning in said if not issubclass(warning.category, DeprecationWarning)]
    net.remarks[:0] = [one_line(str(warning.message)) for warning in about_file]
    return net


def _graphml(content: bytes, shown: str) -> Read:
    try:
        if b"sndlib.zib.de/network" in content[:4096]:  # the namespace of its networks
            return read_sndlib(content, shown), None, {}
        lines = checked_graphml(content, shown)
        graph = networkx.read_graphml(BytesIO(content))
    except ElementTree.ParseError as error:
        raise InputError(f"{shown}:{error.position[0]}: is no XML: {one_line(str(error))}.") from None
    except (networkx.NetworkXError, ValueError, KeyError, TypeError, LookupError) as error:
        raise InputError(f"{shown}: is no GraphML that can be read: {_first_sentence(error)}.") from None
    for attribute, value in graph.graph.get("edge_default", {}).items():
        for _, _, data in graph.edges(data=True):
            data.setdefault(attribute, value)
    return graph, _naming_attribute(graph), lines


def _gml(content: bytes, shown: str) -> Read:
    text = decoded(content, shown)
    try:
        graph = _parsed_gml(text)
    except (networkx.NetworkXError, ValueError, KeyError, TypeError) as error:
        message = _first_sentence(error)
        place = re.search(r" at \((\d+), (\d+)\)", message)
        where = f":{place[1]}" if place else ""
        raise InputError(f"{shown}{where}: is no GML that can be read: {message}.") from None
    except AttributeError:
        # Networkx expects the attributes of each.
        raise InputError(f"{shown}: is no GML that can be read: a node or an edge is not in brackets.") from None
    except IndexError:
        # Lines inside a text of several lines, one of them empty.
        raise InputError(f"{shown}: is no GML that can be read: a text in quotes is not closed.") from None
    return graph, _naming_attribute(graph), _gml_lines(text)


def _parsed_gml(text: str) -> Any:
    """The graph of a GML text; one with parallel edges is a multigraph even if it does not say so."""
    try:
        return networkx.parse_gml(text, label="id")
    except networkx.NetworkXError as error:
        start = next((found for found in _GRAPH.finditer(text) if found[1]), None)
        if start is None or "is duplicated" not in str(error):
            raise
        return networkx.parse_gml(f"{text[: start.end()]} multigraph 1 {text[start.end() :]}", label="id")


def _gml_lines(text: str) -> Lines:
    r"""The lines of edges, by the numbers of their nodes.

    >>> dict(_gml_lines("graph [\n edge [\n source 0\n target 1 ] ]"))
    {(0, 1): [2]}
    """
    lines: Lines = defaultdict(list)
    line, counted = 1, 0
    for edge in re.finditer(r"\bedge\s*\[([^\]]*)", text):
        line += text.count("\n", counted, edge.start())
        counted = edge.start()
        source, target = (re.search(rf"\b{end}\s+(-?\d+)", edge[1]) for end in ("source", "target"))
        if source and target:
            lines[int(source[1]), int(target[1])].append(line)
    return lines


SUFFIXES: Mapping[str, Callable[[bytes, str], Read]] = {
    ".graphml": _graphml,
    ".xml": _graphml,
    ".gml": _gml,
    ".dot": read_dot,
    ".gv": read_dot,
    ".intra": read_rocketfuel,
    ".txt": read_text,
    ".topo": refuse_htsim_topology,
    ".cm": refuse_traffic,
}
"""The readers, by suffix."""


def _naming_attribute(graph: Any) -> str | None:
    """`label` or `name`, if it distinguishes all nodes."""
    for attribute in ("label", "name"):
        names = [str(data.get(attribute) or "").strip() for _, data in graph.nodes(data=True)]
        if names and all(names):
            if len(set(names)) == len(names):
                return attribute
            warnings.warn(f"nodes are called by their identifiers, as several have the same {attribute}", stacklevel=2)
            return None
    return None


def _first_sentence(error: Exception) -> str:
    return one_line((str(error) or type(error).__name__).split("\n")[0]).rstrip(".")


Elements = dict[str, list[tuple[int, dict[str, str]]]]
"""Elements by kind, each with its line and attributes."""

_NEEDED = {"key": ["id"], "data": ["key"], "node": ["id"], "edge": ["source", "target"]}
"""Attributes that elements of GraphML must have."""
_TYPES = ("boolean", "int", "long", "float", "double", "string")
"""Values of ``attr.type`` in GraphML; networkx accepts more."""


def checked_graphml(content: bytes, shown: str) -> Lines:
    """Returns the line of each edge. Raises InputError with the mistakes and their lines, which networkx leaves out."""
    elements: Elements = {kind: [] for kind in (*_NEEDED, "graph", "default")}
    parser = expat.ParserCreate()

    def start(name: str, attributes: dict[str, str]) -> None:
        if (kind := name.rpartition(":")[2]) not in elements:
            return
        if kind == "default" and elements["key"]:
            attributes = elements["key"][-1][1]
        # The graph in a node of yEd that is a group is read with the first one.
        if kind != "graph" or not elements["node"] or elements["node"][-1][1].get("yfiles.foldertype") != "group":
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
    for line, key in elements["default"]:
        if key.get("for", "all") == "all":
            told = f"the default of the <key> {quoted(key['id'])} in line {line} left out, as it is for all elements"
            warnings.warn(f'{told}; write for="edge"', stacklevel=2)
    for line, attributes in elements["edge"]:
        lines[attributes["source"], attributes["target"]].append(line)
    return lines


def _mistakes(elements: Elements) -> Iterator[tuple[int, str]]:
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
    yield from _given_twice(elements)
    for line, _ in elements["graph"][1:]:
        yield line, "there is another <graph>; one is read"


def _given_twice(elements: Elements) -> Iterator[tuple[int, str]]:
    """Nodes and edges that networkx would merge with earlier ones; edges between other nodes may have the same id."""
    is_directed = any(attributes.get("edgedefault") == "directed" for _, attributes in elements["graph"])
    for kind, ends in (("node", ()), ("edge", ("source", "target"))):
        seen = set[tuple[str, ...]]()
        for line, attributes in elements[kind]:
            if "id" not in attributes:
                continue
            between = [attributes.get(end, "") for end in ends]
            own = (attributes["id"], *(between if is_directed else sorted(between)))
            if own in seen:
                yield line, f"there is another <{kind}> with the id {quoted(own[0])}"
            seen.add(own)


def _mistakes_of_keys(elements: Elements) -> Iterator[tuple[int, str]]:
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


def read_sndlib(content: bytes, shown: str) -> Any:
    """Returns nodes with positions, and links with pre-installed or only capacity. Raises InputError for wrong ends."""
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


def _capacity(link: ElementTree.Element) -> tuple[str | None, bool]:
    installed = (link.findtext("preInstalledModule/capacity") or "").strip()
    if installed and installed.strip("0.") != "":
        return installed, False
    modules = [(capacity.text or "").strip() for capacity in link.iterfind("additionalModules/addModule/capacity")]
    return (modules[0] if len(modules) == 1 else None), len(modules) > 1
