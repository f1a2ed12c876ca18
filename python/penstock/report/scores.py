"""Counts of agreeing numbers, of Penstock and of null models, from a stored summary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.report.content import Block, Cell, Grid, Heading
from penstock.reproductions.nulls import CONSTANT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.reproductions.document import Document

    Object = Mapping[str, Any]


def scores_grid(document: Document, summary: Object) -> list[Block]:
    """Tables of agreements within the agreed tolerances, and within the tighter ones of a pilot if there is one.

    `summary`: as ``penstock reproduce DOC --summary --format json`` gives it.
    """
    tables = [table for table in summary["tables"] if "own" not in table]
    if not tables:
        return []
    pilots = [{"table": table["table"], **table["pilot"]} for table in tables if "pilot" in table]
    names = list(dict.fromkeys(name for table in tables for name in table["null"]))
    texts = {null.id: null.text for null in document.nulls}
    texts[CONSTANT] = "one number for each column of a table, chosen to agree with most printed rows"
    meaning = "\n".join(f"- `{name}`: {texts[name]}" for name in names)
    blocks = [
        Block(
            "What the agreement is worth",
            markdown="Numbers that agree within the same tolerances: here, with the answers of the printed text, and "
            "in null models, which are known to be wrong. *Lead* is our count minus the best null model's: at 0, "
            f"agreement means nothing.\n\n{meaning}",
            grid=_grid("scores", "Within the agreed tolerances", tables, names),
        )
    ]
    if pilots and len(pilots) == len(tables):
        told = (
            "Tighter tolerances, from the spread between runs and the rounding of the print. *By chance alone* is the "
            "count expected of a model that differs from the print by these two only."
        )
        grid = _grid("scores-tight", "Within the pilot's tolerances", pilots, names)
        blocks.append(Block("Within tighter tolerances", markdown=told, grid=grid))
    return blocks


def _grid(identifier: str, title: str, tables: Sequence[Object], names: Sequence[str]) -> Grid:
    has_chance = all("expected" in table for table in tables)
    rows = []
    for table in tables:
        lead = table["agree"] - max(table["null"].values(), default=0)
        printed = table.get("as_printed")
        rows.append(
            [
                Cell(str(table["table"])),
                _count(table["computed"]),
                _count(table["agree"]),
                _count(printed),
                *([Cell(f"{table['expected']:.1f}", table["expected"])] if has_chance else []),
                *(_count(table["null"].get(name)) for name in names),
                Cell(f"{lead:+d}", lead, "good" if lead > 0 else "open"),
            ]
        )
    head = [
        Heading("table"),
        Heading("numbers", is_number=True),
        Heading("agree", is_number=True),
        Heading("as printed", is_number=True),
        *([Heading("by chance alone", is_number=True)] * has_chance),
        *(Heading(f"null: {name}", is_number=True) for name in names),
        Heading("lead", is_number=True),
    ]
    return Grid(identifier, title, head, rows)


def _count(count: int | None) -> Cell:
    return Cell("-") if count is None else Cell(str(count), count)
