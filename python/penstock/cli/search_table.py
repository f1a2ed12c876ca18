"""Tables of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.console import show, table
from penstock.cli.sensitivity_table import show_ranges
from penstock.parameter_columns import short_names
from penstock.printable import one_line, things
from penstock.statistics import Interval
from penstock.studies.definition import value_text
from penstock.tabulation import made_from
from penstock.unit_scale import scale

if TYPE_CHECKING:
    from penstock.search import SearchResult, Trial

_SHOWN = 12
"""Maximum number of lines about earlier best settings."""


def show_search(result: SearchResult) -> None:
    """Shows the finalists in fresh runs, earlier best settings, and the ranges."""
    question, plan = result.question, result.plan
    names = short_names(list(plan.ranges))
    shown = [trial.value or 0.0 for trial in result.leaders(1) or result.trials]
    fit = scale(question.metric.partition("[")[0], result.unit, shown)
    unit = f" ({fit.unit})" if fit.unit else ""
    aim = f"{'greatest' if question.greatest else 'least'} {question.metric}"
    where = "".join(f", {each.text}" for each in question.conditions)
    rows = []
    for each in result.finalists:
        less = each.less
        difference = "" if less is None else fit.text(Interval(less.difference, less.low, less.high, question.fresh))
        rows.append(
            (
                *(str(each.trial.number), *_values(each.trial)),
                fit.text(each.interval),
                fit.text(Interval(each.trial.value or 0.0, None, None, 1)),
                *(difference, "" if each.p is None else f"{each.p:.2g}", each.verdict(question.greatest)),
                *([each.meets] if question.conditions else []),
            )
        )
    columns = ["trial", *names, f"fresh{unit}", "in search", "less best", "p", "verdict"]
    columns += ["meets conditions"] * bool(question.conditions)
    if rows:
        show(
            table(
                f"{one_line(plan.name)}: {aim}{where}",
                columns,
                rows,
                right=["trial", f"fresh{unit}", "in search", "less best", "p"],
            )
        )
        show(
            f"fresh: {question.fresh} runs that had no part in the choice; ± is half of the 95 % interval. "
            f"In search: the mean of {plan.runs},\nby which trials were chosen and which flatters the best. "
            "p: of the difference, by Holm's procedure."
        )
    history = result.history()
    if history:
        moved = [
            (str(trial.number), *_values(trial), fit.text(Interval(trial.value or 0.0, None, None, 1)))
            for trial in history[-_SHOWN:]
        ]
        left = f" (the last {_SHOWN} times)" * (len(history) > _SHOWN)
        number = f"in search{unit}"
        show(table(f"how the best moved{left}", ["trial", *names, number], moved, right=["trial", number]))
    show_ranges(plan.ranges, names)
    feasible = sum(trial.is_feasible for trial in result.trials)
    failed = sum(trial.value is None for trial in result.trials)
    counts = f"{len(result.trials)} trials of {things(plan.runs, 'run')}, seed {result.seed}"
    met = f": {feasible} meet the conditions" if question.conditions else ""
    made = [each.point.provenance for each in result.trials if each.point is not None]
    show(f"{counts}{met}{f', {failed} without a number' if failed else ''}.")
    show(made_from(made, list(plan.ranges)))


def _values(trial: Trial) -> list[str]:
    return [value_text(value) for value in trial.parameters.values()]
