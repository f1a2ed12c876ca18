"""Lays a view out as one HTML page that loads nothing."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from penstock.printable import printable_lines

if TYPE_CHECKING:
    from jinja2 import Template

    from penstock.view.data import View

_SCRIPTS = ("model", "story", "stage", "panel", "charts", "page")
"""The files of the page's script, in order."""


def render(view: View, command: str) -> str:
    """The page, with the command that makes it again: equal bytes for equal runs."""
    from markupsafe import Markup

    model = json.dumps(view.model, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        model = model.replace(character, f"\\u{ord(character):04x}")
    return _template().render(
        view=view,
        command=command,
        model=Markup(model),
        style=Markup(_file("penstock.report", "page.css") + _file("penstock.view", "page.css")),
        script=Markup(_script()),
    )


def _script() -> str:
    """The script: its files in one scope."""
    parts = "\n".join(_file("penstock.view", f"{name}.js") for name in _SCRIPTS)
    return f'"use strict";\n(async () => {{\n{parts}\n}})();\n'


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    made = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_shown
    )
    return made.from_string(_file("penstock.view", "page.html.j2"))


def _shown(value: Any) -> Any:
    """Escapes characters that hide or reorder the text around them: texts may come from strangers."""
    from markupsafe import Markup

    return printable_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _file(package: str, name: str) -> str:
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")
