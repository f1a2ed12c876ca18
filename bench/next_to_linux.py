"""The table and the picture of the page "Next to Linux", from results of its comparison.

As root, with iperf3, on a machine that is idle otherwise (36 minutes):

    penstock compare-hosts examples/next-to-linux/study.toml --out result.json --windows windows.csv
    python bench/next_to_linux.py result.json
    python bench/next_to_linux.py windows.csv docs/images/next-to-linux.svg
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

METRICS = {"goodput": (1e6, 2), "loss": (0.01, 4), "wait": (1e-3, 2), "window": (1, 1)}
"""Columns: metrics with the unit of the page, and decimals."""
PREFIX = "flows.tcp.transport.tcp.congestion-control"


def mean(values: list[float]) -> float:
    """The mean of the pairs."""
    return sum(values) / len(values)


def row(cell: dict[str, Any]) -> str:
    """The line of a cell: Linux, simulated, and the difference."""
    parameters = cell["parameters"]
    queue, scheduler = (next(iter(parameters[f"links.r1-r2.{key}"])) for key in ("queue", "scheduler"))
    shown = [next(iter(parameters[PREFIX])), str(parameters["flows.tcp.count"])]
    shown.append(scheduler if scheduler != "fifo" else queue)
    of = {each["metric"]: each for each in cell["rows"]}
    for metric, (unit, decimals) in METRICS.items():
        linux, simulated = (f"{mean(of[metric][hosts]) / unit:.{decimals}f}" for hosts in ("linux", "simulated"))
        shown.append(f"{linux}, {simulated} ({100 * of[metric]['relative_difference']:+.1f} %)")
    return f"| {' | '.join(shown)} |"


def draw(windows: Path, picture: Path) -> None:
    """Draws the windows of one CUBIC flow at the plain queue, of the first pair of runs."""
    import matplotlib.pyplot as plt
    import polars as pl

    frame = pl.scan_csv(windows, infer_schema_length=0).filter(
        pl.col("variable") == "cwnd", pl.col("replication") == "0"
    )
    for word in ('"cubic"', '"tail-drop"', '"flows.tcp.count": 1}'):
        frame = frame.filter(pl.col("settings").str.contains(word, literal=True))
    frame = frame.select(pl.col("time_ps").cast(pl.Int64) / 1e12, pl.col("value").cast(pl.Float64), "scenario")
    plt.rcParams.update({"font.size": 8, "svg.fonttype": "none", "svg.hashsalt": "next-to-linux"})
    _, axes = plt.subplots(figsize=(7.16, 2.6), layout="constrained")
    for hosts, name, colour in (("linux", "Linux", "#0072B2"), ("simulated", "simulated", "#D55E00")):
        of = frame.filter(pl.col("scenario").str.contains(hosts, literal=True)).collect()
        axes.step(of["time_ps"], of["value"], where="post", label=name, color=colour, linewidth=1)
    axes.set(xlim=(0, 60), ylim=(0, None), xlabel="time (s)", ylabel="congestion window (segments)")
    axes.legend(loc="lower right", ncols=2)
    plt.savefig(picture, metadata={"Date": None})


def main() -> None:
    """Draws the windows of a CSV file, or prints the lines of all results."""
    if len(sys.argv) == 3 and sys.argv[1].endswith(".csv"):
        draw(Path(sys.argv[1]), Path(sys.argv[2]))
        return
    print("| control | flows | queue | goodput, Mbit/s | loss, % | wait, ms | window, segments |")
    print("|---|---|---|---|---|---|---|")
    for file in sys.argv[1:]:
        for cell in json.loads(Path(file).read_text(encoding="utf-8"))["cells"]:
            print(row(cell))


if __name__ == "__main__":
    main()
