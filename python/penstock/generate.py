"""Writes ``components.pyi``, the component classes for editors and type checkers: ``python -m penstock.generate``."""

from __future__ import annotations

import json
from pathlib import Path

from jinja2 import Environment

from penstock import _core
from penstock.component import aliases, default_of, docstring, entries, identifier, in_order, type_of
from penstock.reference import catalogue


def stub(everything: _core.Catalogue) -> str:
    """The text of ``components.pyi``; a test compares the file with it."""
    found, unions = entries(everything), {}
    for alias, (kind, words) in aliases(everything).items():
        members = [name for name, (own, entry) in found.items() if own == kind and entry["name"] in words]
        unions[alias] = kind, [*members, f"Literal[{', '.join(json.dumps(word) for word in words)}]"]
    environment = Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    template = environment.from_string(Path(__file__).with_name("components.pyi.j2").read_text(encoding="utf-8"))
    helpers = {"docstring": docstring, "in_order": in_order, "identifier": identifier, "hint": _type}
    names = sorted([*found, *unions])
    return template.render(names=names, classes=found, unions=unions, argument=_argument, **helpers)


def write() -> Path:
    """Writes the file and returns its path."""
    file = Path(__file__).with_name("components.pyi")
    file.write_text(stub(catalogue()), encoding="utf-8")
    return file


def _type(parameter: _core.Parameter) -> str:
    is_optional = not parameter["required"] and "default" not in parameter
    return f"{type_of(parameter)}{' | None' * is_optional}"


def _argument(parameter: _core.Parameter) -> str:
    value = default_of(parameter)
    shown = json.dumps(value) if isinstance(value, str) else repr(value)
    return f"{identifier(parameter['key'])}: {_type(parameter)}{f' = {shown}' * (not parameter['required'])}"


if __name__ == "__main__":
    print(write())
