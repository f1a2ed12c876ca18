"""Results as HTML for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.drawing import escaped
from penstock.printable import things

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROWS = 100
"""Maximum number of rows of a table in a notebook; frames have all of them."""


def summary_html(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """Returns a title, a table (without a head if `columns` is empty), and a paragraph per note."""
    more = len(rows) - _ROWS
    notes = [*notes, *([f"{things(more, 'row')} more in frame()."] if more > 0 else [])]
    head = "".join(f"<th>{escaped(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(f'<td>{escaped(cell, 100)}</td>' for cell in row)}</tr>" for row in rows[:_ROWS])
    table = f"<table>{f'<thead><tr>{head}</tr></thead>' if columns else ''}<tbody>{body}</tbody></table>"
    said = "".join(f"<p>{escaped(note, 500)}</p>" for note in notes)
    return f"<p><b>{escaped(title, 300)}</b></p>{table}{said}"
