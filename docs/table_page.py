"""The page of a printed table: its picture, and every number next to ours, in parts that fit on a screen."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.plots.style import CAP, style
from penstock.printable import printable
from penstock.reproductions.stored import SUMMARY
from penstock.reproductions.study import text_beside
from penstock.reproductions.summary import Score, against_nulls
from penstock.reproductions.tables import cell_text, heading, row_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.plots.canvas import Picture
    from penstock.reproductions.comparison import Comparison
    from penstock.reproductions.document import Document
    from penstock.reproductions.tables import Column, Table

_COLUMNS = 4
"""The most printed columns of one part."""


def table_page(document: Document, table: Table, comparisons: Sequence[Comparison], picture: str) -> str:
    """The page, in Markdown: numbers of the stored runs, counts of null models from the stored summary.

    `picture` is the file of :func:`table_picture`.
    """
    runs = max(comparison.runs for comparison in comparisons)
    found = {(tuple(each.row.values()), each.column): each for each in comparisons}
    columns = table.compared
    parts = [columns[first : first + _COLUMNS] for first in range(0, len(columns), _COLUMNS)]
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
    worth = f"; {against_nulls([score])}" if score else ""
    return [
        f"{document.name}, {table.where}. **{agree} of {len(comparisons)} numbers agree**{worth}. Ours are means of "
        f"{runs} runs. ± is half of the 95 % confidence interval; differences above the agreed tolerance are "
        "bold.",
        "",
        f"![Table {table.id}, printed and here]({picture})",
        "",
        "Grey is what the tolerance grants around the print; bars are 95 % confidence intervals.",
    ]


def stored_score(document: Document, table: str) -> Score | None:
    """The score of a table within the agreed tolerances; None if the stored summary does not have it."""
    text = text_beside(document, SUMMARY)
    scores = json.loads(text)["tables"] if text else []
    return next((Score.of_json(each) for each in scores if each["table"] == table), None)


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
    if comparison.published is None:
        return ["-", comparison.shown]
    ours = comparison.shown if comparison.agrees else f"**{comparison.shown}**"
    return [column.written(comparison.published), ours]


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


_PANELS = 3
"""Maximum number of panels in a row."""
_LOOKS: dict[str | None, dict[str, str]] = {
    "agrees": {"color": "#0072b2", "marker": "o", "label": "here, agrees"},
    "differs": {"color": "#d55e00", "marker": "^", "label": "here, differs"},
    None: {"color": "#0072b2", "marker": "o", "label": "here"},
}


def table_picture(document: Document, table: Table, comparisons: Sequence[Comparison]) -> Picture:
    """A panel for each column: down the rows of the table, across its numbers."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from penstock.plots.canvas import Picture

    columns = [column for column in table.compared if any(each.column == column.name for each in comparisons)]
    wide = min(len(columns), _PANELS)
    down = -(-len(columns) // wide)
    high = down * (0.55 + 0.17 * len(table.rows)) + 0.4
    with style():
        figure = Picture(figsize=(7.16, max(high, 1.5)), layout=ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03))
        grid = figure.subplots(down, wide, squeeze=False, sharey=True)
        for axes, column in zip(grid.flat, columns, strict=False):
            _panel(axes, document, table, column, [each for each in comparisons if each.column == column.name])
        for axes in grid.flat[len(columns) :]:
            axes.remove()
        names = "  ".join(column.heading for column in table.keys)
        for axes in grid[:, 0]:
            axes.set_ylabel(printable(names))
        _legend(figure, list(grid.flat[: len(columns)]))
    return figure


def _panel(axes: Any, document: Document, table: Table, column: Column, own: Sequence[Comparison]) -> None:
    places = {row.id: place for place, row in enumerate(table.rows)}
    at = [places[tuple(each.row.values())] for each in own]
    _print(axes, document, table, column, own, at)
    for verdict, look in _LOOKS.items():
        of_it = [(place, each) for place, each in zip(at, own, strict=True) if each.verdict == verdict]
        if of_it:
            halves = [0.0 if each.low is None or each.high is None else (each.high - each.low) / 2 for _, each in of_it]
            means, where = [each.mean for _, each in of_it], [place for place, _ in of_it]
            axes.errorbar(means, where, xerr=halves, linestyle="none", capsize=CAP, elinewidth=0.8, **look)
    axes.set_yticks(range(len(table.rows)), [printable(row_name(row)) for row in table.rows])
    axes.set_ylim(len(table.rows) - 0.4, -0.6)
    axes.use_sticky_edges = False
    axes.margins(x=0.04)
    axes.set_xlabel(printable(heading(column)))
    axes.locator_params(axis="x", nbins=5)
    axes.tick_params(axis="y", length=0)


def _print(
    axes: Any, document: Document, table: Table, column: Column, own: Sequence[Comparison], at: Sequence[int]
) -> None:
    """The printed numbers, and what their tolerances grant; nothing where there is no print."""
    rows = {row.id: row for row in table.rows}
    known = [(place, each, each.published) for place, each in zip(at, own, strict=True) if each.published is not None]
    if not known:
        return
    places, printed = [place for place, *_ in known], [published for *_, published in known]
    allowed = [document.allowed(table, rows[tuple(each.row.values())], column) for _, each, _ in known]
    left = [number - most for number, most in zip(printed, allowed, strict=True)]
    axes.barh(places, [2 * most for most in allowed], 0.62, left, color="0.86", linewidth=0)
    axes.plot(printed, places, "|", color="black", markersize=8, markeredgewidth=1.2, label="print")


def _legend(figure: Picture, panels: Sequence[Any]) -> None:
    found: dict[str, Any] = {}
    for axes in panels:
        for handle, name in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(name, handle)
    order = ["print", *(look["label"] for look in _LOOKS.values())]
    names = [name for name in order if name in found]
    figure.legend([found[name] for name in names], names, loc="outside upper center", ncols=len(names))
