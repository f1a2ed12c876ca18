"""What the agreement of a reproduction is worth: counts next to null models, and cross-validated ones, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.report.content import Block, Cell, Grid, Heading, numbers
from penstock.reproductions.cross_validated import made_by, missing, ranked_questions, stored, told
from penstock.reproductions.cross_validation import DECIDES, LEANS
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
        *numbers("numbers", "agree", "as printed"),
        *(numbers("by chance alone") if has_chance else []),
        *numbers(*(f"null: {name}" for name in names), "lead"),
    ]
    return Grid(identifier, title, head, rows)


def _count(count: int | None) -> Cell:
    return Cell("-") if count is None else Cell(str(count), count)


def cross_blocks(document: Document) -> list[Block]:
    """The counts by table and what the print says of each question; one sentence where nothing is stored."""
    title, result = "What the agreement is worth without the fit", stored(document)
    if result is None:
        return [Block(title, markdown=missing(document))]
    meaning = (
        "If the answers to a question are equally likely beforehand and the other questions have their chosen "
        f"answers. The print *decides* from {DECIDES:.0%}, and *leans to* an answer from {LEANS:.0%}."
    )
    return [
        Block(title, markdown=f"{told(document, result)} {made_by(result)}", grid=_crossed(result)),
        Block("What the print says about each question", markdown=meaning, grid=_questions(document, result)),
    ]


def _crossed(result: Object) -> Grid:
    rows = []
    for table in result["tables"]:
        counts = (table["computed"], table["chosen"]["agree"], table["agree"])
        rows.append(
            [
                Cell(str(table["table"])),
                *map(_count, counts),
                Cell(f"{table['discrimination']:+.2f}", table["discrimination"]),
                Cell(", ".join(table["unread"])),
            ]
        )
    counted = numbers("numbers", "agree, chosen answers", "agree, chosen without the table", "discrimination")
    head = [Heading("table"), *counted, Heading("read by no other table")]
    return Grid("cross", "Each table under answers chosen on the others", head, rows)


def _questions(document: Document, result: Object) -> Grid:
    marks = {"decides": "good", "leans": "open"}
    rows = [
        [
            Cell(name, note=document.question(name).question),
            Cell(says, mark=marks.get(says.split()[0], "")),
            Cell(", ".join(shares)),
        ]
        for name, says, shares in ranked_questions(document, result["questions"], quote="")
    ]
    head = [Heading("question"), Heading("the print"), Heading("posterior probability of each answer")]
    return Grid("cross-questions", "The print on each question", head, rows)
