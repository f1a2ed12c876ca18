"""The numbers of a study as lines of a table, and what they were made from, for the terminal and for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock import _core
from penstock.finished import finished_of, group_of
from penstock.metric_properties import counts_finished, is_of_finished
from penstock.parameter_columns import NO_PARAMETERS
from penstock.printable import one_line
from penstock.provenance import Provenance
from penstock.short_values import value_text
from penstock.unit_scale import scale

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from penstock.finished import Finished
    from penstock.parameter_columns import ParameterColumns
    from penstock.results import Summary
    from penstock.studies.point_result import PointResult

__all__ = ["how_sure", "made_from", "of_text", "rows_of", "table_of"]

_SETTINGS = 5
"""The most settings that are named below a table."""


def how_sure(points: Sequence[PointResult], replication: int | None = None) -> str:
    """Number of runs, their seeds, and what is known about the error of their means.

    Parameters
    ----------
    points : sequence of PointResult
        The points of a study.
    replication : int, optional
        The only replication that was run.
    """
    runs = sum(len(point.runs) for point in points)
    cached = sum(point.cached for point in points)
    count = f"{runs} run{'s' * (runs != 1)}" + (f" of {len(points)} points" if len(points) > 1 else "")
    which = count if replication is None else f"replication {replication}{' of each point' * (len(points) > 1)}"
    seeds = list(dict.fromkeys(point.asked.seed for point in points))
    seed = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {', '.join(map(str, seeds))}"
    kept = f" ({cached} from the store)" if cached else ""
    sure = (
        "± is half of the 95 % confidence interval"
        if any(len(point.runs) > 1 for point in points)
        else "nothing is known about the error of a single run"
    )
    return f"{which}, {seed}{kept}; {sure}."


def made_from(found: Sequence[Provenance], varied: Sequence[str]) -> str:
    """What all points were made from; `varied` are the parameters that stand in columns of their own."""
    times = [
        f"{name} {_seconds([value for value in values if value is not None])}"
        for name, values in (
            ("duration", [each.duration_s for each in found]),
            ("warm-up", [each.warm_up_s for each in found]),
        )
    ]
    model = f"model {_core.MODEL_VERSION[:12]}"
    same = {path: value for path, value in Provenance.shared(found).settings.items() if path not in varied}
    told = [one_line(f"{path} = {value}") for path, value in list(same.items())[:_SETTINGS]]
    more = [f"{len(same) - _SETTINGS} more settings"] * (len(same) > _SETTINGS)
    settings = [f"with {', '.join([*told, *more])}"] * bool(told)
    return f"{', '.join([*times, model, *settings])}."


def _seconds(values: Sequence[float]) -> str:
    """One time in seconds, or from which to which they go.

    Examples
    --------
    >>> _seconds([20.0, 20.0]), _seconds([10.0, 0.5])
    ('20 s', '0.5 to 10 s')
    """
    if not values:
        return "unknown"
    least, most = min(values), max(values)
    return f"{least:g} s" if least == most else f"{least:g} to {most:g} s"


def table_of(
    summaries: Sequence[Summary], columns: ParameterColumns = NO_PARAMETERS
) -> tuple[list[str], list[tuple[str, ...]]]:
    """The names of the columns and the lines of :func:`rows_of`, with a column for how many transfers finished.

    That column takes the place of lines that count them, and is there where a number is of finished transfers.
    """
    heads = ["metric", "of", *columns.heads, "mean", "unit", "runs"]
    finished = finished_of(summaries)
    told = {group_of(summary) for summary in summaries if is_of_finished(summary.metric)} & {*finished}
    if not told:
        return heads, rows_of(summaries, columns)
    kept = [summary for summary in summaries if not counts_finished(summary.metric) or group_of(summary) not in told]
    return [*heads, "finished"], rows_of(kept, columns, finished)


def rows_of(
    summaries: Sequence[Summary],
    columns: ParameterColumns = NO_PARAMETERS,
    finished: Mapping[Hashable, Finished] | None = None,
) -> list[tuple[str, ...]]:
    """The lines: metric, what it is of, the point, mean, unit and runs; causes that never came up share a line.

    The points of a metric stand below one another.
    """
    by_metric: dict[str, list[Summary]] = {}
    idle: dict[Hashable, list[Summary]] = {}
    for summary in summaries:
        by_metric.setdefault(summary.metric, []).append(summary)
        if _is_idle(summary):
            idle.setdefault(_group(summary), []).append(summary)
    plain = {
        metric for metric, found in by_metric.items() if len({_statistic(summary) for summary in found} - {None}) == 1
    }
    # One scale for all numbers of a metric, so that they compare; the states of meters have several units.
    means: dict[tuple[str, str], list[float]] = {}
    for summary in summaries:
        means.setdefault((summary.metric, summary.unit), []).append(summary.interval.mean)
    scales = {(metric, unit): scale(metric, unit, found) for (metric, unit), found in means.items()}
    rows: list[tuple[str, ...]] = []
    for summary in summaries:
        labels = dict(summary.labels)
        alike = idle.get(_group(summary), []) if _is_idle(summary) else []
        if len(alike) > 1:
            if summary is not alike[-1]:
                continue
            every = sum(_group(other) == _group(summary) for other in by_metric[summary.metric])
            labels["cause"] = "all" if len(alike) == every else "all-others"
        if summary.metric in plain:
            labels.pop("statistic", None)
        shown = scales[summary.metric, summary.unit]
        what = (summary.metric, of_text(labels))
        number = (shown.text(summary.interval), shown.unit, str(summary.interval.runs))
        rows.append((*what, *columns.cells(summary.point), *number, *_finished(summary, finished)))
    metrics = {metric: rank for rank, metric in enumerate(by_metric)}
    order = {what: rank for rank, what in enumerate(dict.fromkeys(row[:2] for row in rows))}
    return sorted(rows, key=lambda row: (metrics[row[0]], order[row[:2]])) if columns.paths else rows


def _finished(summary: Summary, finished: Mapping[Hashable, Finished] | None) -> list[str]:
    """The cell that says how many transfers a number is of; none in a table without that column."""
    if finished is None:
        return []
    found = finished.get(group_of(summary)) if is_of_finished(summary.metric) else None
    return ["" if found is None else found.text]


def _statistic(summary: Summary) -> str | None:
    """What it says of its members or packets; each quantile is something of its own."""
    return summary.labels.get("statistic", summary.labels.get("quantile"))


def _is_idle(summary: Summary) -> bool:
    """Whether it counts a cause that never came up."""
    return "cause" in summary.labels and not any(summary.values)


def _group(summary: Summary) -> Hashable:
    """What the causes have in common that split one number of one point."""
    labels = tuple((key, value) for key, value in summary.labels.items() if key != "cause")
    return summary.metric, labels, tuple((name, value_text(value)) for name, value in summary.point.items())


def of_text(labels: Mapping[str, str]) -> str:
    """What a number is of: the single flow or link, else the group, then what else tells it from others."""
    whole = next((key for key in ("flow", "link", "of") if key in labels), None)
    first = [] if whole is None else [labels[whole]]
    rest = (f"{key}={value}" for key, value in labels.items() if key not in (whole, "of"))
    return " ".join([*first, *rest])
