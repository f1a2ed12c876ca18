"""How results are shown in a notebook, and in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.drawing import escaped
from penstock.parameter_columns import parameter_columns
from penstock.tabulation import how_sure, made_from, table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.studies.result import StudyResult

__all__ = ["result_html", "result_line", "table_html", "things"]

_ROWS = 100
"""The most rows of a table in a notebook; frames have all of them."""


def things(count: int, one: str) -> str:
    """A number of things.

    Examples
    --------
    >>> things(1, "link"), things(2, "link")
    ('1 link', '2 links')
    """
    return f"{count} {one}{'s' * (count != 1)}"


def result_line(result: StudyResult) -> str:
    """A result in one line."""
    parts = f"{things(len(result.points), 'point')}, {things(result.run_count, 'run')}"
    return f"<StudyResult {result.plan.name!r}: {parts}>"


def result_html(result: StudyResult) -> str:
    """A result as the table that the command line shows."""
    parameters = parameter_columns([point.parameters for point in result.points], result.parameters)
    columns, rows = table_of(result.summaries(), parameters)
    more = len(rows) - _ROWS
    notes = [*result.warnings, *parameters.notes, how_sure(result), made_from(result.provenances, result.parameters)]
    notes += [f"{things(more, 'row')} more in frame()."] if more > 0 else []
    said = "".join(f"<p>{escaped(note, 500)}</p>" for note in notes)
    title = result.plan.name if not result.plan.description else f"{result.plan.name}: {result.plan.description}"
    return f"<p><b>{escaped(title, 200)}</b></p>{table_html(columns, rows[:_ROWS])}{said}"


def table_html(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; without a head if there are no names of columns."""
    head = "".join(f"<th>{escaped(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escaped(cell, 100)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if columns else ''}<tbody>{body}</tbody></table>"
