"""``penstock run``: runs a scenario and shows its numbers."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from penstock.cli.options import (
    Format,
    FormatOption,
    JobsOption,
    SeedOption,
    SetOption,
    StoreOption,
    ThreadsOption,
    read_sets,
    whole_number,
)

__all__ = ["run"]

RUNS = 5
"""Runs unless told otherwise."""


class Executor(StrEnum):
    """In which order the engine works."""

    HORIZON = "horizon"
    PLAIN = "plain"


def run(
    file: Annotated[Path, typer.Argument(help="The scenario, a TOML file.", metavar="FILE")],
    *,
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs", metavar="N", min=1, help=f"How many independent runs; {RUNS} by default.", show_default=False
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
    threads: ThreadsOption = 1,
    store: StoreOption = None,
    executor: Annotated[
        Executor,
        typer.Option(
            "--executor",
            help="How the engine works: horizon is fast; plain is its reference, event by event, makes every run anew "
            "and keeps none. The numbers are the same.",
        ),
    ] = Executor.HORIZON,
    output: FormatOption = Format.TABLE,
) -> None:
    """Run a scenario and show its numbers.

    Means of several independent runs, with 95 % confidence intervals. Finished runs are kept and never made twice.
    Where --set gives several values, every combination of them is a point with runs of its own.
    """
    from penstock.cli.console import emit, say, warn
    from penstock.cli.files import read_text
    from penstock.cli.report import show_results
    from penstock.errors import InputError
    from penstock.printable import path_text
    from penstock.progress import Progress
    from penstock.running import run_all
    from penstock.store import Store
    from penstock.studies.request import PointRequest, points_json, read_points
    from penstock.studies.sweep import sweep, varied

    if runs is not None and replication is not None:
        raise InputError("--replication makes one run, so --runs changes nothing; leave one of them out.")
    if executor is Executor.PLAIN and store is not None:
        raise InputError("--executor plain keeps no runs, so --store changes nothing; leave one of them out.")
    if executor is Executor.PLAIN and threads > 1:
        raise InputError("--executor plain has one core, so --threads changes nothing; leave one of them out.")
    points = sweep(read_sets(sets))
    text = read_text(file)
    scenarios = read_points(text, str(file), points)
    warn(list(dict.fromkeys(warning for scenario in scenarios for warning in scenario.warnings)))
    replications = range(runs or RUNS) if replication is None else [replication]
    asked = [
        PointRequest(point, scenario, scenario.seed if seed is None else seed, tuple(replications))
        for point, scenario in zip(points, scenarios, strict=True)
    ]
    requests = [request for each in asked for request in each.requests(text, file.stem)]
    with Progress() as progress:
        kept = None if executor is Executor.PLAIN else Store(store)
        results = run_all(requests, jobs=jobs, store=kept, progress=progress, executor=executor.value, threads=threads)
    if threads > 1 and any(result.threads == 1 for result in results):
        why = "its network cannot be divided, or several cores were not faster here"
        say(f"{path_text(file.stem)} runs on one core: {why}.")
    if output is Format.JSON:
        emit(points_json(file.stem, asked, results))
    else:
        show_results(file.stem, scenarios[0].description, asked[0].seed, replication, results, varied(points))
