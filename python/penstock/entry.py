"""Nodes, and the arguments of a network's methods as dotted keys of a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from penstock import toml
from penstock.arguments import entries, keys
from penstock.component import Component
from penstock.component_docs import kebab
from penstock.errors import ArgumentError
from penstock.printable import quoted, represented


@dataclass(frozen=True, slots=True)
class Node:
    """A node, or a group of `count` equal nodes; ``group[3]`` is a member, ``group[2:5]`` three members."""

    name: str
    count: int | None = None

    def __getitem__(self, index: int | slice) -> Node:
        if self.count is None:
            raise TypeError(f"{quoted(self.name)} is one node and has no members")
        if self.name.endswith("]"):
            raise TypeError(f"{quoted(self.name)} are members of a group; take others from the group")
        if isinstance(index, slice):
            members = range(self.count)[index]
            if not members or members.step != 1:
                raise IndexError(f"{quoted(self.name)} has members 0 to {self.count - 1}; take some in a row")
            return Node(f"{self.name}[{members[0]}-{members[-1]}]", len(members))
        if not 0 <= index < self.count:
            raise IndexError(f"{quoted(self.name)} has members 0 to {self.count - 1}, not {index}")
        return Node(f"{self.name}[{index}]")

    def __len__(self) -> int:
        return 1 if self.count is None else self.count


def name_of(node: Node | str) -> str:
    """The name of a node in a scenario.

    Raises ArgumentError if it is neither a node nor the name of one.
    """
    name = node.name if isinstance(node, Node) else node
    if not isinstance(name, str):
        raise ArgumentError(f"{quoted(represented(name))} is no name of a node; names are texts.")
    return name


def part(path: str, component: Component | None) -> dict[str, Any]:
    """The entry of a component; empty for None."""
    return {} if component is None else {f"{path}.{component.KEY}": component.table()}


def classes_of(path: str, classes: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The entries of classes, by dotted keys."""
    entry: dict[str, Any] = {}
    for name, said in classes.items():
        entry |= _table_of(f"{path}class.{toml.key(name)}", f"classes[{quoted(name)}]", said, "links[].class.NAME")
    return entry


def back_of(said: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of a link's reverse direction, by dotted keys."""
    return _table_of("back", "back", said, "links[].back")


def _table_of(place: str, where: str, said: Mapping[str, Any], section: str) -> dict[str, Any]:
    """The entries of a table with classes at `place`; `where` names it in messages."""
    keys(where, said, section, ["classes"])
    entries(where, said, section)
    entry: dict[str, Any] = {}
    for key, value in said.items():
        if key == "classes":
            entry |= classes_of(f"{place}.", value)
        elif isinstance(value, Component):
            entry |= part(f"{place}.{kebab(key)}", value)
        elif isinstance(value, Mapping):
            keys(f"{where}.{key}", value, f"{section}.{kebab(key)}")
            entry[f"{place}.{kebab(key)}"] = {kebab(inner): item for inner, item in value.items()}
        else:
            entry[f"{place}.{kebab(key)}"] = value
    return entry


def one_or_uniform(what: str | tuple[str, str]) -> str | dict[str, list[str]]:
    """A time, or for a pair the uniform law between them."""
    return {"uniform": list(what)} if isinstance(what, tuple) else what


def plain(given: Mapping[str, Any]) -> dict[str, Any]:
    """Keys by their names in a scenario, without None."""
    found = {toml.key(kebab(key)): item for key, item in given.items() if not isinstance(item, Component | None)}
    for key, item in given.items():
        found |= part(toml.key(kebab(key)), item) if isinstance(item, Component) else {}
    return found
