"""Beyond the print: five schemes side by side over load, aggregation and synchronisation.

``python -m penstock.reproductions.pcn.schemes results`` runs them on the document's CBR voice (128 Mbit/s for
admission, 320 Mbit/s for termination) and writes a table and, if matplotlib is there, figures as SVG.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.progress import Progress
from penstock.reproductions.evidence import Estimate
from penstock.reproductions.pcn.cases import ADMISSION, RTT, SINGLE, TERMINATION, Case
from penstock.reproductions.pcn.measure import admission, termination
from penstock.reproductions.pcn.others import OTHERS
from penstock.reproductions.pcn.scenario import hops, scenario
from penstock.reproductions.reading import Readings, Settings
from penstock.reproductions.reproduce import SEED
from penstock.reproductions.study import load
from penstock.running import RunRequest, run_all
from penstock.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.running import RunResult

__all__ = ["FIGURES", "Point", "compare", "points"]

SCHEMES = ("STM", "CL", *OTHERS)
LOADS = (1.2, 2.0, 5.0)
"""Of calls, over the admissible rate."""
AGGREGATES = (10, 100, 1000)
OVERLOADS = (1.25, 1.5, 2.0)
"""Over the supportable rate."""
AGGREGATES_OVERLOADED = (2, 10, 70)

FIGURES = {
    "admission-load": ("offered load over AR", "over-admission, %"),
    "admission-aggregation": ("aggregates", "over-admission, %"),
    "admission-randomised": ("aggregates, packets with random extra delay", "over-admission, %"),
    "termination-load": ("load over SR", "over-termination, %"),
    "termination-time": ("load over SR", "termination time, s"),
    "termination-aggregation": ("aggregates at twice SR", "over-termination, %"),
}
"""What each figure shows, across and up."""


@dataclass(frozen=True)
class Point:
    """One point of a figure: a scheme at `x`, and the case that gives it."""

    figure: str
    scheme: str
    x: float
    case: Case
    settings: Settings


def points() -> list[Point]:
    """All points of all figures, under the study's chosen readings."""
    chosen = Readings(load("pcn").document).settings()
    found = []
    for scheme in SCHEMES:
        for x in LOADS:
            case = Case(ADMISSION, "CBR", SINGLE, scheme=scheme)
            found.append(Point("admission-load", scheme, x, case, _offered(chosen, x)))
        for n in AGGREGATES:
            for figure, randomized in (("admission-aggregation", False), ("admission-randomised", True)):
                case = Case(ADMISSION, "CBR", RTT, n, scheme, randomized=randomized)
                found.append(Point(figure, scheme, n, case, chosen))
        for x in OVERLOADS:
            case = Case(TERMINATION, "CBR", SINGLE, scheme=scheme, randomized=True, load=x)
            found += [Point(figure, scheme, x, case, chosen) for figure in ("termination-load", "termination-time")]
        for n in AGGREGATES_OVERLOADED:
            case = Case(TERMINATION, "CBR", RTT, n, scheme, randomized=True, load=2.0)
            found.append(Point("termination-aggregation", scheme, n, case, chosen))
    return found


def compare(runs: int, jobs: int | None = None, store: Store | None = None) -> list[tuple[Point, Estimate]]:
    """Runs every point `runs` times, all schemes with the same random numbers."""
    wanted = points()
    requests = [
        RunRequest(
            scenario(p.settings, p.case), (), SEED, n, f"{p.figure}-{p.scheme}-{p.x:g}", hops(p.settings, p.case)
        )
        for p in wanted
        for n in range(runs)
    ]
    with Progress() as progress:
        results = iter(run_all(requests, jobs=jobs, store=store, progress=progress))
    return [(point, Estimate.of([_value(point, next(results)) for _ in range(runs)])) for point in wanted]


def as_json(compared: Iterable[tuple[Point, Estimate]]) -> str:
    """The points with their means and intervals."""
    rows = [
        {
            "figure": point.figure,
            "scheme": point.scheme,
            "x": point.x,
            "mean": estimate.mean,
            "ci_low": estimate.low,
            "ci_high": estimate.high,
            "runs": estimate.runs,
        }
        for point, estimate in compared
    ]
    return json.dumps(rows, indent=1) + "\n"


def draw(compared: Sequence[tuple[Point, Estimate]], folder: Path) -> None:
    """One SVG per figure; needs matplotlib."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    # Text stays text and element names stay the same, so that equal numbers give equal files.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "penstock"}):
        for name, (across, up) in FIGURES.items():
            axes = (figure := Figure(figsize=(6, 4), layout="constrained")).subplots()
            for scheme in SCHEMES:
                own = [(p.x, e) for p, e in compared if (p.figure, p.scheme) == (name, scheme)]
                half = [0.0 if e.low is None else e.mean - e.low for _, e in own]
                axes.errorbar([x for x, _ in own], [e.mean for _, e in own], half, marker="o", capsize=3, label=scheme)
            axes.axhline(0, color="grey", linewidth=0.5)
            axes.set(xlabel=across, ylabel=up, xscale="log" if "aggregates" in across else "linear")
            axes.legend()
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})


def _offered(settings: Settings, factor: float) -> Settings:
    """With calls at `factor` times AR instead of five times."""
    key = "admission.single_link.cbr.call_interval_per_iea_s"
    return Settings({**settings, key: settings[key] * settings["admission.load_over_admissible_rate"] / factor})


def _value(point: Point, result: RunResult) -> float:
    if point.case.kind == ADMISSION:
        return admission(point.settings, point.case, result)[0]
    shot = termination(point.settings, point.case, result)
    return shot.time if point.figure == "termination-time" else shot.over[0]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Five PCN schemes side by side.")
    parser.add_argument("folder", type=Path, help="where the table and the figures go")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--jobs", type=int)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    compared = compare(arguments.runs, arguments.jobs, Store(arguments.folder / "runs"))
    (arguments.folder / "schemes.json").write_text(as_json(compared), encoding="utf-8")
    try:
        draw(compared, arguments.folder)
    except ImportError:
        print("No figures: they need matplotlib (pip install matplotlib).")


if __name__ == "__main__":
    main()
