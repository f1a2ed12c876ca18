"""The numbers of a study as lines of a table, and what they were made from, for terminals and notebooks."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from penstock import _core
from penstock.finished import Finished, finished_of, group_of
from penstock.parameter_columns import ParameterColumns, parameter_columns, short_names
from penstock.printable import one_line, things
from penstock.provenance import Provenance
from penstock.results import Summary, grouped
from penstock.short_values import value_text
from penstock.statistics import LEVEL, Interval
from penstock.studies.compare import Compare, Contrast
from penstock.studies.request import PointResult
from penstock.unit_scale import counts_finished, is_of_finished, scale

_MOST_SETTINGS = 5


def how_sure(points: Sequence[PointResult], replication: int | None = None) -> str:
    """Number of runs (or the one `replication` that was run), their seeds, and the known error of their means."""
    runs = sum(len(point.runs) for point in points)
    cached = sum(point.cached for point in points)
    count = things(runs, "run") + (f" of {len(points)} points" if len(points) > 1 else "")
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


def about_means(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Explains the means of a table of :func:`table_of` that have no ±, a sentence each.

    >>> about_means(["mean", "runs"], [("4 (0.28 to 32)", "5"), ("9.1 ±0.2", "5"), ("0", "1")])
    ['4 (0.28 to 32): the 95 % confidence interval is from 0.28 to 32; its sides are unequal.']
    >>> about_means(["mean", "mean", "runs"], [("40", "0", "5")])
    ['0 without an interval: all runs gave this value, so nothing is known about its error.']
    """
    # Parameters, which may have these names too, are before them.
    mean, runs = (max(i for i, column in enumerate(columns) if column == name) for name in ("mean", "runs"))
    means = {row[mean]: None for row in rows if row[runs] != "1"}
    unequal = [text for text in means if text.endswith(")")]
    alone = [text for text in means if text in ("0", "1", "100")]
    found = []
    if unequal:
        bounds = unequal[0].partition(" (")[2].removesuffix(")")
        found.append(f"{unequal[0]}: the 95 % confidence interval is from {bounds}; its sides are unequal.")
    if alone:
        which = " or ".join(alone)
        found.append(f"{which} without an interval: all runs gave this value, so nothing is known about its error.")
    return found


def made_from(found: Sequence[Provenance], varied: Sequence[str]) -> str:
    """Returns what all points were made from; `varied` parameters have columns of their own."""
    times = [
        f"duration {_seconds(each.duration_s for each in found)}",
        f"warm-up {_seconds(each.warm_up_s for each in found)}",
    ]
    model = f"model {_core.MODEL_VERSION[:12]}"
    same = {path: value for path, value in Provenance.shared(found).settings.items() if path not in varied}
    told = [one_line(f"{path} = {value}") for path, value in list(same.items())[:_MOST_SETTINGS]]
    more = [f"{len(same) - _MOST_SETTINGS} more settings"] * (len(same) > _MOST_SETTINGS)
    settings = [f"with {', '.join([*told, *more])}"] * bool(told)
    return f"{', '.join([*times, model, *settings])}."


def _seconds(values: Iterable[float | None]) -> str:
    """One time in seconds, or its range, of the known values.

    >>> _seconds([20.0, 20.0]), _seconds([10.0, 0.5])
    ('20 s', '0.5 to 10 s')
    """
    known = [value for value in values if value is not None]
    if not known:
        return "unknown"
    least, most = min(known), max(known)
    return f"{least:g} s" if least == most else f"{least:g} to {most:g} s"


def table_of(summaries: Sequence[Summary], columns: ParameterColumns) -> tuple[list[str], list[tuple[str, ...]]]:
    """Returns the column names and the lines of :func:`rows_of`; counts of finished transfers are a column."""
    heads = ["metric", "of", *columns.heads, "mean", "unit", "runs"]
    finished = finished_of(summaries)
    told = {group_of(summary) for summary in summaries if is_of_finished(summary.metric)} & {*finished}
    kept = [summary for summary in summaries if not counts_finished(summary.metric) or group_of(summary) not in told]
    return [*heads, *["finished"] * bool(told)], rows_of(kept, columns, finished if told else {})


def rows_of(
    summaries: Sequence[Summary], columns: ParameterColumns, finished: Mapping[Hashable, Finished]
) -> list[tuple[str, ...]]:
    """Returns the lines, grouped by metric; causes that never occurred share a line."""
    summaries = without_statistic(summaries)
    by_metric = grouped(summaries, lambda each: each.metric)
    idle = grouped(filter(_is_idle, summaries), _group)
    # One scale for all numbers of a metric, so that they compare; the states of meters have several units.
    scales = {
        (metric, unit): scale(metric, unit, [each.interval.mean for each in found])
        for (metric, unit), found in grouped(summaries, lambda each: (each.metric, each.unit)).items()
    }
    rows: list[tuple[str, ...]] = []
    for summary in summaries:
        labels = dict(summary.labels)
        alike = idle.get(_group(summary), []) if _is_idle(summary) else []
        if len(alike) > 1:
            if summary is not alike[-1]:
                continue
            every = sum(_group(other) == _group(summary) for other in by_metric[summary.metric])
            labels["cause"] = "all" if len(alike) == every else "all-others"
        shown = scales[summary.metric, summary.unit]
        what = (summary.metric, of_text(labels))
        number = (shown.text(summary.interval), shown.unit, str(summary.interval.runs))
        found = finished.get(group_of(summary)) if finished and is_of_finished(summary.metric) else None
        counts = ["" if found is None else found.text] if finished else []
        rows.append((*what, *columns.cells(summary.point), *number, *counts))
    metrics = {metric: rank for rank, metric in enumerate(by_metric)}
    order = {what: rank for rank, what in enumerate(dict.fromkeys(row[:2] for row in rows))}
    return sorted(rows, key=lambda row: (metrics[row[0]], order[row[:2]])) if columns.paths else rows


def without_statistic(summaries: Sequence[Summary]) -> list[Summary]:
    """Returns the summaries without their statistic where a metric has only one; each quantile counts as one."""
    several: dict[str, set[str]] = {}
    for each in summaries:
        if name := each.labels.get("statistic", each.labels.get("quantile")):
            several.setdefault(each.metric, set()).add(name)
    return [
        each
        if len(several.get(each.metric, ())) > 1
        else replace(each, labels={name: text for name, text in each.labels.items() if name != "statistic"})
        for each in summaries
    ]


def _is_idle(summary: Summary) -> bool:
    return "cause" in summary.labels and not any(summary.values)


def _group(summary: Summary) -> Hashable:
    """What all causes of one number of one point have in common."""
    labels = tuple((key, value) for key, value in summary.labels.items() if key != "cause")
    return summary.metric, labels, tuple((name, value_text(value)) for name, value in summary.point.items())


def of_text(labels: Mapping[str, str]) -> str:
    """Returns the labels of a number: the flow or link, else the group, then the others."""
    whole = next((key for key in ("flow", "link", "of") if key in labels), None)
    first = [] if whole is None else [labels[whole]]
    rest = (f"{key}={value}" for key, value in labels.items() if key not in (whole, "of"))
    return " ".join([*first, *rest])


def contrasts_of(
    found: Sequence[Contrast], what: Compare, all_points: Sequence[Mapping[str, Any]], parameters: Sequence[str]
) -> tuple[list[str], str, list[tuple[Contrast, tuple[str, ...], bool]]]:
    """Heads, the baseline, and each contrast with its cells and whether it is significant."""
    points = [{**each.others, what.parameter: each.value} for each in found]
    others = parameter_columns(points, [name for name in parameters if name != what.parameter])
    compared = parameter_columns(all_points, [what.parameter])
    alike = grouped(found, lambda each: (each.metric, each.unit))
    rows = []
    for each, point in zip(found, points, strict=True):
        differences = [other.found.difference for other in alike[each.metric, each.unit]]
        shown = scale(each.metric.partition("[")[0], each.unit, differences)
        text = shown.text(Interval(each.found.difference, each.found.low, each.found.high, each.runs))
        value = compared.cell(what.parameter, each.value)
        rows.append((each, (each.metric, *others.cells(point), value, text, shown.unit), each.p_holm < 1 - LEVEL))
    name = short_names(parameters)[parameters.index(what.parameter)]
    heads = ["metric", *others.heads, name, "difference", "unit"]
    return heads, compared.cell(what.parameter, what.baseline), rows
