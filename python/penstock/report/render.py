"""Lays a report out as one HTML page that loads nothing: its style, its script and the plotting library are in it."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from penstock.printable import printable_lines
from penstock.report.content import Plot, Report

if TYPE_CHECKING:
    from jinja2 import Template

Trace = Mapping[str, Any]

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
    return json_markup({"traces": plot.traces, "layout": plot.layout, "views": list(plot.views)})


_TICKS = 6
_LETTER_PIXELS = 6.6
_SYMBOLS = {
    "circle": "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "square": "M-3.6-3.6h7.2v7.2h-7.2z",
    "diamond": "M0-5L5 0L0 5L-5 0z",
    "triangle-up": "M0-4.6L4.4 3.4H-4.4z",
    "triangle-down": "M0 4.6L4.4-3.4H-4.4z",
    "pentagon": "M0-4.6L4.4-1.4L2.7 3.7H-2.7L-4.4-1.4z",
    "star": "M0-5L1.4-1.6L5-1.5L2.2.8L3.1 4.3L0 2.3L-3.1 4.3L-2.2.8L-5-1.5L-1.4-1.6z",
    "x": "M-3.5-3.5L3.5 3.5M-3.5 3.5L3.5-3.5",
    "line-ns-open": "M0-7V7",
    "cross-thin-open": "M-5 0H5M0-5V5",
}
_OPEN = {"x", "line-ns-open", "cross-thin-open"}


def static_plot(plot: Plot) -> Markup:
    """The legend and the SVG of a plot's visible traces; names in traces and layout are HTML already."""
    traces = [trace for trace in plot.traces if trace.get("visible", True) is True]
    across, up = (_Axis(traces, plot.layout[f"{name}axis"], name) for name in "xy")
    left = (34 if up.title else 12) + min(
        max((len(html.unescape(text)) for _, text in up.ticks), default=0), 34
    ) * _LETTER_PIXELS
    parts = [*_grid(across, up)]
    bars = [trace for trace in traces if trace.get("type") == "bar"]
    for trace in traces:
        if trace.get("type") == "bar":
            share = (1 - plot.layout.get("bargap", 0.2)) / len(bars)
            parts += _bars(trace, bars.index(trace) - len(bars) / 2, share, across, up)
        else:
            parts += _points(trace, across, up)
    parts += _titles(across, up, left)
    legend = _legend(traces, plot) if plot.layout.get("showlegend", len(traces) > 1) else ""
    drawing = f'<svg width="100%" height="100%" aria-hidden="true">{"".join(parts)}</svg>'
    area = f'<div class="area" style="margin-left: {left:.0f}px">{drawing}</div>'
    height = plot.layout["height"]
    return Markup(printable_lines(f'<div class="still" style="height: {height}px">{legend}{area}</div>'))


class _Axis:
    """The range of an axis, its ticks, and positions on it in percent."""

    def __init__(self, traces: Sequence[Trace], layout: Mapping[str, Any], name: str) -> None:
        self.title: str = layout.get("title", {}).get("text", "")
        self.is_up = name == "y"
        self.names = dict(zip(layout.get("tickvals", ()), layout.get("ticktext", ()), strict=True))
        values = [float(value) for trace in traces for value in _reach(trace, name)]
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        if layout.get("rangemode") == "tozero" or (self.is_up and any(trace.get("type") == "bar" for trace in traces)):
            low, high = min(low, 0.0), max(high, 0.0)
        margin = 0.5 if self.names and not self.is_up else ((high - low) or abs(high) or 1.0) * 0.05
        is_at_zero = self.is_up and low == 0.0 and not self.names
        self.low, self.high = low - (0.0 if is_at_zero else margin), high + margin
        if "range" in layout:
            self.low, self.high = map(float, layout["range"])
        self.ticks = [(value, str(text)) for value, text in self.names.items()] or list(_ticks(self.low, self.high))

    def at(self, value: float) -> float:
        """The position of a value in percent, from the left or from the top."""
        part = 100 * (value - self.low) / (self.high - self.low)
        return 100 - part if self.is_up else part

    def text(self, value: float) -> str:
        """A value as it is read: its name, or six digits."""
        return html.unescape(str(self.names[value])) if value in self.names else f"{value:.6g}"


def _reach(trace: Trace, name: str) -> Iterator[float]:
    error = trace.get(f"error_{name}", {})
    for number, value in enumerate(trace[name]):
        yield value
        if error:
            yield value - error["arrayminus"][number]
            yield value + error["array"][number]


def _ticks(low: float, high: float) -> Iterator[tuple[float, str]]:
    """Round values in a range.

    >>> [text for _, text in _ticks(0, 1.05)], [text for _, text in _ticks(950, 2000)]
    (['0', '0.2', '0.4', '0.6', '0.8', '1'], ['1000', '1200', '1400', '1600', '1800', '2000'])
    """
    rough = (high - low) / _TICKS
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    for number in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1):
        yield number * step, f"{number * step:.10g}"


def _grid(across: _Axis, up: _Axis) -> Iterator[str]:
    yield '<g class="grid">'
    for value, _ in across.ticks:
        yield f'<line x1="{across.at(value):.2f}%" x2="{across.at(value):.2f}%" y1="0" y2="100%"/>'
    for value, _ in up.ticks:
        yield f'<line x1="0" x2="100%" y1="{up.at(value):.2f}%" y2="{up.at(value):.2f}%"/>'
    yield "</g>"
    width = 100 / max(len(across.ticks), 1)
    for value, text in across.ticks:
        shown = text if len(text) < 3 * width or not across.names else f"{text[: int(3 * width)]}..."
        yield f'<text x="{across.at(value):.2f}%" y="100%" dy="1.3em" text-anchor="middle">{shown}</text>'
    for value, text in up.ticks:
        yield f'<text x="0" y="{up.at(value):.2f}%" dx="-6" dy="0.35em" text-anchor="end">{text}</text>'


def _titles(across: _Axis, up: _Axis, left: float) -> Iterator[str]:
    yield f'<text x="50%" y="100%" dy="2.9em" text-anchor="middle">{across.title}</text>'
    if up.title:
        place = f'<svg x="0" y="50%" overflow="visible"><text transform="translate({14 - left:.0f} 0) rotate(-90)"'
        yield f'{place} text-anchor="middle">{up.title}</text></svg>'


def _points(trace: Trace, across: _Axis, up: _Axis) -> Iterator[str]:
    colour = _colour(trace)
    places = [(across.at(x), up.at(y)) for x, y in zip(trace["x"], trace["y"], strict=True)]
    if "lines" in trace.get("mode", ""):
        for (x1, y1), (x2, y2) in pairwise(places):
            ends = f'x1="{x1:.2f}%" y1="{y1:.2f}%" x2="{x2:.2f}%" y2="{y2:.2f}%"'
            yield f'<line {ends} stroke="{colour}" stroke-width="2"/>'
    for number, (x, y) in enumerate(places):
        yield from _error_bars(trace, number, across, up)
        title = f"{html.unescape(trace['name'])}: {up.text(trace['y'][number])} at {across.text(trace['x'][number])}"
        mark = f"<title>{html.escape(title)}</title>{_mark(trace)}"
        yield f'<svg x="{x:.2f}%" y="{y:.2f}%" overflow="visible">{mark}</svg>'


def _mark(trace: Trace) -> str:
    symbol = trace.get("marker", {}).get("symbol", "circle")
    colour = _colour(trace)
    paint = f'fill="none" stroke="{colour}" stroke-width="2"' if symbol in _OPEN else f'fill="{colour}"'
    return f'<path d="{_SYMBOLS[symbol]}" {paint}/>'


def _bars(trace: Trace, turn: float, share: float, across: _Axis, up: _Axis) -> Iterator[str]:
    # Names are at 0, 1, 2, ...; a trace may lack some.
    gap = 1.0 if across.names else min((abs(b - a) for a, b in pairwise(trace["x"])), default=1.0) or 1.0
    width = gap * share
    for number, (x, y) in enumerate(zip(trace["x"], trace["y"], strict=True)):
        start = x + turn * width
        left, right, top, bottom = across.at(start), across.at(start + width), up.at(max(y, 0)), up.at(min(y, 0))
        title = f"{html.unescape(trace['name'])}: {up.text(y)} at {across.text(x)}"
        box = f'x="{left:.2f}%" y="{top:.2f}%" width="{right - left:.2f}%" height="{bottom - top:.2f}%"'
        yield f'<rect {box} fill="{_colour(trace)}"><title>{html.escape(title)}</title></rect>'
        moved = {**trace, "x": [*trace["x"][:number], start + width / 2, *trace["x"][number + 1 :]], "meta": "ink"}
        yield from _error_bars(moved, number, across, up)


def _error_bars(trace: Trace, number: int, across: _Axis, up: _Axis) -> Iterator[str]:
    """The error bars of a point in both directions, without bars of no length."""
    x, y = across.at(trace["x"][number]), up.at(trace["y"][number])
    for name, axis in (("x", across), ("y", up)):
        error = trace.get(f"error_{name}")
        if not error or not (error["array"][number] or error["arrayminus"][number]):
            continue
        middle = trace[name][number]
        low, high = axis.at(middle - error["arrayminus"][number]), axis.at(middle + error["array"][number])
        paint = f'stroke="{error.get("color", _colour(trace))}" stroke-width="{error.get("thickness", 1.2)}"'
        (x1, y1), (x2, y2) = ((low, y), (high, y)) if name == "x" else ((x, low), (x, high))
        yield f'<line x1="{x1:.2f}%" x2="{x2:.2f}%" y1="{y1:.2f}%" y2="{y2:.2f}%" {paint}/>'
        cap = '<path d="M0-4V4"' if name == "x" else '<path d="M-4 0H4"'
        for at in ((x1, y1), (x2, y2)) if error.get("width", 4) else ():
            yield f'<svg x="{at[0]:.2f}%" y="{at[1]:.2f}%" overflow="visible">{cap} {paint}/></svg>'


def _colour(trace: Trace) -> str:
    """The colour of a trace; that of the text if the page decides."""
    if trace.get("meta") == "ink":
        return "currentColor"
    colour: str = trace.get("marker", {}).get("color", "currentColor")
    return colour


def _legend(traces: Sequence[Trace], plot: Plot) -> str:
    title = plot.layout.get("legend", {}).get("title", {}).get("text", "")
    samples = (
        f'<li><svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">{_mark(trace)}</svg>'
        f"{trace['name']}</li>"
        for trace in traces
    )
    head = f"<li>{title}:</li>" if title else ""
    return f'<ul class="key">{head}{"".join(samples)}</ul>'
