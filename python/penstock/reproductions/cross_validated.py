"""The cross-validated agreement that is stored with a study, ``cross_validated.json``, and where it is shown.

It has what ``penstock reproduce DOC --cross-validate --format json`` printed, with the model version and the day.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from penstock.cli.console import table as plain_table
from penstock.reproductions.cross_validation import DECIDES, LEANS
from penstock.reproductions.document import Document
from penstock.reproductions.study import text_beside

Object = Mapping[str, Any]

FILE = "cross_validated.json"


def stored(document: Document) -> Object | None:
    """The stored result of a study; None if there is none."""
    text = text_beside(document, FILE)
    return None if text is None else dict(json.loads(text))


def with_cross_validated(document: Document, summary: Object) -> dict[str, Any]:
    """A summary with the stored result of each table, null where there is none."""
    by_table = {table["table"]: table for table in (stored(document) or {"tables": []})["tables"]}
    names = ("computed", "agree", "discrimination")
    rows = []
    for row in summary["tables"]:
        found = by_table.get(row["table"])
        rows.append({**row, "cross_validated": None if found is None else {name: found[name] for name in names}})
    return {**summary, "tables": rows}


def missing(document: Document) -> str:
    """Why a study ships without a cross-validated count; empty if it has one."""
    if stored(document) is not None:
        return ""
    printed = sum(bool(table.numbers()) for table in document.tables)
    if not printed:
        return "Not cross-validated: no number is printed, so there is nothing to score answers by."
    if printed == 1 or not any(question.alternatives for question in document.questions):
        return "Not cross-validated: that takes two printed tables and an open question."
    command = f"penstock reproduce {document.called} --cross-validate"
    return f"Not cross-validated yet: `{command}`; with `--budget 1` it only says how many runs that takes."


def told(document: Document, result: Object) -> str:
    """The totals, next to those under the chosen answers, what they cover, and whether a budget ended the search."""
    cross, chosen = result["cross_validated"], result["chosen"]
    return (
        f"Cross-validated, {cross['agree']} of {cross['computed']} numbers agree (discrimination "
        f"{cross['discrimination']:+.2f}): each table under answers chosen on the other tables. Under the chosen "
        f"answers, {chosen['agree']} of {chosen['computed']} agree on the same {result['runs']} runs (discrimination "
        f"{chosen['discrimination']:+.2f}).{_limits(document, result)}"
    )


def made_by(result: Object) -> str:
    """The runs of a stored result, their model and day."""
    return f"{result['used']} runs of model {result['model_version'][:12]}, {result['date']}."


def _limits(document: Document, result: Object) -> str:
    """What a cross-validation left out, in sentences with a space before each: tables, questions, or a search's end."""
    tables = [table["table"] for table in result["tables"]]
    asked = [question["question"] for question in result["questions"]]
    limits = []
    if len(tables) < sum(bool(table.numbers()) for table in document.tables):
        limits.append(f" Only tables {', '.join(tables)} were left out in turn, and answers chosen on these alone.")
    if result["fixed"]:
        limits.append(f" Only answers to {', '.join(asked)} were chosen; the other answers were kept.")
    if not result["complete"]:
        limits.append(f" The search stopped at its budget of {result['budget']} runs.")
    return "".join(limits)


def verdict(document: Document, question: str, says: str, likeliest: str, quote: str = "") -> str:
    """What a print says about a question, with the answer that it is for, and the chosen one if that is another."""
    if says == "cannot tell":
        return says
    chosen = document.question(question).chosen
    but = "" if chosen == likeliest else f", chosen is {quote}{chosen}{quote}"
    return f"{says} {quote}{likeliest}{quote}{but}"


def cross_section(document: Document) -> list[str]:
    """The part of a study's page about its cross-validated agreement, in Markdown, or why there is none."""
    title = "## What the agreement is worth without the fit"
    result = stored(document)
    if result is None:
        return [title, "", missing(document), ""]
    rows = [
        f"| {table['table']} | {table['computed']} | {table['chosen']['agree']} | {table['agree']} | "
        f"{table['discrimination']:+.2f} |"
        for table in result["tables"]
    ]
    unread = [
        f"No table but {table['table']} reads {', '.join(f'`{name}`' for name in table['unread'])}, so without it the "
        "text's answer remains."
        for table in result["tables"]
        if table["unread"]
    ]
    return [
        title,
        "",
        f"{told(document, result)} {made_by(result)}",
        "",
        "| table | numbers | agree, chosen answers | agree, chosen without the table | discrimination |",
        "|---|---:|---:|---:|---:|",
        *rows,
        "",
        *(line for told in unread for line in (told, "")),
        "What the whole print says about each question, if its answers are equally likely beforehand and the other "
        f"questions have their chosen answers; it decides from {DECIDES:.0%}, and leans to an answer from {LEANS:.0%}:",
        "",
        "| question | the print | posterior probability of each answer |",
        "|---|---|---|",
        *(
            f"| `{name}` | {says} | {', '.join(shares)} |"
            for name, says, shares in ranked_questions(document, result["questions"])
        ),
        "",
    ]


def question_lines(document: Document, question: str) -> list[str]:
    """What the print says about a question, for its page in Markdown; empty if that is not stored."""
    result = stored(document)
    own = [each for each in result["questions"] if each["question"] == question] if result else []
    return [
        line
        for _, says, shares in ranked_questions(document, own)
        for line in (f"**The printed numbers**: {says} ({', '.join(shares)}).", "")
    ]


def ranked_questions(
    document: Document, questions: Sequence[Object], quote: str = "`"
) -> Iterable[tuple[str, str, list[str]]]:
    """Each question, what the print says of it, and the probability of each answer, the likeliest first."""
    for question in questions:
        ranked = sorted(question["posterior"], key=lambda each: -each["probability"])
        says = verdict(document, question["question"], question["says"], ranked[0]["reading"], quote)
        shares = [f"{quote}{each['reading']}{quote} {each['probability']:.2f}" for each in ranked]
        yield question["question"], says, shares


def board(document: Document, result: Object) -> RenderableType:
    """The scores of each table and of all together, and what the print says about each question, for a console."""
    counts = ("numbers", "agree, chosen", "cross-validated", "discrimination")
    scores = []
    for table in result["tables"]:
        numbers = (table["computed"], table["chosen"]["agree"], table["agree"])
        scores.append([table["table"], *map(str, numbers), f"{table['discrimination']:+.2f}"])
    ranked = ranked_questions(document, result["questions"], quote="")
    questions = [[name, says, ", ".join(shares)] for name, says, shares in ranked]
    unread = [
        f"Read by table {table['table']} only, so without it as in the text: {', '.join(table['unread'])}"
        for table in result["tables"]
        if table["unread"]
    ]
    legend = (
        f"Decides: an answer has at least {DECIDES:.0%}; leans to: at least {LEANS:.0%}. All are equally likely "
        "beforehand, and the other questions have their chosen answers."
    )
    return Group(
        Text(f"{document.id}: {document.summary}", style="bold"),
        Text(f"{result['used']} runs, {result['runs']} of each scenario."),
        plain_table("", ("table", *counts), scores, right=counts),
        *(Text(line, style="dim") for line in unread),
        Text(),
        Text(told(document, result), style="bold"),
        plain_table("", ("question", "the print", "posterior probability of each answer"), questions),
        Text(legend, style="dim"),
    )
