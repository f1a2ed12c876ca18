"""Tables of a sensitivity study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.cli.console import show, table
from penstock.parameter_columns import short_names
from penstock.printable import one_line
from penstock.statistics import Interval
from penstock.tabulation import made_from
from penstock.unit_scale import Scale, plus_minus, scale

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.sensitivity import Analysis, SensitivityResult
    from penstock.sensitivity.indices import Index
    from penstock.studies.ranges import Range


def show_sensitivity(result: SensitivityResult) -> None:
    """Shows the parameters in the order of their effect on each metric, and the noise."""
    plan, design = result.plan, result.design
    names = short_names(result.parameters)
    description = plan.description or result.asked[0].scenario.description
    title = f"{one_line(plan.name)}: {one_line(description)}" if description else one_line(plan.name)
    make = _morris if design.method == "morris" else _sobol
    rows = [row for each in result.analyses for row in make(each, names)]
    columns = ["metric", "parameter"] + (
        ["mu*", "mu", "sigma", "unit"] if design.method == "morris" else ["first order", "total"]
    )
    show(table(title, columns, rows, right=[column for column in columns[2:] if column != "unit"]))
    if design.second_order:
        pairs = [
            (each.metric, f"{names[index.parameters[0]]}, {names[index.parameters[1]]}", _text(index, _PLAIN))
            for each in result.analyses
            for index in each.of("S2")
        ]
        show(table("pairs", ["metric", "parameters", "second order"], pairs, right=["second order"]))
    show_ranges(result.plan.ranges, names)
    runs = [run for own in result.runs for run in own]
    cached = sum(run.cached for run in runs)
    kept = f" ({cached} from the store)" if cached else ""
    how = f"{design.samples} trajectories" if design.method == "morris" else f"Sobol sample of {design.samples}"
    seed = result.asked[0].seed
    show(f"{how}: {len(runs)} runs of {len(result.asked)} points, seed {seed}{kept}; ± is half of the 95 % interval.")
    for each in result.analyses:
        show(_noise(each, design.method, plan.runs))
    show(made_from([each.provenance for each in result.asked], result.parameters))


def show_ranges(ranges: Mapping[str, Range], names: list[str]) -> None:
    """Shows the ranges."""
    told = (
        f"{name} {each.text}{' (rounded to whole numbers)' * each.is_whole}"
        for name, (_, each) in zip(names, ranges.items(), strict=True)
    )
    show(f"ranges: {one_line('; '.join(told))}.")


def _morris(each: Analysis, names: list[str]) -> list[tuple[str, ...]]:
    star = each.of("mu_star")
    fit = scale(each.metric.partition("[")[0], each.unit, [index.value or 0.0 for index in star])
    others = {name: {index.parameters: index for index in each.of(name)} for name in ("mu", "sigma")}
    return [
        (
            each.metric,
            names[index.parameters[0]],
            _text(index, fit),
            *(_text(others[name][index.parameters], fit) for name in ("mu", "sigma")),
            fit.unit,
        )
        for index in star
    ]


def _sobol(each: Analysis, names: list[str]) -> list[tuple[str, ...]]:
    first = {index.parameters: index for index in each.of("S1")}
    return [
        (each.metric, names[index.parameters[0]], _text(first[index.parameters], _PLAIN), _text(index, _PLAIN))
        for index in each.of("ST")
    ]


_PLAIN = Scale(1.0, "")


def _text(index: Index, fit: Scale) -> str:
    if index.value is None:
        return "-"
    if index.low is None or index.high is None:
        return fit.text(Interval(index.value, None, None, 1))
    half = max(index.high - index.value, index.value - index.low)
    return fit.text(Interval(index.value, index.value - half, index.value + half, 2))


def _noise(each: Analysis, method: str, runs: int) -> str:
    noise = each.noise
    if noise is None:
        return f"{each.metric}: how much of it is noise is unknown of single runs."
    own = [noise.effect] if method == "morris" else [noise.deviation]
    fit = scale(each.metric.partition("[")[0], each.unit, own)
    unit = f" {fit.unit}" if fit.unit else ""
    share = "none" if noise.share is None else f"{100 * noise.share:.2g} %"
    told = f"{each.metric}: noise is {share} of the variance of means over {runs} runs"
    if method == "morris":
        return f"{told}; alone it would make a mu* of {plus_minus(Interval(own[0] / fit.size, None, None, 1))}{unit}."
    return f"{told}."
