"""Nodes and links of a run, one by one: groups and lists of a scenario written out as the core names them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock._core import Scenario

_MEMBER = re.compile(r"\[\d+\]$")
_DEFAULT_QUEUE = "tail-drop"
_SECTIONS = ("policer", "marker", "scheduler", "shaper", "impairment", "pcn")


@dataclass(frozen=True, slots=True)
class Link:
    """A link of one direction and its port."""

    entry: str  # the name of all links of its entry in the scenario
    start: int  # index of the node where it begins
    end: int
    rate: str  # as the scenario has it
    delay: str
    port: Mapping[str, str]
    """What decides about packets at the port, by its section: the queue under ``queue``, that of a class under ``queue
    CLASS``; ``policer``, ``marker``, ``scheduler``, ``shaper``, ``impairment`` and ``pcn``."""


@dataclass(frozen=True)
class Network:
    """The nodes, the links by name, and the pairs of nodes between which flows run."""

    nodes: Sequence[str]
    links: Mapping[str, Link]
    flows: Sequence[tuple[int, int]]


def group_of(name: str) -> str:
    """The group of a node or flow; a single one is its own group.

    >>> group_of("host[12]"), group_of("r1")
    ('host', 'r1')
    """
    return _MEMBER.sub("", name)


def network_of(scenario: Scenario) -> Network:
    """The network of a scenario."""
    document = json.loads(scenario.canonical)
    groups = {name: _members(name, node) for name, node in document.get("nodes", {}).items()}
    nodes = [name for members in groups.values() for name in members]
    index = {name: number for number, name in enumerate(nodes)}
    ends = _Ends(groups, index)
    links = {name: link for entry in document.get("links", []) for name, link in _links(entry, ends)}
    flows = [
        pair
        for flow in document.get("flows", [])
        if "from" in flow and "to" in flow
        for pair in _pairs(ends.indices(flow["from"]), ends.indices(flow["to"]), int(flow.get("shift", 0)))
    ]
    return Network(nodes, links, flows)


def _members(name: str, node: Any) -> list[str]:
    count = node.get("count") if isinstance(node, dict) else None
    return [name] if count is None else [f"{name}[{member}]" for member in range(int(count))]


@dataclass(frozen=True)
class _Ends:
    """Resolves the `from` and `to` of links and flows."""

    groups: Mapping[str, Sequence[str]]
    index: Mapping[str, int]

    def indices(self, given: str | Sequence[str]) -> list[int]:
        listed = [given] if isinstance(given, str) else given
        names = (name for each in listed for name in self.groups.get(each, [each]))
        return [self.index[name] for name in names if name in self.index]

    def is_group(self, given: str | Sequence[str]) -> bool:
        """Whether a name stands for the members of a group, or there are several names."""
        if not isinstance(given, str):
            return len(given) > 1 or self.is_group(given[0])
        return self.groups.get(given, [given]) != [given]


def _pairs(starts: Sequence[int], ends: Sequence[int], shift: int = 0) -> Iterator[tuple[int, int]]:
    """Pairs members in order; the shorter list repeats."""
    for number in range(max(len(starts), len(ends)) if starts and ends else 0):
        yield starts[number % len(starts)], ends[(number + shift) % len(ends)]


def _links(entry: Mapping[str, Any], ends: _Ends) -> Iterator[tuple[str, Link]]:
    """The links of an entry with their names, then its reverse links."""
    start, end = entry["from"], entry["to"]
    yield from _one_way(entry, start, end, entry.get("name"), ends)
    if entry.get("both-ways"):
        back = {"rate": entry["rate"], "delay": entry["delay"], **entry.get("back", {})}
        has_list = not (isinstance(start, str) and isinstance(end, str))
        name = back.get("name", f"{entry['name']}-back" if has_list else None)
        yield from _one_way(back, end, start, name, ends)


def _one_way(
    entry: Mapping[str, Any], start: str | Sequence[str], end: str | Sequence[str], name: str | None, ends: _Ends
) -> Iterator[tuple[str, Link]]:
    port = dict(_port(entry))
    is_group = ends.is_group(start) or ends.is_group(end)
    names = {index: node for node, index in ends.index.items()} if name is None else {}
    both = name or f"{start}-{end}"
    for number, (a, b) in enumerate(_pairs(ends.indices(start), ends.indices(end))):
        own = f"{names[a]}-{names[b]}" if name is None else f"{name}[{number}]" if is_group else name
        yield own, Link(both, a, b, _text(entry["rate"]), _text(entry["delay"]), port)


def _port(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "queue" in entry or "scheduler" not in entry:
        yield "queue", _component(entry.get("queue", _DEFAULT_QUEUE))
    for name, own in entry.get("class", {}).items():
        if "queue" in own:
            yield f"queue {name}", _component(own["queue"])
    for section in _SECTIONS:
        if section in entry:
            yield section, _component(entry[section])


def _component(value: Any) -> str:
    """Components by name with their settings.

    >>> _component({"red-n": {"limit": "60 packets", "max-thresholds": ["40 packets", "50 packets"]}})
    'red-n (limit 60 packets, max-thresholds 40 packets / 50 packets)'
    >>> _component([["loss", {"probability": 0.1}], ["delay", {"added": {"uniform": ["0 ms", "5 ms"]}}]])
    'loss (probability 0.1), delay (added uniform 0 ms / 5 ms)'
    """
    if isinstance(value, str):
        return value
    pairs = value.items() if isinstance(value, dict) else value
    return ", ".join(f"{name} ({_text(settings)})" if settings else str(name) for name, settings in pairs)


def _text(value: Any) -> str:
    """A setting as it is written, without the marks of JSON."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {_text(each)}" for key, each in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " / ".join(map(_text, value)) if isinstance(value, list) else str(value)
