"""``penstock plot``: draws the numbers of a scenario, a study, or a file of results."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from penstock.cli import options
from penstock.cli.console import emit, warn
from penstock.cli.cores import runner_told
from penstock.cli.files import read_text
from penstock.cli.studies import check_endings, made_told, plan_of, save
from penstock.cli.verb import argument, option
from penstock.errors import InputError
from penstock.memory import allow
from penstock.plots import picture
from penstock.plots.chart import chart_of
from penstock.plots.data import Data, Datum, cell, from_series, from_summaries, read_results, suited
from penstock.plots.request import PlotRequest
from penstock.printable import path_text
from penstock.records import Metric
from penstock.series import TimeSeries
from penstock.store import Store
from penstock.studies.derived import at
from penstock.studies.plan import StudyPlan
from penstock.studies.quantity import ExpressionError
from penstock.studies.request import PointRequest, warnings_of
from penstock.studies.result import StudyData
from penstock.studies.runner import Reader
from penstock.studies.select import DerivedMetrics
from penstock.studies.verify import measured, verify


def plot(
    file: Annotated[
        Path, argument("FILE", "A scenario or study (TOML) to run; or results of 'penstock run': JSON, CSV or Parquet.")
    ],
    *,
    kind: Annotated[
        str | None,
        option("--kind KIND", "line, bar, cdf, series (over time), heatmap or box. Default: what suits the numbers."),
    ] = None,
    x: Annotated[str | None, option("--x NAME", "Parameter or label on the x axis.")] = None,
    y: Annotated[
        list[str] | None,
        option("--y METRIC", "Metric, such as goodput or 'delay[voice, max]'; repeatable, for a row of panels each."),
    ] = None,
    by: Annotated[str | None, option("--by NAME", "Parameter or label of the lines, bars or boxes.")] = None,
    facet: Annotated[str | None, option("--facet NAME", "Parameter or label of the panels.")] = None,
    where: Annotated[list[str] | None, option("--where NAME=VALUE", "Only these numbers; repeatable.")] = None,
    out: Annotated[
        list[Path] | None,
        option("--out -o FILE", "The picture, .svg, .pdf or .png; repeatable. Default: FILE's name with .svg."),
    ] = None,
    width: Annotated[
        Literal["column", "page"],
        option("--width", "Width in a paper: column (3.5 inches, the default) or page (7.16 inches)."),
    ] = "column",
    height: Annotated[float | None, option("--height INCHES", "Height.")] = None,
    log: Annotated[str, option("--log AXES", "Logarithmic axes: x, y or xy.")] = "",
    title: Annotated[str | None, option("--title TEXT", "Title.")] = None,
    x_label: Annotated[str | None, option("--x-label TEXT", "Label of the x axis.")] = None,
    y_label: Annotated[str | None, option("--y-label TEXT", "Label of the y axis.")] = None,
    no_intervals: Annotated[bool, option("--no-intervals", "Leave out confidence intervals.")] = False,
    no_note: Annotated[
        bool, option("--no-note", "Leave out the line on runs and intervals (put it in the caption).")
    ] = False,
    series: Annotated[
        bool, option("--series", "Draw the scenario's [[series]] over time, from the first run.")
    ] = False,
    runs: options.Runs = None,
    seed: options.Seed = None,
    sets: options.Set = None,
    jobs: options.Jobs = None,
    memory: options.Memory = None,
    store: options.Store = None,
) -> None:
    """Draw numbers with their 95 % confidence intervals.

    Stored runs are not repeated. Pictures are ready for a paper: embedded fonts; colours, markers and line styles that
    colour-blind readers can tell apart; and equal bytes from equal numbers.
    """
    result = None
    files = out or [Path(f"{file.stem or 'plot'}.svg")]
    check_endings(files)
    request = PlotRequest(
        kind=kind,
        x=x,
        y=tuple(y or ()),
        by=by,
        facet=facet,
        where=tuple(options.pairs(where, "--where", "NAME=VALUE")),
        intervals=not no_intervals,
        note=not no_note,
        width=width,
        height=height,
        log=log,
        title=title,
        x_label=x_label,
        y_label=y_label,
    )
    allow(memory)
    if file.suffix.lower() in (".json", ".csv", ".parquet"):
        given = {"--series": series, "--runs": runs, "--seed": seed, "--set": sets, "--jobs": jobs, "--store": store}
        options.refuse_idle(given, f"{path_text(file)} has results, so ")
        data = read_results(file)
    elif series:
        given = {"--runs": runs, "--jobs": jobs, "--store": store}
        options.refuse_idle(given, "--series is of one run, which is not stored: ")
        of_run: dict[str, Any] = {"folder": str(file.parent), "sets": options.read_sets(sets), "seed": seed}
        made = TimeSeries(read_text(file), name=str(file), **of_run)
        warn(made.warnings)
        data = from_series(made.frame(), path_text(file))
    else:
        plan = replace(plan_of(file, options.read_sets(sets), runs, seed), compare=None)
        result = _made(plan, request, path_text(file), jobs, Store(store))
        data = from_summaries(result.summaries(), path_text(file))
    drawn = picture(data, suited(request, data) if data.is_series else request)
    for each in files:
        save(drawn, each)
        emit(f"{path_text(each)}: written.")
    if result is not None:
        result.require_precision()


def _made(plan: StudyPlan, request: PlotRequest, name: str, jobs: int | None, store: Store) -> StudyData:
    """Makes the missing runs of a scenario or study, if `request` can be drawn."""
    asked = plan.read()
    verify(plan, asked)
    warn(warnings_of(asked))
    foresee(plan, asked, request, store, name)
    return made_told(plan, asked, runner_told(1, jobs=jobs, store=store))


_MOST_EXAMINED = 50


def foresee(plan: StudyPlan, asked: Sequence[PointRequest], request: PlotRequest, store: Store, name: str) -> None:
    """Raises InputError if the chart cannot be built, before anything is run: its numbers are placeholders.

    Points may measure different numbers, so the chart is tried with several points before it is refused.
    """
    derived = DerivedMetrics(plan.metrics)
    ahead: dict[int, list[Metric]] = {}
    spread = range(0, len(asked), max(1, len(asked) // _MOST_EXAMINED))
    refused: InputError | None = None
    for number in dict.fromkeys([0, len(asked) - 1, *spread]):
        first = replace(asked[number], replications=asked[number].replications[:1])
        (kept,) = Reader(store).kept([first])
        metrics = kept[0].metrics if kept else measured(asked[number])
        try:
            ahead[number] = [*metrics, *derived.of(metrics)]
        except ExpressionError as error:
            raise InputError(f"metrics: {error}{at(asked[number].point.parameters)}.") from None
        # Points that were not looked at measure what the first one does.
        numbers = []
        for i, each in enumerate(asked):
            parameters = {**each.point.parameters, **each.point.derived}
            point = {path: cell(value) for path, value in parameters.items()}
            for it in ahead.get(i, ahead[0]):
                numbers.append(Datum(it.name, it.unit, point, dict(it.labels), 1.0, 1.0, 1.0, (1.0,)))
        try:
            chart_of(Data(numbers, name=name), request)
        except InputError as error:
            refused = refused or error
        else:
            return
    if refused is not None:
        raise refused
