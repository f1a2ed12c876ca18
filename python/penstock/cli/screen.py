"""``penstock screen``: which parameters matter, by Morris' method or by Sobol indices."""

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

__all__ = ["screen"]


class Method(StrEnum):
    """How sensitivity is measured."""

    MORRIS = "morris"
    SOBOL = "sobol"


def screen(
    file: StudyArgument,
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
    runs: StudyRunsOption = None,
    seed: SeedOption = None,
    sets: SetOption = None,
    jobs: JobsOption = None,
    on: OnOption = THREADS,
    threads: ThreadsOption = 1,
    memory: MemoryOption = None,
    store: StoreOption = None,
    dry_run: DryRunOption = False,
    plots: Annotated[list[Path] | None, plot_option("the first metric")] = None,
    output: FrameFormatOption = FrameFormat.TABLE,
    out: ResultsOption = None,
) -> None:
    """Show which parameters matter, over ranges of them.

    Points are sampled in the ranges and run as those of every study: finished runs are kept and never made twice. What
    differs from run to run is told apart as noise. Needs the extra 'sensitivity'.
    """
    from penstock.cli.console import say, warn
    from penstock.cli.cores import cores_told
    from penstock.cli.dry_run import emit_dry_run
    from penstock.cli.ranged import check_outputs, show_ranged
    from penstock.cli.sensitivity_table import show_sensitivity
    from penstock.cli.studies import plan_of, read_ranges
    from penstock.progress import Progress
    from penstock.sensitivity.design import Design
    from penstock.sensitivity.making import Sampling
    from penstock.store import Store

    output = check_outputs(output, out, plots or (), memory, dry_run=dry_run)
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
    with cores_told(threads) as cores, Progress() as progress:
        runner = cores.runner(jobs=jobs, store=kept, progress=progress, on=on)
        made = runner.make(sampling.asked)
    show_ranged(sampling.result(made), output, out, plots or (), show_sensitivity)
