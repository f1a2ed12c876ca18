"""The topology of a scenario as a drawing."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from penstock.drawing import network_svg
from penstock.entry import Node

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["topology", "topology_svg"]


def topology_svg(text: str) -> str:
    """The drawing of a scenario's nodes and links; a sentence in its place if there are too many.

    Parameters
    ----------
    text : str
        The scenario, without mistakes.
    """
    return network_svg(*topology(text))


def topology(text: str) -> tuple[list[Node], list[dict[str, Any]]]:
    """The nodes and links of a scenario, as drawings take them."""
    document = tomllib.loads(text)
    nodes = [Node(name, given.get("count")) for name, given in document.get("nodes", {}).items()]
    return nodes, [_dotted(link) for link in document.get("links", [])]


def _dotted(link: Mapping[str, Any]) -> dict[str, Any]:
    """A link by the dotted keys of its components, which the drawing names."""
    found: dict[str, Any] = {}
    for key, value in link.items():
        if key in ("queue", "scheduler"):
            names = [value] if isinstance(value, str) else list(value)
            found |= {f"{key}.{name}": value for name in names}
        else:
            found[key] = value
    return found
