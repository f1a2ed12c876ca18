"""Lays a report out as one HTML page that loads nothing: its style, its script and the plotting library are in it."""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import resources
from itertools import count
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from penstock.printable import printable_lines
from penstock.report.static_plot import static_plot

if TYPE_CHECKING:
    from jinja2 import Template

    from penstock.report.content import Plot, Report

_LOWERED = 2
"""Levels by which headings of Markdown are lowered, below the page's own."""
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
_SCROLLED = '<div class="scroll" role="region" tabindex="0" aria-label="Table {} of this text">{}</div>'
"""A wide table scrolls on its own, also with the keyboard."""


def render(report: Report) -> str:
    """The page: equal bytes for equal reports."""
    plots = [plot for part in report.parts for plot in part.plots]
    return template(__package__).render(
        report=report,
        style=Markup(packaged(__package__, "page.css")),
        script=Markup(packaged(__package__, "page.js")),
        plotly=Markup(plotly()) if plots else "",
        plots=plots,
    )


@cache
def template(package: str) -> Template:
    """The template ``page.html.j2`` of a package."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_shown
    )
    environment.filters |= {"markdown": _markdown, "figure": _figure, "svg": Markup, "static": static_plot}
    return environment.from_string(packaged(package, "page.html.j2"))


def packaged(package: str, name: str) -> str:
    """The text of a file of a package."""
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def plotly() -> str:
    """The script of the Plotly package for pages without a network."""
    return packaged("plotly", "package_data/plotly.min.js")


def json_markup(data: Any, **options: Any) -> Markup:
    """JSON that cannot end the element that it is in."""
    text = json.dumps(data, allow_nan=False, **options)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def _shown(value: Any) -> Any:
    """Escapes characters that hide or reorder the text around them: texts may come from strangers."""
    return printable_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _markdown(text: str) -> Markup:
    """Markdown as HTML, without embedded HTML and links: the page stands alone."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "image", "autolink"])
    tokens = reader.parse(printable_lines(text))
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + _LOWERED, 6)}"
    page = re.sub(r"<th([^>]*)></th>", r"<td\1></td>", reader.renderer.render(tokens, reader.options, {}))
    numbers = count(1)
    return Markup(_TABLE.sub(lambda found: _SCROLLED.format(next(numbers), found[0]), page))


def _figure(plot: Plot) -> Markup:
    """Traces and layout for the script."""
    views = [{"name": view.name, "traces": list(view.traces), "across": view.across} for view in plot.views]
    return json_markup({"traces": plot.traces, "layout": plot.layout, "views": views})
