"""Table of the results of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.console import show, table
from penstock.parameter_columns import parameter_columns, short_names
from penstock.printable import one_line
from penstock.statistics import LEVEL, Interval
from penstock.tabulation import how_sure, made_from, table_of
from penstock.unit_scale import scale

if TYPE_CHECKING:
    from penstock.studies.compare import Compare
    from penstock.studies.result import StudyResult


def show_results(result: StudyResult, replication: int | None = None) -> None:
    """Shows a line per metric and point; below the table, the number of runs and their intervals."""
    plan = result.plan
    parameters = parameter_columns([point.parameters for point in result.points], result.parameters)
    description = plan.description or result.points[0].asked.scenario.description
    title = f"{one_line(plan.name)}: {one_line(description)}" if description else one_line(plan.name)
    columns, rows = table_of(result.summaries(), parameters)
    show(table(title, columns, rows, right=["mean", "runs", "finished"]))
    show(*parameters.notes)
    show(how_sure(result.points, replication))
    show(made_from(result.provenances, result.parameters))
    if plan.precision is not None:
        numbers = [len(point.runs) for point in result.points]
        each = str(numbers[0]) if len(set(numbers)) == 1 else f"{min(numbers)} to {max(numbers)}"
        goal = f"±{plan.precision.goal} of {one_line(plan.precision.metric)}"
        show(f"{each} runs of each point, until {goal} (Law's sequential rule).")
    if result.warm_up is not None and plan.warm_up is not None:
        found = f"warm-up {result.warm_up.text}, by MSER-5 of {one_line(plan.warm_up.metric)}"
        show(f"{found} in {plan.warm_up.windows} windows; the longest of all points.")
    if plan.compare is not None:
        _show_comparisons(result, plan.compare)


def _show_comparisons(result: StudyResult, what: Compare) -> None:
    """Shows the paired differences to the baseline with their p-values."""
    found = result.comparisons()
    points = [{**each.others, what.parameter: each.value} for each in found]
    others = parameter_columns(points, [name for name in result.parameters if name != what.parameter])
    compared = parameter_columns([point.parameters for point in result.points], [what.parameter])
    scales: dict[tuple[str, str], list[float]] = {}
    for each in found:
        scales.setdefault((each.metric, each.unit), []).append(each.found.difference)
    rows = []
    for each, point in zip(found, points, strict=True):
        shown = scale(each.metric.partition("[")[0], each.unit, scales[each.metric, each.unit])
        difference = each.found
        text = shown.text(Interval(difference.difference, difference.low, difference.high, each.runs))
        value = compared.cell(what.parameter, each.value)
        sure = "yes" if each.p_holm < 1 - LEVEL else "no"
        cells = (each.metric, *others.cells(point), value, text, shown.unit)
        rows.append((*cells, f"{each.p_holm:.2g}", sure, str(each.runs)))
    name = short_names(result.parameters)[result.parameters.index(what.parameter)]
    columns = ["metric", *others.heads, name, "difference", "unit", "p", "significant", "pairs"]
    baseline = compared.cell(what.parameter, what.baseline)
    show(table(f"Differences from {name} = {baseline}", columns, rows, right=["difference", "p", "pairs"]))
    show("Differences of runs with the same random numbers; p by Holm's procedure over all of them.")
