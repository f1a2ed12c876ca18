"""Networks of SNDlib in its XML format."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from penstock.errors import InputError
from penstock.printable import quoted

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


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
        links = f"{choices} link{'s' * (choices != 1)}"
        warnings.warn(f"{links} could have one of several capacities, and none is taken; choose one", stacklevel=2)
    demands = sum(1 for _ in root.iterfind("demands/demand"))
    if demands:
        warnings.warn(
            f"{demands} demand{'s' * (demands != 1)} left out; [[transfers]] take a matrix of loads", stacklevel=2
        )
    return graph


def _capacity(link: Element) -> tuple[str | None, bool]:
    """The capacity of a link, and whether there are several to choose from."""
    installed = (link.findtext("preInstalledModule/capacity") or "").strip()
    if installed and installed.strip("0.") != "":
        return installed, False
    modules = [(capacity.text or "").strip() for capacity in link.iterfind("additionalModules/addModule/capacity")]
    return (modules[0] if len(modules) == 1 else None), len(modules) > 1
