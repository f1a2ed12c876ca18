"""What an agreement is worth, for the page of a study and for a console.

There are the counts of ours and of wrong models, and the cross-validated agreement. A study has that in a file, with
what ``penstock reproduce DOC --cross-validate --format json`` printed, the model version and the day.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from penstock.cli.console import table as plain_table
from penstock.reproductions.contrasts import KINDS
from penstock.reproductions.cross_validation import DECIDES, LEANS
from penstock.reproductions.document import Document
from penstock.reproductions.nulls import CONSTANT
from penstock.reproductions.stored import SUMMARY
from penstock.reproductions.study import text_beside
from penstock.reproductions.summary import AGREED, PILOT, Score, Summary, granted

Object = Mapping[str, Any]

CROSS_VALIDATED = "cross_validated.json"
"""The file with the cross-validated agreement."""

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
    for which in _widths(summary):
        total, discrimination = summary.total(which)
        rows = [_cells(table.table.id, table.scores[which]) for table in summary.tables]
        scores = _table(WIDTHS[which], "table", [*rows, _cells("all", total, discrimination)])
        counts = ", ".join(f"{name} {count}" for name, count in sorted(total.null.items(), key=lambda it: -it[1]))
        nulls = Text(f"Null models: {counts} of {total.computed}.", style="dim")
        parts += [scores, nulls, Text()]
    if all(table.contrasts for table in summary.tables):
        what = (
            "Contrasts that the print shows clearly: which is the greater, schemes apart, moves over a row of settings"
        )
        parts += [_table(what, "contrasts", [_cells(f"{kind}s", *summary.total(kind)) for kind in KINDS]), Text()]
    told = "Discrimination: agree less the best null model, over computed; of all tables, the sum of their leads."
    return Group(*parts, Text(told, style="dim"))


def worth(summary: Summary) -> RenderableType:
    """The discrimination in a few sentences, with the counts of the best null models."""
    lines = []
    for which in _widths(summary):
        total, discrimination = summary.total(which)
        best, _ = granted([table.scores[which] for table in summary.tables])
        where = "within the agreed tolerances" if which == AGREED else "within the pilot's"
        lines.append(
            f"Discrimination {discrimination:+.2f} {where}: {total.agree} of {total.computed} agree, and "
            f"{best} of each table's best null model."
        )
    return Group(*map(Text, lines))


def worth_section(document: Document) -> list[str]:
    """The part of a study's page about it, in Markdown; no lines if there is no stored summary."""
    text = text_beside(document, SUMMARY)
    if text is None:
        return []
    data = json.loads(text)
    summary = Summary.of_json(document, {**data, "tables": [table for table in data["tables"] if "own" not in table]})
    if not summary.tables:
        own = sum(table["own"] for table in data["tables"])
        told = (
            f"The document's results are lost, so none of the {own} numbers can agree with a print: they are our means "
            f"of {data['runs']} runs. What they are worth shows in each claim's test, in what it says of null "
            "models: rows exchanged between two policies, and one number for all rows."
        )
        return ["## What the numbers are worth", "", told, ""]
    printed = f", {data['printed_runs']} under the text as printed" if "printed_runs" in data else ""
    lines = [
        "## What the agreement is worth",
        "",
        f"Of {data['runs']} runs{printed}. Next to our count are that under the text as it is printed, that of the "
        "null model with the most, and the *discrimination*: our count less the best null model's, over all numbers. "
        "It is 0 where a wrong model does as well; that of all tables is the sum of their leads.",
        "",
        "Within the agreed tolerances:",
        "",
        *_tables(summary, AGREED),
    ]
    if PILOT in _widths(summary):
        lines += [
            "",
            "Within the tolerances that the pilot's spread from run to run and the rounding of the print leave, never "
            "more than the agreed ones. *By chance alone* is what a model is expected to have that differs from the "
            "print by nothing else:",
            "",
            *_tables(summary, PILOT),
            "",
            "Contrasts that the print shows clearly: which of two numbers is the greater, how far the schemes are "
            "apart, how far a number moves over a row of settings:",
            "",
            *_contrasts(summary),
        ]
    return [*lines, "", "Null models:", "", *_null_models(document, summary.agreed), ""]


def _widths(summary: Summary) -> list[str]:
    """The tolerances that all tables have scores within."""
    return [which for which in WIDTHS if all(which in table.scores for table in summary.tables)]


def _table(title: str, first: str, rows: Sequence[Sequence[str]]) -> RenderableType:
    numbers = ("computed", "agree", "as printed", "by chance alone")
    names = (first, *numbers, "best null model", "discrimination")
    return plain_table(title, names, rows, right=(*numbers, "discrimination"))


def _cells(name: str, score: Score, discrimination: float | None = None, quote: str = "") -> list[str]:
    """A row; of several tables together if they have a discrimination that is not the score's."""
    share = score.discrimination if discrimination is None else discrimination
    return [
        name,
        str(score.computed),
        str(score.agree),
        "-" if score.as_printed is None else str(score.as_printed),
        "-" if score.expected is None else f"{score.expected:.1f}",
        f"{score.best} {quote}{score.best_name}{quote}" if score.null else "-",
        f"{share:+.2f}" if score.computed else "-",
    ]


def _tables(summary: Summary, which: str) -> list[str]:
    """The table of all tables' scores, in Markdown."""
    scores = [table.scores[which] for table in summary.tables]
    rows = [_cells(each.table.id, score, quote="`") for each, score in zip(summary.tables, scores, strict=True)]
    return _markdown(
        "table", [*rows, _together("all", summary, which)], chance=any(score.expected is not None for score in scores)
    )


def _contrasts(summary: Summary) -> list[str]:
    kinds = [kind for kind in summary.tables[0].contrasts if summary.total(kind)[0].computed]
    return _markdown("contrasts", [_together(f"{kind}s", summary, kind) for kind in kinds], chance=False)


def _together(name: str, summary: Summary, which: str) -> list[str]:
    """A row for all tables, with the counts of each table's best null model."""
    best, _ = granted([{**table.scores, **table.contrasts}[which] for table in summary.tables])
    *cells, _, share = _cells(name, *summary.total(which))
    return [*cells, str(best), share]


def _markdown(first: str, rows: Sequence[Sequence[str]], *, chance: bool) -> list[str]:
    """Rows in Markdown, with the column of what agrees by chance where `chance`."""
    names = [first, "numbers", "agree", "as printed", "by chance alone", "best null model", "discrimination"]
    rules = ["---", "---:", "---:", "---:", "---:", "---", "---:"]
    kept = [[row[place] for place in range(len(names)) if chance or place != 4] for row in (names, rules, *rows)]
    return markdown(*kept)


def markdown(names: Sequence[str], rules: Sequence[str], *rows: Sequence[str]) -> list[str]:
    """The lines of a table in Markdown."""
    return [f"| {' | '.join(names)} |", f"|{'|'.join(rules)}|", *(f"| {' | '.join(row)} |" for row in rows)]


def _null_models(document: Document, scores: Sequence[Score]) -> Iterable[str]:
    texts = {null.id: null.text for null in document.nulls}
    texts[CONSTANT] = "one number for each column of a table: the one that agrees with most rows, found in the print"
    for name, text in texts.items():
        known = [score for score in scores if name in score.null]
        agree, of = sum(score.null[name] for score in known), sum(score.computed for score in known)
        yield f"- `{name}`: {text}: {agree} of {of}"


def cross_validated(document: Document) -> Object | None:
    """The stored result of a study; None if there is none."""
    text = text_beside(document, CROSS_VALIDATED)
    return None if text is None else dict(json.loads(text))


def with_cross_validated(document: Document, summary: Object) -> dict[str, Any]:
    """A summary with the stored result of each table, null where there is none."""
    by_table = {table["table"]: table for table in (cross_validated(document) or {"tables": []})["tables"]}
    names = ("computed", "agree", "discrimination")
    rows = []
    for row in summary["tables"]:
        found = by_table.get(row["table"])
        rows.append({**row, "cross_validated": None if found is None else {name: found[name] for name in names}})
    return {**summary, "tables": rows}


def missing(document: Document) -> str:
    """Why a study ships without a cross-validated count; empty if it has one."""
    if cross_validated(document) is not None:
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
    result = cross_validated(document)
    if result is None:
        return [title, "", missing(document), ""]
    ranked = ranked_questions(document, result["questions"])
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
        *markdown(
            ("table", "numbers", "agree, chosen answers", "agree, chosen without the table", "discrimination"),
            ("---", "---:", "---:", "---:", "---:"),
            *_cross_scores(result),
        ),
        "",
        *(line for told in unread for line in (told, "")),
        "What the whole print says about each question, if its answers are equally likely beforehand and the other "
        f"questions have their chosen answers; it decides from {DECIDES:.0%}, and leans to an answer from {LEANS:.0%}:",
        "",
        *markdown(
            ("question", "the print", "posterior probability of each answer"),
            ("---", "---", "---"),
            *((f"`{name}`", says, ", ".join(shares)) for name, says, shares in ranked),
        ),
        "",
    ]


def question_lines(document: Document, question: str) -> list[str]:
    """What the print says about a question, for its page in Markdown; empty if that is not stored."""
    result = cross_validated(document)
    own = [each for each in result["questions"] if each["question"] == question] if result else []
    return [
        line
        for _, says, shares in ranked_questions(document, own)
        for line in (f"**The print** {says} ({', '.join(shares)}).", "")
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


def cross_board(document: Document, result: Object) -> RenderableType:
    """The scores of each table and of all together, and what the print says about each question, for a console."""
    counts = ("numbers", "agree, chosen", "cross-validated", "discrimination")
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
        plain_table("", ("table", *counts), _cross_scores(result), right=counts),
        *(Text(line, style="dim") for line in unread),
        Text(),
        Text(told(document, result), style="bold"),
        plain_table("", ("question", "the print", "posterior probability of each answer"), questions),
        Text(legend, style="dim"),
    )


def _cross_scores(result: Object) -> list[list[str]]:
    """A row for each table: its numbers, those that agree under the chosen and the other answers, and the lead."""
    rows = []
    for table in result["tables"]:
        numbers = (table["computed"], table["chosen"]["agree"], table["agree"])
        rows.append([table["table"], *map(str, numbers), f"{table['discrimination']:+.2f}"])
    return rows
