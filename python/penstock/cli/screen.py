"""``penstock screen``: which parameters matter, by Morris' method or by Sobol indices."""

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
)

if TYPE_CHECKING:
    from penstock.sensitivity import SensitivityResult

__all__ = ["RangeOption", "RangedFile", "RangedRuns", "screen"]


class Method(StrEnum):
    """How sensitivity is measured."""

    MORRIS = "morris"
    SOBOL = "sobol"


RangedFile = Annotated[Path, typer.Argument(help="The scenario or study, a TOML file.", metavar="FILE")]
RangeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        metavar="PATH=LOW..HIGH",
        help="Values of a setting, such as 'a-b.rate=1 Mbit/s..10 Mbit/s', with ' log' behind it for steps of equal "
        "ratio; or choices, PATH=A,B,C. May be repeated; a study file has them in [ranges].",
        show_default=False,
    ),
]
RangedRuns = Annotated[
    int | None,
    typer.Option(
        "--runs",
        metavar="N",
        min=1,
        max=MOST_RUNS,
        help="How many independent runs of each point; 5, or what a study says, by default.",
        show_default=False,
    ),
]


def screen(
    file: RangedFile,
    *,
    ranges: RangeOption = None,
    metrics: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            metavar="METRIC",
            help="The number, such as 'delay[voice, max]'; may be repeated. All that are measured by default.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        Method | None,
        typer.Option(
            "--method",
            help="morris: elementary effects, which tell with few runs what matters at all; sobol: parts of the "
            "variance, alone (S1) and with interactions (ST). morris by default.",
            show_default=False,
        ),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples",
            metavar="N",
            min=1,
            max=65_536,
            help="Trajectories of morris (20), of a point more than there are ranges each; or rows of sobol (64), a "
            "power of two, of two points more each.",
            show_default=False,
        ),
    ] = None,
    second_order: Annotated[
        bool, typer.Option("--second-order", help="With sobol, indices of pairs (S2) too; twice as many points.")
    ] = False,
    runs: RangedRuns = None,
    seed: SeedOption = None,
    sets: SetOption = None,
    jobs: JobsOption = None,
    on: OnOption = THREADS,
    threads: ThreadsOption = 1,
    memory: MemoryOption = None,
    store: StoreOption = None,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Only show the points, the runs, what is stored, and about how long it takes."),
    ] = False,
    plots: Annotated[
        list[Path] | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw the first metric: .svg, .pdf or .png; may be repeated.",
            show_default=False,
        ),
    ] = None,
    output: FrameFormatOption = FrameFormat.TABLE,
) -> None:
    """Show which parameters matter, over ranges of them.

    Points are sampled in the ranges and run as those of every study: finished runs are kept and never made twice. What
    differs from run to run is told apart as noise. Needs the extra 'sensitivity'.
    """
    from penstock.cli.console import refuse_terminal, say, warn
    from penstock.cli.dry_run import emit_dry_run
    from penstock.cli.studies import plan_of, read_ranges
    from penstock.errors import InputError
    from penstock.memory import allow
    from penstock.plots import check_endings, save
    from penstock.printable import path_text
    from penstock.progress import Progress
    from penstock.sensitivity.design import Design
    from penstock.sensitivity.making import Sampling
    from penstock.store import Store
    from penstock.studies.runner import Runner

    if dry_run and output in (FrameFormat.CSV, FrameFormat.PARQUET):
        raise InputError("--dry-run gives no results; its --format is table or json.")
    if output is FrameFormat.PARQUET:
        refuse_terminal("Parquet")
    check_endings(plots or [])
    allow(memory)
    plan = plan_of(file, read_sets(sets), runs, seed, read_ranges(ranges))
    asked = plan.asks.get("sensitivity", {})
    design = Design.of(
        method.value if method is not None else asked.get("method"),
        samples if samples is not None else asked.get("samples"),
        second_order or asked.get("second-order", False),
    )
    sampling = Sampling(plan, design, metrics or asked.get("metrics", ()))
    warn(list(dict.fromkeys(warning for each in sampling.asked for warning in each.scenario.warnings)))
    kept = Store(store, tell=say)
    if dry_run:
        emit_dry_run(plan.name, plan.description, sampling.asked, kept, jobs, as_json=output is FrameFormat.JSON)
        return
    with Progress() as progress:
        runner = Runner(jobs=jobs, store=kept, progress=progress, threads=threads, on=on)
        made = runner.make(sampling.asked)
    result = sampling.result(made)
    warn(result.warnings)
    for each in plots or ():
        save(result.plot(), each)
        say(f"{path_text(each)}: written.")
    _show(result, output)


def _show(result: "SensitivityResult", output: FrameFormat) -> None:
    from penstock.cli.console import emit
    from penstock.cli.frames import emit_frame
    from penstock.cli.sensitivity_table import show_sensitivity

    if output in (FrameFormat.CSV, FrameFormat.PARQUET):
        emit_frame(result.frame(), output)
    elif output is FrameFormat.JSON:
        emit(result.json())
    else:
        show_sensitivity(result)
