"""How a summary looks on a console: what agrees, and what the same tolerances grant to wrong models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from penstock.reproductions.contrasts import KINDS
from penstock.reproductions.summary import AGREED, PILOT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from penstock.reproductions.document import Question
    from penstock.reproductions.summary import Score, Summary

WIDTHS = {
    AGREED: "Within the agreed tolerances",
    PILOT: "Within the tolerances of the pilot's spread and the print's rounding",
}


def board(summary: Summary) -> RenderableType:
    """The scores of each table and of all together, within both tolerances, and of the contrasts."""
    parts: list[RenderableType] = []
    own = [(table.table.id, len(table.table.results())) for table in summary.tables if table.table.is_own]
    if own:
        counts = ", ".join(f"{name} {count}" for name, count in own)
        parts.append(Text(f"Numbers of our own, without a print to agree with, by table: {counts}."))
    if len(own) == len(summary.tables):
        return Group(*parts)
    for which in (AGREED, PILOT):
        if not all(which in table.scores for table in summary.tables):
            continue
        grid = _grid("table")
        for table in summary.tables:
            _row(grid, table.table.id, table.scores[which])
        total, discrimination = summary.total(which)
        _row(grid, "all", total, discrimination)
        parts += [Text(WIDTHS[which], style="bold"), grid, Text(_nulls(total), style="dim"), Text()]
    if all(table.contrasts for table in summary.tables):
        grid = _grid("contrasts")
        for kind in KINDS:
            total, discrimination = summary.total(kind)
            _row(grid, f"{kind}s", total, discrimination)
        what = (
            "Contrasts that the print shows clearly: which is the greater, schemes apart, moves over a row of settings"
        )
        parts += [Text(what, style="bold"), grid, Text()]
    parts.append(
        Text(
            "Discrimination: agree less the best null model, over computed; of all tables, the sum of their leads.",
            style="dim",
        )
    )
    return Group(*parts)


def worth(summary: Summary) -> RenderableType:
    """The discrimination in a few sentences, with the counts of the best null models."""
    lines = []
    for which, where in ((AGREED, "within the agreed tolerances"), (PILOT, "within those of the pilot")):
        if all(which in table.scores for table in summary.tables):
            total, discrimination = summary.total(which)
            lead = sum(table.scores[which].lead for table in summary.tables)
            lines.append(
                f"Discrimination {discrimination:+.2f} {where}: {total.agree} of {total.computed} agree, and "
                f"{total.agree - lead} of each table's best null model."
            )
    return Group(*(Text(line) for line in lines))


def against_the_text(questions: Sequence[Question]) -> str:
    """The chosen answers that contradict what the document says; empty if there are none."""
    found = [f"{question.id}={question.chosen}" for question in questions if question.against_the_text]
    return f"Against the words of the text: {', '.join(found)}." if found else ""


def _grid(first: str) -> Grid:
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    grid.add_column(first)
    for column in ("computed", "agree", "as printed", "by chance alone"):
        grid.add_column(column, justify="right")
    grid.add_column("best null model")
    grid.add_column("discrimination", justify="right")
    return grid


def _row(grid: Grid, name: str, score: Score, discrimination: float | None = None) -> None:
    best = score.best_name
    share = score.discrimination if discrimination is None else discrimination
    grid.add_row(
        name,
        str(score.computed),
        str(score.agree),
        "-" if score.as_printed is None else str(score.as_printed),
        "-" if score.expected is None else f"{score.expected:.1f}",
        f"{score.null[best]} {best}" if best else "-",
        f"{share:+.2f}" if score.computed else "-",
    )


def _nulls(total: Score) -> str:
    counts = sorted(total.null.items(), key=lambda item: -item[1])
    return f"Null models: {', '.join(f'{name} {count}' for name, count in counts)} of {total.computed}."
