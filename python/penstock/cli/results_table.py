"""Table of the results of a study."""

from penstock.cli.console import show, table, titled
from penstock.parameter_columns import parameter_columns
from penstock.printable import one_line
from penstock.studies.compare import Compare
from penstock.studies.result import StudyData
from penstock.tabulation import about_means, contrasts_of, how_sure, made_from, table_of


def show_results(result: StudyData, replication: int | None = None) -> None:
    """Shows a line per metric and point; below the table, the number of runs and their intervals."""
    plan = result.plan
    parameters = parameter_columns([point.parameters for point in result.points], result.parameters)
    description = plan.description or result.points[0].asked.scenario.description
    columns, rows = table_of(result.summaries(), parameters)
    show(table(titled(plan.name, description), columns, rows, right=["mean", "runs", "finished"]))
    show(*parameters.notes)
    show(how_sure(result.points, replication))
    show(*about_means(columns, rows))
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


def _show_comparisons(result: StudyData, what: Compare) -> None:
    """Shows the paired differences to the baseline with their p-values."""
    points = [point.parameters for point in result.points]
    heads, baseline, found = contrasts_of(result.comparisons(), what, points, result.parameters)
    rows = [
        (*cells, f"{each.p_holm:.2g}", "yes" if is_sure else "no", str(each.runs)) for each, cells, is_sure in found
    ]
    columns = [*heads, "p", "significant", "pairs"]
    show(table(f"Differences from {heads[-3]} = {baseline}", columns, rows, right=["difference", "p", "pairs"]))
    show("Differences of runs with the same random numbers; p by Holm's procedure over all of them.")
