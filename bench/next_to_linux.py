"""The table of the page "Next to Linux", from results of its comparison.

As root, with iperf3, on a machine that is idle otherwise (36 minutes):

    penstock compare-hosts examples/next-to-linux/study.toml --out result.json
    python bench/next_to_linux.py result.json
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


def main() -> None:
    """Prints the lines of all files."""
    print("| control | flows | queue | goodput, Mbit/s | loss, % | wait, ms | window, segments |")
    print("|---|---|---|---|---|---|---|")
    for file in sys.argv[1:]:
        for cell in json.loads(Path(file).read_text(encoding="utf-8"))["cells"]:
            print(row(cell))


if __name__ == "__main__":
    main()
