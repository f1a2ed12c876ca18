"""What ``penstock reproduce`` does with a suite: runs its parts, shows their tables, and writes their files."""

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from penstock.cli.console import emit, say, show, table, warn
from penstock.cli.cores import runner_told
from penstock.cli.studies import made_told, plan_of, save
from penstock.errors import InputError
from penstock.parameter_columns import parameter_columns
from penstock.plots import picture, request_of
from penstock.plots.data import from_summaries
from penstock.printable import json_text, path_text
from penstock.records import Metric
from penstock.reproductions.comparison import Comparison
from penstock.results import Summary
from penstock.short_values import value_text
from penstock.store import Store
from penstock.studies.definition import is_path
from penstock.studies.making import stored as made_so_far
from penstock.studies.plan import StudyPlan
from penstock.studies.precision import Precision
from penstock.studies.quantity import ExpressionError
from penstock.studies.request import PointRequest
from penstock.studies.result import StudyData
from penstock.studies.select import select
from penstock.studies.verify import verify
from penstock.suites import Part, Suite
from penstock.tabulation import how_sure, made_from
from penstock.unit_scale import scale
from penstock.whole_file import write_whole

_LONGEST = 60  # rows of a table on a terminal; the files of ``--out`` and JSON have all


@dataclass(frozen=True)
class Asked:
    """Which parts to run, how often or how precisely, with which settings, on what, the store, and the folder."""

    parts: tuple[str, ...] = ()
    sets: tuple[tuple[str, str], ...] = ()
    runs: int | None = None
    precision: Precision | None = None
    jobs: int | None = None
    on: str = "threads"
    store: Store | None = None
    out: Path | None = None
    only_stored: bool = False


def reproduce(suite: Suite, asked: Asked, *, as_json: bool) -> None:
    """Runs the studies of a suite, shows their numbers, and writes tables and figures if a folder is given."""
    rows: list[dict[str, Any]] = []
    missed: StudyData | None = None
    if asked.out is not None:
        try:
            asked.out.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"--out {path_text(asked.out)}: no folder: {error.strerror or error}.") from None
    for part, plan, points in _plans(suite, asked):
        result = _made(plan, points, asked)
        if as_json:
            rows.extend(_rows(suite, part, result))
        else:
            show(*_board(suite, part, result))
            show(how_sure(result.points))
            show(made_from(result.provenances, result.parameters))
        for note in result.notes:
            say(f"note: {part.name}: {note}")
        missed = missed or (result if result.missed else None)
        if asked.out is not None:
            _write(suite, part, result, asked.out, as_json=as_json)
    if as_json:
        emit(json_text(rows))
    if missed is not None:
        missed.require_precision()


def dry_run(suite: Suite, asked: Asked, *, as_json: bool) -> None:
    """Shows the points and runs of each part with an estimate of the time, and runs nothing else."""
    from penstock.cli.dry_run import emit_dry_run

    points = [point for _, _, of_part in _plans(suite, asked) for point in of_part]
    more = asked.precision is not None
    emit_dry_run(suite.name, suite.title, points, asked.store, asked.jobs, as_json=as_json, at_least=more)


def _plans(suite: Suite, asked: Asked) -> list[tuple[Part, StudyPlan, list[PointRequest]]]:
    """The parts with their plans and points.

    All are read before the first is run, so that a mistake in the last part costs no run.
    """
    found = []
    for part in suite.chosen(asked.parts):
        plan = plan_of(part.file, asked.sets, asked.runs)
        plan = plan if asked.precision is None else replace(plan, precision=asked.precision)
        points = plan.read()
        if not asked.only_stored:
            verify(plan, points)
        found.append((part, plan, points))
    return found


def _made(plan: StudyPlan, points: Sequence[PointRequest], asked: Asked) -> StudyData:
    assert asked.store is not None
    if asked.only_stored:
        return made_so_far(plan, points, asked.store)
    return made_told(plan, points, runner_told(1, jobs=asked.jobs, store=asked.store, on=asked.on))


def _board(suite: Suite, part: Part, result: StudyData) -> list[Any]:
    """Returns the table of a part and what it leaves out, for :func:`penstock.cli.console.show`."""
    parameters = parameter_columns([point.parameters for point in result.points], result.parameters)
    found = [[_numbered(number, point.summaries()) for number in part.numbers] for point in result.points]
    scales = [
        scale(number.partition("[")[0], own[0].unit if own else "1", [each.interval.mean for each in own])
        for number, column in zip(part.numbers, zip(*found, strict=True), strict=True)
        for own in [[each for each in column if each is not None]]
    ]
    shorter = [number.replace("[", " ").replace("]", "") for number in part.numbers]
    heads = [f"{name} ({shown.unit})" if shown.unit else name for name, shown in zip(shorter, scales, strict=True)]
    rows = []
    for point, cells in zip(result.points[:_LONGEST], found, strict=False):
        texts = ["" if each is None else shown.text(each.interval) for each, shown in zip(cells, scales, strict=True)]
        rows.append((*parameters.cells(point.parameters), *texts))
    parts: list[Any] = [table(f"{suite.name} {part.name}: {part.what}", [*parameters.heads, *heads], rows, right=heads)]
    if len(result.points) > _LONGEST:
        parts.append(
            f"... and {len(result.points) - _LONGEST} more points; --out FOLDER writes all, --set chooses some."
        )
    return parts


def _numbered(number: str, summaries: Sequence[Summary]) -> Summary | None:
    known = [Metric(each.metric, each.labels, each.unit, each.interval.mean) for each in summaries]
    try:
        chosen = select(number, known)
    except ExpressionError:
        return None
    return next(each for each in summaries if (each.metric, each.labels) == (chosen.name, chosen.labels))


def _rows(suite: Suite, part: Part, result: StudyData) -> Iterator[dict[str, Any]]:
    """The numbers of a part in the form of a reproduction's, which have no print."""
    for point in result.points:
        parameters = {name: value_text(value) for name, value in point.asked.point.parameters.items()}
        row = dict(sorted(parameters.items(), key=lambda each: is_path(each[0])))
        for summary in point.summaries():
            more = ", ".join(summary.labels.values())
            column = f"{summary.metric}[{more}]" if more else summary.metric
            mean, low, high = summary.interval.mean, summary.interval.low, summary.interval.high
            mean = mean if math.isfinite(mean) else math.nan
            numbers = (mean, low, high, len(summary.values))
            yield Comparison(suite.name, part.name, row, column, summary.unit, None, *numbers).as_json()


def _write(suite: Suite, part: Part, result: StudyData, folder: Path, *, as_json: bool) -> None:
    from penstock.suites.ellipses import figure_of

    told: list[Path] = [folder / f"{part.name}.csv", folder / f"{part.name}.json"]
    write_whole(told[0], result.frame().write_csv().encode())
    write_whole(told[1], (json.dumps(json.loads(result.json()), indent=1) + "\n").encode())
    for figure in part.figures:
        file = folder / f"{figure.name}.svg"
        try:
            if figure.asked.get("kind") == "ellipse":
                drawn = figure_of(result, figure.asked)
            else:
                drawn = picture(from_summaries(result.summaries(), part.name), request_of(**figure.asked))
            save(drawn, file)
        except InputError as error:
            # Settings from the command line may leave nothing to draw.
            warn([f"{path_text(file)}: not drawn: {error}"])
            continue
        told.append(file)
    if suite.flent == part.name:
        from penstock.suites.flent import write

        told.extend(write(result, folder))
    for file in told:  # standard output is for JSON alone where that is asked for
        (say if as_json else emit)(f"{path_text(file)}: written.")
