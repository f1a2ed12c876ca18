"""``penstock run``: runs a scenario and shows its numbers."""

from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.options import (
    THREADS,
    DryRunOption,
    FrameFormat,
    FrameFormatOption,
    JobsOption,
    MemoryOption,
    OnOption,
    ResultsOption,
    SeedOption,
    SetOption,
    StoreOption,
    StudyArgument,
    StudyRunsOption,
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
    file: StudyArgument,
    *,
    runs: StudyRunsOption = None,
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
    dry_run: DryRunOption = False,
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
    out: ResultsOption = None,
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
    from penstock.cli.console import warn
    from penstock.cli.frames import format_of
    from penstock.cli.studies import plan_of
    from penstock.cli.ways_to_run import How, View, make_all, make_shard, show_plan, show_stored
    from penstock.huge_pages import restart_for
    from penstock.memory import allow
    from penstock.studies.request import warnings_of
    from penstock.studies.shards import Shard, refuse_unknown_runs
    from penstock.studies.verify import verify

    is_plain = executor is Executor.PLAIN
    output = format_of(output, out)
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
    _check_output(output, out, values=values, dry_run=dry_run)
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
    # What comes by a pipe cannot be read again.
    if on == THREADS and not only_stored and not dry_run and file.is_file():
        restart_for(each.scenario.memory for each in asked)
    warn(warnings_of(asked))
    how, view = How(jobs, on, threads, store, executor.value), View(output, values, replication, out)
    if dry_run:
        show_plan(plan, asked, how, as_json=output is FrameFormat.JSON)
    elif only_stored:
        show_stored(plan, asked, store, view)
    elif part is not None:
        make_shard(part, asked, how)
    else:
        make_all(plan, asked, how, view)


def _refuse(*contradictions: tuple[bool, str]) -> None:
    """Options that contradict each other are refused."""
    from penstock.errors import InputError

    for is_there, why in contradictions:
        if is_there:
            raise InputError(f"{why}; leave one of them out.")


def _check_output(output: FrameFormat, out: Path | None, *, values: bool, dry_run: bool) -> None:
    from penstock.cli.frames import check_format
    from penstock.errors import InputError

    if values and output not in (FrameFormat.CSV, FrameFormat.PARQUET):
        raise InputError("--values needs --format csv or parquet; JSON has the numbers of single runs anyway.")
    check_format(output, dry_run=dry_run, out=out)
