"""``penstock run``: runs a scenario and shows its numbers."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.options import (
    MOST_RUNS,
    FrameFormat,
    FrameFormatOption,
    JobsOption,
    MemoryOption,
    On,
    OnOption,
    SeedOption,
    SetOption,
    StoreOption,
    ThreadsOption,
    read_sets,
    whole_number,
)

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
    on: OnOption = On.THREADS,
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
    from penstock.cli.console import emit, refuse_terminal, say, warn
    from penstock.cli.frames import emit_frame
    from penstock.cli.report import show_results
    from penstock.cli.studies import emit_dry_run, plan_of
    from penstock.errors import InputError
    from penstock.memory import allow
    from penstock.printable import path_text
    from penstock.progress import Progress
    from penstock.store import Store
    from penstock.studies.making import make
    from penstock.studies.verify import verify

    if runs is not None and replication is not None:
        raise InputError("--replication makes one run, so --runs changes nothing; leave one of them out.")
    if executor is Executor.PLAIN and store is not None:
        raise InputError("--executor plain keeps no runs, so --store changes nothing; leave one of them out.")
    if executor is Executor.PLAIN and threads > 1:
        raise InputError("--executor plain has one core, so --threads changes nothing; leave one of them out.")
    is_frame = output in (FrameFormat.CSV, FrameFormat.PARQUET)
    if values and not is_frame:
        raise InputError("--values needs --format csv or parquet; JSON has the numbers of single runs anyway.")
    if dry_run and is_frame:
        raise InputError("--dry-run gives no results; its --format is table or json.")
    if output is FrameFormat.PARQUET:
        refuse_terminal("Parquet")
    allow(memory)
    plan = plan_of(file, read_sets(sets), runs, seed)
    if replication is not None:
        plan = replace(plan, precision=None, compare=None)
    asked = plan.read(None if replication is None else [replication])
    verify(plan, asked)
    warn(list(dict.fromkeys(warning for each in asked for warning in each.scenario.warnings)))
    kept = None if executor is Executor.PLAIN else Store(store, tell=say)
    if dry_run:
        emit_dry_run(plan, asked, kept, jobs, output)
        return
    with Progress() as progress:
        result = make(
            plan,
            asked,
            jobs=jobs,
            store=kept,
            progress=progress,
            executor=executor.value,
            threads=threads,
            on=on.value,
        )
    if threads > 1 and any(run.threads == 1 for run in result.runs):
        why = "its network cannot be divided, or several cores were not faster here"
        say(f"{path_text(file.stem)} runs on one core: {why}.")
    warn(result.warnings)
    if is_frame:
        emit_frame(result.values() if values else result.frame(), output)
    elif output is FrameFormat.JSON:
        emit(result.json())
    else:
        show_results(result, replication)
