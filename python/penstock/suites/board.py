"""Table of a part of a suite: a row for each point, a column for each number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.cli.console import table
from penstock.short_values import value_text
from penstock.studies.definition import is_path
from penstock.studies.select import SelectionError, select
from penstock.unit_scale import scale

if TYPE_CHECKING:
    from penstock.results import Summary
    from penstock.studies.result import StudyResult
    from penstock.suites.suite import Part, Suite

LONGEST = 60
"""Rows of a table on a terminal; the files of ``--out`` and JSON have all."""


def board(suite: Suite, part: Part, result: StudyResult) -> list[Any]:
    """Returns the table of a part and what it leaves out, for :func:`penstock.cli.console.show`."""
    names = _names(result)
    found = [[_numbered(number, point.summaries()) for number in part.numbers] for point in result.points]
    scales = [
        scale(number.partition("[")[0], _unit(column), [each.interval.mean for each in column if each is not None])
        for number, column in zip(part.numbers, zip(*found, strict=True), strict=True)
    ]
    shorter = [number.replace("[", " ").replace("]", "") for number in part.numbers]
    heads = [f"{name} ({shown.unit})" if shown.unit else name for name, shown in zip(shorter, scales, strict=True)]
    rows = []
    for point, cells in zip(result.points[:LONGEST], found, strict=False):
        values = [value_text(point.parameters[name]) for name in names]
        texts = ["" if each is None else shown.text(each.interval) for each, shown in zip(cells, scales, strict=True)]
        rows.append((*values, *texts))
    short = [name.rpartition(".")[2] if is_path(name) else name for name in names]
    parts: list[Any] = [table(f"{suite.name} {part.name}: {part.what}", [*short, *heads], rows, right=heads)]
    if len(result.points) > LONGEST:
        parts.append(
            f"... and {len(result.points) - LONGEST} more points; --out FOLDER writes all, --set chooses some."
        )
    return parts


def _names(result: StudyResult) -> list[str]:
    """The labels, and the settings that do not follow from them, if they vary."""
    every = [{name: value_text(value) for name, value in point.parameters.items()} for point in result.points]
    names = [name for name in result.parameters if len({each.get(name) for each in every}) > 1]
    labels = [name for name in names if not is_path(name)]
    more = []
    for name in names:
        by_labels: dict[tuple[str | None, ...], set[str | None]] = {}
        for each in every:
            by_labels.setdefault(tuple(each.get(label) for label in labels), set()).add(each.get(name))
        if any(len(values) > 1 for values in by_labels.values()):
            more.append(name)
    return [*labels, *more]


def _numbered(number: str, summaries: list[Summary]) -> Summary | None:
    from penstock.records import Metric

    known = [Metric(each.metric, each.labels, each.unit, each.interval.mean) for each in summaries]
    try:
        chosen = select(number, known)
    except SelectionError:
        return None
    return next(each for each in summaries if (each.metric, each.labels) == (chosen.name, chosen.labels))


def _unit(column: tuple[Summary | None, ...]) -> str:
    return next((each.unit for each in column if each is not None), "1")
