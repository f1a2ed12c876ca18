"""``penstock screen``: which parameters matter, by Morris' method or by Sobol indices."""

from pathlib import Path
from typing import Annotated, Literal

from penstock.cli import options
from penstock.cli.console import say, show, table, titled, warn
from penstock.cli.cores import runner_told
from penstock.cli.dry_run import emit_dry_run
from penstock.cli.files import emit_as
from penstock.cli.studies import check_outputs, plan_of, read_ranges, save_plots, show_ranges
from penstock.cli.verb import option
from penstock.parameter_columns import short_names
from penstock.sensitivity.indices import Design
from penstock.sensitivity.result import Analysis, Sampling, SensitivityResult, index_text
from penstock.statistics import Interval
from penstock.store import Store
from penstock.tabulation import made_from
from penstock.unit_scale import plus_minus, scale


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
        bool, option("--second-order", "With sobol: also the indices of pairs (S2); rows have 2 k + 2 points each.")
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
    plots: Annotated[list[Path] | None, options.plot_option("the first metric")] = None,
    output: options.FrameOutput = "table",
    out: options.Results = None,
) -> None:
    """Show which parameters matter, over ranges of them.

    Samples points in the ranges and runs them like a study: finished runs are stored and never repeated. Variation
    between runs of a point is reported as noise. Needs the extra 'sensitivity'.
    """
    output = check_outputs(output, file, out, plots or (), memory, dry_run=dry_run)
    plan = plan_of(file, options.read_sets(sets), runs, seed, read_ranges(ranges))
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
    with runner_told(threads, jobs=jobs, store=kept, on=on) as runner:
        made = runner.make(sampling.asked)
    result = sampling.result(made)
    warn(result.warnings)
    save_plots(result.plot, plots or ())
    if not emit_as(output, out, result.json, result.frame):
        _show(result)


def _show(result: SensitivityResult) -> None:
    """Shows the parameters in the order of their effect on each metric, and the noise."""
    plan, design = result.plan, result.design
    names = short_names(result.parameters)
    description = plan.description or result.asked[0].scenario.description
    is_morris = design.method == "morris"
    indices, order = (("mu_star", "mu", "sigma"), "mu_star") if is_morris else (("S1", "ST"), "ST")
    rows = []
    for each in result.analyses:
        texts = {name: {index.parameters: index_text(index, each.scale) for index in each.of(name)} for name in indices}
        for of in texts[order]:
            unit = [each.scale.unit] * is_morris
            rows.append((each.metric, names[of[0]], *(texts[name][of] for name in indices), *unit))
    columns = ["metric", "parameter", *(["mu*", "mu", "sigma", "unit"] if is_morris else ["first order", "total"])]
    right = [column for column in columns[2:] if column != "unit"]
    show(table(titled(plan.name, description), columns, rows, right=right))
    if design.second_order:
        pairs = [
            (each.metric, f"{names[index.parameters[0]]}, {names[index.parameters[1]]}", index_text(index, each.scale))
            for each in result.analyses
            for index in each.of("S2")
        ]
        show(table("pairs", ["metric", "parameters", "second order"], pairs, right=["second order"]))
    show_ranges(result.plan.ranges, names)
    runs = [run for own in result.runs for run in own]
    cached = sum(run.cached for run in runs)
    kept = f" ({cached} from the store)" if cached else ""
    how = f"{design.samples} trajectories" if is_morris else f"Sobol sample of {design.samples}"
    seed = result.asked[0].seed
    show(f"{how}: {len(runs)} runs of {len(result.asked)} points, seed {seed}{kept}; ± is half of the 95 % interval.")
    for each in result.analyses:
        show(_noise(each, design.method, plan.runs))
    show(made_from([each.provenance for each in result.asked], result.parameters))


def _noise(each: Analysis, method: str, runs: int) -> str:
    noise = each.noise
    if noise is None:
        return f"{each.metric}: how much of it is noise is unknown of single runs."
    own = [noise.effect] if method == "morris" else [noise.deviation]
    fit = scale(each.metric.partition("[")[0], each.unit, own)
    unit = f" {fit.unit}" if fit.unit else ""
    share = "none" if noise.share is None else f"{float(f'{100 * noise.share:.2g}'):g} %"
    told = f"{each.metric}: noise is {share} of the variance of means over {runs} runs"
    if method == "morris":
        return f"{told}; alone it would make a mu* of {plus_minus(Interval(own[0] / fit.size, None, None, 1))}{unit}."
    return f"{told}."
