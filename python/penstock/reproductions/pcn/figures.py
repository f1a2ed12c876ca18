"""Figures beyond the print: points that are run, the table of what they came to, and drawings of it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.progress import Progress
from penstock.reproductions.evidence import Estimate
from penstock.reproductions.reproduce import SEED
from penstock.running import RunRequest, run_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from penstock.running import RunResult
    from penstock.store import Store

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
"""Told apart by all eyes (Okabe and Ito)."""
MARKERS = "osD^vP"


@dataclass(frozen=True)
class Point:
    """One point: the panel and series that it belongs to, its position across, and the run that gives it."""

    panel: str  # the panel that it is drawn in
    series: str
    x: float  # its position
    page: str  # the scenario
    value: Callable[[RunResult], float]  # from a run to the number
    effort: float = 0.0  # about how many packet-hops a run takes


@dataclass(frozen=True)
class Line:
    """What theory says: a name, and points that straight lines join; a gap where a point is missing."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """Both axes and the theoretical curves."""

    name: str
    title: str
    across: str
    up: str
    log: bool = False
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True)
class Figure:
    """A drawing: panels side by side with the same series."""

    name: str
    panels: tuple[Panel, ...]


def measure(
    points: Sequence[Point], runs: int, jobs: int | None = None, store: Store | None = None
) -> list[dict[str, Any]]:
    """A row per point with its mean and interval; every series has the same random numbers."""
    requests = [
        RunRequest(point.page, (), SEED, n, f"{point.panel} {point.series} {point.x:g}", point.effort)
        for point in points
        for n in range(runs)
    ]
    with Progress() as progress:
        results = iter(run_all(requests, jobs=jobs, store=store, progress=progress))
    rows = []
    for point in points:
        values = [point.value(next(results)) for _ in range(runs)]
        numbers: dict[str, Any] = {"mean": math.nan, "ci_low": None, "ci_high": None, "runs": runs}
        # A load that never fell has no time in which it did.
        if not any(map(math.isnan, values)):
            estimate = Estimate.of(values)
            numbers |= {"mean": estimate.mean, "ci_low": estimate.low, "ci_high": estimate.high}
        rows.append({"panel": point.panel, "series": point.series, "x": point.x, **numbers})
    return rows


def as_json(rows: Iterable[Mapping[str, Any]]) -> str:
    """The table, a line a point, with numbers to seven digits."""

    def short(value: Any) -> Any:
        # JSON has no NaN.
        if not isinstance(value, float):
            return value
        return None if math.isnan(value) else float(f"{value:.7g}")

    lines = (json.dumps({key: short(value) for key, value in row.items()}) for row in rows)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def draw(figures: Iterable[Figure], rows: Sequence[Mapping[str, Any]], folder: Path) -> None:
    """One SVG per figure, with intervals as bars; equal numbers give equal files."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    # Text stays text, and the names of elements depend on nothing.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "penstock", "font.size": 9}):
        for figure in figures:
            canvas = Canvas(figsize=(4.6 * len(figure.panels) + 0.4, 3.6), layout="constrained")
            for axes, panel in zip(
                canvas.subplots(1, len(figure.panels), squeeze=False)[0], figure.panels, strict=True
            ):
                _panel(axes, panel, [row for row in rows if row["panel"] == panel.name])
            canvas.savefig(folder / f"{figure.name}.svg", metadata={"Date": None})


def _panel(axes: Any, panel: Panel, rows: Sequence[Mapping[str, Any]]) -> None:
    for style, line in zip(("--", ":", "-."), panel.lines, strict=False):
        axes.plot([x for x, _ in line.points], [y for _, y in line.points], style, color="0.4", label=line.name)
    for i, series in enumerate(dict.fromkeys(row["series"] for row in rows)):
        own = [row for row in rows if row["series"] == series and row["mean"] is not None]
        bars = [0.0 if row["ci_low"] is None else row["mean"] - row["ci_low"] for row in own]
        look = {"marker": MARKERS[i % len(MARKERS)], "color": COLOURS[i % len(COLOURS)], "markersize": 4}
        join = "none" if panel.lines and len(own) > 12 else "-"
        axes.errorbar(
            [row["x"] for row in own],
            [row["mean"] for row in own],
            bars,
            capsize=2,
            linewidth=1,
            linestyle=join,
            label=series,
            **look,
        )
    axes.axhline(0, color="0.7", linewidth=0.5, zorder=0)
    axes.set(title=panel.title, xlabel=panel.across, ylabel=panel.up, xscale="log" if panel.log else "linear")
    axes.legend(fontsize=8)
