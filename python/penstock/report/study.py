"""The report of a study, from its result."""

import math
import re
from collections.abc import Hashable, Iterable, Mapping, Sequence

from penstock import MODEL_VERSION, __version__
from penstock.errors import InputError
from penstock.finished import Finished, finished_of, group_of
from penstock.parameter_columns import ParameterColumns, parameter_columns
from penstock.plots.chart import chart_of
from penstock.plots.columns import numbers_in
from penstock.plots.data import from_summaries
from penstock.plots.request import PlotRequest
from penstock.printable import command_text, one_line, things
from penstock.report.content import Block, Cell, Grid, Heading, Part, Plot, Report, choices, numbers
from penstock.report.figures import chart_plots, topology_svg
from penstock.results import Summary, finite, grouped
from penstock.short_values import short_values, value_text
from penstock.studies.result import StudyData
from penstock.tabulation import contrasts_of, made_from, of_text, without_statistic
from penstock.unit_scale import Scale, counts_finished, is_of_finished, number, scale

_MOST_ROWS = 2000
"""Maximum rows of one table; browsers lay out more of them slowly."""
_MOST_PLOTS = 60
_MOST_VALUES = 12


def study_report(result: StudyData, *, file: str, options: Sequence[str] = (), study: str | None = None) -> Report:
    """The report of a study; its commands name `file` and `options`. Raises InputError if there are no numbers."""
    plan = result.plan
    summaries = without_statistic(result.summaries())
    if not summaries:
        raise InputError(f"{plan.name}: has no numbers, so there is nothing to report.")
    description = plan.description or result.points[0].asked.scenario.description or ""
    parameters = parameter_columns([point.parameters for point in result.points], result.parameters)
    counts = [len(point.runs) for point in result.points]
    each = str(counts[0]) if len(set(counts)) == 1 else f"{min(counts)} to {max(counts)}"
    command = ["penstock", "run", file, *options]
    scenarios = [point.asked.scenario for point in result.points]
    return Report(
        title=one_line(plan.name),
        subtitle=one_line(description),
        kind="Study",
        summary=[
            ("point" if len(result.points) == 1 else "points", str(len(result.points))),
            ("runs per point", each),
            ("mean" if len(summaries) == 1 else "means", str(len(summaries))),
        ],
        warnings=result.warnings,
        parts=_parts(summaries, parameters),
        findings=_findings(result, summaries, parameters),
        asked=_asked(result, each, parameters),
        drawings=[(f"The network of {plan.scenario_name}", topology_svg(plan.text, scenarios))],
        provenance=_provenance(result, summaries),
        commands=[
            (command_text(command), "runs the study and prints its results"),
            (command_text(["penstock", "report", file, *options]), "writes this page"),
            (command_text([*command, "--format", "csv", "--values"]), "prints the values of every run"),
        ],
        listings=[*([("The study", study)] if study is not None else []), ("The scenario", plan.text)],
    )


def _asked(result: StudyData, runs: str, parameters: ParameterColumns) -> list[Block]:
    plan = result.plan
    facts = [("Scenario", plan.scenario_name)]
    if plan.precision is not None:
        facts.append(("Runs", f"until ±{plan.precision.goal} of {plan.precision.metric} (Law's sequential rule)"))
    else:
        facts.append(("Runs of each point", runs))
    if result.warm_up is not None and plan.warm_up is not None:
        facts.append(("Warm-up", f"{result.warm_up.text}, by MSER-5 of {plan.warm_up.metric}"))
    if plan.compare is not None:
        baseline = value_text(plan.compare.baseline)
        told = f"{', '.join(plan.compare.metrics)} with {plan.compare.parameter} = {baseline} as the baseline"
        facts.append(("Compared", told))
    facts += [(name, f"= {expression}") for name, expression in plan.metrics.items()]
    blocks = [Block("Runs", facts=facts)]
    varied = []
    for name in result.parameters:
        texts = short_values(value_text(point.parameters[name]) for point in result.points if name in point.parameters)
        values = list(texts.values())
        more = f", ... ({len(values)} values)" if len(values) > _MOST_VALUES else ""
        varied.append([Cell(name), Cell(", ".join(values[:_MOST_VALUES]) + more)])
    if varied:
        grid = Grid("varied", "What varies", [Heading("parameter"), Heading("values")], varied)
        notes = "\n".join(f"- {_plain(line)}" for line in parameters.notes)
        blocks.append(Block("What varies", markdown=notes, grid=grid))
    return blocks


def _findings(result: StudyData, summaries: Sequence[Summary], parameters: ParameterColumns) -> list[Block]:
    blocks = []
    if result.plan.compare is not None:
        blocks.append(Block("Comparisons", grid=_comparisons(result)))
    if len(result.points) > 1:
        blocks.append(Block("Range of each metric", grid=_ranges(summaries, parameters)))
    if notes := result.notes:
        blocks.append(Block("What decided the numbers", markdown="\n".join(f"- {_plain(line)}" for line in notes)))
    return blocks


def _plain(text: str) -> str:
    """A text from outside, escaped so that it has no effect as Markdown."""
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>()#+!|~&" else letter for letter in " ".join(text.split()))


def _comparisons(result: StudyData) -> Grid:
    what = result.plan.compare
    assert what is not None
    points = [point.parameters for point in result.points]
    heads, baseline, found = contrasts_of(result.comparisons(), what, points, result.parameters)
    rows = [
        [
            *map(Cell, cells[:-2]),
            Cell(cells[-2], finite(each.found.difference)),
            Cell(cells[-1]),
            Cell(f"{each.p_holm:.2g}", finite(each.p_holm)),
            Cell("significant" if is_sure else "not significant", mark="good" if is_sure else "open"),
        ]
        for each, cells, is_sure in found
    ]
    head = [
        *choices("metric"),
        *map(Heading, heads[1:-3]),
        *choices(heads[-3]),
        *numbers("difference"),
        Heading("unit"),
        *numbers("p (Holm)"),
        *choices("verdict"),
    ]
    return Grid("comparisons", f"Differences from {what.parameter} = {baseline}", head, rows)


def _ranges(summaries: Sequence[Summary], parameters: ParameterColumns) -> Grid:
    rows = []
    for own in grouped(summaries, lambda each: (each.metric, of_text(each.labels), each.unit)).values():
        known = [each for each in own if math.isfinite(each.interval.mean)]
        if len(known) < 2:
            continue
        shown = _scale(own)
        ends = extremes(known)
        is_apart = are_apart(*ends)
        where = [places(end, known, parameters) for end in ends]
        rows.append(
            [
                Cell(own[0].metric),
                Cell(of_text(own[0].labels)),
                *(
                    Cell(shown.text(end.interval), end.interval.mean, note=note)
                    for end, note in zip(ends, where, strict=True)
                ),
                Cell(shown.unit),
                Cell("apart" if is_apart else "overlap", mark="good" if is_apart else "open")
                if has_intervals(*ends)
                else Cell("none"),
            ]
        )
    head = [*choices("metric"), Heading("of"), *numbers("minimum", "maximum"), Heading("unit"), *choices("intervals")]
    return Grid("ranges", "Range of each metric", head, rows)


def _parts(summaries: Sequence[Summary], parameters: ParameterColumns) -> list[Part]:
    parts = []
    drawn = 0
    finished = finished_of(summaries)
    counts = [each for each in summaries if counts_finished(each.metric)]
    for position, own in enumerate(grouped(summaries, lambda each: each.metric).values()):
        identifier = f"metric-{position + 1}"
        plots = _plots(identifier, own, counts if is_of_finished(own[0].metric) else []) if drawn < _MOST_PLOTS else []
        drawn += len(plots)
        more = len(own) - _MOST_ROWS
        note = f"{things(more, 'row')} more; 'penstock run' with '--format csv' has all of them." if more > 0 else ""
        grid = _numbers(identifier, own[:_MOST_ROWS], parameters, finished)
        parts.append(Part(identifier, own[0].metric, sentence(own, parameters), grid, plots, note))
    return parts


def _numbers(
    identifier: str, own: Sequence[Summary], parameters: ParameterColumns, finished: Mapping[Hashable, Finished]
) -> Grid:
    scales = {unit: _scale([each for each in own if each.unit == unit]) for unit in {each.unit for each in own}}
    points = [parameters.cells(each.point) for each in own]
    keys = [_keys([cells[column] for cells in points]) for column in range(len(parameters.paths))]
    known_counts = is_of_finished(own[0].metric) and any(group_of(each) in finished for each in own)
    rows = []
    for each, cells in zip(own, points, strict=True):
        shown = scales[each.unit]
        count = finished.get(group_of(each))
        done = Cell(count.text, count.share, mark="bad" if count.is_warned else "") if count else Cell("")
        rows.append(
            [
                Cell(of_text(each.labels)),
                *(Cell(text, known.get(text)) for text, known in zip(cells, keys, strict=True)),
                Cell(shown.text(each.interval), finite(each.interval.mean)),
                Cell(shown.unit),
                Cell(str(each.interval.runs), each.interval.runs),
                *([done] if known_counts else []),
            ]
        )
    head = [
        *choices("of", *parameters.heads),
        *numbers("mean"),
        Heading("unit"),
        *numbers("runs", *(["finished"] * known_counts)),
    ]
    return Grid(f"{identifier}-numbers", f"{own[0].metric}, means of independent runs", head, rows)


def _keys(texts: Iterable[str]) -> dict[str, float]:
    """Sort keys of the values of a parameter; empty if they are not numbers."""
    found = numbers_in([text for text in dict.fromkeys(texts) if text])
    return {} if found is None else {str(value): number for value, number in found[0].items()}


def _plots(identifier: str, own: Sequence[Summary], counts: Sequence[Summary]) -> list[Plot]:
    """The plots of a metric; none where the numbers do not suit one, such as too many flows to tell apart."""
    try:
        return chart_plots(identifier, chart_of(from_summaries([*own, *counts], "the report"), PlotRequest()))
    except InputError:
        return []


def _scale(own: Sequence[Summary]) -> Scale:
    return scale(own[0].metric, own[0].unit, [each.interval.mean for each in own])


def _provenance(result: StudyData, summaries: Sequence[Summary]) -> list[tuple[str, str]]:
    methods = sorted({each.method for each in summaries} - {"none"})
    intervals = f"95 % confidence over independent runs, by {', '.join(methods)}" if methods else "none of a single run"
    seeds = list(dict.fromkeys(point.asked.seed for point in result.points))
    return [
        ("Penstock", __version__),
        ("Model version", MODEL_VERSION),
        ("Run", made_from(result.provenances, result.parameters)),
        ("Seed" if len(seeds) == 1 else "Seeds", ", ".join(map(str, seeds))),
        ("Runs", f"{result.run_count}, numbered from 0 at each point"),
        ("Intervals", intervals),
        ("Digest of the first run", result.points[0].runs[0].digest),
    ]


_MOST_GROUPS = 3
"""Maximum flows or ports with clauses of their own; above it, the sentence gives their common range."""


def sentence(own: Sequence[Summary], parameters: ParameterColumns) -> str:
    """The finding of one metric, from all of its means, in one sentence for each unit; empty if no mean is finite."""
    known = [each for each in own if math.isfinite(each.interval.mean)]
    units = grouped(known, lambda each: each.unit).values()
    return " ".join(_of_one_unit(own[0].metric, of_unit, parameters) for of_unit in units)


def extremes(own: Sequence[Summary]) -> tuple[Summary, Summary]:
    """The summaries with the minimum and the maximum mean."""
    return min(own, key=lambda each: each.interval.mean), max(own, key=lambda each: each.interval.mean)


def are_apart(low: Summary, high: Summary) -> bool:
    """Whether the intervals of two means do not overlap; false if one has none."""
    top, bottom = low.interval.high, high.interval.low
    return top is not None and bottom is not None and top < bottom


def has_intervals(*ends: Summary) -> bool:
    """Whether all of these means have an interval."""
    return all(end.interval.low is not None for end in ends)


def place(summary: Summary, parameters: ParameterColumns) -> str:
    """The point of a mean in words, such as ``limit 5 packets``; empty where nothing varies."""
    cells = zip(parameters.heads, parameters.cells(summary.point), strict=True)
    return ", ".join(f"{head} {cell}" for head, cell in cells if cell)


def places(end: Summary, own: Sequence[Summary], parameters: ParameterColumns) -> str:
    """As :func:`place`, with the count of the other points of `own` that have the same mean."""
    others = sum(each.interval.mean == end.interval.mean for each in own) - 1
    return place(end, parameters) + (f" and {things(others, 'other point')}" if others else "")


def _of_one_unit(metric: str, own: Sequence[Summary], parameters: ParameterColumns) -> str:
    shown = _scale(own)
    groups = grouped(own, lambda each: of_text(each.labels))
    if len(groups) > _MOST_GROUPS:
        return _over_all(metric, own, parameters, shown)
    clauses = [_clause(group, parameters, shown) for group in groups.values()]
    named = [f"of {_words(name)} {clause}" if name else clause for name, clause in zip(groups, clauses, strict=True)]
    return f"{_capital(metric)} {'; '.join(named)}."


def _clause(group: Sequence[Summary], parameters: ParameterColumns, shown: Scale) -> str:
    if len(group) == 1:
        # Other points may have no mean.
        return " at ".join(filter(None, (f"is {_amount(group[0], shown)}", place(group[0], parameters))))
    low, high = extremes(group)
    if low.interval.mean == high.interval.mean:
        return f"is {_amount(low, shown)} at each of {len(group)} points"
    if has_intervals(low, high) and not are_apart(low, high):
        ends = [number(end.interval.mean / shown.size) for end in (low, high)]
        return f"is from {ends[0]} to {ends[1]} {shown.unit}".rstrip() + ", and these intervals overlap"
    lowest, highest = (places(end, group, parameters) for end in (low, high))
    return f"is lowest at {lowest} ({_amount(low, shown)}) and highest at {highest} ({_amount(high, shown)})"


def _over_all(metric: str, own: Sequence[Summary], parameters: ParameterColumns, shown: Scale) -> str:
    low, high = extremes(own)
    if low.interval.mean == high.interval.mean:
        return f"{_capital(metric)} is {_amount(low, shown)} in all {len(own)} means."
    ends = [
        f"{_amount(each, shown)} ({', '.join(filter(None, (_words(of_text(each.labels)), place(each, parameters))))})"
        for each in (low, high)
    ]
    return f"{_capital(metric)} lies between {ends[0]} and {ends[1]}."


def _words(name: str) -> str:
    """The name of a flow or port with its labels in words.

    >>> _words("call statistic=max"), _words("r1-r2 class=ef quantile=0.99")
    ('call (max)', 'r1-r2 (class ef, quantile 0.99)')
    """
    whose, *labels = re.split(r" (?=[\w-]+=)", name)
    shown = [label.removeprefix("statistic=").replace("=", " ") for label in labels]
    return f"{whose} ({', '.join(shown)})" if shown else whose


def _amount(summary: Summary, shown: Scale) -> str:
    return f"{shown.text(summary.interval)} {shown.unit}".rstrip()


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
