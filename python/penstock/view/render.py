"""Lays a view out as one HTML page that loads nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from penstock.report.render import json_markup, packaged, template

if TYPE_CHECKING:
    from penstock.view.data import View

_SCRIPTS = ("model", "story", "stage", "panel", "charts", "page")
"""The files of the page's script, in order."""


def render(view: View, command: str) -> str:
    """The page, with the command that makes it again: equal bytes for equal runs."""
    parts = "\n".join(packaged(__package__, f"{name}.js") for name in _SCRIPTS)
    return template(__package__).render(
        view=view,
        command=command,
        model=json_markup(view.model, separators=(",", ":")),
        style=Markup(packaged("penstock.report", "page.css") + packaged(__package__, "page.css")),
        script=Markup(f'"use strict";\n(async () => {{\n{parts}\n}})();\n'),
    )
