"""The page of a printed table: its picture, and every number next to ours, in parts that fit on a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.summary import beside
from penstock.reproductions.worth_page import stored_score
from penstock.statistics import Interval
from penstock.unit_scale import number, plus_minus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.reproductions.comparison import Comparison
    from penstock.reproductions.document import Document
    from penstock.reproductions.tables import Column, Row, Table

_BESIDE = 4
"""The most printed columns of one part."""


def table_page(document: Document, table: Table, comparisons: Sequence[Comparison], picture: str) -> str:
    """The page, in Markdown.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Its numbers and ours, from the stored runs; counts of null models come from the stored summary.
    picture : str
        The file of :func:`penstock.reproductions.table_picture.table_picture`.
    """
    runs = max(comparison.runs for comparison in comparisons)
    found = {(tuple(each.row.values()), each.column): each for each in comparisons}
    columns = table.compared
    parts = [columns[first : first + _BESIDE] for first in range(0, len(columns), _BESIDE)]
    lines = [f"# Table {table.id}: {table.caption}", "", *_said(document, table, comparisons, runs, picture)]
    for part in parts:
        lines += ["", *_grid(table, part, found)]
    if table.note:
        lines += ["", table.note]
    command = f"penstock reproduce {document.called} --table {table.id}"
    return "\n".join([*lines, "", f"Again: `{command}`"]) + "\n"


def _said(document: Document, table: Table, comparisons: Sequence[Comparison], runs: int, picture: str) -> list[str]:
    """What the numbers are, and the picture."""
    if table.is_own:
        return [
            f"In the place of {document.name}, {table.where}, whose numbers are lost: these are ours, means of {runs} "
            "runs, and there is nothing to compare them with. ± is half of the 95 % confidence interval.",
            "",
            f"![Table {table.id}]({picture})",
            "",
            "Bars are 95 % confidence intervals.",
        ]
    agree = sum(comparison.agrees is True for comparison in comparisons)
    score = stored_score(document, table.id)
    worth = f"; {beside([score])}" if score else ""
    return [
        f"{document.name}, {table.where}. **{agree} of {len(comparisons)} numbers agree**{worth}. Ours are means of "
        f"{runs} runs. ± is half of the 95 % confidence interval; what differs by more than the agreed tolerance is "
        "bold.",
        "",
        f"![Table {table.id}, printed and here]({picture})",
        "",
        "Grey is what the tolerance grants around the print; bars are 95 % confidence intervals.",
    ]


def heading(column: Column) -> str:
    """What a column is called, with its unit."""
    unit = {"kbps": "kb/s", "Mbps": "Mb/s", "1": "", "ratio": "", "percent": "%"}.get(column.unit, column.unit)
    return f"{column.heading} ({unit})" if unit and unit != column.heading else column.heading


def cell_text(cell: object) -> str:
    """A key cell; a dash where there is nothing."""
    return "-" if cell in ("N/A", "none") else str(cell)


def row_name(row: Row) -> str:
    """The key cells that say something."""
    return "  ".join(cell_text(cell) for cell in row.key.values())


def _grid(
    table: Table, columns: Sequence[Column], found: dict[tuple[tuple[object, ...], str], Comparison]
) -> list[str]:
    keys = [column.heading for column in table.keys]
    heads = [head for column in columns for head in (f"{heading(column)}: print", "here")]
    if table.is_own:
        heads = [heading(column) for column in columns]
    lines = [_row([*keys, *heads]), _row(["---"] * len(keys) + ["---:"] * len(heads))]
    for row in table.rows:
        cells = [cell_text(cell) for cell in row.key.values()]
        for column in columns:
            comparison = found.get((row.id, column.name))
            pair = ["-", "-"] if comparison is None else _pair(column, comparison)
            cells += pair[1:] if table.is_own else pair
        lines.append(_row(cells))
    return lines


def _pair(column: Column, comparison: Comparison) -> list[str]:
    digits = column.decimals
    ours = plus_minus(Interval(comparison.mean, comparison.low, comparison.high, comparison.runs))
    if comparison.published is None:
        return ["-", ours]
    printed = number(comparison.published) if digits is None else f"{comparison.published:.{digits}f}"
    return [printed, ours if comparison.agrees else f"**{ours}**"]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
