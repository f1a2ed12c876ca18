"""The topology of a scenario as a drawing."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

from penstock.drawing import Box, network_svg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock._core import Scenario

_SCENARIOS = 1000
"""Maximum points of a study that a drawing reads; of more, an even selection."""


def topology_svg(text: str, scenarios: Sequence[Scenario] = ()) -> str:
    """The drawing of a scenario's nodes and links; a sentence instead if there are too many.

    `scenarios`: the scenarios of the points of a study. Properties that vary between them are drawn as varying.
    """
    document = tomllib.loads(text)
    step = max(1, len(scenarios) // _SCENARIOS)
    made = [json.loads(each) for each in dict.fromkeys(each.canonical for each in scenarios[::step])] or [document]
    # The canonical form has the nodes in the order of their names.
    names = dict.fromkeys([*document.get("nodes", {}), *made[0].get("nodes", {})])
    nodes = [_box(name, [each.get("nodes", {}).get(name, {}) for each in made]) for name in names]
    alike = [each.get("links", []) for each in made if len(each.get("links", [])) == len(made[0].get("links", []))]
    return network_svg(nodes, [_merged([_dotted(link) for link in links]) for links in zip(*alike, strict=True)])


def _box(name: str, given: Sequence[Mapping[str, Any]]) -> Box:
    counts = list(dict.fromkeys(each.get("count") for each in given))
    return Box(name, counts[0] if len(counts) == 1 else "varies")


def _merged(links: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A link with the properties that all points share; others are marked as varying."""
    found = dict(links[0])
    for key in ("rate", "delay", "back.rate"):
        if any(link.get(key) != found.get(key) for link in links):
            found[key] = f"{key.removeprefix('back.')} varies"
    for kind in ("queue", "scheduler", "back.queue", "back.scheduler"):
        parts = [{key: None for key in link if key.startswith(f"{kind}.")} for link in links]
        if any(part != parts[0] for part in parts):
            found = {key: value for key, value in found.items() if key not in parts[0]}
            found[f"{kind}.{kind.removeprefix('back.')} varies"] = {}
    return found


def _dotted(link: Mapping[str, Any]) -> dict[str, Any]:
    """A link by the dotted keys of its components and of its reverse direction, as drawings take it."""
    found: dict[str, Any] = {}
    for key, value in link.items():
        if key in ("queue", "scheduler"):
            names = [value] if isinstance(value, str) else list(value)
            found |= {f"{key}.{name}": value for name in names}
        elif key == "back":
            found |= {f"back.{name}": item for name, item in _dotted(value).items()}
        else:
            found[key] = value
    return found
