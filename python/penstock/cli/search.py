"""``penstock search``: the best setting within ranges."""

from pathlib import Path
from typing import Annotated, Any

from penstock.cli import options
from penstock.cli.console import say, show, table, warn
from penstock.cli.cores import runner_told
from penstock.cli.dry_run import emit_dry_run
from penstock.cli.files import emit_as
from penstock.cli.studies import check_outputs, plan_of, read_ranges, save_plots, show_ranges
from penstock.cli.verb import option
from penstock.errors import PenstockError
from penstock.parameter_columns import short_names
from penstock.printable import command_text, one_line, things
from penstock.search.making import Search
from penstock.search.question import Question
from penstock.search.result import SearchResult, Trial
from penstock.statistics import Interval
from penstock.store import Store
from penstock.studies.definition import value_text
from penstock.tabulation import made_from

_MOST_MOVES = 12


def search(
    file: options.StudyFile,
    *,
    ranges: options.Range = None,
    minimise: Annotated[
        str | None, option("--minimise METRIC", "The metric to minimise, such as 'delay[voice, max]'.")
    ] = None,
    maximise: Annotated[str | None, option("--maximise METRIC", "The metric to maximise.")] = None,
    subject_to: Annotated[
        list[str] | None,
        option("--subject-to CONDITION", "Condition on a mean, such as 'loss[voice] < 1 %'; repeatable."),
    ] = None,
    trials: Annotated[int | None, option("--trials N", "Number of settings to try, 64 by default.")] = None,
    finalists: Annotated[
        int | None, option("--finalists N", "Number of best settings to run again, 5 by default.")
    ] = None,
    fresh: Annotated[
        int | None, option("--fresh N", "Fresh runs of each finalist, with other random numbers; 20 by default.")
    ] = None,
    runs: options.StudyRuns = None,
    seed: options.Seed = None,
    sets: options.Set = None,
    jobs: options.Jobs = None,
    on: options.On = "threads",
    threads: options.Threads = 1,
    memory: options.Memory = None,
    store: options.Store = None,
    dry_run: options.DryRun = False,
    plots: Annotated[list[Path] | None, options.plot_option("the trials")] = None,
    output: options.FrameOutput = "table",
    out: options.Results = None,
) -> None:
    """Search for the best setting within ranges.

    Tries settings in batches; each batch learns from those before. The best are run again with fresh random numbers,
    because a setting that was chosen for its number was partly lucky. An interrupted search continues where it was.
    Needs the extra 'search'.
    """
    output = check_outputs(output, file, out, plots or (), memory, dry_run=dry_run)
    plan = plan_of(file, options.read_sets(sets), runs, seed, read_ranges(ranges))
    given: dict[str, Any] = {
        "minimise": None if minimise is None else [minimise],
        "maximise": None if maximise is None else [maximise],
        "subject-to": subject_to,
        "trials": trials,
        "finalists": finalists,
        "fresh": fresh,
    }
    given = {key: value for key, value in given.items() if value is not None}
    # Another aim replaces that of the study.
    aims = {"minimise", "maximise"} if given.keys() & {"minimise", "maximise"} else set()
    asked = {key: value for key, value in plan.asks.get("search", {}).items() if key not in aims}
    question = Question.of({**asked, **given})
    wanted = Search(plan, question)
    kept = Store(store, tell=say)
    if dry_run:
        as_json = output == "json"
        emit_dry_run(plan.name, plan.description, wanted.first(), kept, jobs, as_json=as_json)
        if not as_json:
            total = question.trials * plan.runs
            most = question.finalists * question.fresh
            show(f"These are the first of {question.trials} trials: {total} runs, and up to {most} fresh ones.")
        return
    warn(wanted.middle.scenario.warnings)
    with runner_told(threads, jobs=jobs, store=kept, on=on) as runner:
        result = wanted.made_by(runner)
    warn(result.warnings)
    save_plots(result.plot, plots or ())
    if not emit_as(output, out, result.json, result.frame):
        _show(result)
    if result.best is None:
        raise PenstockError(f"none of {len(result.trials)} trials meets the conditions; all runs are kept.")


def _show(result: SearchResult) -> None:
    """Shows the finalists in fresh runs, earlier best settings, and the ranges."""
    question, plan = result.question, result.plan
    derived = list(dict.fromkeys(name for each in result.finalists for name in each.trial.derived))
    heads = short_names([*plan.ranges, *derived])
    names = heads[: len(plan.ranges)]
    fit = result.scale
    unit = f" ({fit.unit})" if fit.unit else ""
    aim = f"{'highest' if question.greatest else 'lowest'} {question.metric}"
    where = "".join(f", {each.text}" for each in question.conditions)
    rows = []
    for each in result.finalists:
        less = each.less
        difference = "" if less is None else fit.text(Interval(less.difference, less.low, less.high, question.fresh))
        in_search = fit.text(Interval(each.trial.value or 0.0, None, None, 1))
        p = "" if each.p is None else f"{each.p:.2g}"
        numbers = (fit.text(each.interval), in_search, difference, p, each.verdict(question.greatest))
        own = [value_text(each.trial.derived.get(name, "")) for name in derived]
        values = (str(each.trial.number), *_values(each.trial), *own)
        rows.append((*values, *numbers, *[each.meets] * bool(question.conditions)))
    columns = ["trial", *heads, f"fresh{unit}", "in search", "less best", "p", "verdict"]
    columns += ["meets conditions"] * bool(question.conditions)
    if rows:
        right = ["trial", f"fresh{unit}", "in search", "less best", "p"]
        show(table(f"{one_line(plan.name)}: {aim}{where}", columns, rows, right=right))
        show(
            f"fresh: {question.fresh} runs that had no part in the choice; ± is half of the 95 % interval. "
            f"In search: the mean of {plan.runs},\nby which trials were chosen and which flatters the best. "
            "p: of the difference, by Holm's procedure."
        )
    if result.best is not None:
        sets = [word for path, value in result.best.trial.sets for word in ("--set", f"{path}={value}")]
        show(f"The best as options: {command_text(sets)}")
    history = result.history()
    if history:
        moved = [
            (str(trial.number), *_values(trial), fit.text(Interval(trial.value or 0.0, None, None, 1)))
            for trial in history[-_MOST_MOVES:]
        ]
        left = f" (the last {_MOST_MOVES} times)" * (len(history) > _MOST_MOVES)
        number = f"in search{unit}"
        show(table(f"how the best moved{left}", ["trial", *names, number], moved, right=["trial", number]))
    show_ranges(plan.ranges, names)
    feasible = sum(trial.is_feasible for trial in result.trials)
    failed = sum(trial.value is None for trial in result.trials)
    counts = f"{things(len(result.trials), 'trial')} of {things(plan.runs, 'run')}, seed {result.seed}"
    met = f": {feasible} meet the conditions" if question.conditions else ""
    made = [each.point.provenance for each in result.trials if each.point is not None]
    show(f"{counts}{met}{f', {failed} without a number' if failed else ''}.")
    show(made_from(made, list(plan.ranges)))


def _values(trial: Trial) -> list[str]:
    return [value_text(value) for value in trial.parameters.values()]
