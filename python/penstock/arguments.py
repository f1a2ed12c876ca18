"""Arguments of a network's methods: nodes, checks of names and components, and dotted keys of a scenario."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from penstock import toml
from penstock.component import Component, camel, class_names, kebab, told
from penstock.errors import ArgumentError
from penstock.printable import quoted, represented
from penstock.reference import catalogue

P = ParamSpec("P")
R = TypeVar("R")


def named(section: str | None = None, of: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorates a function to report unknown and missing arguments; messages name the class `of`.

    `section` is the table of a scenario, such as ``links[]``, whose keys ``**more`` accepts.
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        parameters = list(inspect.signature(function).parameters.values())
        variadic = any(each.kind is each.VAR_KEYWORD for each in parameters)
        plain = [each for each in parameters if each.kind not in (each.VAR_KEYWORD, each.VAR_POSITIONAL)]
        own = {each.name for each in plain}
        where = function.__qualname__.removesuffix(".__init__")
        what = where if of is None else f"{of}.{function.__name__}".removesuffix(".__init__")

        @wraps(function)
        def checked(*given: P.args, **by_name: P.kwargs) -> R:
            extra = [name for name in by_name if name not in own]
            allowed = _section(section) if variadic and extra else {}
            # The scenario's reader checks tables that the catalogue does not have.
            unknown = [] if variadic and allowed is None else [n for n in extra if kebab(n) not in (allowed or {})]
            missing = {
                each.name: ""
                for each in plain[len(given) :]
                if each.default is each.empty and each.name not in by_name and each.name != "self"
            }
            if unknown or missing:
                others = [kebab(each.name) for each in plain]
                keys = [key.replace("-", "_") for key in (_section(section) if variadic else None) or ()]
                known = [each.name for each in plain if each.name != "self"]
                known += [key for key in keys if kebab(key) not in others and key not in _RENAMED]
                raise ArgumentError(told(what, "argument", unknown, missing, known))
            return function(*given, **by_name)

        return checked

    return decorated


_RENAMED = ("from", "to", "class", "impairment", "initial", "signalling")
"""Keys that have other names or forms in the methods of a network."""


@cache
def _section(path: str | None) -> dict[str, str | None] | None:
    """The keys of a table with the kinds of components they accept; None if there is no such table."""
    section = next((each for each in catalogue()["sections"] if each["path"] == path), None)
    if section is None:
        return None
    plain: dict[str, str | None] = {parameter["key"]: None for parameter in section["parameters"]}
    if not path:
        return plain
    return plain | {part["key"]: part["of"] if "component" in part["takes"] else None for part in section["parts"]}


def keys(where: str, given: Iterable[str], path: str, more: Sequence[str] = ()) -> None:
    """Refuses names that are neither keys of a table nor in `more`."""
    known = _section(path)
    if known is None:
        return
    allowed = [*(key.replace("-", "_") for key in known), *more]
    unknown = [name for name in given if kebab(name) not in known and name not in more]
    if unknown:
        raise ArgumentError(told(where, "key", unknown, {}, allowed))


def word(where: str, name: str, known: Collection[str], kind: str) -> None:
    """Refuses an unknown word."""
    if known and name not in known:
        raise ArgumentError(told(where, kind, [name], {}, list(known)))


def entries(where: str, given: Mapping[str, Any], path: str) -> None:
    """Refuses components of the wrong kind in a table."""
    for name, value in given.items():
        kind = (_section(path) or {}).get(kebab(name))
        if kind is not None and value is not None:
            component(f"{where}: {name}", value, kind, path)


def component(where: str, given: object, kind: str, path: str = "") -> None:
    """Raises ArgumentError unless `given` is a component of this kind.

    `where` names the argument in the message, which suggests another argument of the table `path` that accepts it.
    """
    if isinstance(given, Component) and kind == given.KIND:
        return
    takes = f"takes {_a(kind)} ({', '.join(class_names(kind))})"
    made = given if isinstance(given, type) else type(given)
    if issubclass(made, Component) and (made is not given or kind != made.KIND):
        place = next((key for key, of in (_section(path) or {}).items() if of == made.KIND), None)
        hint = "" if place is None else f"; {place.replace('-', '_')} takes it"
        raise ArgumentError(f"{where} {takes}, and {made.__name__} is {_a(made.KIND)}{hint}.")
    if issubclass(made, Component):
        raise ArgumentError(f"{where} {takes}; write {made.__name__}(...) with its parameters.")
    if isinstance(given, str):
        names = {each["name"]: camel(each["name"]) for each in catalogue()["components"].get(kind, [])}
        hint = f"; write {class_names(kind)[list(names).index(given)]}(...)" if given in names else ""
        raise ArgumentError(f"{where} {takes}, not the text {quoted(given)}{hint}.")
    raise ArgumentError(f"{where} {takes}, not {quoted(repr(given))}.")


def _a(kind: str) -> str:
    return f"a{'n' * (kind[0] in 'aeiou')} {kind}"


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
    """The name of a node in a scenario. Raises ArgumentError if it is neither a node nor the name of one."""
    name = node.name if isinstance(node, Node) else node
    if not isinstance(name, str):
        raise ArgumentError(f"{quoted(represented(name))} is no name of a node; names are texts.")
    return name


def part(path: str, component: Component | None) -> dict[str, Any]:
    """The entry of a component; empty for None."""
    return {} if component is None else {f"{path}.{component.KEY}": component.table()}


def joined(where: str, *tables: Mapping[str, Any]) -> dict[str, Any]:
    """The entries of all tables. Raises ArgumentError if two have the same one, such as two impairments of a kind."""
    entry: dict[str, Any] = {}
    for table in tables:
        for key, value in table.items():
            if key in entry:
                raise ArgumentError(f"{where}: {quoted(key)} is given twice, and a scenario has one; leave one out.")
            entry[key] = value
    return entry


def classes_of(path: str, classes: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The entries of classes, by dotted keys."""
    entry: dict[str, Any] = {}
    for name, said in classes.items():
        entry |= table_of(f"{path}class.{toml.key(name)}", f"classes[{quoted(name)}]", said, "links[].class.NAME")
    return entry


def table_of(place: str, where: str, said: Mapping[str, Any], section: str) -> dict[str, Any]:
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


def copied(value: R) -> R:
    """Returns a copy; the value itself where it cannot be copied, as writing it is refused with a reason."""
    try:
        return deepcopy(value)
    except (RecursionError, TypeError):
        return value


def plain(given: Mapping[str, Any]) -> dict[str, Any]:
    """Keys by their names in a scenario, without None; copies of the values, which a program may change."""
    found = {
        toml.key(kebab(key)): copied(item) for key, item in given.items() if not isinstance(item, Component | None)
    }
    for key, item in given.items():
        found |= part(toml.key(kebab(key)), item) if isinstance(item, Component) else {}
    return found
