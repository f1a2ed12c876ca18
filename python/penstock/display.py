"""How networks, studies and results are shown in a notebook, and in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.drawing import escaped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.studies.result import StudyResult
    from penstock.study import Study

__all__ = ["result_html", "result_line", "study_html", "study_line", "things"]

_ROWS = 100
"""The most rows of a table in a notebook; frames have all of them."""
_VALUES = 6
"""The most values of a parameter that are named."""


def things(count: int, one: str) -> str:
    """A number of things.

    Examples
    --------
    >>> things(1, "link"), things(2, "link")
    ('1 link', '2 links')
    """
    return f"{count} {one}{'s' * (count != 1)}"


def study_line(study: Study) -> str:
    """A study in one line."""
    varies = [*study.definition.grid, *(name for table in study.definition.zips for name in table)]
    parts = [study.duration, *([f"warm-up {study.warm_up}"] if study.warm_up else [])]
    parts += [things(study.replications, "run"), *([f"varies {', '.join(varies)}"] if varies else [])]
    return f"<Study {study.name!r}: {', '.join(parts)}>"


def study_html(study: Study) -> str:
    """A study as a table, and its network."""
    definition = study.definition
    axes = {**definition.grid, **{name: values for table in definition.zips for name, values in table.items()}}
    rows = [
        ("duration", study.duration),
        ("warm-up", study.warm_up or "none"),
        ("seed", "1" if study.seed is None else str(study.seed)),
        ("runs of each point", "as its precision takes" if "precision" in study.aims else str(study.replications)),
        *((name, _some([str(value) for value in values])) for name, values in axes.items()),
        *((name, f"= {expression}") for name, expression in definition.derived.items()),
        *(("where", condition) for condition in definition.where),
        *([("points", things(len(definition.entries), "line"))] if definition.entries else []),
    ]
    title = study.name if study.description is None else f"{study.name}: {study.description}"
    return f"<p><b>{escaped(title, 200)}</b></p>{_table((), rows)}{study.network._repr_html_()}"


def _some(values: Sequence[str]) -> str:
    return ", ".join([*values[:_VALUES], *[f"... ({len(values)} values)"] * (len(values) > _VALUES)])


def result_line(result: StudyResult) -> str:
    """A result in one line."""
    parts = f"{things(len(result.points), 'point')}, {things(len(result.runs), 'run')}"
    return f"<StudyResult {result.plan.name!r}: {parts}>"


def result_html(result: StudyResult) -> str:
    """A result as the table that the command line shows."""
    from penstock.cli.report import made_from, rows_of, short_names

    varied = result.parameters
    rows = rows_of(result.summaries(), varied)
    columns = ["metric", "of", *short_names(varied), "mean", "unit", "runs"]
    more = len(rows) - _ROWS
    notes = [*result.warnings, made_from(result)]
    notes += [f"{things(more, 'row')} more in frame()."] if more > 0 else []
    said = "".join(f"<p>{escaped(note, 500)}</p>" for note in notes)
    title = result.plan.name if not result.plan.description else f"{result.plan.name}: {result.plan.description}"
    return f"<p><b>{escaped(title, 200)}</b></p>{_table(columns, rows[:_ROWS])}{said}"


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escaped(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escaped(cell, 100)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if columns else ''}<tbody>{body}</tbody></table>"
