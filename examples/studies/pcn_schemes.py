"""Six PCN schemes side by side, and the marked share over the load.

    python examples/studies/pcn_schemes.py results

runs about 700 short simulations (some minutes) and writes two tables, `schemes.json` and `marking.json`, and figures
as SVG. They are described in docs/studies/pcn-schemes.md. Finished runs are kept, so a second call only draws.
"""

import argparse
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pcn_marking
import pcn_side_by_side
from matplotlib import rc_context
from matplotlib.figure import Figure as Canvas
from pcn_figures import Figure, Panel, Point

from penstock.progress import Progress
from penstock.reproductions.evidence import Estimate
from penstock.reproductions.reproduce import SEED
from penstock.running import RunRequest, run_all
from penstock.store import Store

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # told apart by all eyes (Okabe and Ito)
MARKERS = "osD^vP"


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
    # Text stays text, and the names of elements depend on nothing.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "penstock", "font.size": 9}):
        for figure in figures:
            canvas = Canvas(figsize=(4.6 * len(figure.panels) + 0.4, 3.6), layout="constrained")
            places = canvas.subplots(1, len(figure.panels), squeeze=False)[0]
            for axes, panel in zip(places, figure.panels, strict=True):
                _panel(axes, panel, [row for row in rows if row["panel"] == panel.name])
            canvas.savefig(folder / f"{figure.name}.svg", metadata={"Date": None})


def _panel(axes: Any, panel: Panel, rows: Sequence[Mapping[str, Any]]) -> None:
    for style, line in zip(("--", ":", "-."), panel.lines, strict=False):
        axes.plot([x for x, _ in line.points], [y for _, y in line.points], style, color="0.4", label=line.name)
    for i, series in enumerate(dict.fromkeys(row["series"] for row in rows)):
        own = [row for row in rows if row["series"] == series and row["mean"] is not None]
        bars = [0.0 if row["ci_low"] is None else row["mean"] - row["ci_low"] for row in own]
        look = {"marker": MARKERS[i % len(MARKERS)], "color": COLOURS[i % len(COLOURS)], "markersize": 4}
        look |= {"linestyle": "none" if panel.lines and len(own) > 12 else "-", "linewidth": 1, "capsize": 2}
        axes.errorbar([row["x"] for row in own], [row["mean"] for row in own], bars, label=series, **look)
    axes.axhline(0, color="0.7", linewidth=0.5, zorder=0)
    axes.set(title=panel.title, xlabel=panel.across, ylabel=panel.up, xscale="log" if panel.log else "linear")
    axes.legend(fontsize=8)


def main() -> None:
    parser = argparse.ArgumentParser(description="Six PCN schemes side by side, and the marked share over the load.")
    parser.add_argument("folder", type=Path, help="where the tables and the figures go")
    parser.add_argument("--runs", type=int, default=5, help="independent runs of each point (5)")
    parser.add_argument("--jobs", type=int, help="runs at the same time (all cores)")
    parser.add_argument("--store", type=Path, help="where finished runs are kept (FOLDER/runs)")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    store = Store(given.store or given.folder / "runs")
    for name, study in (("schemes", pcn_side_by_side), ("marking", pcn_marking)):
        rows = measure(study.points(), given.runs, given.jobs, store)
        text = as_json(rows)
        (given.folder / f"{name}.json").write_text(text, encoding="utf-8")
        # As the table has them, so that it alone can draw them again.
        draw(study.figures(), json.loads(text), given.folder)


if __name__ == "__main__":
    main()
