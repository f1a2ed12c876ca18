"""``penstock screen``: which parameters matter, by Morris' method or by Sobol indices."""

from pathlib import Path
from typing import Annotated, Literal

from penstock.cli import options
from penstock.cli.options import plot_option, read_sets
from penstock.cli.verb import option


def screen(
    file: options.StudyFile,
    *,
    ranges: options.Range = None,
    metrics: Annotated[
        list[str] | None,
        option("--metric METRIC", "A metric, such as 'delay[voice, max]'; repeatable. Default: all that are measured."),
    ] = None,
    method: Annotated[
        Literal["morris", "sobol"] | None,
        option(
            "--method",
            "morris (the default): elementary effects, with few runs; sobol: shares of the variance, alone (S1) and "
            "with interactions (ST).",
        ),
    ] = None,
    samples: Annotated[
        int | None,
        option(
            "--samples N",
            "With k ranges: Morris trajectories (20 by default) of k + 1 points each, or Sobol rows (64 by default, a "
            "power of two) of k + 2 points each.",
            bounds=(1, 65_536),
        ),
    ] = None,
    second_order: Annotated[
        bool, option("--second-order", "With sobol: also the indices of pairs (S2), with twice the points.")
    ] = False,
    runs: options.StudyRuns = None,
    seed: options.Seed = None,
    sets: options.Set = None,
    jobs: options.Jobs = None,
    on: options.On = "threads",
    threads: options.Threads = 1,
    memory: options.Memory = None,
    store: options.Store = None,
    dry_run: options.DryRun = False,
    plots: Annotated[list[Path] | None, plot_option("the first metric")] = None,
    output: options.FrameOutput = "table",
    out: options.Results = None,
) -> None:
    """Show which parameters matter, over ranges of them.

    Samples points in the ranges and runs them like a study: finished runs are stored and never repeated. Variation
    between runs of a point is reported as noise. Needs the extra 'sensitivity'.
    """
    from penstock.cli.console import say, warn
    from penstock.cli.cores import cores_told
    from penstock.cli.dry_run import emit_dry_run
    from penstock.cli.noting_runner import NotingRunner
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
        method or asked.get("method"),
        samples if samples is not None else asked.get("samples"),
        second_order or asked.get("second-order", False),
    )
    sampling = Sampling(plan, design, metrics or asked.get("metrics", ()))
    warn(list(dict.fromkeys(warning for each in sampling.asked for warning in each.scenario.warnings)))
    kept = Store(store, tell=say)
    if dry_run:
        emit_dry_run(plan.name, plan.description, sampling.asked, kept, jobs, as_json=output == "json")
        return
    with cores_told(threads) as cores, Progress() as progress:
        runner = NotingRunner(cores, jobs=jobs, store=kept, progress=progress, on=on)
        made = runner.make(sampling.asked)
    show_ranged(sampling.result(made), output, out, plots or (), show_sensitivity)
