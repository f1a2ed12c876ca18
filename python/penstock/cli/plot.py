"""``penstock plot``: draws the numbers of a scenario, a study, or a file of results."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.options import (
    MOST_RUNS,
    JobsOption,
    MemoryOption,
    SeedOption,
    SetOption,
    StoreOption,
    read_sets,
)

if TYPE_CHECKING:
    from penstock.plots.data import Data
    from penstock.plots.request import PlotRequest
    from penstock.studies.result import StudyResult

__all__ = ["plot"]


class Width(StrEnum):
    """How wide a picture is."""

    COLUMN = "column"
    PAGE = "page"


def plot(
    file: Annotated[
        Path,
        typer.Argument(
            help="A scenario or study (TOML), which is run as 'penstock run' does; or results: JSON of 'penstock run', "
            "CSV or Parquet.",
            metavar="FILE",
        ),
    ],
    *,
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="line, bar, cdf, series (over time), heatmap or box; by default what suits the numbers.",
            show_default=False,
        ),
    ] = None,
    x: Annotated[
        str | None,
        typer.Option("--x", metavar="NAME", help="What stands across: a parameter or label.", show_default=False),
    ] = None,
    y: Annotated[
        list[str] | None,
        typer.Option(
            "--y",
            metavar="METRIC",
            help="The number, such as goodput or 'delay[voice, max]'; may be repeated, for a row of panels each.",
            show_default=False,
        ),
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="NAME", help="What tells lines, bars or boxes apart.", show_default=False),
    ] = None,
    facet: Annotated[
        str | None, typer.Option("--facet", metavar="NAME", help="What tells panels apart.", show_default=False)
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option("--where", metavar="NAME=VALUE", help="Only these numbers; may be repeated.", show_default=False),
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="The picture: .svg, .pdf or .png; may be repeated. FILE's name with .svg, here, by default.",
            show_default=False,
        ),
    ] = None,
    width: Annotated[
        Width, typer.Option("--width", help="One column of a paper (3.5 inches), or its page (7.16).")
    ] = Width.COLUMN,
    height: Annotated[
        float | None, typer.Option("--height", metavar="INCHES", help="How high.", show_default=False)
    ] = None,
    log: Annotated[
        str, typer.Option("--log", metavar="AXES", help="Logarithmic axes: x, y or xy.", show_default=False)
    ] = "",
    title: Annotated[
        str | None, typer.Option("--title", metavar="TEXT", help="A line above.", show_default=False)
    ] = None,
    x_label: Annotated[
        str | None, typer.Option("--x-label", metavar="TEXT", help="In place of x's name.", show_default=False)
    ] = None,
    y_label: Annotated[
        str | None, typer.Option("--y-label", metavar="TEXT", help="In place of y's name.", show_default=False)
    ] = None,
    no_intervals: Annotated[bool, typer.Option("--no-intervals", help="Leave out confidence intervals.")] = False,
    no_note: Annotated[
        bool, typer.Option("--no-note", help="Leave out the line on runs and intervals; a caption should have it.")
    ] = False,
    series: Annotated[
        bool,
        typer.Option("--series", help="Draw what the scenario's [[series]] reads over time, in the first run."),
    ] = False,
    runs: Annotated[
        int | None,
        typer.Option(
            "--runs", "-n", metavar="N", min=1, max=MOST_RUNS, help="How many independent runs.", show_default=False
        ),
    ] = None,
    seed: SeedOption = None,
    sets: SetOption = None,
    jobs: JobsOption = None,
    memory: MemoryOption = None,
    store: StoreOption = None,
) -> None:
    """Draw numbers with their 95 % confidence intervals.

    Runs that are in the store are not made again. Pictures are ready for a paper: fonts inside, colours, markers and
    line styles that all eyes tell apart, and the same bytes from the same numbers.
    """
    from penstock.cli.console import emit
    from penstock.errors import InputError
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
        where=tuple(_pair(each) for each in where or ()),
        intervals=not no_intervals,
        note=not no_note,
        width=width.value,
        height=height,
        log=log,
        title=title,
        x_label=x_label,
        y_label=y_label,
    )
    if file.suffix.lower() in (".json", ".csv", ".parquet"):
        given = {"--runs": runs, "--seed": seed, "--set": sets, "--jobs": jobs, "--store": store}
        idle = [name for name, value in given.items() if value is not None]
        if idle:
            raise InputError(f"{path_text(file)} has results, so {idle[0]} changes nothing; leave it out.")
        from penstock.memory import allow
        from penstock.plots.files import read_results

        allow(memory)
        data = read_results(file)
    elif series:
        given = {"--runs": runs, "--jobs": jobs, "--store": store}
        idle = [name for name, value in given.items() if value is not None]
        if idle:
            raise InputError(f"--series is of one run, which is not stored: {idle[0]} changes nothing; leave it out.")
        data = _series(file, read_sets(sets), seed, memory)
    else:
        result = _made(file, request, read_sets(sets), runs, seed, jobs, memory, store)
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
    """The runs of a scenario or a study, which are made unless they are stored, if `request` can be drawn."""
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
    """What a scenario's ``[[series]]`` reads in its first run."""
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


def _pair(text: str) -> tuple[str, str]:
    from penstock.printable import quoted

    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise typer.BadParameter(f"{quoted(text)} is not of the form NAME=VALUE.", param_hint="'--where'")
    return name.strip(), value.strip()
