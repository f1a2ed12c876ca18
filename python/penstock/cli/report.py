"""The numbers of a scenario, laid out for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.console import show, table
from penstock.cli.readable import scale
from penstock.results import summarise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.records import RunResult
    from penstock.results import Summary

__all__ = ["show_results"]


def show_results(
    name: str, description: str | None, seed: int, replication: int | None, results: Sequence[RunResult]
) -> None:
    """One line per metric, and below them how many runs there were and how sure they are."""
    title = f"{name}: {description}" if description else name
    rows = rows_of(summarise(results))
    show(table(title, ["metric", "of", "mean", "unit", "runs"], rows, right=["mean", "runs"]))
    cached = sum(result.cached for result in results)
    count = f"{len(results)} run{'s' * (len(results) != 1)}"
    which = f"{count}, seed {seed}" if replication is None else f"replication {replication}, seed {seed}"
    kept = f" ({cached} from the store)" if cached else ""
    sure = (
        "± is half of the 95 % confidence interval"
        if len(results) > 1
        else "nothing is known about the error of a single run"
    )
    show(f"{which}{kept}; {sure}.")


def rows_of(summaries: Sequence[Summary]) -> list[tuple[str, ...]]:
    """The lines: metric, what it is of, mean, unit and runs; causes of drops that never came up share a line."""
    by_metric: dict[str, list[Summary]] = {}
    for summary in summaries:
        by_metric.setdefault(summary.metric, []).append(summary)
    rows: list[tuple[str, ...]] = []
    for metric, found in by_metric.items():
        statistics = {summary.labels["statistic"] for summary in found if "statistic" in summary.labels}
        hidden = {"statistic"} if len(statistics) == 1 else set()
        # A metric has one unit, whatever its labels.
        shown = scale(metric, found[0].unit, (summary.interval.mean for summary in found))
        for summary, of in _without_idle_causes(found, hidden):
            rows.append((metric, of, shown.text(summary.interval), shown.unit, str(summary.interval.runs)))
    return rows


def _without_idle_causes(found: Sequence[Summary], hidden: set[str]) -> list[tuple[Summary, str]]:
    """Each number and what it is of; where several causes are zero in every run, one line stands for them."""
    groups: dict[tuple[tuple[str, str], ...], list[Summary]] = {}
    for summary in found:
        groups.setdefault(tuple((key, value) for key, value in summary.labels.items() if key != "cause"), []).append(
            summary
        )
    lines = []
    for of_group in groups.values():
        idle = [summary for summary in of_group if "cause" in summary.labels and not any(summary.values)]
        if len(idle) < 2:
            idle = []
        lines += [(summary, _of(summary.labels, hidden)) for summary in of_group if summary not in idle]
        if idle:
            word = "all" if len(idle) == len(of_group) else "all-others"
            lines.append((idle[0], _of({**idle[0].labels, "cause": word}, hidden)))
    return lines


def _of(labels: Mapping[str, str], hidden: set[str]) -> str:
    """What a number is of: the single flow or link, else the group, then what else tells it from others."""
    whole = next((key for key in ("flow", "link", "of") if key in labels), None)
    first = [] if whole is None else [labels[whole]]
    rest = (f"{key}={value}" for key, value in labels.items() if key not in {whole, "of"} | hidden)
    return " ".join([*first, *rest])
