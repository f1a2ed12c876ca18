"""Makes the texts of a picture fit: none covers another, and none leaves too little room for what is drawn."""

from __future__ import annotations

from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import LogLocator, NullFormatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

    from penstock.plots.chart import Chart, Panel

__all__ = ["fit", "shown_ticks"]

_LEAST_HIGH = 0.9
"""Inches that a panel has at least above its x axis, unless the height of the picture is given."""
_NEARLY = 0.05
"""Inches of which a panel may be too low, which no further layout is worth."""
_ROUNDS = 3
"""How often texts are broken, since each may leave less room for others."""
_LONG_NAME = 16
"""Characters of a line of the names across, where they would run into one another."""


def fit(figure: Any, chart: Chart, used: list[tuple[Any, Panel]], *, is_free: bool) -> None:
    """Turns and breaks texts into lines, and makes the picture higher where they leave too little room.

    Parameters
    ----------
    figure : Picture
        With everything in it.
    chart, used : Chart, list of (Axes, Panel)
        What is drawn, and where.
    is_free : bool
        Whether its height is for this to choose.
    """
    figure.draw_without_rendering()
    turned = [_turn_names(axes, chart) for axes, _ in used]
    # What takes more lines leaves less room for others. A layout takes long, so it is made only after a change.
    is_changed = any(turned)
    for _ in range(_ROUNDS):
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
    """The labels below an axis, without those of ticks beyond its ends, which are not drawn."""
    low, high = sorted(axes.get_xlim())
    labels = [tick.label1 for tick in axes.xaxis.get_major_ticks() if low <= tick.get_loc() <= high]
    return [label for label in labels if label.get_text() and label.get_visible()]


def _turn_names(axes: Axes, chart: Chart) -> bool:
    """Turns the names below an axis if they run into one another, the long ones upright; returns whether they do."""
    labels = shown_ticks(axes)
    extents = sorted((label.get_window_extent() for label in labels), key=lambda extent: extent.x0)
    if not any(one.x1 + 2 > other.x0 for one, other in pairwise(extents)):
        return False
    if chart.across.names:
        if max(map(len, chart.across.names)) > _LONG_NAME:
            names = [fill(name, _LONG_NAME, break_long_words=False) for name in chart.across.names]
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
    """Makes the picture higher if its panels are too low; returns whether they are."""
    least = min(axes.get_window_extent().height for axes, _ in used) / figure.dpi
    if least >= _LEAST_HIGH - _NEARLY:
        return False
    rows = len({axes.get_subplotspec().rowspan.start for axes, _ in used})
    figure.set_figheight(figure.get_figheight() + rows * (_LEAST_HIGH - least))
    return True


def _break_texts(figure: Any, used: list[tuple[Any, Panel]]) -> bool:
    """Breaks titles and labels into lines where they are longer than their panel; returns whether there were any."""
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
