"""The figure: rows of panels, one legend, one note, and no text cut off or covered."""

from __future__ import annotations

import math
from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import FuncFormatter, LogFormatter, LogLocator, MaxNLocator, NullFormatter

from penstock.plots.chart import Chart, Panel
from penstock.plots.kinds import DRAW
from penstock.plots.request import WIDTHS, PlotRequest
from penstock.plots.style import GREY, style
from penstock.printable import printable, printable_lines, things

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

_NO_DATES: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
_PANELS_PER_ROW = {"column": 2, "page": 4}
_LEAST_HIGH = 0.9
"""Minimum height of a panel above its x axis in inches, unless the height of the figure is given."""
_NEARLY = 0.05
"""Missing height in inches that is not worth another layout."""
_MOST_ROUNDS = 3
_NAME_LETTERS = 16  # characters per line of names on the x axis that would overlap


class PlainLogFormatter(LogFormatter):
    """Labels a logarithmic axis with plain numbers instead of powers of ten."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        """Returns the label of a tick; empty if it has none."""
        return f"{x:g}" if super().__call__(x, pos) else ""


class Picture(Figure):
    """A matplotlib figure whose files depend only on its numbers."""

    def savefig(self, fname: Any, **options: Any) -> None:
        """Saves the figure as matplotlib does, without dates and with embedded fonts."""
        ending = str(options.get("format") or getattr(fname, "suffix", "") or str(fname).rpartition(".")[2])
        options.setdefault("metadata", _NO_DATES.get(ending.lstrip(".").lower()))
        with style():
            super().savefig(fname, **options)

    def content(self, ending: str) -> bytes:
        """Returns the bytes of a file with this suffix."""
        into = BytesIO()
        self.savefig(into, format=ending)
        return into.getvalue()

    def _repr_png_(self) -> bytes:
        return self.content("png")


def draw(chart: Chart, request: PlotRequest) -> Picture:
    """Draws a chart; characters that are invisible or not allowed in SVG are escaped."""
    title, y_label = request.title and printable_lines(request.title), request.y_label and printable(request.y_label)
    with style():
        return _drawn(_printable(chart), replace(request, title=title, y_label=y_label))


def _printable(chart: Chart) -> Chart:

    def panel(each: Panel) -> Panel:
        series = [replace(one, name=printable(one.name)) for one in each.series]
        return replace(each, facet=printable(each.facet), label=printable(each.label), series=series)

    across = replace(chart.across, label=printable(chart.across.label), names=list(map(printable, chart.across.names)))
    ups, panels = list(map(printable, chart.ups)), list(map(panel, chart.panels))
    by, lacking = printable(chart.by), printable(chart.lacking)
    return replace(chart, across=across, panels=panels, by=by, ups=ups, lacking=lacking)


def note_of(chart: Chart, intervals: bool) -> str:
    """Returns the note below the panels: number of runs, kind of intervals, missing numbers."""
    missing = f"{chart.left_out} of 0 or below not drawn" if chart.left_out else ""
    return "; ".join(filter(None, (_runs_note(chart, intervals), missing, chart.lacking, chart.finished)))


def _runs_note(chart: Chart, intervals: bool) -> str:
    least, most = chart.runs
    if most == 0:
        return "single observations" if chart.observations else ""
    runs = things(least, "run") if least == most else f"{least} to {most} runs"
    if chart.kind == "box":
        sure = "; diamonds: means with 95 % confidence intervals" * (intervals and least > 1)
        return f"{runs} each; boxes: quartiles{sure}"
    if chart.kind == "cdf" and not chart.has_quantiles:
        return f"{runs} each" + ("; shaded: 95 % confidence band" * (intervals and not chart.observations))
    if most < 2:
        return "1 run each: nothing is known of the error"
    how = {"series": "shaded", "heatmap": "± or bounds"}.get(
        chart.kind, "bars" if chart.kind != "bar" else "error bars"
    )
    return f"means of {runs}" + (f"; {how}: 95 % confidence intervals" * intervals)


def _drawn(chart: Chart, request: PlotRequest) -> Picture:
    rows = 1 + max(panel.row for panel in chart.panels)
    facets = 1 + max(panel.column for panel in chart.panels)
    # Panels of one number take further rows; each of several numbers has its own row.
    columns = min(facets, _PANELS_PER_ROW[request.width]) if rows == 1 else facets
    down = -(-facets // columns) if rows == 1 else rows
    wide = WIDTHS[request.width]
    high = request.height or max(2.2, down * (2.4 if columns == 1 and down == 1 else 1.7) + 0.55)
    if chart.kind == "heatmap" and request.height is None:
        high = max(high, down * (0.8 + 0.3 * len(chart.ups)))
    figure = Picture(figsize=(wide, high), layout=ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03))
    # A title has room of its own: the layout would put it on the legend.
    inner: Any = figure.subfigures(1, 1) if request.title else figure
    grid = inner.subplots(down, columns, squeeze=False, sharex=True, sharey="row" if rows > 1 else True)
    used: list[tuple[Any, Panel]] = []
    for panel in chart.panels:
        place = divmod(panel.column, columns) if rows == 1 else (panel.row, panel.column)
        used.append((grid[place], panel))
    for axes in grid.flat:
        if all(axes is not other for other, _ in used):
            axes.remove()
    for axes, panel in used:
        DRAW[chart.kind](axes, chart, panel, request.intervals)
    _label(inner, chart, used, request)
    if request.title:
        figure.suptitle(request.title, fontsize=9)
    _legend(inner, chart, used)
    note = note_of(chart, request.intervals)
    if note and request.note:
        inner.supxlabel(note, fontsize=6, color=GREY, x=0.99, ha="right")
    _fit(figure, chart, used, is_free=request.height is None)
    return figure


def _label(figure: Any, chart: Chart, used: list[tuple[Any, Panel]], request: PlotRequest) -> None:
    """Sets the titles of panels, and axis labels on the outer panels only."""
    for axes, panel in used:
        above = (panel.row - 1, panel.column, panel.facet)
        is_told = any((other.row, other.column, other.facet) == above for other in chart.panels)
        axes.set_title("" if is_told else panel.facet)
        spec = axes.get_subplotspec()
        others = [other.get_subplotspec() for other, _ in used]
        below = [other for other in others if other.rowspan.start > spec.rowspan.start]
        first, last = spec.is_first_col(), all(other.colspan.start != spec.colspan.start for other in below)
        axes.set_xlabel(chart.across.label if last else "")
        axes.tick_params(labelbottom=last)
        cumulative = "share of observations" if chart.observations else "share of runs"
        cumulative = "quantile" if chart.has_quantiles else cumulative
        up = {"cdf": cumulative, "heatmap": request.y_label or chart.by}.get(chart.kind, panel.label)
        axes.set_ylabel(up if first else "")
        _scales(axes, chart, panel, request)
        places = chart.across.places.values() if chart.across.is_numeric and "x" not in request.log else ()
        if places and all(place == int(place) for place in places):
            axes.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
        if chart.across.names:
            axes.set_xticks(range(len(chart.across.names)), chart.across.names)
            axes.set_xlim(-0.6, len(chart.across.names) - 0.4)
        if chart.kind == "heatmap":
            axes.set_xlim(-0.5, len(chart.across.names) - 0.5)
    if chart.kind == "heatmap":
        for row in sorted({panel.row for _, panel in used}):
            own = [(axes, panel) for axes, panel in used if panel.row == row]
            bar = figure.colorbar(own[0][0].images[0], ax=[axes for axes, _ in own], pad=0.02)
            bar.set_label(own[0][1].label)
            bar.outline.set_linewidth(0.4)


def _scales(axes: Axes, chart: Chart, panel: Panel, request: PlotRequest) -> None:
    for which, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
        if which in request.log:
            axes.set(**{f"{which}scale": "log"})
            axis.set_major_formatter(PlainLogFormatter())
            axis.set_minor_formatter(PlainLogFormatter())
            if which == "x" and chart.across.is_numeric and chart.kind != "cdf":
                _mark_places(axes, panel)
    if chart.kind == "cdf":
        axes.set_ylim(*((None, 1.1) if "y" in request.log else (-0.02, 1.02)))
    if chart.kind in ("line", "bar", "series") and "y" not in request.log:
        low, high = axes.get_ylim()
        # Panels of a row share the axis.
        row = [series for other in chart.panels if other.row == panel.row for series in other.series]
        marks = [mark for series in row for mark in series.marks if math.isfinite(mark.mean)]
        ends = [end for it in marks for end in (it.mean, it.low if request.intervals else None) if end is not None]
        # From zero on, unless something is below or all that is to be seen is far above it.
        if min(ends, default=0.0) >= 0 and (low < 0.5 * high or chart.kind == "bar"):
            axes.set_ylim(bottom=0)


def _mark_places(axes: Axes, panel: Panel) -> None:
    """Labels the study's own values, since a logarithmic axis has few powers of ten in their range."""
    places = sorted({mark.x for series in panel.series for mark in series.marks if mark.x > 0})
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    if len(places) <= 8:
        axes.set_xticks(places)
        axes.set_xticks([], minor=True)


def _legend(figure: Any, chart: Chart, used: list[tuple[Any, Panel]]) -> None:
    """One legend above all panels, with as many columns as fit."""
    if chart.kind == "heatmap" or chart.ups == [""]:
        return
    found: dict[str, Any] = {}
    for axes, _ in used:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(name, handle)
    names = [name for name in chart.ups if name in found]
    for columns in range(len(names), 0, -1):
        legend = figure.legend(
            [found[name] for name in names],
            names,
            title=chart.by or None,
            loc="outside upper center",
            ncols=columns,
            columnspacing=1.2,
            handlelength=2.6,
            borderaxespad=0.2,
        )
        if columns == 1 or legend.get_window_extent().width <= figure.bbox.width * 0.98:
            return
        legend.remove()


def _fit(figure: Any, chart: Chart, used: list[tuple[Any, Panel]], *, is_free: bool) -> None:
    """Rotates and wraps texts; if `is_free`, makes the figure higher where they leave too little room."""
    figure.draw_without_rendering()
    turned = [_turn_names(axes, chart) for axes, _ in used]
    # What takes more lines leaves less room for others. A layout takes long, so it is made only after a change.
    is_changed = any(turned)
    for _ in range(_MOST_ROUNDS):
        if is_changed:
            figure.draw_without_rendering()
        if is_free and _grow(figure, used):
            figure.draw_without_rendering()
        is_changed = _break_texts(figure, used)
        if not is_changed:
            return
    figure.draw_without_rendering()
    if is_free:
        _grow(figure, used)


def shown_ticks(axes: Axes) -> list[Text]:
    """Returns the visible labels below an axis, without ticks beyond its ends."""
    low, high = sorted(axes.get_xlim())
    labels = [tick.label1 for tick in axes.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
    return [label for label in labels if label.get_text() and label.get_visible()]


def _turn_names(axes: Axes, chart: Chart) -> bool:
    """Rotates overlapping names below an axis, long ones by 90 degrees; returns whether they overlap."""
    labels = shown_ticks(axes)
    extents = sorted((label.get_window_extent() for label in labels), key=lambda extent: extent.x0)
    if not any(one.x1 + 2 > other.x0 for one, other in pairwise(extents)):
        return False
    if chart.across.names:
        if max(map(len, chart.across.names)) > _NAME_LETTERS:
            names = [fill(name, _NAME_LETTERS, break_long_words=False) for name in chart.across.names]
            axes.set_xticks(range(len(names)), names)
            axes.tick_params(axis="x", labelrotation=90)
            return True
        axes.tick_params(axis="x", labelrotation=40)
        for label in axes.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")
    elif axes.get_xscale() == "log":
        axes.xaxis.set_major_locator(LogLocator(numticks=4))
        axes.xaxis.set_minor_formatter(NullFormatter())
    else:
        axes.locator_params(axis="x", nbins=4)
    return True


def _grow(figure: Any, used: list[tuple[Any, Panel]]) -> bool:
    """Makes the figure higher if its panels are too low; returns whether they are."""
    lowest = min(axes.get_window_extent().height for axes, _ in used) / figure.dpi
    if lowest >= _LEAST_HIGH - _NEARLY:
        return False
    rows = len({axes.get_subplotspec().rowspan.start for axes, _ in used})
    figure.set_figheight(figure.get_figheight() + rows * (_LEAST_HIGH - lowest))
    return True


def _break_texts(figure: Any, used: list[tuple[Any, Panel]]) -> bool:
    """Wraps titles and labels that are longer than their panel; returns whether there were any."""
    is_broken = False
    for axes, _ in used:
        room = axes.get_window_extent()
        for text, most, size in (
            (axes.title, room.width, "width"),
            (axes.xaxis.label, room.width, "width"),
            (axes.yaxis.label, room.height, "height"),
        ):
            is_broken |= _break(text, most, size)
    title = getattr(figure, "_suptitle", None)
    if title is not None:
        is_broken |= _break(title, figure.bbox.width * 0.98, "width")
    return is_broken


def _break(text: Any, most: float, size: str) -> bool:
    long, before = getattr(text.get_window_extent(), size), text.get_text()
    if not long > most > 0:
        return False
    characters = max(8, int(max(map(len, before.splitlines())) * most / long))
    text.set_text(fill(before, characters, break_long_words=False, break_on_hyphens=False))
    return bool(text.get_text() != before)
