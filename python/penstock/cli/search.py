"""``penstock search``: the best setting within ranges."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from penstock.cli import options
from penstock.cli.options import plot_option, read_sets
from penstock.cli.verb import option

if TYPE_CHECKING:
    from collections.abc import Mapping


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
    plots: Annotated[list[Path] | None, plot_option("the trials")] = None,
    output: options.FrameOutput = "table",
    out: options.Results = None,
) -> None:
    """Search for the best setting within ranges.

    Tries settings in batches; each batch learns from those before. The best are run again with fresh random numbers,
    because a setting that was chosen for its number was partly lucky. An interrupted search continues where it was.
    Needs the extra 'search'.
    """
    from penstock.cli.console import say, show, warn
    from penstock.cli.cores import cores_told
    from penstock.cli.dry_run import emit_dry_run
    from penstock.cli.noting_runner import NotingRunner
    from penstock.cli.ranged import check_outputs, show_ranged
    from penstock.cli.search_table import show_search
    from penstock.cli.studies import plan_of, read_ranges
    from penstock.errors import PenstockError
    from penstock.progress import Progress
    from penstock.search.making import Search
    from penstock.search.question import Question
    from penstock.store import Store

    output = check_outputs(output, out, plots or (), memory, dry_run=dry_run)
    plan = plan_of(file, read_sets(sets), runs, seed, read_ranges(ranges))
    given: dict[str, Any] = {
        "minimise": None if minimise is None else [minimise],
        "maximise": None if maximise is None else [maximise],
        "subject-to": subject_to,
        "trials": trials,
        "finalists": finalists,
        "fresh": fresh,
    }
    question = Question.of(_over(plan.asks.get("search", {}), given))
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
    with cores_told(threads) as cores, Progress() as progress:
        runner = NotingRunner(cores, jobs=jobs, store=kept, progress=progress, on=on)
        result = wanted.made_by(runner)
    show_ranged(result, output, out, plots or (), show_search)
    if result.best is None:
        raise PenstockError(f"none of {len(result.trials)} trials meets the conditions; all runs are kept.")


def _over(asked: "Mapping[str, Any]", given: "Mapping[str, Any]") -> dict[str, Any]:
    """The question of the study, overridden by options; another aim replaces that of the study."""
    given = {key: value for key, value in given.items() if value is not None}
    kept = asked
    if "minimise" in given or "maximise" in given:
        kept = {key: value for key, value in asked.items() if key not in ("minimise", "maximise")}
    return {**kept, **given}
