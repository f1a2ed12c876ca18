"""Makes the texts of a figure fit: none covers another or leaves too little room for the plot."""

from __future__ import annotations

from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import LogLocator, NullFormatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.text import Text

    from penstock.plots.chart import Chart, Panel

_LEAST_HIGH = 0.9
"""Minimum height of a panel above its x axis in inches, unless the height of the figure is given."""
_NEARLY = 0.05
"""Missing height in inches that is not worth another layout."""
_ROUNDS = 3
"""Maximum number of rounds of breaking texts; each may leave less room for others."""
_LONG_NAME = 16
"""Characters per line of names on the x axis that would overlap."""


def fit(figure: Any, chart: Chart, used: list[tuple[Any, Panel]], *, is_free: bool) -> None:
    """Rotates and wraps texts, and makes the figure higher if they leave too little room.

    Parameters
    ----------
    chart, used : Chart, list of (Axes, Panel)
        The drawing, and its place.
    is_free : bool
        Whether its height may change.
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
    """Makes the figure higher if its panels are too low; returns whether they are."""
    least = min(axes.get_window_extent().height for axes, _ in used) / figure.dpi
    if least >= _LEAST_HIGH - _NEARLY:
        return False
    rows = len({axes.get_subplotspec().rowspan.start for axes, _ in used})
    figure.set_figheight(figure.get_figheight() + rows * (_LEAST_HIGH - least))
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
