"""Graphs from files, with the place of what is wrong in them."""

from __future__ import annotations

import re
import warnings
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.graphs.convert import GraphNetwork, Reading, convert
from penstock.graphs.graphml import check_graphml
from penstock.graphs.places import dot_places, gml_places, graphml_places
from penstock.printable import one_line, path_text, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.graphs.places import Places

    Read = tuple[Any, str | None, Places]
    """A graph, the attribute of nodes that holds their names, and where edges stand."""

__all__ = ["SUFFIXES", "from_file", "read_file"]

_LARGEST = 64 * 2**20
"""Bytes of a file, as of a scenario."""


def from_file(path: str | Path, **options: Any) -> GraphNetwork:
    """A network from a file of a graph: GraphML (``.graphml``, ``.xml``), GML (``.gml``) or DOT (``.dot``, ``.gv``).

    Nodes of GraphML and GML are called by their attribute ``label`` or ``name``, if each has one and no two are the
    same; by their identifiers otherwise, and so in DOT.

    Parameters
    ----------
    path : str or Path
        The file.
    **options
        As for :func:`penstock.graphs.from_networkx`.

    Raises
    ------
    InputError
        If it cannot be read, with the line; and as :func:`penstock.graphs.from_networkx`.
    """
    known = Reading.__dataclass_fields__
    port = {name: value for name, value in options.items() if name not in known}
    net = read_file(Path(path), Reading(**{name: value for name, value in options.items() if name in known}), port)
    for remark in net.remarks:
        warnings.warn(remark, stacklevel=2)
    return net


def read_file(path: Path, reading: Reading, port: Mapping[str, Any]) -> GraphNetwork:
    """As :func:`from_file`, leaving remarks to the caller.

    Raises
    ------
    InputError
        As :func:`from_file`.
    """
    shown = path_text(path)
    read = SUFFIXES.get(path.suffix.lower())
    if read is None:
        known = ", ".join(SUFFIXES)
        raise InputError(f"{shown}: {quoted(path.suffix)} is no format of graphs; one of {known}.")
    try:
        with path.open("rb") as stream:
            content = stream.read(_LARGEST + 1)
    except FileNotFoundError:
        raise InputError(f"{shown}: there is no such file.") from None
    except OSError as error:
        raise InputError(f"{shown}: cannot be read: {error.strerror or error}.") from None
    if len(content) > _LARGEST:
        raise InputError(f"{shown}: is larger than the 64 MiB that are read.")
    if not content.strip():
        raise InputError(f"{shown}: is empty.")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        graph, names, places = read(content, shown)
    if reading.names is not None:
        names = reading.names
    fields = {name: getattr(reading, name) for name in Reading.__dataclass_fields__} | {"names": names}
    net = convert(graph, Reading(**fields), shown, port, places)
    # What the libraries deprecate is not the user's business.
    about_file = [warning for warning in said if not issubclass(warning.category, DeprecationWarning)]
    net.remarks[:0] = [one_line(str(warning.message)) for warning in about_file]
    return net


def _text(content: bytes, shown: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{shown}:{line}: is not UTF-8.") from None


def _graphml(content: bytes, shown: str) -> Read:
    from xml.etree.ElementTree import ParseError

    import networkx

    check_graphml(content, shown)
    try:
        graph = networkx.read_graphml(BytesIO(content))
    except ParseError as error:
        line, _ = error.position
        raise InputError(f"{shown}:{line}: is no XML: {one_line(str(error))}.") from None
    except (networkx.NetworkXError, ValueError, KeyError, TypeError, LookupError) as error:
        raise InputError(f"{shown}: is no GraphML that can be read: {_first_sentence(error)}.") from None
    for attribute, value in graph.graph.get("edge_default", {}).items():
        for _, _, data in graph.edges(data=True):
            data.setdefault(attribute, value)
    return graph, _naming_attribute(graph), graphml_places(content)


def _gml(content: bytes, shown: str) -> Read:
    import networkx

    text = _text(content, shown)
    try:
        graph = networkx.parse_gml(text, label="id")
    except (networkx.NetworkXError, ValueError, KeyError, TypeError) as error:
        message = _first_sentence(error)
        place = re.search(r" at \((\d+), (\d+)\)", message)
        where = f":{place[1]}" if place else ""
        raise InputError(f"{shown}{where}: is no GML that can be read: {message}.") from None
    except IndexError:
        # Lines inside a text that goes over several, of which one is empty.
        raise InputError(f"{shown}: is no GML that can be read: a text in quotes is not closed.") from None
    return graph, _naming_attribute(graph), gml_places(text)


def _dot(content: bytes, shown: str) -> Read:
    from penstock.graphs.dot import read_dot

    text = _text(content, shown)
    return read_dot(text, shown), None, dot_places(text)


SUFFIXES: Mapping[str, Callable[[bytes, str], Read]] = {
    ".graphml": _graphml,
    ".xml": _graphml,
    ".gml": _gml,
    ".dot": _dot,
    ".gv": _dot,
}
"""The readers."""


def _naming_attribute(graph: Any) -> str | None:
    """`label` or `name`, if it tells nodes apart."""
    for attribute in ("label", "name"):
        names = [str(data.get(attribute) or "").strip() for _, data in graph.nodes(data=True)]
        if names and all(names):
            if len(set(names)) == len(names):
                return attribute
            warnings.warn(f"nodes are called by their identifiers, as several have the same {attribute}", stacklevel=2)
            return None
    return None


def _first_sentence(error: Exception) -> str:
    """What the library says, on one line."""
    text = str(error) or type(error).__name__
    return one_line(text.split("\n")[0]).rstrip(".")
