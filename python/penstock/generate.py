"""Writes ``components.pyi``, the component classes for editors and type checkers: ``python -m penstock.generate``."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.component import aliases, default_of, docstring, entries, identifier, in_order, type_of
from penstock.reference import catalogue

if TYPE_CHECKING:
    from penstock._core import Catalogue, Component, Parameter


def stub(everything: Catalogue) -> str:
    """The text of ``components.pyi``; a test compares the file with it."""
    found, unions = entries(everything), aliases(everything)
    names = "".join(f'    "{name}",\n' for name in sorted([*found, *unions]))
    parts = [
        '"""The component classes, written by ``python -m penstock.generate`` from the core\'s catalogue."""\n\n'
        "from typing import Any, ClassVar, Literal, TypeAlias\n\nfrom penstock.component import Component\n\n"
        f"__all__ = [\n{names}]\n"
    ]
    parts += [_class(name, kind, entry) for name, (kind, entry) in found.items()]
    for alias, (kind, words) in unions.items():
        members = [name for name, (own, entry) in found.items() if own == kind and entry["name"] in words]
        literal = f"Literal[{', '.join(json.dumps(word) for word in words)}]"
        parts.append(
            f"{alias}: TypeAlias = {' | '.join([*members, literal])}\n"
            f'"""One of the {kind} classes, or the name of one for all its defaults."""\n'
        )
    return "\n".join(parts)


def write() -> Path:
    """Writes the file and returns its path."""
    file = Path(__file__).with_name("components.pyi")
    file.write_text(stub(catalogue()), encoding="utf-8")
    return file


def _class(name: str, kind: str, entry: Component) -> str:
    doc = docstring(kind, entry)
    prefix = "r" if "\\" in doc else ""
    parameters = in_order(entry)
    arguments = "".join(f", {_argument(each)}" for each in parameters)
    lines = [
        f'{prefix}"""{doc}"""',
        f'KIND: ClassVar[str] = "{kind}"',
        f'KEY: ClassVar[str] = "{entry["name"]}"',
        *(f"{identifier(each['key'])}: {_type(each)}" for each in parameters),
        f"def __init__(self{', *' if parameters else ''}{arguments}) -> None: ...",
    ]
    return f"class {name}(Component):\n" + textwrap.indent("\n".join(lines), "    ") + "\n"


def _type(parameter: Parameter) -> str:
    is_optional = not parameter["required"] and "default" not in parameter
    return f"{type_of(parameter)}{' | None' * is_optional}"


def _argument(parameter: Parameter) -> str:
    value = default_of(parameter)
    shown = json.dumps(value) if isinstance(value, str) else repr(value)
    return f"{identifier(parameter['key'])}: {_type(parameter)}{f' = {shown}' * (not parameter['required'])}"


if __name__ == "__main__":
    print(write())
