"""The numbers of a scenario, laid out for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.console import show, table
from penstock.results import plus_minus, summarise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.records import RunResult

__all__ = ["show_results"]


def show_results(
    name: str, description: str | None, seed: int, replication: int | None, results: Sequence[RunResult]
) -> None:
    """One line per metric, and below them how many runs there were and how sure they are."""
    rows = [
        (
            summary.metric,
            _of(summary.labels),
            plus_minus(summary.interval),
            summary.unit,
            str(summary.interval.runs),
        )
        for summary in summarise(results)
    ]
    title = f"{name}: {description}" if description else name
    show(table(title, ["metric", "of", "mean", "unit", "runs"], rows, right=["mean", "runs"]))
    cached = sum(result.cached for result in results)
    which = f"{len(results)} runs, seed {seed}" if replication is None else f"replication {replication}, seed {seed}"
    kept = f" ({cached} from the store)" if cached else ""
    sure = (
        "± is half of the 95 % confidence interval" if len(results) > 1 else "one run: nothing is known about its error"
    )
    show(f"{which}{kept}; {sure}.")


def _of(labels: Mapping[str, str]) -> str:
    """What a number is of: the single flow or link, else the group, then what else tells it from others."""
    whole = next((key for key in ("flow", "link", "of") if key in labels), None)
    first = [] if whole is None else [labels[whole]]
    return " ".join([*first, *(f"{key}={value}" for key, value in labels.items() if key not in (whole, "of"))])
