"""How far each open question moves each number.

Every answer that is not chosen is run in place of the chosen one, all others staying as they are. Runs share random
numbers, so a difference is taken run by run and is known better than either number.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from penstock.errors import ScenarioError
from penstock.reproductions.comparison import Comparison, compare
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import Plan
from penstock.reproductions.study import Study
from penstock.statistics import Interval, interval
from penstock.store import Store
from penstock.studies.runner import Reader, Runner

RUNS = 3
"""Runs a row unless told otherwise: fewer than for a comparison, as differences are known better than numbers."""


@dataclass(frozen=True)
class Shift:
    """How another answer to one open question moves one number."""

    reading: str  # the question
    key: str  # the answer that was run
    chosen: Comparison  # the number under the chosen answer
    other: Comparison  # the same number under this answer
    moved: Interval  # the difference, over all pairs of runs

    @property
    def significant(self) -> bool:
        """Whether the interval of the difference leaves out zero."""
        low, high = self.moved.low, self.moved.high
        return low is not None and high is not None and not low <= 0 <= high

    def as_json(self) -> dict[str, Any]:
        """The shift as a JSON object."""
        return {
            **self.chosen.place(),
            "reading": self.reading,
            "key": self.key,
            "chosen_mean": self.chosen.mean,
            "mean": self.other.mean,
            "difference": self.moved.mean,
            "ci_low": self.moved.low,
            "ci_high": self.moved.high,
            "runs": self.moved.runs,
        }


def sensitivity(study: Study, tables: Iterable[str], runs: int = RUNS, runner: Runner | None = None) -> list[Shift]:
    """Runs every alternative of every open question; by question, answer and number."""
    plan = Plan(study, tables, runs)
    chosen, others = _outcomes(study, plan)
    plan.run(runner)
    return [
        Shift(reading, key, ours, theirs, paired_interval(chosen, other, ours.table, ours.column, ours.row))
        for reading, key, other in others
        for ours, theirs in zip(compare(study.document, chosen), compare(study.document, other), strict=True)
    ]


@dataclass(frozen=True)
class Work:
    """What a sensitivity study takes, if no run of it is in the store."""

    tables: list[str]  # the tables
    runs: int  # how many runs; those that mean the same under several answers are made once
    packet_hops: float
    """About how many packet-hops they take, on cell links cell-hops; 0 if the study does not estimate them."""


def work(study: Study, tables: Iterable[str], runs: int = RUNS) -> Work:
    """What :func:`sensitivity` would run."""
    plan = Plan(study, tables, runs)
    _outcomes(study, plan)
    pages = {part.page: part.hops for part in plan.parts}
    return Work([table.id for table in plan.tables], len(pages) * runs, sum(pages.values()) * runs)


def explained(study: Study, differing: Collection[Comparison], store: Store) -> int | None:
    """How many of `differing` would agree if one open question were answered otherwise.

    Nothing is run: the runs are of an earlier sensitivity study. None unless the store has all of them,
    and if a scenario has mistakes under another answer.
    """
    rows = {(comparison.table, tuple(comparison.row.values())) for comparison in differing}
    plan = Plan(study, [table for table, _ in rows], RUNS)
    chosen, others = _outcomes(study, plan, rows)
    reader = Reader(store)
    try:
        points = plan.points()
    except ScenarioError:  # under another answer, which 'penstock check' reports
        return None
    kept = reader.kept(points)
    if any(len(runs) < len(point.replications) for point, runs in zip(points, kept, strict=True)):
        return None
    plan.finish(kept)
    count = 0
    for comparison in differing:
        assert comparison.published is not None
        place, missed = (comparison.table, comparison.column, comparison.row), comparison.mean - comparison.published
        moved = (paired_interval(chosen, other, *place).mean for *_, other in others)
        count += any(abs(missed + shift) <= comparison.allowed for shift in moved)
    return count


def paired_interval(chosen: Outcome, other: Outcome, table: str, column: str, key: Mapping[str, Any]) -> Interval:
    """How far `other` lies above `chosen` in one number, run by run."""
    pairs = zip(other.values(table, column, key), chosen.values(table, column, key), strict=True)
    return interval([theirs - ours for theirs, ours in pairs])


def _outcomes(
    study: Study, plan: Plan, rows: Collection[tuple[str, tuple[Any, ...]]] | None = None
) -> tuple[Outcome, list[tuple[str, str, Outcome]]]:
    """Plans the chosen readings and every alternative, for all rows or for `rows`."""
    chosen = Readings(study.document)
    others = [(question, key, plan.add(other, rows)) for (question, key), other in chosen.others().items()]
    return plan.add(chosen, rows), others
