"""What the commands ``reproduce`` and ``sensitivity`` do."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from penstock.cli.console import emit, show
from penstock.printable import json_text
from penstock.progress import Progress
from penstock.reproductions import layout
from penstock.reproductions.claims import check_tables, judge
from penstock.reproductions.comparison import compare
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import reproduce as run
from penstock.reproductions.sensitivity import RUNS, explained
from penstock.reproductions.sensitivity import sensitivity as vary
from penstock.reproductions.study import load

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.reproductions.claims import Judgement
    from penstock.reproductions.comparison import Comparison
    from penstock.reproductions.sensitivity import Shift
    from penstock.store import Store

__all__ = ["reproduce", "sensitivity"]


def reproduce(
    doc: str,
    tables: Sequence[str],
    readings: Sequence[str],
    runs: int | None,
    jobs: int | None,
    store: Store | None,
    claims: bool,
    *,
    as_json: bool,
) -> None:
    """Runs a study and lays its numbers beside the printed ones; with `claims`, tests its claims too."""
    study = load(doc)
    document = study.document
    answers = Readings.parse(document, readings)
    if claims:
        check_tables(study, tables)
    begin = time.monotonic()
    with Progress() as progress:
        outcome = run(
            study,
            tables,
            answers,
            study.runs if runs is None else runs,
            jobs=jobs,
            store=store,
            progress=progress,
            claims=claims,
        )
    judgements = judge(study, outcome) if claims else []
    if as_json:
        _emit(judgements or compare(document, outcome))
        return
    comparisons = compare(document, outcome)
    show(layout.title(document, outcome, time.monotonic() - begin))
    for table in outcome.tables:
        show(layout.beside(table, [comparison for comparison in comparisons if comparison.table == table.id]))
    if claims:
        show(layout.judged(document, judgements))
    differing = [comparison for comparison in comparisons if not comparison.agrees]
    # What other answers would do is known for the chosen ones, and only if somebody has run them.
    known = explained(study, differing, store) if store is not None and differing and not answers.changed else None
    show(layout.conclusion(outcome, comparisons, known))


def sensitivity(
    doc: str, tables: Sequence[str], runs: int | None, jobs: int | None, store: Store | None, *, as_json: bool
) -> None:
    """Runs every alternative answer and prints how far each moves each number."""
    study = load(doc)
    with Progress() as progress:
        shifts = vary(study, tables, RUNS if runs is None else runs, jobs=jobs, store=store, progress=progress)
    if as_json:
        _emit(shifts)
        return
    for question in study.document.questions:
        for option in question.alternatives:
            moved = [shift for shift in shifts if (shift.reading, shift.key) == (question.id, option.key)]
            show(*layout.moved(study.document, question, option, moved))
    show(layout.overview(study.document, shifts))


def _emit(items: Iterable[Comparison | Judgement | Shift]) -> None:
    objects: list[dict[str, Any]] = [item.as_json() for item in items]
    emit(json_text(objects, indent=1))
