"""What the commands ``reproduce`` and ``sensitivity`` do."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock.cli.console import emit, say, show
from penstock.cli.dry_run import emit_dry_run
from penstock.errors import InputError, PenstockError
from penstock.printable import json_text, things
from penstock.progress import Progress
from penstock.reproductions import cross_validation, layout, worth
from penstock.reproductions.alternatives import Alternatives, Budget
from penstock.reproductions.claims import Judgement, check_tables, decide_sequentially, judge, judgements_of, looks
from penstock.reproductions.comparison import Comparison, compare, quoted
from penstock.reproductions.document import Document
from penstock.reproductions.loading import load
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import planned
from penstock.reproductions.reproduce import reproduce as run
from penstock.reproductions.sensitivity import RUNS, Shift, explained, work
from penstock.reproductions.sensitivity import sensitivity as vary
from penstock.reproductions.stored import SUMMARY, VERDICTS, shipped, stored_outcome
from penstock.reproductions.study import Study
from penstock.reproductions.summary import Summary, against_nulls, scores_of, summarise
from penstock.store import Store
from penstock.studies.runner import Reader, Runner


@dataclass(frozen=True)
class Asked:
    """What to run: which tables, under which answers, how often, how many at a time and on what, and the store.

    Stored results answer unless `fresh`.
    """

    tables: tuple[str, ...] = ()
    readings: Mapping[str, str] = field(default_factory=dict)
    runs: int | None = None
    jobs: int | None = None
    store: Store | None = None
    as_printed: bool = False
    on: str = "threads"
    fresh: bool = False
    as_json: bool = False

    def answers(self, document: Document) -> Readings:
        """The answers to all questions.

        Raises InputError if answers are given although the text as printed is asked for, or if two of them contradict
        each other.
        """
        if not self.as_printed:
            return Readings(document, self.readings)
        if self.readings:
            raise InputError("--as-printed answers every question; leave --reading out")
        return Readings.as_printed(document)

    def run(self, study: Study, readings: Readings, *, claims: bool = False) -> Outcome:
        """Runs the tables under `readings`."""
        with Progress() as progress:
            return run(study, self.tables, readings, self.count(study), self.runner(progress), claims=claims)

    @property
    def needs_runs(self) -> bool:
        """Whether stored results do not answer it."""
        return any((self.fresh, self.tables, self.readings, self.runs, self.as_printed))

    def count(self, study: Study) -> int:
        """How often each row is run."""
        return study.runs if self.runs is None else self.runs

    def runner(self, progress: Progress) -> Runner:
        """Who makes the runs."""
        return Runner(jobs=self.jobs, store=self.store, progress=progress, on=self.on)


def reproduce(
    doc: str, asked: Asked, *, claims: bool = False, limit: int | None = None, others: Budget | None = None
) -> None:
    """Runs a study and shows its numbers next to the printed ones; with `claims`, tests its claims too.

    With `others` it tests the claims under other answers as well, within that budget. Verdicts come from the package
    unless something asks for other runs.
    """
    if claims and limit is None and others is None and not asked.needs_runs and _shipped_claims(doc, asked):
        return
    study = load(doc)
    document = study.document
    answers = asked.answers(document)
    if claims:
        _require_claims(document)
        check_tables(study, asked.tables)
    if limit is not None:
        looks(asked.count(study), limit)
    begin = time.monotonic()
    outcome = asked.run(study, answers, claims=claims)
    judgements = _judged(study, outcome, asked, limit) if claims else []
    if others is not None:
        tests = Alternatives(study, outcome, asked.store, asked.jobs)
        tested = tests.run(judgements, others)
        judgements = [judgement.under(tested) for judgement in judgements]
    comparisons = compare(document, outcome)
    if asked.as_json:
        _emit(judgements if claims else [*comparisons, *quoted(document, asked.tables)])
        return
    seconds = time.monotonic() - begin
    differing = [comparison for comparison in comparisons if comparison.agrees is False]
    # What other answers would do is known for the chosen ones, and only if somebody has run them.
    known = None
    if asked.store is not None and differing and not answers.changed and document.has_alternatives:
        known = explained(study, differing, asked.store)
    show(layout.title(document, outcome, seconds))
    _show_numbers(outcome, comparisons)
    show(*layout.quoted(quoted(document, asked.tables)))
    if claims:
        show(layout.judged(outcome, judgements))
    show(layout.conclusion(outcome, comparisons, known, summarise(study, outcome, None)))


def summary(doc: str, asked: Asked) -> None:
    """Runs a study under the answers asked for and as printed, and counts what agrees, next to null models.

    The counts come from the package unless something asks for other runs. In JSON each table has its
    ``cross_validated`` agreement, null if the study ships without it.
    """
    study, seconds = load(doc), None
    document, answers = study.document, asked.answers(study.document)
    found = None if asked.needs_runs else shipped(document, SUMMARY)
    if found is not None:
        counts = Summary.of_json(document, found[0])
        outcome = Outcome(document, answers, [table.table for table in counts.tables], counts.runs)
    else:
        begin = time.monotonic()
        outcome = asked.run(study, answers)
        counts = summarise(study, outcome, asked.run(study, Readings.as_printed(document)))
        seconds = time.monotonic() - begin
    if asked.as_json:
        data = counts.as_json() if found is None else found[0]
        emit(json_text(worth.with_cross_validated(document, data), indent=1))
    else:
        kept = worth.cross_validated(document)
        told = worth.missing(document) if kept is None else worth.told(document, kept)
        show(layout.title(document, outcome, seconds), worth.board(counts), told)
        show(layout.rests_on(outcome))
    if found is not None:
        (say if asked.as_json else show)(found[1].told())


def _shipped_claims(doc: str, asked: Asked) -> bool:
    """Shows the claims as the package has them, without a run; False if it does not have them."""
    study = load(doc)
    document, outcome = study.document, stored_outcome(study)
    found, counts = shipped(document, VERDICTS), shipped(document, SUMMARY)
    if outcome is None or found is None or counts is None:
        return False
    verdicts, origin = found
    if asked.as_json:
        emit(json_text(verdicts, indent=1))
        say(origin.told())
        return True
    comparisons = compare(document, outcome)
    show(layout.title(document, outcome))
    _show_numbers(outcome, comparisons)
    show(*layout.quoted(quoted(document, ())))
    show(layout.judged(outcome, judgements_of(document, verdicts)))
    show(layout.conclusion(outcome, comparisons, None, Summary.of_json(document, counts[0])))
    show(origin.told())
    return True


def cross_validate(doc: str, asked: Asked, budget: int | None) -> None:
    """Cross-validates a study and shows the result.

    Raises InputError if the study, the answers or the budget do not allow it.
    """
    study = load(doc)
    runs = cross_validation.RUNS if asked.runs is None else asked.runs
    with Progress() as progress:
        runner = asked.runner(progress)
        found = cross_validation.cross_validate(
            study,
            asked.tables,
            asked.readings,
            runs,
            budget,
            runner,
            lambda words: say(f"{study.document.id}: {words}"),
        )
    if asked.as_json:
        emit(json_text(found, indent=1))
    else:
        show(worth.cross_board(study.document, found))


def dry_run(doc: str, asked: Asked, *, claims: bool) -> None:
    """Shows what a reproduction would run, and runs nothing."""
    study = load(doc)
    answers = asked.answers(study.document)
    if claims:
        _require_claims(study.document)
        check_tables(study, asked.tables)
    plan, _ = planned(study, asked.tables, answers, asked.count(study), claims=claims)
    points = plan.points()
    emit_dry_run(study.document.id, study.document.title, points, asked.store, asked.jobs, as_json=asked.as_json)


def stored(doc: str, asked: Asked) -> None:
    """Shows what the store has of a reproduction by now, and runs nothing.

    Raises PenstockError if it has no run of it.
    """
    study = load(doc)
    document = study.document
    plan, outcome = planned(study, asked.tables, asked.answers(document), asked.count(study))
    assert asked.store is not None
    reader, points = Reader(asked.store), plan.points()
    found = reader.kept(points)
    plan.finish(found)
    comparisons = compare(document, outcome, is_partial=True)
    if not comparisons:
        raise PenstockError("none of its runs is in the store yet, and nothing is run.")
    if asked.as_json:
        _emit(comparisons)
        return
    show(f"{document.id}: {document.summary}")
    _show_numbers(outcome, comparisons)
    rows = [outcome.has(table, row) for table in outcome.tables for row in table.rows]
    agrees = [comparison.agrees for comparison in comparisons if comparison.agrees is not None]
    counts = ""
    if agrees:
        worth = against_nulls(summarise(study, outcome.made(), None).agreed)
        total = things(len(agrees), "printed number")
        counts = f", and {sum(agrees)} of {total} agree{'s' * (len(agrees) == 1)}; {worth}"
    show(
        f"So far: {sum(map(len, found))} of {things(sum(len(point.replications) for point in points), 'run')}, "
        f"{sum(rows)} of {things(len(rows), 'row')}{counts}. Nothing was run."
    )


def sensitivity(doc: str, asked: Asked, *, all_tables: bool = False) -> None:
    """Runs every alternative answer and prints how far each moves each number, and before that what it takes.

    Raises InputError if tables are named although all are asked for.
    """
    if all_tables and asked.tables:
        raise InputError("--all-tables takes every table; leave --table out")
    study = load(doc)
    if not study.document.has_alternatives:
        raise InputError(f"{study.document.id} has no open question with another answer, so nothing varies")
    tables = asked.tables or (() if all_tables else study.sensitive)
    runs = RUNS if asked.runs is None else asked.runs
    whole = work(study, (), runs) if tables and not asked.tables else None
    say(layout.to_be_varied(study.document, work(study, tables, runs), whole))
    with Progress() as progress:
        shifts = vary(study, tables, runs, asked.runner(progress))
    if asked.as_json:
        _emit(shifts)
        return
    for question in study.document.questions:
        for option in question.alternatives:
            moved = [shift for shift in shifts if (shift.reading, shift.key) == (question.id, option.key)]
            show(*layout.moved(study.document, question, option, moved))
    numbers = [shift.chosen for shift in shifts]
    ours = {(number.table, tuple(number.row.values()), number.column): number.mean for number in numbers}
    varied = {number.table for number in numbers}
    scores = scores_of(study, [table for table in study.document.tables if table.id in varied], ours)
    show(layout.overview(study.document, shifts, scores))


def _require_claims(document: Document) -> None:
    if not document.claims:
        raise InputError(f"{document.id} has no claims, so --claims tests nothing; leave it out")


def _judged(study: Study, outcome: Outcome, asked: Asked, limit: int | None) -> list[Judgement]:
    if limit is None:
        return judge(study, outcome)
    with Progress() as progress:
        return decide_sequentially(study, outcome, limit, asked.runner(progress))


def _show_numbers(outcome: Outcome, comparisons: Sequence[Comparison]) -> None:
    for table in outcome.tables:
        own = [comparison for comparison in comparisons if comparison.table == table.id]
        if own:
            show(layout.beside(table, own))


def _emit(items: Iterable[Comparison | Judgement | Shift]) -> None:
    objects: list[dict[str, Any]] = [item.as_json() for item in items]
    emit(json_text(objects, indent=1))
