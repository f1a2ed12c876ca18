"""Pages about a study, its claims and its open questions, in Markdown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.reproductions.study import load, names, packaged_text

if TYPE_CHECKING:
    from penstock.reproductions.document import Claim, Document
    from penstock.reproductions.reading import Question

__all__ = ["explain"]

FINDINGS = "findings.md"
"""What came out of a study, written by people who looked at it."""

VERDICTS = "verdicts.json"
"""What ``penstock reproduce DOC --claims --format json`` printed when the findings were written."""


def explain(name: str) -> str | None:
    """A page about a study (``af``), a claim (``af-c03``) or an open question (``af-a07``); None for anything else."""
    study, _, item = name.partition("-")
    if study not in names():
        return None
    document = load(study).document
    if not item:
        return study_page(document)
    try:
        return claim_page(document, document.claim(name))
    except InputError:
        pass
    try:
        return question_page(document, document.question(name))
    except InputError:
        return None


def study_page(document: Document) -> str:
    """The findings, then everything that can be asked about further."""
    numbers = sum(len(table.numbers()) for table in document.tables)
    lines = [
        f"# {document.id}: {document.title}",
        "",
        f"{', '.join(document.authors)}; {document.name}, {document.date}.",
        "",
        (packaged_text(document.id, FINDINGS) or "").strip(),
        "",
        f"## Tables ({numbers} printed numbers)",
        "",
        *(f"- `{table.id}` ({table.where}): {table.caption}" for table in document.tables),
        "",
        "## Claims",
        "",
        *(f"- `{claim.id}` {claim.claim} **{_verdict(document, claim.id)}**" for claim in document.claims),
        "",
        "## Open questions",
        "",
        *(f"- `{q.id}` {q.question} Chosen: `{q.chosen}`{' (fitted)' if q.fitted else ''}" for q in document.questions),
        "",
        "## Next",
        "",
        f"    penstock reproduce {document.id}",
        f"    penstock sensitivity {document.id} --table {_smallest(document)}",
        f"    penstock explain {document.questions[0].id}" if document.questions else "",
    ]
    return "\n".join(lines).rstrip() + "\n"


def _smallest(document: Document) -> str:
    """The table with the fewest numbers to compute."""
    return min((table for table in document.tables if table.numbers()), key=lambda table: len(table.numbers())).id


def claim_page(document: Document, claim: Claim) -> str:
    """What a claim says, how it is tested, and the verdict."""
    said = "in words" if claim.basis == "prose" else "seen only in the numbers"
    found = _verdicts(document).get(claim.id)
    lines = [
        f"# {claim.id}: {claim.claim}",
        "",
        f"{document.name}, {claim.where}; {said}.",
        "",
        "## How it is tested",
        "",
        claim.test,
        "",
        "## What the print says",
        "",
        f"Do the document's own numbers bear it out: {claim.printed_support}. {claim.note}".strip(),
        "",
        "## What our runs say",
        "",
        f"**{found['verdict']}**. {found['evidence']}" if found else "Not yet run.",
        *(["", found["note"]] if found and found["note"] else []),
        "",
        "## Again",
        "",
        f"    penstock reproduce {document.id} --claims",
    ]
    return "\n".join(lines) + "\n"


def question_page(document: Document, question: Question) -> str:
    """What is open, the possible answers, and why one was chosen."""
    lines = [
        f"# {question.id}: {question.question}",
        "",
        f"{document.name}, {question.where}; {question.kind}; impact {question.impact}.",
        "",
        question.evidence,
        "",
        "## Answers",
        "",
    ]
    for option in question.options:
        mark = " (chosen)" if option.key == question.chosen else ""
        lines.append(f"- `{option.key}`{mark}: {option.text}")
        lines.extend(f"  - {name} = {json.dumps(value)}" for name, value in option.settings.items())
    lines += ["", "## Why", "", question.reason]
    if question.fitted:
        lines += ["", f"**Fitted.** {question.fitted}"]
    if question.alternatives:
        key = question.alternatives[0].key
        lines += ["", "## Try another", "", f"    penstock reproduce {document.id} --reading {question.id}={key}"]
        lines += [f"    penstock sensitivity {document.id}"]
    return "\n".join(lines) + "\n"


def _verdict(document: Document, claim: str) -> str:
    found = _verdicts(document).get(claim)
    return found["verdict"] if found else "not yet run"


def _verdicts(document: Document) -> dict[str, dict[str, str]]:
    text = packaged_text(document.id, VERDICTS)
    return {finding["claim"]: finding for finding in json.loads(text)} if text else {}
