"""How a cross-validated agreement looks on a console, and the command that makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table as Grid
from rich.text import Text

from penstock.cli.console import emit, say, show
from penstock.printable import json_text
from penstock.progress import Progress
from penstock.reproductions.cross_validated import told, verdict
from penstock.reproductions.cross_validation import DECIDES, LEANS, RUNS, CrossValidation, cross_validate
from penstock.reproductions.loading import load
from penstock.reproductions.reading import Readings

if TYPE_CHECKING:
    from rich.console import RenderableType

    from penstock.reproductions.command import Asked


def command(doc: str, asked: Asked, budget: int | None, *, as_json: bool) -> None:
    """Cross-validates a study and shows the result.

    Raises InputError if the study, the answers or the budget do not allow it.
    """
    study = load(doc)
    answers = Readings.parse(study.document, asked.readings)
    given = [text.partition("=")[0].strip() for text in asked.readings]
    fixed = {question: answers.key(question) for question in given}
    with Progress() as progress:
        found = cross_validate(
            study,
            asked.tables,
            fixed,
            RUNS if asked.runs is None else asked.runs,
            budget,
            asked.runner(progress),
            lambda words: say(f"{study.document.id}: {words}"),
        )
    if as_json:
        emit(json_text(found.as_json(), indent=1))
    else:
        show(board(found))


def board(found: CrossValidation) -> RenderableType:
    """The scores of each table and of all together, and what the print says about each question."""
    scores = _grid("table", numbers=("numbers", "agree, chosen", "cross-validated", "discrimination"))
    for table in found.tables:
        score, chosen = table.score, table.chosen
        cells = (score.computed, chosen.agree, score.agree, f"{score.discrimination:+.2f}")
        scores.add_row(table.table.id, *map(str, cells))
    questions = _grid("question", "the print", "posterior probability of each answer")
    for question in found.questions:
        ranked = sorted(question.probabilities.items(), key=lambda item: -item[1])
        says = verdict(found.document, question.question, question.says, question.likeliest)
        shares = ", ".join(f"{key} {share:.2f}" for key, share in ranked)
        questions.add_row(Text(question.question), Text(says), Text(shares))
    unread = [
        Text(
            f"Read by table {table.table.id} only, so without it as in the text: {', '.join(table.unread)}", style="dim"
        )
        for table in found.tables
        if table.unread
    ]
    legend = (
        f"Decides: an answer has at least {DECIDES:.0%}; leans to: at least {LEANS:.0%}. All are equally likely "
        "beforehand, and the other questions have their chosen answers."
    )
    stopped = "" if found.is_complete else f" The search stopped at its budget of {found.budget} runs."
    parts: list[RenderableType] = [
        Text(f"{found.document.id}: {found.document.summary}", style="bold"),
        Text(f"{found.used} runs, {found.runs} of each scenario.{stopped}"),
        Text(),
        scores,
        *unread,
        Text(),
        Text(told(found.document, found.as_json()), style="bold"),
        Text(),
        questions,
        Text(legend, style="dim"),
    ]
    return Group(*parts)


def _grid(*columns: str, numbers: tuple[str, ...] = ()) -> Grid:
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        grid.add_column(column)
    for column in numbers:
        grid.add_column(column, justify="right")
    return grid
