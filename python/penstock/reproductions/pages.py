"""Pages about a study, its claims and its open questions, in Markdown."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.reproductions.contrasts import power_section
from penstock.reproductions.cross_validated import cross_section, question_lines
from penstock.reproductions.fits import Coverage, Stored
from penstock.reproductions.loading import has_document, is_folder, load, names
from penstock.reproductions.stored import VERDICTS
from penstock.reproductions.study import DATA, text_beside
from penstock.reproductions.telling import runs_told, turns
from penstock.reproductions.worth import worth_section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.reproductions.document import Claim, Document, Question
    from penstock.reproductions.stored import Origin

FINDINGS = "findings.md"
"""What came out of a study, written by people who looked at it."""


def explain(name: str) -> str | None:
    """A page about a study, a claim (``af-c03``) or an open question (``af-a07``); None for anything else.

    A study is named (``af``), or is the path of a folder, with a claim or a question behind another slash.
    """
    if is_folder(name):
        return _explain_folder(name)
    study, _, item = name.partition("-")
    if study not in names():
        return None
    document = load(study).document
    if not item:
        return study_page(document)
    with suppress(InputError):
        return _item_page(document, name)
    return None


def _explain_folder(name: str) -> str:
    """The page of a study in a folder, or of its claim or question if its id follows the path."""
    path, slash, item = name.rstrip("/").rpartition("/")
    if slash and has_document(Path(path)) and item != DATA:
        return _item_page(load(path).document, item)
    return study_page(load(name).document)


def _item_page(document: Document, item: str) -> str:
    """The page of a claim or a question; InputError if there is neither."""
    with suppress(InputError):
        return claim_page(document, document.claim(item))
    return question_page(document, document.question(item))


def study_page(document: Document) -> str:
    """The findings, then everything that can be asked about further."""
    numbers = sum(len(table.results()) for table in document.tables)
    kind = "printed numbers" if document.has_print else "numbers of our own"
    lines = [
        f"# {document.id}: {document.title}",
        "",
        f"{', '.join(document.authors)}; {document.name}, {document.date}.",
        "",
        (text_beside(document, FINDINGS) or "").strip(),
        "",
        *worth_section(document),
        *cross_section(document),
        *power_section(load(document.called)),
        f"## Tables ({numbers} {kind})",
        "",
        *(f"- `{table.id}` ({table.where}): {table.caption}" for table in document.tables),
        "",
        "## Claims",
        "",
        *_alternatives(document),
        *(
            f"- `{claim.id}` {claim.claim} **{_verdict(document, claim.id)}**{_turns(document, claim.id)}"
            f"{_fits(document, claim.id)}"
            for claim in document.claims
        ),
        "",
        *_tests_changed(document),
        "## Open questions",
        "",
        *(f"- `{q.id}` {q.question} Chosen: `{q.chosen}`{_marks(q)}" for q in document.questions),
        "",
        "## Next",
        "",
        f"    penstock reproduce {document.called}",
        f"    penstock reproduce {document.called} --summary",
        f"    penstock sensitivity {document.called} --table {_smallest(document)}",
        f"    penstock explain {_place(document)}{document.questions[0].id}" if document.questions else "",
    ]
    return "\n".join(lines).rstrip() + "\n"


def _tests_changed(document: Document) -> list[str]:
    """The claims whose first test missed the sentence, and how."""
    changed = [f"- Test of `{claim.id}`: {claim.test_changed}" for claim in document.claims if claim.test_changed]
    return ["## Tests changed", "", *changed, ""] if changed else []


def _place(document: Document) -> str:
    return "" if document.folder is None else f"{document.called}/"


def _smallest(document: Document) -> str:
    """The table with the fewest numbers to compute."""
    return min((table for table in document.tables if table.results()), key=lambda table: len(table.results())).id


def claim_page(document: Document, claim: Claim) -> str:
    """What a claim says, how it is tested, and the verdict."""
    said = "in words" if claim.basis == "prose" else "seen only in the numbers"
    found = _verdicts(document).get(claim.id)
    lines = [
        f"# {claim.id}: {claim.claim}",
        "",
        f"{_source(document, claim.where)}; {said}.",
        "",
        "## How it is tested",
        "",
        claim.test,
        *(["", f"**Test changed.** {claim.test_changed}"] if claim.test_changed else []),
        "",
        "## What the print says",
        "",
        _print_says(claim),
        "",
        "## What our runs say",
        "",
        f"**{found['verdict']}**{_turns(document, claim.id)}. {found['evidence']}" if found else "Not yet run.",
        *(["", found["note"]] if found and found["note"] else []),
        *(line for remark in _remarks(document, claim.id) for line in ("", remark)),
        "",
        "## Again",
        "",
        f"    penstock reproduce {document.called} --claims",
    ]
    return "\n".join(lines) + "\n"


def _source(document: Document, where: str) -> str:
    return ", ".join(filter(None, (document.name, where)))


def _print_says(claim: Claim) -> str:
    support = f"Do the document's own numbers bear it out: {claim.printed_support}." if claim.printed_support else ""
    return f"{support} {claim.note}".strip() or "Nothing is noted."


def question_page(document: Document, question: Question) -> str:
    """A question, its possible answers, and why one was chosen."""
    impact = question.impact and f"impact {question.impact}"
    lines = [
        f"# {question.id}: {question.question}",
        "",
        f"{'; '.join(filter(None, (_source(document, question.where), question.kind, impact)))}.",
        "",
        question.evidence,
        "",
        "## Answers",
        "",
    ]
    for option in question.options:
        mark = " (chosen)" if option.key == question.chosen else ""
        mark += " (the text's)" if question.words and option.key == question.as_printed else ""
        lines.append(f"- `{option.key}`{mark}: {option.text}")
        lines.extend(f"  - {name} = {json.dumps(value)}" for name, value in option.settings.items())
    lines += ["", "## Why", "", question.reason]
    if question.fitted:
        lines += ["", f"**Fitted.** {question.fitted}"]
    if question.words:
        against = " The chosen answer contradicts this." if question.against_the_text else ""
        lines += ["", f"**The text.** {question.words}{against}"]
    elif question.printed:
        lines += ["", f"**The text** is silent. Without a fit: `{question.printed}`."]
    told = question_lines(document, question.id)
    lines += ["", *told[:-1]] if told else []
    if question.alternatives:
        key = question.alternatives[0].key
        lines += ["", "## Try another", "", f"    penstock reproduce {document.called} --reading {question.id}={key}"]
        lines += [f"    penstock sensitivity {document.called}"]
    return "\n".join(lines) + "\n"


def _marks(question: Question) -> str:
    """What should be known of the chosen answer."""
    marks = [
        mark for mark, holds in (("fitted", question.fitted), ("against the text", question.against_the_text)) if holds
    ]
    return f" ({', '.join(marks)})" if marks else ""


def _turns(document: Document, claim: str) -> str:
    """The other verdicts of a claim, and the answers under which it has them."""
    changes = _verdicts(document).get(claim, {}).get("changes")
    if not changes:
        return ""
    return f"; turns to {turns({each['reading']: each['verdict'] for each in changes}, '`')}"


def _covered(coverage: Coverage) -> str:
    """How many other answers the verdict was tested under, and which are left."""
    if not coverage.tested and not coverage.not_tested:
        return "No other answer changes the runs that its test looks at."
    left = f"; not tested: {_codes(coverage.not_tested)}" if coverage.not_tested else ""
    whole = coverage.tested + len(coverage.not_tested)
    return f"Tested under {coverage.tested} of the {whole} other answers that change its runs{left}."


def _older(stored: Stored, claim: str) -> str:
    """The verdicts of a claim that were kept from other models."""
    answers: dict[Origin, list[str]] = {}
    for (answer, other), origin in (stored.tested.older if stored.tested else {}).items():
        if other == claim:
            answers.setdefault(origin, []).append(answer)
    return "".join(f" Tested {origin.short()}: {_codes(its)}." for origin, its in answers.items())


def _alternatives(document: Document) -> list[str]:
    """How far the claims were tested under other answers, and which pairs are left."""
    stored = Stored.load(document)
    if stored.tested is None or stored.origin is None:
        return []
    tested = sum(map(len, stored.tested.verdicts.values()))
    if stored.tested.not_tested is None:
        told = f"Tested under another answer: {tested} pairs of a claim and an answer. Not tested: all others."
        return [told, ""]
    left = sum(map(len, stored.tested.not_tested.values()))
    older = Counter(stored.tested.older.values())
    origins = [stored.origin.short(), *(f"{count} of them {origin.short()}" for origin, count in older.items())]
    told = (
        "Each claim was tested again under every other answer that changes its runs, one answer at a time: "
        f"{tested} of {tested + left} pairs of a claim and an answer ({'; '.join(origins)})."
    )
    if left:
        hops = stored.tested.packet_hops
        taken = f" (about {hops / 1e9:.2g} G packet-hops)" if hops else ""
        told += (
            f" The {left} others are named on the claims' pages and take up to {stored.tested.runs} runs{taken}: "
            f"`penstock reproduce {document.called} --claims --fresh --alternatives`."
        )
    return [told, ""]


def _fits(document: Document, claim: str) -> str:
    """The fitted answers that the verdict rests on, and another one under the text's own answers, in short."""
    found = _verdicts(document).get(claim, {})
    remarks = [f"rests on {_codes(found['fitted'])}"] if found.get("fitted") else []
    printed = Stored.load(document).as_printed.get(claim)
    if found and printed not in (None, found["verdict"]):
        remarks.append(f"with every answer as the text has it: {printed}")
    return f" ({'; '.join(remarks)})" if remarks else ""


def _remarks(document: Document, claim: str) -> list[str]:
    """What the verdict rests on, and what it is worth."""
    found = _verdicts(document).get(claim, {})
    if "fitted" not in found:
        return []
    lines = []
    if found["verdict"] == "undecided":
        lines.append(runs_told(found["runs_to_decide"], found["runs"]))
    if found["fitted"]:
        lines.append(f"It rests on fitted answers: {_codes(found['fitted'])}.")
    if found.get("readings"):
        lines.append(f"It depends on the answers to {_codes(found['readings'])}.")
    coverage = Coverage.of_json(found["alternatives"])
    stored = Stored.load(document)
    if coverage is not None:
        lines.append(_covered(coverage) + _older(stored, claim))
    printed = stored.as_printed.get(claim)
    if printed:
        lines.append(f"With every answer as the text has it: {printed}.")
    if found["null"]:
        told = ", ".join(f"`{name}` {verdict}" for name, verdict in found["null"].items())
        lines.append(f"What the same test says of null models: {told}.")
    return lines


def _codes(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _verdict(document: Document, claim: str) -> str:
    found = _verdicts(document).get(claim)
    return found["verdict"] if found else "not yet run"


def _verdicts(document: Document) -> dict[str, dict[str, Any]]:
    text = text_beside(document, VERDICTS)
    return {finding["claim"]: finding for finding in json.loads(text)} if text else {}
