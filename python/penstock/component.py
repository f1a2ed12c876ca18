"""Components as classes, made from the core's catalogue; ``components.pyi`` describes them to editors."""

from __future__ import annotations

import inspect
import keyword
import math
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, ClassVar, Literal, NoReturn, Union

from penstock import _core
from penstock.errors import ArgumentError
from penstock.printable import quoted, represented, suggestion
from penstock.reference import catalogue, components_of

_WIDTH = 120
_TYPES = {
    "quantity": "str",
    "integer": "int",
    "integer or list": "int | list[int]",
    "number": "float | str",
    "switch": "bool",
    "name": "str",
    "text": "str",
    "law": "str | dict[str, Any]",
    "table": "dict[str, Any]",
}
"""The Python types of values, by their kinds."""


def kebab(name: str) -> str:
    """The scenario key of a Python name.

    >>> kebab("max_threshold"), kebab("lambda_")
    ('max-threshold', 'lambda')
    """
    return name.rstrip("_").replace("_", "-")


def camel(name: str) -> str:
    """The class name of a component's name.

    >>> camel("red-n")
    'RedN'
    """
    return "".join(part.capitalize() for part in name.split("-"))


def identifier(key: str) -> str:
    """The Python name of a scenario key.

    >>> identifier("max-threshold"), identifier("lambda")
    ('max_threshold', 'lambda_')
    """
    name = key.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def in_order(entry: _core.Component) -> list[_core.Parameter]:
    """The parameters of a component, the required ones first."""
    return sorted(entry["parameters"], key=lambda parameter: not parameter["required"])


def default_of(parameter: _core.Parameter) -> Any:
    """The value of a parameter that is not given; a text unless it is plainly a number or a switch."""
    text = parameter.get("default")
    if text is None:
        return None
    match parameter["kind"]:
        case "integer":
            return int(text)
        case "switch":
            return text == "true"
        case "number":
            try:
                return float(text)
            except ValueError:
                return text
    return text


def type_of(what: _core.Type) -> str:
    """The Python type of a value, None left out."""
    if "choices" in what:
        words = ", ".join(f'"{choice["word"]}"' for choice in what["choices"])
        return f"Literal[{words}]"
    if "items" in what:
        return f"list[{type_of(what['items'])}]"
    return f"Any{camel(what['of'])}" if what["kind"] == "component" else _TYPES[what["kind"]]


def docstring(kind: str, entry: _core.Component) -> str:
    """The docstring of a class, in the style of numpydoc."""
    summary, _, _ = entry["doc"].strip().partition("## Decides")
    parts = [_wrapped(summary)]
    first = parts[0].partition("\n\n")[0]
    if len(first) > _WIDTH - 7 or "\n" in first:
        # A summary is one line; this one is longer, so it becomes the first paragraph.
        parts.insert(0, f"The {kind} ``{entry['name']}``.")
    parts.append(f"More about it: ``penstock explain {entry['name']}``.")
    if entry["parameters"]:
        told = []
        for parameter in in_order(entry):
            facts = [type_of(parameter), *([] if parameter["required"] else [_need(parameter)])]
            text = " ".join(parameter["doc"].split())
            text += f" Allowed: {parameter['range']}." if "range" in parameter else ""
            told += [f"{identifier(parameter['key'])} : {', '.join(facts)}", _wrapped(text, "    ")]
        parts.append("\n".join(["Parameters", "----------", *told]))
    if "classes" in entry:
        keys = (
            f"``{identifier(each['key'])}`` ({'needed' if each['required'] else _need(each)})"
            for each in entry["classes"]["parameters"]
        )
        parts.append(_wrapped(f"Each of its classes takes {', '.join(keys)}."))
    return "\n\n".join(parts) + "\n"


def _need(parameter: _core.Parameter) -> str:
    return f"default {parameter['default']}" if "default" in parameter else "optional"


def _wrapped(text: str, margin: str = "") -> str:
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n")]
    fill = textwrap.TextWrapper(
        _WIDTH - 4, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False, break_long_words=False
    )
    return "\n\n".join(fill.fill(paragraph) for paragraph in paragraphs)


_SHOWN = 20  # the most names that a message lists
# Their own names say only how they measure.
_CONDITIONERS = ("shaper", "policer")


def entries(everything: _core.Catalogue) -> dict[str, tuple[str, _core.Component]]:
    """The components of a catalogue with their kinds, by the names of their classes."""
    pairs = components_of(everything)
    shared = Counter(camel(entry["name"]) for kind, entry in pairs if kind not in _CONDITIONERS)
    found = {}
    for kind, entry in pairs:
        name = camel(entry["name"])
        # Two kinds may use a name, such as a delay of a wire and one of a host.
        alone = kind not in _CONDITIONERS and shared[name] == 1 and not keyword.iskeyword(name)
        found[name if alone else name + camel(kind)] = kind, entry
    return found


def class_names(kind: str) -> list[str]:
    """The classes of a kind."""
    return [name for name, (own, _) in entries(catalogue()).items() if own == kind]


def told(where: str, what: str, unknown: Sequence[str], missing: Mapping[str, str], known: Sequence[str]) -> str:
    """The message about names of a `what` that do not exist, and about missing ones with examples of their values.

    >>> told("Cbr", "parameter", ["pakcet"], {"packet": ""}, ["rate", "packet"])
    "Cbr: unknown parameter 'pakcet'; did you mean 'packet'? (rate, packet)"
    >>> told("Cbr", "parameter", [], {"rate": '"1 Mbit/s"'}, ["rate", "packet"])
    'Cbr: rate is missing and has no default; write rate="1 Mbit/s".'
    """
    shown = ", ".join([*known[:_SHOWN], *["..."] * (len(known) > _SHOWN)])
    lines, meant = [], set()
    for name in unknown:
        hint = suggestion(name, known)
        meant |= {other for other in missing if repr(other) in hint}
        lines.append(f"{where}: unknown {what} {quoted(name)}{hint} ({shown or 'there are none'})")
    for name, example in missing.items():
        if name not in meant:  # else it is misspelt
            write = f"; write {name}={example}" if example else ""
            lines.append(f"{where}: {name} is missing and has no default{write}.")
    return "\n".join(lines)


class Component:
    """A component with its parameters, which cannot be changed; the core checks values and units in the scenario."""

    KIND: ClassVar[str]
    """The kind of component, such as ``discipline``."""
    KEY: ClassVar[str]
    """The component's name in a scenario, such as ``tail-drop``."""
    PARAMETERS: ClassVar[dict[str, _core.Parameter]]
    """Its parameters by their Python names, the required ones first."""

    def __init__(self, /, *given: Any, **parameters: Any) -> None:
        name, known = type(self).__name__, type(self).PARAMETERS
        if given:
            example = next(iter(known), None)
            hint = "has no parameters" if example is None else f"takes parameters by name: {name}({example}=...)"
            raise ArgumentError(f"{name} {hint}.")
        parameters = {identifier(each): value for each, value in parameters.items()}
        unknown = [each for each in parameters if each not in known]
        needed = [each for each, parameter in known.items() if parameter["required"] and each not in parameters]
        missing = {each: _example(known[each]) for each in needed}
        lines = [told(name, "parameter", unknown, missing, [*known])] if unknown or missing else []
        values = {each: default_of(parameter) for each, parameter in known.items()}
        for each, value in parameters.items():
            if each in known:
                try:
                    values[each] = _checked(value, known[each])
                except ValueError as error:
                    lines.append(f"{name}.{each}: {error}")
        if lines:
            raise ArgumentError("\n".join(lines))
        self.__dict__.update(values, _given=frozenset(parameters))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} cannot be changed; make another one")

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in type(self).PARAMETERS)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Component) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def __repr__(self) -> str:
        values = zip(type(self).PARAMETERS, self._values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in values)})"

    def table(self) -> dict[str, Any]:
        """The parameters that were given, under their scenario keys; the others keep the core's defaults."""
        found = {}
        for name in type(self).PARAMETERS:
            value = getattr(self, name)
            if name in self.__dict__["_given"] and value is not None:
                found[kebab(name)] = {value.KEY: value.table()} if isinstance(value, Component) else value
        return found


def aliases(everything: _core.Catalogue) -> dict[str, tuple[str, list[str]]]:
    """Names for the types of parameters that are components, each with the kind and the components of it."""
    parameters = (parameter for _, entry in entries(everything).values() for parameter in entry["parameters"])
    nested = {parameter["of"]: parameter["names"] for parameter in parameters if parameter["kind"] == "component"}
    return {f"Any{camel(kind)}": (kind, names) for kind, names in nested.items()}


def made(name: str, everything: _core.Catalogue) -> Any:
    """The class of this name, or the union of an alias."""
    found = entries(everything)
    if name not in found:
        kind, words = aliases(everything)[name]
        members = [own for own, (of, entry) in found.items() if of == kind and entry["name"] in words]
        return Union[*(made(member, everything) for member in members), Literal[*words]]
    kind, entry = found[name]
    parameters = {identifier(each["key"]): each for each in in_order(entry)}

    def initialise(self: Component, /, *given: Any, **values: Any) -> None:
        Component.__init__(self, *given, **values)

    shown = [
        inspect.Parameter(
            each,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if parameter["required"] else default_of(parameter),
            annotation=type_of(parameter),
        )
        for each, parameter in parameters.items()
    ]
    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    initialise.__signature__ = inspect.Signature([own, *shown])  # type: ignore[attr-defined]  # stubtest compares it
    body = {"__doc__": docstring(kind, entry), "__module__": "penstock.components", "__init__": initialise}
    return type(name, (Component,), {**body, "KIND": kind, "KEY": entry["name"], "PARAMETERS": parameters})


def _checked(value: Any, parameter: _core.Parameter) -> Any:
    """A value of a parameter as a scenario has it; raises ValueError if its type is another one."""
    if value is None and not parameter["required"] and "default" not in parameter:
        return None
    try:
        return _read(value, parameter)
    except TypeError:
        raise ValueError(_wrong(value, parameter)) from None


def _read(value: Any, what: _core.Type) -> Any:
    """The value as a scenario has it; raises TypeError if its type is another one."""
    kind = what["kind"]
    if "choices" in what:
        fits = value in [choice["word"] for choice in what["choices"]]
    elif "items" in what:
        if not isinstance(value, list | tuple):
            raise TypeError
        return [_read(each, what["items"]) for each in value]
    elif kind == "component":
        # A class of a component in Python is none of the names.
        fits = what["of"] == value.KIND if isinstance(value, Component) else value in what["names"]
    elif kind.startswith("integer"):
        if kind != "integer" and isinstance(value, list | tuple):
            return [_whole(each) for each in value]
        return _whole(value)
    elif kind == "number" and not isinstance(value, str | bool):
        return float(value)
    else:
        python = {"switch": bool, "law": str | dict, "table": dict}.get(kind, str)
        fits = isinstance(value, python)
    if not fits:
        raise TypeError
    return deepcopy(value) if isinstance(value, dict) else value


def _whole(value: Any) -> int:
    if isinstance(value, bool) or int(value) != float(value):
        raise TypeError
    return int(value)


def _example(parameter: _core.Parameter) -> str:
    example = parameter.get("example", "")
    # The first form of a law is a text.
    first = example.split('",')[0].strip('"') if example.startswith('"') else example
    return f'"{first}"' if first and "{" not in first else ""


def _wrong(given: Any, parameter: _core.Parameter) -> str:
    shown = quoted(represented(given))
    if parameter["kind"] == "component":
        kind = parameter["of"]
        what = f"a {kind} ({', '.join(class_names(kind))})"
        if isinstance(given, Component):
            return f"takes {what}, and {type(given).__name__} is a {given.KIND}."
        hint = suggestion(given, parameter["names"], ".") if isinstance(given, str) else "."
        return f"takes {what}, not {shown}{hint}"
    if "choices" in parameter:
        words = [choice["word"] for choice in parameter["choices"]]
        hint = suggestion(given, words, ".") if isinstance(given, str) else "."
        return f"{shown} is not one of {', '.join(words)}{hint}"
    if isinstance(given, int | float) and parameter["kind"] in ("quantity", "law"):
        example = _example(parameter)
        unit = example.strip('"').partition(" ")[2]
        if unit and not isinstance(given, bool) and 0 <= given < math.inf:
            example = f'"{given} {unit}"'
        return f"{given} has no unit{f'; write {example}' if example else ''}."
    return f"{shown} is not of the type {type_of(parameter)}."
