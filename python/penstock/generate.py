"""Writes ``components.py`` and ``exports.py`` from the core's catalogue: ``python -m penstock.generate``.

The classes follow the core's declarations; a test compares the file with a fresh generation, so they cannot drift.
"""

from __future__ import annotations

import keyword
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.component import camel, names_of_classes
from penstock.reference import catalogue

if TYPE_CHECKING:
    from penstock.reference import Catalogue, Component, Parameter, Type

    _Names = dict[tuple[str, str], str]

__all__ = ["module", "write"]

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
_HEAD = '''"""Every component as a class, written by ``python -m penstock.generate`` from the core's catalogue."""

from typing import Any, ClassVar, Literal{alias}

from penstock.component import Component

__all__ = [
{names}
]
'''


def module(everything: Catalogue) -> str:
    """The text of ``components.py``."""
    pairs = [(kind, component) for kind, of_kind in everything["components"].items() for component in of_kind]
    names = names_of_classes([(kind, component["name"]) for kind, component in pairs])
    classes = {names[kind, component["name"]]: _class(kind, component) for kind, component in pairs}
    nested = {
        parameter["of"]: parameter["names"]
        for _, component in pairs
        for parameter in component["parameters"]
        if parameter["kind"] == "component"
    }
    aliases = {f"Any{camel(kind)}": _alias(kind, inner, names) for kind, inner in nested.items()}
    head = _HEAD.format(
        alias=", TypeAlias" if aliases else "",
        names="\n".join(f'    "{name}",' for name in sorted([*classes, *aliases])),
    )
    body = "".join(f"\n\nclass {name}(Component):\n{body}" for name, body in classes.items())
    return head + body + ("\n\n" + "\n".join(aliases.values()) if aliases else "")


def _alias(kind: str, inner: list[str], names: _Names) -> str:
    """What a parameter takes that is a component of this kind."""
    words = ", ".join(f'"{name}"' for name in inner)
    members = [*(names[kind, name] for name in inner), f"Literal[{words}]"]
    head = f"Any{camel(kind)}: TypeAlias = "
    line = head + " | ".join(members)
    if len(line) > _WIDTH:
        separator = " | " if 4 + len(" | ".join(members)) <= _WIDTH else "\n    | "
        line = head + "(\n    " + separator.join(members) + "\n)"
    return f'{line}\n"""One of the {kind} classes, or the name of one for all its defaults."""\n'


def exports(text: str) -> str:
    """The text of ``exports.py``: the names of a module of classes with this text."""
    names = text.partition("__all__ = ")[2].partition("]\n")[0]
    return (
        '"""The names of all component classes, written by ``python -m penstock.generate``; quick to import."""\n\n'
        f'__all__ = ["COMPONENTS"]\n\nCOMPONENTS = {names}]\n'
    )


def write() -> list[Path]:
    """Writes the files and gives their paths."""
    text = module(catalogue())
    files = {Path(__file__).with_name("components.py"): text, Path(__file__).with_name("exports.py"): exports(text)}
    for file, content in files.items():
        file.write_text(content, encoding="utf-8")
    return list(files)


def _class(kind: str, component: Component) -> str:
    doc, _, _ = component["doc"].strip().partition("## Decides")
    docs = [_wrap(doc, 4)]
    if len(docs[0].split("\n\n")[0]) > _WIDTH - len('"""') or "\n" in docs[0].split("\n\n")[0]:
        # A summary is one line; this one is not, so it becomes the first paragraph.
        docs.insert(0, f"    The {kind} ``{component['name']}``.")
    docs.append(f"    More about it: ``penstock explain {component['name']}``.")
    required_first = sorted(component["parameters"], key=lambda parameter: not parameter["required"])
    if required_first:
        entries = [line for parameter in required_first for line in _entry(parameter)]
        docs.append("\n".join(["    Parameters", "    ----------", *entries]))
    if "classes" in component:
        keys = ", ".join(_of_class(parameter) for parameter in component["classes"]["parameters"])
        docs.append(_wrap(f"Each of its classes takes {keys}.", 4))
    docs[0] = '    r"""' + docs[0].lstrip() if "\\" in "".join(docs) else '    """' + docs[0].lstrip()
    fields = [f'    KIND: ClassVar[str] = "{kind}"', f'    KEY: ClassVar[str] = "{component["name"]}"']
    declared = [_field(parameter) for parameter in required_first]
    parts = ["\n\n".join(docs) + '\n    """', "\n".join(fields)]
    if declared:
        parts.append("\n".join(declared))
    return "\n\n".join(parts) + "\n"


def _of_class(parameter: Parameter) -> str:
    """A key of a class, and whether it must be written."""
    default = f"default {parameter['default']}" if "default" in parameter else "optional"
    return f"``{_identifier(parameter)}`` ({'needed' if parameter['required'] else default})"


def _entry(parameter: Parameter) -> list[str]:
    facts = [_type(parameter)]
    if not parameter["required"]:
        facts.append(f"default {parameter['default']}" if "default" in parameter else "optional")
    text = " ".join(parameter["doc"].split())
    if "range" in parameter:
        text += f" Allowed: {parameter['range']}."
    return [f"    {_identifier(parameter)} : {', '.join(facts)}", _wrap(text, 8)]


def _field(parameter: Parameter) -> str:
    kind = _type(parameter)
    if parameter["kind"] == "component":
        # The alias of a kind stands below all classes.
        kind = f'"{kind} | None"' if "default" not in parameter and not parameter["required"] else f'"{kind}"'
    if parameter["required"]:
        return f"    {_identifier(parameter)}: {kind}"
    if "default" not in parameter:
        kind = kind if parameter["kind"] == "component" else f"{kind} | None"
        return f"    {_identifier(parameter)}: {kind} = None"
    return f"    {_identifier(parameter)}: {kind} = {_default(parameter)}"


def _type(what: Type) -> str:
    if "choices" in what:
        words = ", ".join(f'"{choice["word"]}"' for choice in what["choices"])
        return f"Literal[{words}]"
    if "items" in what:
        return f"list[{_type(what['items'])}]"
    if what["kind"] == "component":
        return f"Any{camel(what['of'])}"
    return _TYPES[what["kind"]]


def _default(parameter: Parameter) -> str:
    text = parameter["default"]
    if parameter["kind"] == "integer":
        return str(int(text))
    if parameter["kind"] == "number":
        try:
            return repr(float(text))
        except ValueError:
            return f'"{text}"'
    if parameter["kind"] == "switch":
        return "True" if text == "true" else "False"
    return f'"{text}"'


def _identifier(parameter: Parameter) -> str:
    name = parameter["key"].replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def _wrap(text: str, indent: int) -> str:
    paragraphs = [" ".join(paragraph.split()) for paragraph in text.strip().split("\n\n")]
    margin = " " * indent
    fill = textwrap.TextWrapper(
        _WIDTH, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False, break_long_words=False
    )
    return "\n\n".join(fill.fill(paragraph) for paragraph in paragraphs)


if __name__ == "__main__":
    print(*write(), sep="\n")
