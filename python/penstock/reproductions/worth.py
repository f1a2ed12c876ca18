"""What an agreement is worth: counts of ours and of wrong models, for the page of a study and for a console."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from penstock.cli.console import table as plain_table
from penstock.reproductions.contrasts import KINDS
from penstock.reproductions.document import Document
from penstock.reproductions.nulls import CONSTANT
from penstock.reproductions.stored import SUMMARY
from penstock.reproductions.study import text_beside
from penstock.reproductions.summary import AGREED, PILOT, Score, Summary, granted

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
        where = "within the agreed tolerances" if which == AGREED else "within those of the pilot"
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
            f"of {data['runs']} runs. What they are worth shows beside each claim, in what its test says of null "
            "models: rows exchanged between two policies, and one number for all rows."
        )
        return ["## What the numbers are worth", "", told, ""]
    printed = f", {data['printed_runs']} under the text as printed" if "printed_runs" in data else ""
    lines = [
        "## What the agreement is worth",
        "",
        f"Of {data['runs']} runs{printed}. Beside our count stand that under the text as it is printed, that of the "
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
    kept = [place for place in range(len(names)) if chance or place != 4]
    lines = [f"| {' | '.join(row[place] for place in kept)} |" for row in (names, *rows)]
    return [lines[0], f"|{'|'.join(rules[place] for place in kept)}|", *lines[1:]]


def _null_models(document: Document, scores: Sequence[Score]) -> Iterable[str]:
    texts = {null.id: null.text for null in document.nulls}
    texts[CONSTANT] = "one number for each column of a table: the one that agrees with most rows, found in the print"
    for name, text in texts.items():
        known = [score for score in scores if name in score.null]
        agree, of = sum(score.null[name] for score in known), sum(score.computed for score in known)
        yield f"- `{name}`: {text}: {agree} of {of}"
