"""``penstock run``: runs a scenario and shows its numbers."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.options import (
    MOST_RUNS,
    THREADS,
    FrameFormat,
    FrameFormatOption,
    JobsOption,
    MemoryOption,
    OnOption,
    SeedOption,
    SetOption,
    StoreOption,
    ThreadsOption,
    read_sets,
    whole_number,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.records import RunResult
    from penstock.studies.result import StudyResult
    from penstock.studies.shards import Shard

__all__ = ["run"]


class Executor(StrEnum):
    """In which order the engine works."""

    HORIZON = "horizon"
    PLAIN = "plain"


def run(
    file: Annotated[Path, typer.Argument(help="The scenario or study, a TOML file.", metavar="FILE")],
    *,
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs",
            metavar="N",
            min=1,
            max=MOST_RUNS,
            help="How many independent runs; 5, or what a study says, by default.",
            show_default=False,
        ),
    ] = None,
    seed: SeedOption = None,
    replication: Annotated[
        int | None,
        typer.Option(
            "--replication",
            metavar="N",
            parser=whole_number,
            help="Only this one of the runs, counted from 0.",
            show_default=False,
        ),
    ] = None,
    sets: SetOption = None,
    jobs: JobsOption = None,
    on: OnOption = THREADS,
    threads: ThreadsOption = 1,
    memory: MemoryOption = None,
    store: StoreOption = None,
    executor: Annotated[
        Executor,
        typer.Option(
            "--executor",
            help="How the engine works: horizon is fast; plain is its reference, event by event, makes every run anew "
            "and keeps none. The numbers are the same.",
        ),
    ] = Executor.HORIZON,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only show the points, the runs, what is stored, and about how long it takes."),
    ] = False,
    shard: Annotated[
        str | None,
        typer.Option(
            "--shard",
            metavar="I/N",
            help="Only make the I-th of N parts of the runs, and show no numbers: for several machines with one store.",
            show_default=False,
        ),
    ] = None,
    only_stored: Annotated[
        bool,
        typer.Option(
            "--stored", help="Run nothing, and show what the store has by now: also while another command is at it."
        ),
    ] = False,
    output: FrameFormatOption = FrameFormat.TABLE,
    values: Annotated[
        bool,
        typer.Option(
            "--values", help="With --format csv or parquet: a row for each run with its number, not one for the mean."
        ),
    ] = False,
) -> None:
    """Run a scenario, or a study file, and show its numbers.

    Means of several independent runs, with 95 % confidence intervals. Finished runs are kept and never made twice.
    Where --set gives several values, every combination of them is a point with runs of its own; a study file says
    what varies by itself.
    """
    from penstock.cli.console import say, warn
    from penstock.cli.dry_run import emit_dry_run
    from penstock.cli.studies import plan_of, so_far
    from penstock.memory import allow
    from penstock.printable import path_text
    from penstock.progress import Progress
    from penstock.store import Store
    from penstock.studies.making import make, stored
    from penstock.studies.runner import Runner
    from penstock.studies.shards import Shard, refuse_unknown_runs
    from penstock.studies.verify import verify

    is_plain = executor is Executor.PLAIN
    _refuse(
        (runs is not None and replication is not None, "--replication makes one run, so --runs changes nothing"),
        (is_plain and store is not None, "--executor plain keeps no runs, so --store changes nothing"),
        (is_plain and threads > 1, "--executor plain has one core, so --threads changes nothing"),
        (only_stored and dry_run, "--stored shows the numbers of stored runs, and --dry-run shows no numbers"),
        (shard is not None and dry_run, "--shard makes runs, and --dry-run makes none"),
        (shard is not None and only_stored, "--shard makes runs, and --stored makes none"),
        (shard is not None and is_plain, "--shard is for a store, and --executor plain keeps no runs"),
        (shard is not None and replication is not None, "--replication makes one run, and --shard divides many"),
        (
            shard is not None and output is not FrameFormat.TABLE,
            "--shard shows no numbers, so --format changes nothing",
        ),
        (only_stored and is_plain, "--stored shows the numbers of stored runs, and --executor plain keeps no runs"),
    )
    _check_format(output, values=values, dry_run=dry_run)
    allow(memory)
    part = None if shard is None else Shard.read(shard)
    plan = plan_of(file, read_sets(sets), runs, seed)
    if part is not None:
        refuse_unknown_runs(plan, "--shard")
    if replication is not None:
        plan = replace(plan, precision=None, compare=None)
    asked = plan.read(None if replication is None else [replication])
    if not only_stored:
        verify(plan, asked)
    warn(list(dict.fromkeys(warning for each in asked for warning in each.scenario.warnings)))
    kept = None if is_plain else Store(store, tell=say)
    if dry_run:
        as_json, more = output is FrameFormat.JSON, plan.precision is not None
        emit_dry_run(plan.name, plan.description, asked, kept, jobs, as_json=as_json, at_least=more)
        return
    if only_stored:
        result = stored(plan, asked, Store(store))
        _show(result, output, values, replication, so_far(plan, result, len(asked[0].replications)))
        return
    with Progress() as progress:
        runner = Runner(jobs=jobs, store=kept, progress=progress, executor=executor.value, threads=threads, on=on)
        if part is not None:
            made = [run for runs_of_point in runner.make(part.of(asked)) for run in runs_of_point]
        else:
            result = make(plan, asked, runner)
    if part is not None:
        _tell_shard(part, made, sum(len(each.replications) for each in asked))
        return
    if threads > 1 and any(run.threads == 1 for run in result.runs):
        why = "its network cannot be divided, or several cores were not faster here"
        say(f"{path_text(file.stem)} runs on one core: {why}.")
    warn(result.cautions)
    _show(result, output, values, replication)
    result.require_precision()


def _tell_shard(part: "Shard", made: "Sequence[RunResult]", total: int) -> None:
    from penstock.cli.console import emit

    cached = sum(run.cached for run in made)
    kept = f" ({cached} from the store)" if cached else ""
    emit(
        f"shard {part.number}/{part.count}: {len(made)} of {total} runs{kept}. "
        "The same command without --shard shows the numbers, once all shards are done."
    )


def _refuse(*contradictions: tuple[bool, str]) -> None:
    """Options that contradict each other are refused."""
    from penstock.errors import InputError

    for is_there, why in contradictions:
        if is_there:
            raise InputError(f"{why}; leave one of them out.")


def _check_format(output: FrameFormat, *, values: bool, dry_run: bool) -> None:
    from penstock.cli.console import refuse_terminal
    from penstock.errors import InputError

    is_frame = output in (FrameFormat.CSV, FrameFormat.PARQUET)
    if values and not is_frame:
        raise InputError("--values needs --format csv or parquet; JSON has the numbers of single runs anyway.")
    if dry_run and is_frame:
        raise InputError("--dry-run gives no results; its --format is table or json.")
    if output is FrameFormat.PARQUET:
        refuse_terminal("Parquet")


def _show(
    result: "StudyResult", output: FrameFormat, values: bool, replication: int | None, last: str | None = None
) -> None:
    """The numbers in the form that is asked for; people are told `last` below them."""
    from penstock.cli.console import emit, show
    from penstock.cli.frames import emit_frame
    from penstock.cli.results_table import show_results

    if output in (FrameFormat.CSV, FrameFormat.PARQUET):
        emit_frame(result.values() if values else result.frame(), output)
    elif output is FrameFormat.JSON:
        emit(result.json())
    else:
        show_results(result, replication)
        if last is not None:
            show(last)
