"""The report of a published study that was run again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock import MODEL_VERSION, __version__
from penstock._core import Scenario
from penstock.printable import plain_formulas, things, utf8
from penstock.report.content import Block, Cell, Grid, Heading, Part, Report, choices, numbers, word
from penstock.report.figures import table_plot, topology_svg
from penstock.reproductions.comparison import Comparison, compare
from penstock.reproductions.cross_validation import DECIDES, LEANS
from penstock.reproductions.document import Document
from penstock.reproductions.evidence import turns
from penstock.reproductions.fits import Stored
from penstock.reproductions.nulls import CONSTANT
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.pages import FINDINGS
from penstock.reproductions.reproduce import SEED
from penstock.reproductions.study import Page, Study, folder_of, page_of, text_beside
from penstock.reproductions.summary import Score, against_nulls, granted, null_numbers
from penstock.reproductions.tables import Column, Row, Table, cell_text, heading
from penstock.reproductions.worth import cross_validated, made_by, missing, ranked_questions, told
from penstock.unit_scale import number

Object = Mapping[str, Any]
Nulls = Mapping[str, Mapping[tuple[Any, ...], float]]

_QUESTION = ": does a simulation made from the document alone give its printed numbers?"
_VERDICTS = {"confirmed": "good", "refuted": "bad", "undecided": "open"}


@dataclass(frozen=True)
class Reproduced:
    """The data of a reproduction."""

    outcome: Outcome  # its numbers
    verdicts: Sequence[Object]  # verdicts on the claims, as `penstock reproduce --claims --format json` gives them
    summary: Object
    """Agreements of Penstock and of null models, as ``penstock reproduce --summary --format json`` gives it."""
    digests: Mapping[str, str] = field(default_factory=dict)  # digests of the first run of every scenario
    origin: str = ""  # where the runs come from, in words


def reproduction_report(study: Study, made: Reproduced) -> Report:
    """The report of a reproduction."""
    document, outcome, first = study.document, made.outcome, made.outcome.tables[0]
    comparisons = compare(document, outcome)
    nulls = null_numbers(study, outcome)
    printed = [each.agrees for each in comparisons if each.agrees is not None]
    scores = {each["table"]: Score.of_json(each) for each in made.summary["tables"] if "own" not in each}
    best, discrimination = granted([*scores.values()])
    counts = [
        ("printed numbers that agree", f"{sum(printed)} of {len(printed)}"),
        ("of each table's best null model", f"{best} of {len(printed)}"),
        ("discrimination", f"{discrimination:+.2f}"),
    ]
    if not printed:
        counts = [("numbers, without a print", str(len(comparisons)))]
    confirmed = sum(each["verdict"] == "confirmed" for each in made.verdicts)
    again = f"runs everything{' and tests the claims' * bool(document.claims)}"
    digests = "\n".join(f"{digest}  {name}" for name, digest in made.digests.items())
    return Report(
        title=f"{document.id}: {document.title}",
        subtitle=f"{', '.join(document.authors)}; {document.issue}",
        kind=f"Reproduction{_QUESTION if printed else ''}",
        summary=[
            *counts,
            *([("claims confirmed", f"{confirmed} of {len(made.verdicts)}")] if made.verdicts else []),
            ("runs of each row", str(outcome.runs)),
        ],
        parts=[_part(document, table, comparisons, nulls, scores.get(table.id)) for table in outcome.tables],
        findings=_findings(document, made),
        asked=_asked(document, outcome),
        drawings=_drawings(study, outcome),
        provenance=[
            ("Document", document.issue),
            ("Penstock", __version__),
            ("Model version", MODEL_VERSION),
            ("Runs", f"{made.origin}; {outcome.runs} of each row, seed {SEED}"),
            ("Intervals", "95 % confidence, Student's t over independent runs"),
            ("Digests", f"of the first run of {things(len(made.digests), 'scenario')}, listed below"),
        ],
        commands=[
            (f"penstock reproduce {document.called}{' --claims' * bool(document.claims)}", again),
            (f"penstock reproduce {document.called} --summary", "counts agreements next to null models"),
            (f"penstock report {document.called}", "writes this page from new runs"),
            (f"penstock report {document.called} --stored", "writes this page from stored runs"),
            (f"penstock explain {document.called}", "explains results, claims and open questions"),
        ],
        listings=[
            ("Digests of first runs", digests),
            (f"The scenario of the first row of table {first.id}", _first_page(study, outcome, first).shown()),
        ],
    )


def _asked(document: Document, outcome: Outcome) -> list[Block]:
    settings = [[Cell(name), Cell(json.dumps(value))] for name, value in document.stated.items()]
    counted = [(table, len(table.results())) for table in document.tables]
    tables = [
        [Cell(table.id), Cell(table.caption), Cell(table.where), Cell(str(count), count)] for table, count in counted
    ]
    questions = []
    for question in document.questions:
        key = outcome.readings.key(question.id)
        kinds = {"fitted": question.fitted, "against the text": question.against_the_text}
        marks = [mark for mark, holds in kinds.items() if holds and key == question.chosen]
        answer = f"{key}: {question.option(key).text}"
        standing = ", ".join(marks) or "not fitted"
        questions.append(
            [
                Cell(question.id),
                Cell(question.question, note=question.where),
                Cell(answer, note=question.reason if key == question.chosen else ""),
                Cell(standing, mark="open" if marks else ""),
            ]
        )
    head = [*map(Heading, ("table", "caption", "place")), *numbers("numbers")]
    blocks = [
        Block(
            "Question",
            markdown="Does a simulation made from the document alone reproduce its printed numbers and support its "
            "claims? The settings are the document's. Where it leaves a question open, we chose an answer; answers "
            "that were fitted to the printed numbers are marked.",
        ),
        Block("Printed tables", grid=Grid("tables", "Printed tables", head, tables)),
    ]
    if settings:
        head = [Heading("setting"), Heading("value")]
        blocks.append(Block("Settings", grid=Grid("settings", "Settings of the document", head, settings)))
    if questions:
        head = [*map(Heading, ("question", "open point", "answer")), *choices("remark")]
        blocks.append(Block("Open questions", grid=Grid("questions", "Open questions", head, questions)))
    return blocks


def _first_page(study: Study, outcome: Outcome, table: Table) -> Page:
    return page_of(next(iter(study.build(outcome.readings.settings(), table, table.rows[0]).values())))


def _drawings(study: Study, outcome: Outcome) -> list[tuple[str, str]]:
    """The network of each table's first row; equal ones once."""
    found: dict[str, list[str]] = {}
    for table in outcome.tables:
        page = _first_page(study, outcome, table)
        folder = str(folder_of(study.document))
        made = [Scenario(page.text, utf8(table.id), list(page.sets), folder, leave_out=True)] if page.sets else []
        found.setdefault(topology_svg(page.text, made), []).append(table.id)
    return [(f"First row of table{'s' * (len(tables) > 1)} {', '.join(tables)}", svg) for svg, tables in found.items()]


def _findings(document: Document, made: Reproduced) -> list[Block]:
    claims = [Block("Claims", grid=_claims(document, made.verdicts))] if made.verdicts else []
    text = text_beside(document, FINDINGS)
    words = [Block("In words", markdown=plain_formulas(text))] if text else []
    return [*claims, *scores_grid(document, made.summary), *cross_blocks(document), *words]


def _claims(document: Document, verdicts: Sequence[Object]) -> Grid:
    rows, as_printed = [], Stored.load(document).as_printed
    for found in verdicts:
        claim = document.claim(found["claim"])
        remarks = [found["note"]]
        remarks += [f"Rests on fitted answers: {', '.join(found['fitted'])}."] * bool(found["fitted"])
        changes = {each["reading"]: each["verdict"] for each in found["changes"]}
        same = [name for name, verdict in found["null"].items() if verdict == found["verdict"]]
        remarks += [f"Turns to {turns(changes)}."] * bool(changes)
        printed = as_printed.get(claim.id)
        if printed not in (None, found["verdict"]):
            remarks.append(f"With every answer as the text has it: {printed}.")
        remarks += [f"{found['verdict'].capitalize()} by null models too: {', '.join(same)}."] * bool(same)
        rows.append(
            [
                Cell(claim.id),
                Cell(claim.claim, note=claim.where),
                Cell(found["verdict"], mark=_VERDICTS[found["verdict"]]),
                Cell(found["evidence"], note=" ".join(filter(None, remarks))),
            ]
        )
    head = [Heading("claim"), Heading("statement"), *choices("verdict"), Heading("evidence")]
    return Grid("claims", "Claims and verdicts", head, rows)


def _part(document: Document, table: Table, every: Sequence[Comparison], nulls: Nulls, score: Score | None) -> Part:
    own = [each for each in every if each.table == table.id]
    known = {
        name: values
        for name, values in nulls.items()
        if any((table.id, row.id) == at[:2] for at in values for row in table.rows)
    }
    columns = {column.name: column for column in table.compared}
    rows = {row.id: row for row in table.rows}
    cells = [_row(table, rows[tuple(each.row.values())], columns[each.column], each, known) for each in own]
    printed = [*numbers("print", "here", "difference", "allowed"), *choices("verdict")]
    head = [
        *choices(*(column.heading for column in table.keys), *(["number"] * (len(columns) > 1))),
        *(numbers("here") if table.is_own else printed),
        *numbers(*(f"null: {name}" for name in known)),
    ]
    title = f"Table {table.id}: {table.caption}"
    told, what = "There are no printed numbers to compare with.", title
    if score is not None:
        agree = sum(each.agrees is True for each in own)
        told, what = f"{agree} of {len(own)} numbers agree; {against_nulls([score])}.", f"{title}, printed and here"
    text = f"{', '.join(filter(None, (document.name, table.where)))}. {told}"
    grid = Grid(f"table-{word(table.id)}", what, head, cells)
    return Part(f"part-{word(table.id)}", title, text, grid, [table_plot(table, own, known)], table.note)


def _row(table: Table, row: Row, column: Column, each: Comparison, nulls: Nulls) -> list[Cell]:
    others = []
    for values in nulls.values():
        value = values.get((table.id, row.id, column.name))
        others.append(Cell("-") if value is None else Cell(number(value), value))
    return [
        *(Cell(cell_text(cell), float(cell) if isinstance(cell, (int, float)) else None) for cell in row.key.values()),
        *([Cell(heading(column))] * (len(table.compared) > 1)),
        *_beside(column, each, Cell(each.shown, each.mean)),
        *others,
    ]


def _beside(column: Column, each: Comparison, ours: Cell) -> list[Cell]:
    """Print, our number, difference, tolerance and verdict; our number alone without a print."""
    if each.published is None or each.verdict is None:
        return [ours]
    return [
        Cell(column.written(each.published), each.published),
        ours,
        Cell(f"{each.mean - each.published:+.3g}", each.mean - each.published),
        Cell(f"{each.allowed:.3g}", each.allowed),
        Cell(each.verdict, mark="good" if each.agrees else "bad", note=each.note),
    ]


def scores_grid(document: Document, summary: Object) -> list[Block]:
    """Tables of the agreements in `summary`: within the agreed tolerances, and within the tighter ones of any pilot."""
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
    title, result = "What the agreement is worth without the fit", cross_validated(document)
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
