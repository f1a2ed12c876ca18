"""The cross-validated agreement that is stored with a study, as tables of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.report.content import Block, Cell, Grid, Heading
from penstock.reproductions.cross_validated import made_by, missing, ranked_questions, stored, told
from penstock.reproductions.cross_validation import DECIDES, LEANS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.document import Document

    Object = Mapping[str, Any]


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
        Block(title, markdown=f"{told(document, result)} {made_by(result)}", grid=_scores(result)),
        Block("What the print says about each question", markdown=meaning, grid=_questions(document, result)),
    ]


def _scores(result: Object) -> Grid:
    rows = []
    for table in result["tables"]:
        counts = (table["computed"], table["chosen"]["agree"], table["agree"])
        rows.append(
            [
                Cell(str(table["table"])),
                *(Cell(str(count), count) for count in counts),
                Cell(f"{table['discrimination']:+.2f}", table["discrimination"]),
                Cell(", ".join(table["unread"])),
            ]
        )
    head = [
        Heading("table"),
        Heading("numbers", is_number=True),
        Heading("agree, chosen answers", is_number=True),
        Heading("agree, chosen without the table", is_number=True),
        Heading("discrimination", is_number=True),
        Heading("read by no other table"),
    ]
    return Grid("cross", "Each table under answers chosen on the others", head, rows)


def _questions(document: Document, result: Object) -> Grid:
    rows = []
    for name, says, shares in ranked_questions(document, result["questions"], quote=""):
        marks = {"decides": "good", "leans": "open"}
        rows.append(
            [
                Cell(name, note=document.question(name).question),
                Cell(says, mark=marks.get(says.split()[0], "")),
                Cell(", ".join(shares)),
            ]
        )
    head = [Heading("question"), Heading("the print"), Heading("posterior probability of each answer")]
    return Grid("cross-questions", "The print on each question", head, rows)
