"""The part of a study's page about what its agreement is worth, in Markdown, from the stored summary."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.reproductions.nulls import CONSTANT
from penstock.reproductions.shipped import SUMMARY
from penstock.reproductions.study import text_beside
from penstock.reproductions.summary import Score

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from penstock.reproductions.document import Document

    Object = Mapping[str, Any]

ALL = "all"


def stored_score(document: Document, table: str) -> Score | None:
    """The score of a table within the agreed tolerances; None if the stored summary does not have it."""
    text = text_beside(document, SUMMARY)
    scores: list[Object] = json.loads(text)["tables"] if text else []
    return next((Score.of_json(each) for each in scores if each["table"] == table), None)


def worth_section(document: Document) -> list[str]:
    """The lines of the section; none if there is no stored summary."""
    text = text_beside(document, SUMMARY)
    if text is None:
        return []
    data = json.loads(text)
    tables: list[Object] = [table for table in data["tables"] if "own" not in table]
    if not tables:
        own = sum(table["own"] for table in data["tables"])
        told = (
            f"The document's results are lost, so none of the {own} numbers can agree with a print: they are our means "
            f"of {data['runs']} runs. What they are worth shows beside each claim, in what its test says of null "
            "models: rows exchanged between two policies, and one number for all rows."
        )
        return ["## What the numbers are worth", "", told, ""]
    pilots = [table["pilot"] | {"table": table["table"]} for table in tables if "pilot" in table]
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
        *_scores(tables),
    ]
    if len(pilots) == len(tables):
        lines += [
            "",
            "Within the tolerances that the pilot's spread from run to run and the rounding of the print leave, never "
            "more than the agreed ones. *By chance alone* is what a model is expected to have that differs from the "
            "print by nothing else:",
            "",
            *_scores(pilots),
            "",
            "Contrasts that the print shows clearly: which of two numbers is the greater, how far the schemes are "
            "apart, how far a number moves over a row of settings:",
            "",
            *_scores(_contrasts(tables), "contrasts", total=False),
        ]
    return [*lines, "", "Null models:", "", *_null_models(document, tables), ""]


def _scores(scores: Sequence[Object], first: str = "table", *, total: bool = True) -> list[str]:
    expected = any("expected" in score for score in scores)
    names = [first, "numbers", "agree", "as printed", *(["by chance alone"] if expected else [])]
    rows = [_line([*names, "best null model", "discrimination"]), "|---" + "|---:" * (len(names) - 1) + "|---|---:|"]
    rows += [_score(score, first, expected=expected) for score in scores]
    return [*rows, _score(_total(scores), first, expected=expected)] if total else rows


def _score(score: Object, first: str, *, expected: bool) -> str:
    best = max(score["null"], key=score["null"].__getitem__)
    chance = [f"{score['expected']:.1f}"] if expected else []
    told = score.get("best", f"{score['null'][best]} `{best}`")
    share = f"{score['discrimination']:+.2f}" if score["computed"] else "-"
    printed = "-" if score["as_printed"] is None else str(score["as_printed"])
    return _line([str(score[first]), str(score["computed"]), str(score["agree"]), printed, *chance, told, share])


def _total(scores: Sequence[Object]) -> Object:
    computed = sum(score["computed"] for score in scores)
    best = sum(max(score["null"].values()) for score in scores)
    agree = sum(score["agree"] for score in scores)
    printed = [score["as_printed"] for score in scores]
    return {
        "table": ALL,
        "computed": computed,
        "agree": agree,
        "as_printed": None if None in printed else sum(printed),
        **({"expected": sum(score["expected"] for score in scores)} if all("expected" in it for it in scores) else {}),
        "null": {ALL: best},
        "best": str(best),
        "discrimination": (agree - best) / computed,
    }


def _contrasts(tables: Sequence[Object]) -> Sequence[Object]:
    """The sums over the tables, by kind."""
    found = []
    for kind in tables[0]["contrasts"]:
        scores = [table["contrasts"][kind] for table in tables if table["contrasts"][kind]["computed"]]
        if scores:
            found.append({**_total(scores), "contrasts": f"{kind}s"})
    return found


def _null_models(document: Document, tables: Sequence[Object]) -> Iterable[str]:
    texts = {null.id: null.text for null in document.nulls}
    texts[CONSTANT] = "one number for each column of a table: the one that agrees with most rows, found in the print"
    for name, text in texts.items():
        known = [table for table in tables if name in table["null"]]
        agree, of = sum(table["null"][name] for table in known), sum(table["computed"] for table in known)
        yield f"- `{name}`: {text}: {agree} of {of}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
