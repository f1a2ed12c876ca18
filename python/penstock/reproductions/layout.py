"""How comparisons, verdicts and sensitivities look on a console."""

import math
from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table as Grid
from rich.text import Text

from penstock.cli.console import table as plain_table
from penstock.printable import things
from penstock.reproductions.claims import Judgement
from penstock.reproductions.comparison import Comparison
from penstock.reproductions.document import Document, Option, Question
from penstock.reproductions.evidence import runs_told, turns
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.sensitivity import Shift, Work
from penstock.reproductions.summary import Score, Summary, against_nulls
from penstock.reproductions.tables import Column, Table, cell_text
from penstock.reproductions.worth import worth

AGREES, DIFFERS = "green", "yellow"
VERDICTS = {"confirmed": "green", "refuted": "red", "undecided": "yellow"}


def title(document: Document, outcome: Outcome, seconds: float | None = None) -> RenderableType:
    """What was run, how often, under which answers, and what it took, unless it was run elsewhere."""
    rows = sum(len(table.rows) for table in outcome.tables)
    lines = [Text(f"{document.id}: {document.summary}", style="bold")]
    took = "" if seconds is None else f", {outcome.packet_hops / 1e6:.0f} M packet-hops, {seconds:.1f} s"
    lines.append(Text(f"{things(rows, 'row')} x {things(outcome.runs, 'run')}{took}"))
    if outcome.readings.changed:
        answers = ", ".join(f"{question}={key}" for question, key in outcome.readings.changed.items())
        lines.append(Text(f"Open questions answered otherwise: {answers}"))
    return Group(*lines, Text())


def beside(table: Table, comparisons: Sequence[Comparison]) -> RenderableType:
    """A table with the print above ours in every cell; one of our own has no print and no verdicts."""
    grid = _grid(table, "" if table.is_own else "verdict")
    by_row: dict[tuple[object, ...], list[Comparison]] = {}
    for comparison in comparisons:
        by_row.setdefault(tuple(comparison.row.values()), []).append(comparison)
    for key, row in by_row.items():
        of_column = {comparison.column: comparison for comparison in row}
        cells = [_pair(column, of_column.get(column.name)) for column in table.compared]
        differ = sum(not comparison.agrees for comparison in row)
        verdict = Text(f"{differ} differ{'s' * (differ == 1)}", DIFFERS) if differ else Text("agrees", AGREES)
        last = "" if table.is_own else verdict
        grid.add_row(*_keys(key), "here" if table.is_own else "print\nhere", *cells, last)
    return Group(Text(f"Table {table.id}: {table.caption}", style="bold"), grid, Text())


def quoted(numbers: Sequence[Comparison]) -> list[str]:
    """A line for each table whose numbers cannot be computed."""
    by_table: dict[str, list[Comparison]] = {}
    for each in numbers:
        by_table.setdefault(each.table, []).append(each)
    return [
        f"Table {table}: {len(its)} number{'s' * (len(its) > 1)} not computed: {its[0].note}"
        for table, its in by_table.items()
    ]


def judged(outcome: Outcome, judgements: Sequence[Judgement]) -> RenderableType:
    """The claims with their verdicts and evidence."""
    document, of_the_text = outcome.document, outcome.readings.is_as_printed
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 1, 0), header_style="dim")
    for column in ("claim", "verdict", "evidence"):
        grid.add_column(column)
    for judgement in judgements:
        finding = judgement.finding
        says = Text(f"{judgement.claim}  ").append(document.claim(judgement.claim).claim, style="italic")
        evidence = Text(finding.evidence)
        for remark in (finding.note, *remarks(judgement, of_the_text=of_the_text)):
            evidence.append(f"\n{remark}" if remark else "", style="dim")
        grid.add_row(says, Text(finding.verdict, style=VERDICTS[finding.verdict]), evidence)
    return Group(Text("Claims", style="bold"), grid)


def remarks(judgement: Judgement, *, of_the_text: bool = False) -> list[str]:
    """What a verdict rests on, where it would be another, and what it is worth.

    Fitted answers are also the text's own if all are `of_the_text`.
    """
    found = []
    if judgement.finding.verdict == "undecided":
        found.append(runs_told(judgement.finding.runs_to_decide, judgement.runs))
    if judgement.readings:
        found.append(f"Depends on the answers to {', '.join(judgement.readings)}.")
    if judgement.fitted:
        also = " that are also the text's own" if of_the_text else ""
        found.append(f"Rests on fitted answers{also}: {', '.join(judgement.fitted)}.")
    if judgement.changes:
        found.append(f"Turns to {turns(judgement.changes)}.")
    if judgement.coverage is not None and judgement.coverage.not_tested:
        found.append(f"Not tested under {things(len(judgement.coverage.not_tested), 'other answer')}.")
    if judgement.as_printed not in (None, judgement.finding.verdict):
        found.append(f"With every answer as the text has it: {judgement.as_printed}.")
    same = [name for name, verdict in judgement.null.items() if verdict == judgement.finding.verdict]
    if same:
        found.append(f"{judgement.finding.verdict.capitalize()} by null models too: {', '.join(same)}.")
    return found


def conclusion(
    outcome: Outcome, comparisons: Sequence[Comparison], within_a_reading: int | None, summary: Summary
) -> RenderableType:
    """How many numbers agree, what that is worth and rests on, and what to do next."""
    document = outcome.document
    own = sum(comparison.agrees is None for comparison in comparisons)
    if own == len(comparisons):
        told = f"{things(own, 'number')}, none of them printed: the document's own results are lost."
        steps = [
            f"What came out, and what it rests on: penstock explain {document.called}",
            f"What it says about the claims: penstock reproduce {document.called} --claims",
        ]
        if document.has_alternatives:
            table = comparisons[0].table
            steps.append(f"What other readings would do: penstock sensitivity {document.called} --table {table}")
        return Group(Text(told, style="bold"), rests_on(outcome), *map(Text, steps))
    agree = sum(comparison.agrees is True for comparison in comparisons)
    differ = len(comparisons) - agree - own
    total = agree + differ
    counts = f"{agree} of {things(total, 'printed number')} agree{'s' * (total == 1)}"
    if differ:
        counts += f"; {differ} differ{'s' * (differ == 1)}"
        if within_a_reading is not None:
            counts += f", {within_a_reading} of them within a reading of an open question"
    about = "Differences and reasons" if differ else "What this rests on"
    next_steps = [
        f"{about}: penstock explain {document.called}",
        f"Null models and the text as printed: penstock reproduce {document.called} --summary",
        f"Again, with more runs: penstock reproduce {document.called} --runs {max(50, 5 * outcome.runs)}",
    ]
    if differ and within_a_reading is None and not outcome.readings.changed and document.has_alternatives:
        next_steps.insert(1, f"What other readings would do: penstock sensitivity {document.called}")
    worth_it = worth(summary)
    return Group(Text(f"{counts}.", style="bold"), worth_it, rests_on(outcome), *map(Text, next_steps))


def rests_on(outcome: Outcome) -> RenderableType:
    """The fitted answers among those that were used, and the ones that contradict the text."""
    lines = []
    fitted = outcome.readings.fitted
    if fitted:
        names = ", ".join(f"{question.id}={question.chosen}" for question in fitted)
        but = "but also the text's own" if outcome.readings.is_as_printed else "so no independent support"
        lines.append(f"Fitted to these very numbers, {but}: {names}.")
    chosen = [q for q in outcome.document.questions if outcome.readings.key(q.id) == q.chosen]
    against = [f"{question.id}={question.chosen}" for question in chosen if question.against_the_text]
    if against:
        lines.append(f"Against the words of the text: {', '.join(against)}.")
    return Group(*map(Text, lines))


def moved(document: Document, question: Question, option: Option, shifts: Sequence[Shift]) -> list[RenderableType]:
    """How far one answer moves the numbers of each table."""
    parts: list[RenderableType] = [Text(f"{question.id}={option.key}: {option.text}", style="bold")]
    for table in document.tables:
        of_table = [shift for shift in shifts if shift.chosen.table == table.id]
        if not of_table:
            continue
        grid = _grid(table, "agree")
        for row in table.rows:
            of_row = {shift.chosen.column: shift for shift in of_table if shift.chosen.row == row.key}
            cells = [_moved_cell(of_row.get(column.name)) for column in table.compared]
            grid.add_row(*_keys(row.key.values()), f"table {table.id}", *cells, _agree(of_row.values()))
        parts.append(grid)
    return [*parts, Text()]


def to_be_varied(document: Document, taken: Work, whole: Work | None) -> str:
    """What a sensitivity study takes; `whole` is what all tables would take, if it leaves some out."""
    tables = f"table{'s' * (len(taken.tables) != 1)} {', '.join(taken.tables)}" if whole else "its tables"
    more = f" Of all tables: {_taken(whole)}, with --all-tables." if whole else ""
    return f"{document.id}: every answer to every open question, {tables}: {_taken(taken)}.{more}"


def _taken(work: Work) -> str:
    hops = f", about {work.packet_hops / 1e9:.2g} G packet-hops" if work.packet_hops else ""
    return f"{work.runs} run{'s' * (work.runs != 1)}{hops}"


def overview(document: Document, shifts: Sequence[Shift], scores: Sequence[Score]) -> RenderableType:
    """Every answer on one line: how many numbers it moves, and how many agree under it; and the chosen answers' scores.

    `scores` are of the printed tables that were run.
    """
    rows = []
    runs = shifts[0].moved.runs if shifts else 0
    for question in document.questions:
        for option in question.alternatives:
            own = [shift for shift in shifts if (shift.reading, shift.key) == (question.id, option.key)]
            significant = sum(shift.significant for shift in own)
            moves = "unknown" if runs == 1 else f"{significant} of {len(own)}"
            rows.append([question.id, option.key, moves, _agree(own)])
    moves = (
        "one pair of runs does not tell a difference from chance; give --runs 2 or more"
        if runs == 1
        else f"numbers whose 95 % interval of the difference to the chosen answer, over {runs} pairs of runs, leaves "
        "out zero (one in twenty does by chance)"
    )
    caption = f"Moves: {moves}. Agree: numbers within the tolerance of the print under that answer."
    agree, computed = (sum(getattr(score, name) for score in scores) for name in ("agree", "computed"))
    chosen = f"Under the chosen answers {agree} of {computed} agree; {against_nulls(scores)}." if scores else ""
    answers = plain_table("All answers", ("reading", "key", "moves", "agree"), rows, right=("moves", "agree"))
    return Group(answers, Text(" ".join(filter(None, (caption, chosen))), style="dim"))


def _agree(shifts: Iterable[Shift]) -> str:
    """How many numbers are within the tolerance of the print under other answers."""
    agrees = [shift.other.agrees for shift in shifts if shift.other.agrees is not None]
    return f"{sum(agrees)} of {len(agrees)}" if agrees else "-"


def _keys(cells: Iterable[object]) -> Iterable[str]:
    return (escape(cell_text(cell)) for cell in cells)


def _grid(table: Table, last: str) -> Grid:
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in table.keys:
        grid.add_column(escape(column.heading))
    grid.add_column("")
    for column in table.compared:
        grid.add_column(escape(f"{column.heading} {column.symbol}".strip()), justify="right")
    grid.add_column(last)
    return grid


def _pair(column: Column, comparison: Comparison | None) -> Text:
    if comparison is None:
        return Text("-")
    if comparison.published is None:
        return Text(comparison.shown)
    return (
        Text(f"{column.written(comparison.published)}\n")
        .append(comparison.shown, style=AGREES if comparison.agrees else DIFFERS)
        .append("" if comparison.agrees else " !", style=DIFFERS)
    )


def _moved_cell(shift: Shift | None) -> Text:
    if shift is None:
        return Text("-")
    text, half = f"{shift.moved.mean:+.3g}", shift.moved.half
    if half is not None and math.isfinite(half):
        text += f" ±{half:.2g}"
    return Text(text, style="bold" if shift.significant else "dim")
