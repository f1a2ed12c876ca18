"""``penstock search``: the best setting within ranges."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penstock.cli.options import (
    THREADS,
    FrameFormat,
    FrameFormatOption,
    JobsOption,
    MemoryOption,
    OnOption,
    RangeOption,
    ResultsOption,
    SeedOption,
    SetOption,
    StoreOption,
    StudyArgument,
    StudyRunsOption,
    ThreadsOption,
    plot_option,
    read_sets,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["search"]


def search(
    file: StudyArgument,
    *,
    ranges: RangeOption = None,
    minimise: Annotated[
        str | None,
        typer.Option(
            "--minimise", metavar="METRIC", help="The number, such as 'delay[voice, max]'.", show_default=False
        ),
    ] = None,
    maximise: Annotated[
        str | None,
        typer.Option("--maximise", metavar="METRIC", help="The same, of which more is better.", show_default=False),
    ] = None,
    subject_to: Annotated[
        list[str] | None,
        typer.Option(
            "--subject-to",
            metavar="CONDITION",
            help="What must hold on average, such as 'loss[voice] < 1 %'; may be repeated.",
            show_default=False,
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option("--trials", metavar="N", help="How many settings are tried; 64 by default.", show_default=False),
    ] = None,
    finalists: Annotated[
        int | None,
        typer.Option(
            "--finalists", metavar="N", help="How many of the best get fresh runs; 5 by default.", show_default=False
        ),
    ] = None,
    fresh: Annotated[
        int | None,
        typer.Option(
            "--fresh",
            metavar="N",
            help="How many runs that had no part in choosing them; 20 by default.",
            show_default=False,
        ),
    ] = None,
    runs: StudyRunsOption = None,
    seed: SeedOption = None,
    sets: SetOption = None,
    jobs: JobsOption = None,
    on: OnOption = THREADS,
    threads: ThreadsOption = 1,
    memory: MemoryOption = None,
    store: StoreOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show the first trials, and how many runs there would be in all.")
    ] = False,
    plots: Annotated[list[Path] | None, plot_option("the trials")] = None,
    output: FrameFormatOption = FrameFormat.TABLE,
    out: ResultsOption = None,
) -> None:
    """Search for the best setting, within ranges.

    Settings are tried in batches, each learning from those before. The best are then run afresh, since the one that
    was chosen for its number owes some of it to luck. A search that was broken off goes on where it was. Needs the
    extra 'search'.
    """
    from penstock.cli.console import say, show, warn
    from penstock.cli.cores import cores_told
    from penstock.cli.dry_run import emit_dry_run
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
    options: dict[str, Any] = {
        "minimise": None if minimise is None else [minimise],
        "maximise": None if maximise is None else [maximise],
        "subject-to": subject_to,
        "trials": trials,
        "finalists": finalists,
        "fresh": fresh,
    }
    question = Question.of(_over(plan.asks.get("search", {}), options))
    wanted = Search(plan, question)
    kept = Store(store, tell=say)
    if dry_run:
        as_json = output is FrameFormat.JSON
        emit_dry_run(plan.name, plan.description, wanted.first(), kept, jobs, as_json=as_json)
        if not as_json:
            total = question.trials * plan.runs
            most = question.finalists * question.fresh
            show(f"These are the first of {question.trials} trials: {total} runs, and up to {most} fresh ones.")
        return
    warn(wanted.middle.scenario.warnings)
    with cores_told(threads) as cores, Progress() as progress:
        runner = cores.runner(jobs=jobs, store=kept, progress=progress, on=on)
        result = wanted.made_by(runner)
    show_ranged(result, output, out, plots or (), show_search)
    if result.best is None:
        raise PenstockError(f"none of {len(result.trials)} trials meets the conditions; all runs are kept.")


def _over(asked: "Mapping[str, Any]", options: "Mapping[str, Any]") -> dict[str, Any]:
    """What a study asks, with options of the command line in its place; another aim replaces that of the study."""
    given = {key: value for key, value in options.items() if value is not None}
    kept = asked
    if "minimise" in given or "maximise" in given:
        kept = {key: value for key, value in asked.items() if key not in ("minimise", "maximise")}
    return {**kept, **given}
