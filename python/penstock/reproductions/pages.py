"""Pages about a study, its claims and its open questions, in Markdown."""

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from penstock.errors import InputError
from penstock.printable import plain_formulas, things
from penstock.reproductions.claims import Judgement, judgements_of
from penstock.reproductions.contrasts import power_section
from penstock.reproductions.document import Claim, Document, Question
from penstock.reproductions.evidence import runs_told, turns
from penstock.reproductions.fits import Coverage, Stored
from penstock.reproductions.loading import DATA, has_document, is_folder, load, names
from penstock.reproductions.stored import VERDICTS, Origin
from penstock.reproductions.study import text_beside
from penstock.reproductions.worth import cross_section, question_lines, worth_section

FINDINGS = "findings.md"
"""What came out of a study, written by people who looked at it."""


def explain(name: str, *, formulas: bool = False) -> str | None:
    """A page about a study, a claim (``af-c03``) or an open question (``af-a07``); None for anything else.

    A study is named (``af``), or is the path of a folder, with a claim or a question behind another slash. Dollar signs
    around formulas stay where `formulas` is set, for pages that typeset them.
    """
    page = _explain_folder(name) if is_folder(name) else _explain_shipped(name)
    return page if formulas or page is None else plain_formulas(page)


def _explain_shipped(name: str) -> str | None:
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
    kind = things(numbers, "printed number") if document.has_print else f"{things(numbers, 'number')} of our own"
    smallest = min((table for table in document.tables if table.results()), key=lambda table: len(table.results()))
    place = "" if document.folder is None else f"{document.called}/"
    found = _judgements(document)
    lines = [
        f"# {document.id}: {document.title}",
        "",
        f"{', '.join(document.authors)}; {document.issue}.",
        "",
        (text_beside(document, FINDINGS) or "").strip(),
        "",
        *worth_section(document),
        *cross_section(document),
        *power_section(load(document.called)),
        f"## Tables ({kind})",
        "",
        *(f"- `{table.id}`{f' ({table.where})' * bool(table.where)}: {table.caption}" for table in document.tables),
        "",
        *(["## Claims", ""] if document.claims else []),
        *_alternatives(document),
        *(_claim_line(claim, found.get(claim.id)) for claim in document.claims),
        *([""] if document.claims else []),
        *_tests_changed(document),
        *(["## Open questions", ""] if document.questions else []),
        *(f"- `{q.id}` {q.question} Chosen: `{q.chosen}`{_marks(q)}" for q in document.questions),
        *([""] if document.questions else []),
        "## Next",
        "",
        f"    penstock reproduce {document.called}",
        f"    penstock reproduce {document.called} --summary",
        *([f"    penstock sensitivity {document.called} --table {smallest.id}"] if document.has_alternatives else []),
        *([f"    penstock explain {place}{document.questions[0].id}"] if document.questions else []),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _tests_changed(document: Document) -> list[str]:
    """The claims whose first test missed the sentence, and how."""
    changed = [f"- Test of `{claim.id}`: {claim.test_changed}" for claim in document.claims if claim.test_changed]
    return ["## Tests changed", "", *changed, ""] if changed else []


def _claim_line(claim: Claim, found: Judgement | None) -> str:
    """A claim with its verdict, others under other answers, and the fitted answers that it rests on, in short."""
    if found is None:
        return f"- `{claim.id}` {claim.claim} **not yet run**"
    remarks = [f"rests on {_codes(found.fitted)}"] if found.fitted else []
    if found.as_printed not in (None, found.finding.verdict):
        remarks.append(f"with every answer as the text has it: {found.as_printed}")
    rests = f" ({'; '.join(remarks)})" if remarks else ""
    return f"- `{claim.id}` {claim.claim} **{found.finding.verdict}**{_turns(found)}{rests}"


def claim_page(document: Document, claim: Claim) -> str:
    """What a claim says, how it is tested, and the verdict."""
    said = "in words" if claim.basis == "prose" else "seen only in the numbers"
    found = _judgements(document).get(claim.id)
    note = [found.finding.note, *_remarks(document, found)] if found else []
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
        f"**{found.finding.verdict}**{_turns(found)}. {found.finding.evidence}" if found else "Not yet run.",
        *(line for remark in note if remark for line in ("", remark)),
        "",
        "## Again",
        "",
        f"    penstock reproduce {document.called} --claims",
    ]
    return "\n".join(lines) + "\n"


def _source(document: Document, where: str) -> str:
    return ", ".join(filter(None, (document.name, where)))


def _print_says(claim: Claim) -> str:
    answers = {"yes": "Yes", "no": "No", "partly": "Partly", "none": "It has none for this"}
    answer = answers.get(claim.printed_support, claim.printed_support)
    support = f"Do the document's own numbers bear it out? {answer}." if answer else ""
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
    known = {"fitted": question.fitted, "against the text": question.against_the_text}
    marks = [mark for mark, holds in known.items() if holds]
    return f" ({', '.join(marks)})" if marks else ""


def _turns(found: Judgement) -> str:
    """The other verdicts of a claim, and the answers under which it has them."""
    return f"; turns to {turns(found.changes, '`')}" if found.changes else ""


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


def _remarks(document: Document, found: Judgement) -> list[str]:
    """What a verdict rests on, and what it is worth."""
    lines = []
    if found.finding.verdict == "undecided":
        lines.append(runs_told(found.finding.runs_to_decide, found.runs))
    if found.fitted:
        lines.append(f"It rests on fitted answers: {_codes(found.fitted)}.")
    if found.readings:
        lines.append(f"It depends on the answers to {_codes(found.readings)}.")
    if found.coverage is not None:
        lines.append(_covered(found.coverage) + _older(Stored.load(document), found.claim))
    if found.as_printed:
        lines.append(f"With every answer as the text has it: {found.as_printed}.")
    if found.null:
        told = ", ".join(f"`{name}` {verdict}" for name, verdict in found.null.items())
        lines.append(f"What the same test says of null models: {told}.")
    return lines


def _codes(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _judgements(document: Document) -> dict[str, Judgement]:
    """The stored judgements of a study, by claim; none if it ships without them."""
    text = text_beside(document, VERDICTS)
    return {each.claim: each for each in judgements_of(document, json.loads(text))} if text else {}
