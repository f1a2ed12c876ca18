"""The numbers of a scenario, laid out for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock import _core
from penstock.cli.console import show, table
from penstock.printable import one_line
from penstock.statistics import LEVEL, Interval
from penstock.unit_scale import scale

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from penstock.results import Summary
    from penstock.studies.compare import Compare
    from penstock.studies.result import StudyResult

__all__ = ["made_from", "rows_of", "short_names", "show_results"]

_SETTINGS = 5
"""The most settings that are named below a table."""


def show_results(result: StudyResult, replication: int | None = None) -> None:
    """One line per metric and point, and below them how many runs there were and how sure they are."""
    from rich.markup import escape

    plan, runs, varied = result.plan, result.runs, result.parameters
    description = plan.description or result.points[0].asked.scenario.description
    title = f"{one_line(plan.name)}: {one_line(description)}" if description else one_line(plan.name)
    rows = rows_of(result.summaries(), varied)
    columns = ["metric", "of", *short_names(varied), "mean", "unit", "runs"]
    show(table(title, columns, rows, right=["mean", "runs"]))
    points = len(result.points)
    cached = sum(run.cached for run in runs)
    count = f"{len(runs)} run{'s' * (len(runs) != 1)}" + (f" of {points} points" if points > 1 else "")
    which = count if replication is None else f"replication {replication}{' of each point' * (points > 1)}"
    seeds = list(dict.fromkeys(point.asked.seed for point in result.points))
    seed = f"seed {seeds[0]}" if len(seeds) == 1 else f"seeds {', '.join(map(str, seeds))}"
    kept = f" ({cached} from the store)" if cached else ""
    sure = (
        "± is half of the 95 % confidence interval"
        if any(len(point.runs) > 1 for point in result.points)
        else "nothing is known about the error of a single run"
    )
    show(f"{which}, {seed}{kept}; {sure}.")
    show(escape(made_from(result)))
    if plan.precision is not None:
        numbers = [len(point.runs) for point in result.points]
        each = str(numbers[0]) if len(set(numbers)) == 1 else f"{min(numbers)} to {max(numbers)}"
        goal = f"±{plan.precision.goal} of {escape(one_line(plan.precision.metric))}"
        show(f"{each} runs of each point, until {goal} (Law's sequential rule).")
    if result.warm_up is not None and plan.warm_up is not None:
        found = f"warm-up {result.warm_up.text}, by MSER-5 of {escape(one_line(plan.warm_up.metric))}"
        show(f"{found} in {plan.warm_up.windows} windows; the longest of all points.")
    if plan.compare is not None:
        _show_comparisons(result, plan.compare)


def made_from(result: StudyResult) -> str:
    """What all points were made from, and what differs between them beside the parameters in the columns."""
    found = [point.provenance for point in result.points if point.runs]
    times = [
        f"{name} {_seconds([value for value in values if value is not None])}"
        for name, values in (
            ("duration", [each.duration_s for each in found]),
            ("warm-up", [each.warm_up_s for each in found]),
        )
    ]
    model = f"model {_core.MODEL_VERSION[:12]}"
    same = {
        path: value
        for path, value in (found[0].settings.items() if found else ())
        if path not in result.parameters and all(each.settings.get(path) == value for each in found)
    }
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


def _show_comparisons(result: StudyResult, what: Compare) -> None:
    """The paired differences to the baseline, and what chance could make of them."""
    found = result.comparisons()
    others = [name for name in result.parameters if name != what.parameter]
    scales: dict[tuple[str, str], list[float]] = {}
    for each in found:
        scales.setdefault((each.metric, each.unit), []).append(each.found.difference)
    rows = []
    for each in found:
        shown = scale(each.metric.partition("[")[0], each.unit, scales[each.metric, each.unit])
        difference = each.found
        text = shown.text(Interval(difference.difference, difference.low, difference.high, each.runs))
        point = (str(each.others.get(name, "")) for name in others)
        sure = "yes" if each.p_holm < 1 - LEVEL else "no"
        rows.append(
            (each.metric, *point, str(each.value), text, shown.unit, f"{each.p_holm:.2g}", sure, str(each.runs))
        )
    name = short_names(result.parameters)[result.parameters.index(what.parameter)]
    columns = ["metric", *short_names(others), name, "difference", "unit", "p", "significant", "pairs"]
    show(table(f"Less {name} = {what.baseline}", columns, rows, right=["difference", "p", "pairs"]))
    show("Differences of runs with the same random numbers; p by Holm's procedure over all of them.")


def short_names(paths: Sequence[str]) -> list[str]:
    """The ends of paths, as long as it takes to tell them from one another.

    Examples
    --------
    >>> short_names(["r1-r2.queue.red.limit", "r1-r2.rate", "r2-r3.rate"])
    ['limit', 'r1-r2.rate', 'r2-r3.rate']
    """
    parts = [path.split(".") for path in paths]

    def end(own: Sequence[str], length: int) -> str:
        return ".".join(own[-length:])

    return [
        next(
            (end(own, n) for n in range(1, len(own)) if sum(end(other, n) == end(own, n) for other in parts) == 1),
            ".".join(own),
        )
        for own in parts
    ]


def rows_of(summaries: Sequence[Summary], varied: Sequence[str] = ()) -> list[tuple[str, ...]]:
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
        point = (str(summary.point.get(name, "")) for name in varied)
        what = (summary.metric, _of(labels))
        rows.append((*what, *point, shown.text(summary.interval), shown.unit, str(summary.interval.runs)))
    order = {what: rank for rank, what in enumerate(dict.fromkeys(row[:2] for row in rows))}
    return sorted(rows, key=lambda row: order[row[:2]]) if varied else rows


def _statistic(summary: Summary) -> str | None:
    """What it says of its members or packets; each quantile is something of its own."""
    return summary.labels.get("statistic", summary.labels.get("quantile"))


def _is_idle(summary: Summary) -> bool:
    """Whether it counts a cause that never came up."""
    return "cause" in summary.labels and not any(summary.values)


def _group(summary: Summary) -> Hashable:
    """What the causes have in common that split one number of one point."""
    labels = tuple((key, value) for key, value in summary.labels.items() if key != "cause")
    return summary.metric, labels, tuple(summary.point.items())


def _of(labels: Mapping[str, str]) -> str:
    """What a number is of: the single flow or link, else the group, then what else tells it from others."""
    whole = next((key for key in ("flow", "link", "of") if key in labels), None)
    first = [] if whole is None else [labels[whole]]
    rest = (f"{key}={value}" for key, value in labels.items() if key not in (whole, "of"))
    return " ".join([*first, *rest])
