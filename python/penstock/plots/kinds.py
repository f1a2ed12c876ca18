"""Draws one panel of each kind on its axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.plots.chart import Chart, Mark, Panel, Series
from penstock.plots.style import CAP, look
from penstock.statistics import LEVEL, Interval, interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SPAN = 0.8
"""Share of the distance between two names that bars and boxes occupy."""
_MOST_WRITTEN = 60


def line(axes: Axes, chart: Chart, panel: Panel, intervals: bool) -> None:
    """Means with error bars, joined by lines; series are shifted if the x axis has names."""
    several = len(chart.ups) if chart.across.names else 1
    for series in panel.series:
        shift = 0.3 * (series.turn - (several - 1) / 2) / several if several > 1 else 0.0
        marks = [mark for mark in series.marks if math.isfinite(mark.mean)]
        axes.errorbar(
            [mark.x + shift for mark in marks],
            [mark.mean for mark in marks],
            yerr=_errors(marks) if intervals else None,
            **_style(series),
        )


def over_time(axes: Axes, chart: Chart, panel: Panel, intervals: bool) -> None:
    """A line with its interval as a band."""
    for series in panel.series:
        marks = [mark for mark in series.marks if math.isfinite(mark.mean)]
        shown, xs = look(series.turn), [mark.x for mark in marks]
        axes.plot(xs, [mark.mean for mark in marks], color=shown.colour, linestyle=shown.dashes, label=series.name)
        if intervals and any(mark.low is not None for mark in marks):
            low, high = zip(*map(_ends, marks), strict=True)
            axes.fill_between(xs, low, high, color=shown.colour, alpha=0.2, linewidth=0)
    if chart.across.is_numeric:
        axes.margins(x=0.01)


def bar(axes: Axes, chart: Chart, panel: Panel, intervals: bool) -> None:
    """Bars from zero with error bars, side by side at one position."""
    width = _SPAN / len(chart.ups)
    for series in panel.series:
        marks = [mark for mark in series.marks if math.isfinite(mark.mean)]
        shown = look(series.turn)
        axes.bar(
            [mark.x + _shift(chart, series, width) for mark in marks],
            [mark.mean for mark in marks],
            width * 0.94,
            yerr=_errors(marks) if intervals else None,
            color=shown.colour,
            hatch=shown.hatch,
            edgecolor="white",
            linewidth=0,
            error_kw={"ecolor": "black", "capsize": CAP, "elinewidth": 0.8},
            label=series.name,
        )
    axes.grid(False, axis="x")


def box(axes: Axes, chart: Chart, panel: Panel, intervals: bool) -> None:
    """Quartiles and the median, whiskers up to 1.5 times their range, and the mean with its interval."""
    width = _SPAN / len(chart.ups)
    for series in panel.series:
        shown = look(series.turn)
        for at, values in _pooled(series.marks):
            where = at + _shift(chart, series, width)
            drawn = axes.boxplot([values], positions=[where], widths=width * 0.8, patch_artist=True, manage_ticks=False)
            for part in drawn["boxes"]:
                part.set(facecolor=shown.colour, alpha=0.45, hatch=shown.hatch, edgecolor=shown.colour, linewidth=0.8)
            for part in (*drawn["whiskers"], *drawn["caps"]):
                part.set(color=shown.colour, linewidth=0.8)
            for part in drawn["medians"]:
                part.set(color="black", linewidth=1)
            for part in drawn["fliers"]:
                part.set(marker=".", markersize=3, markeredgecolor=shown.colour)
            if intervals and not chart.observations:
                mark = next(mark for mark in series.marks if mark.x == at)
                if not math.isfinite(mark.mean):  # of the runs that have it
                    over = interval(values)
                    mark = replace(mark, mean=over.mean, low=over.low, high=over.high)
                around = _errors([mark])
                axes.errorbar([where], [mark.mean], around, color="black", marker="d", markersize=3, capsize=CAP)
        axes.bar([0], [0], 0, color=shown.colour, alpha=0.45, hatch=shown.hatch, label=series.name)
    axes.grid(False, axis="x")


def cdf(axes: Axes, chart: Chart, panel: Panel, intervals: bool) -> None:
    """The share of runs up to each value, or the quantiles of a distribution with their intervals."""
    del chart
    for series in panel.series:
        shown = look(series.turn)
        known = [mark for mark in series.marks if mark.quantile is not None and math.isfinite(mark.mean)]
        if known:
            known.sort(key=lambda mark: mark.quantile or 0.0)
            axes.errorbar(
                [mark.mean for mark in known],
                [mark.quantile or 0.0 for mark in known],
                xerr=_errors(known) if intervals else None,
                **_style(series),
            )
            continue
        values = sorted(value for _, several in _pooled(series.marks) for value in several)
        if not values:
            continue
        shares = [n / len(values) for n in range(1, len(values) + 1)]
        axes.plot(
            [values[0], *values],
            [0.0, *shares],
            drawstyle="steps-post",
            color=shown.colour,
            linestyle=shown.dashes,
            label=series.name,
        )
        if intervals and all(mark.values for mark in series.marks):
            reach = band_of(len(values))
            low, high = [max(0.0, share - reach) for share in shares], [min(1.0, share + reach) for share in shares]
            axes.fill_between(values, low, high, step="post", color=shown.colour, alpha=0.15, linewidth=0)


def heatmap(axes: Axes, chart: Chart, panel: Panel, intervals: bool) -> None:
    """A cell for each pair, brighter for larger numbers, with its number and its interval if there is room."""
    wide = len(chart.across.names)
    cells = [[math.nan] * wide for _ in chart.ups]
    for series in panel.series:
        for mark in series.marks:
            cells[series.turn][int(mark.x)] = mark.mean
    # All panels of a row share their colours.
    row = [series for other in chart.panels if other.row == panel.row for series in other.series]
    means = [mark.mean for series in row for mark in series.marks if math.isfinite(mark.mean)] or [0.0, 1.0]
    least, most = min(means), max(means)
    axes.imshow(cells, cmap="cividis", aspect="auto", origin="lower", vmin=least, vmax=most)
    axes.set_yticks(range(len(chart.ups)), chart.ups)
    axes.grid(False)
    if wide * len(chart.ups) > _MOST_WRITTEN:
        return
    middle = (least + most) / 2
    for series in panel.series:
        for mark in series.marks:
            is_large = abs(mark.mean) >= 1000
            text = (f"{mark.mean:.0f}" if is_large else f"{mark.mean:.3g}") if math.isfinite(mark.mean) else "-"
            if intervals and mark.low is not None and mark.high is not None:
                sure = Interval(mark.mean, mark.low, mark.high, 2)
                text += f"\n{mark.low:.2g} to {mark.high:.2g}" if sure.is_lopsided else f"\n±{sure.half:.2g}"
            colour = "white" if mark.mean < middle else "black"
            axes.text(mark.x, series.turn, text, ha="center", va="center", color=colour, fontsize=6)


def band_of(runs: int, level: float = LEVEL) -> float:
    """Returns the maximum distance of an empirical distribution of independent runs from the true one [Massart90].

    >>> round(band_of(20), 3)
    0.304
    """
    return math.sqrt(math.log(2 / (1 - level)) / (2 * runs))


DRAW: dict[str, Callable[[Any, Chart, Panel, bool], None]] = {
    "line": line,
    "bar": bar,
    "cdf": cdf,
    "series": over_time,
    "heatmap": heatmap,
    "box": box,
}


def _style(series: Series) -> dict[str, Any]:
    shown = look(series.turn)
    line: dict[str, Any] = {"color": shown.colour, "marker": shown.marker, "linestyle": shown.dashes}
    return {**line, "capsize": CAP, "elinewidth": 0.8, "label": series.name}


def _shift(chart: Chart, series: Series, width: float) -> float:
    return (series.turn - (len(chart.ups) - 1) / 2) * width


def _pooled(marks: Sequence[Mark]) -> list[tuple[float, list[float]]]:
    """The values at each position, of runs or single observations."""
    found: dict[float, list[float]] = {}
    for mark in marks:
        values = mark.values or ([mark.mean] if math.isfinite(mark.mean) else [])
        found.setdefault(mark.x, []).extend(values)
    return [(x, values) for x, values in found.items() if values]


def _errors(marks: Sequence[Mark]) -> list[list[float]] | None:
    if all(mark.low is None for mark in marks):
        return None
    ends = [(mark.mean, *_ends(mark)) for mark in marks]
    return [[max(0.0, mean - low) for mean, low, _ in ends], [max(0.0, high - mean) for mean, _, high in ends]]


def _ends(mark: Mark) -> tuple[float, float]:
    """Both ends of the interval; the mean where there is none."""
    low, high = (mark.mean if end is None or not math.isfinite(end) else end for end in (mark.low, mark.high))
    return low, high
