"""Checks of the names and components that a program passes to a network, with the messages of the command line.

The core checks values with units and ranges when it reads the scenario; unknown names and components of the wrong kind
are reported at once.
"""

from __future__ import annotations

import inspect
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from penstock.component import Component, class_names, told
from penstock.component_docs import camel, kebab
from penstock.errors import ArgumentError
from penstock.printable import quoted
from penstock.reference import catalogue

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

P = ParamSpec("P")
R = TypeVar("R")


def named(section: str | None = None, of: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorates a function to report unknown and missing arguments.

    `section` is the table of a scenario, such as ``links[]``, whose keys ``**more`` accepts; `of` the class in
    messages, by default that of the function.
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
            allowed = _keys(section) if variadic and extra else ()
            # The scenario's reader checks tables that the catalogue does not have.
            unknown = [] if variadic and allowed is None else [n for n in extra if kebab(n) not in (allowed or ())]
            missing = {
                each.name: ""
                for each in plain[len(given) :]
                if each.default is each.empty and each.name not in by_name and each.name != "self"
            }
            if unknown or missing:
                others = [kebab(each.name) for each in plain]
                keys = [key.replace("-", "_") for key in (_keys(section) if variadic else ()) or ()]
                known = [each.name for each in plain if each.name != "self"]
                known += [key for key in keys if kebab(key) not in others and key not in _RENAMED]
                raise ArgumentError(told(what, "argument", unknown, missing, known))
            return function(*given, **by_name)

        return checked

    return decorated


_RENAMED = ("from", "to", "class", "impairment", "initial", "signalling")
"""Keys that have other names or forms in the methods of a network."""


@cache
def _section(path: str) -> dict[str, str | None] | None:
    """The keys of a table with the kinds of components they accept; None if there is no such table."""
    section = next((each for each in catalogue()["sections"] if each["path"] == path), None)
    if section is None:
        return None
    plain: dict[str, str | None] = {parameter["key"]: None for parameter in section["parameters"]}
    if not path:
        return plain
    return plain | {part["key"]: part["of"] if "component" in part["takes"] else None for part in section["parts"]}


def _keys(path: str | None) -> list[str] | None:
    found = None if path is None else _section(path)
    return None if found is None else list(found)


def keys(where: str, given: Iterable[str], path: str, more: Sequence[str] = ()) -> None:
    """Refuses names that are neither keys of a table nor in `more`."""
    known = _keys(path)
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

    `where` names the argument in the message; `path` is the table, to suggest another argument that accepts the value.
    """
    if isinstance(given, Component) and kind == given.KIND:
        return
    classes = class_names(kind)
    article = "an" if kind[0] in "aeiou" else "a"
    takes = f"takes {article} {kind} ({', '.join(classes)})"
    made = type(given) if isinstance(given, Component) else given
    if isinstance(made, type) and issubclass(made, Component) and (made is not given or kind != made.KIND):
        other = "an" if made.KIND[0] in "aeiou" else "a"
        place = next((key for key, of in (_section(path) or {}).items() if of == made.KIND), None)
        hint = "" if place is None else f"; {place.replace('-', '_')} takes it"
        raise ArgumentError(f"{where} {takes}, and {made.__name__} is {other} {made.KIND}{hint}.")
    if isinstance(made, type) and issubclass(made, Component):
        raise ArgumentError(f"{where} {takes}; write {made.__name__}(...) with its parameters.")
    if isinstance(given, str):
        names = {each["name"]: camel(each["name"]) for each in catalogue()["components"].get(kind, [])}
        hint = f"; write {class_names(kind)[list(names).index(given)]}(...)" if given in names else ""
        raise ArgumentError(f"{where} {takes}, not the text {quoted(given)}{hint}.")
    raise ArgumentError(f"{where} {takes}, not {quoted(repr(given))}.")
