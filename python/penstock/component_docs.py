"""Names, types and docstrings of component classes, as the catalogue has them."""

from __future__ import annotations

import keyword
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.reference import Component, Parameter, Type

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


def in_order(entry: Component) -> list[Parameter]:
    """The parameters of a component, the required ones first."""
    return sorted(entry["parameters"], key=lambda parameter: not parameter["required"])


def default_of(parameter: Parameter) -> Any:
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


def type_of(what: Type) -> str:
    """The Python type of a value, None left out."""
    if "choices" in what:
        words = ", ".join(f'"{choice["word"]}"' for choice in what["choices"])
        return f"Literal[{words}]"
    if "items" in what:
        return f"list[{type_of(what['items'])}]"
    return f"Any{camel(what['of'])}" if what["kind"] == "component" else _TYPES[what["kind"]]


def docstring(kind: str, entry: Component) -> str:
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


def _need(parameter: Parameter) -> str:
    return f"default {parameter['default']}" if "default" in parameter else "optional"


def _wrapped(text: str, margin: str = "") -> str:
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n")]
    fill = textwrap.TextWrapper(
        _WIDTH - 4, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False, break_long_words=False
    )
    return "\n\n".join(fill.fill(paragraph) for paragraph in paragraphs)
