"""``penstock plot``: draws the numbers of a scenario, a study, or a file of results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from penstock.cli import options
from penstock.cli.verb import argument, option

if TYPE_CHECKING:
    from penstock.plots.data import Data
    from penstock.plots.request import PlotRequest
    from penstock.studies.result import StudyResult


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
    from penstock.cli.console import emit
    from penstock.plots import check_endings, picture, save
    from penstock.plots.data import from_summaries
    from penstock.plots.over_time import suited
    from penstock.plots.request import PlotRequest
    from penstock.printable import path_text

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
    if file.suffix.lower() in (".json", ".csv", ".parquet"):
        given = {"--series": series, "--runs": runs, "--seed": seed, "--set": sets, "--jobs": jobs, "--store": store}
        options.refuse_idle(given, f"{path_text(file)} has results, so ")
        from penstock.memory import allow
        from penstock.plots.files import read_results

        allow(memory)
        data = read_results(file)
    elif series:
        given = {"--runs": runs, "--jobs": jobs, "--store": store}
        options.refuse_idle(given, "--series is of one run, which is not stored: ")
        data = _series(file, options.read_sets(sets), seed, memory)
    else:
        result = _made(file, request, options.read_sets(sets), runs, seed, jobs, memory, store)
        data = from_summaries(result.summaries(), path_text(file))
    drawn = picture(data, suited(request, data) if data.is_series else request)
    for each in files:
        save(drawn, each)
        emit(f"{path_text(each)}: written.")
    if result is not None:
        result.require_precision()


def _made(
    file: Path,
    request: PlotRequest,
    sets: tuple[tuple[str, str], ...],
    runs: int | None,
    seed: int | None,
    jobs: int | None,
    memory: int | None,
    store: Path | None,
) -> StudyResult:
    """Makes the missing runs of a scenario or study, if `request` can be drawn."""
    from penstock.cli.console import warn
    from penstock.cli.studies import plan_of
    from penstock.memory import allow
    from penstock.plots.foresee import foresee
    from penstock.printable import path_text
    from penstock.progress import Progress
    from penstock.store import Store
    from penstock.studies.making import make
    from penstock.studies.request import warnings_of
    from penstock.studies.runner import Runner
    from penstock.studies.verify import verify

    allow(memory)
    plan = plan_of(file, sets, runs, seed)
    asked = plan.read()
    verify(plan, asked)
    warn(warnings_of(asked))
    kept = Store(store)
    foresee(plan, asked, request, kept, path_text(file))
    with Progress() as progress:
        result = make(plan, asked, Runner(jobs=jobs, store=kept, progress=progress))
    warn(result.cautions)
    return result


def _series(file: Path, sets: tuple[tuple[str, str], ...], seed: int | None, memory: int | None) -> Data:
    """The ``[[series]]`` of the first run of a scenario."""
    from penstock.cli.console import warn
    from penstock.cli.files import read_text
    from penstock.memory import allow
    from penstock.plots.over_time import data_of
    from penstock.printable import path_text
    from penstock.series import TimeSeries

    allow(memory)
    made = TimeSeries(read_text(file), name=str(file), folder=str(file.parent), sets=sets, seed=seed)
    warn(made.warnings)
    return data_of(made.frame(), path_text(file))
