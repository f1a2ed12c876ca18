"""Runs of a study's tables under many answers, within a budget, and the likelihood of the print under each.

Every run is made once: a scenario that several answers share, or that an earlier request has had, costs nothing more.
The budget counts the runs that are needed, also those that the store has already, so that the same command gives the
same result however much of it was finished before.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from penstock.reproductions.likelihood import Print, joint, values_of
from penstock.reproductions.reproduce import Plan

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from penstock.reproductions.likelihood import Floats
    from penstock.reproductions.outcome import Outcome
    from penstock.reproductions.reading import Readings
    from penstock.reproductions.study import Page, Study
    from penstock.reproductions.tables import Cell, Row, Table
    from penstock.studies.runner import Runner

    Request = tuple[Readings, Table]


class Evaluated:
    """Numbers and likelihoods of a study under the answers that were run.

    `budget`: the most runs to make; None for any number.
    """

    def __init__(
        self, study: Study, tables: Sequence[Table], runs: int, budget: int | None, runner: Runner | None
    ) -> None:
        self.study = study
        self.tables = tables
        self.runs = runs
        self.budget = budget
        self._runner = runner
        self._prints = {table.id: Print(study.document, table) for table in tables}
        self._values: dict[tuple[str, ...], Floats] = {}
        self._likelihoods: dict[tuple[str, ...], Floats] = {}
        self._outcomes: dict[tuple[str, ...], Outcome] = {}
        self._pages: dict[tuple[str, ...], tuple[Page, ...]] = {}
        self._counted: set[Page] = set()

    @property
    def used(self) -> int:
        """How many runs were needed so far."""
        return len(self._counted) * self.runs

    def needs(self, asked: Iterable[Request]) -> int:
        """How many runs there would be after these requests."""
        plan, _ = self._planned(self._missing(asked))
        return len(self._counted.union(part.page for part in plan.parts)) * self.runs

    def run(self, asked: Iterable[Request]) -> bool:
        """Runs the missing requests; False, and runs nothing, if the budget does not suffice."""
        missing = self._missing(asked)
        if not missing:
            return True
        plan, outcomes = self._planned(missing)
        pages = {part.page for part in plan.parts}
        if self.budget is not None and len(self._counted | pages) * self.runs > self.budget:
            return False
        plan.run(self._runner)
        self._counted |= pages
        for outcome, tables in outcomes:
            for table in tables:
                key = _key(outcome.readings, table)
                self._outcomes[key] = replace(outcome, tables=[table])
                self._values[key] = values_of(outcome, table)
                self._likelihoods[key] = self._prints[table.id].log_likelihood(self._values[key])
        return True

    def known(self, readings: Readings, tables: Iterable[Table]) -> bool:
        """Whether all these tables were run under these answers."""
        return all(_key(readings, table) in self._values for table in tables)

    def outcome(self, readings: Readings, table: Table) -> Outcome:
        """The runs of one table."""
        return self._outcomes[_key(readings, table)]

    def values(self, readings: Readings, table: Table) -> Floats:
        """Our numbers of one table, by number and run."""
        return self._values[_key(readings, table)]

    def log_likelihood(self, readings: Readings, tables: Iterable[Table]) -> float:
        """Log-likelihood of the print of these tables."""
        return float(joint(self._likelihoods[_key(readings, table)] for table in tables))

    def by_row(self, readings: Readings) -> Floats:
        """Log-likelihood of every printed row of all tables, by row and model error."""
        import numpy as np

        return np.concatenate([self._likelihoods[_key(readings, table)] for table in self.tables])

    def predicted(self, values: Floats, table: Table) -> Floats:
        """Log-likelihood of a table's print if our numbers were `values`, by row and model error."""
        return self._prints[table.id].log_likelihood(values)

    def differ(self, one: Readings, other: Readings, table: Table) -> bool:
        """Whether two answers give a table other scenarios or other numbers."""
        import numpy as np

        if self._pages_of(one, table) != self._pages_of(other, table):
            return True
        return not np.array_equal(self.values(one, table), self.values(other, table), equal_nan=True)

    def _pages_of(self, readings: Readings, table: Table) -> tuple[Page, ...]:
        key = _key(readings, table)
        if key not in self._pages:
            plan, _ = self._planned([(readings, table)])
            self._pages[key] = tuple(part.page for part in plan.parts)
        return self._pages[key]

    def _missing(self, asked: Iterable[Request]) -> list[Request]:
        found = {_key(readings, table): (readings, table) for readings, table in asked}
        return [request for key, request in found.items() if key not in self._values]

    def _planned(self, asked: Sequence[Request]) -> tuple[Plan, list[tuple[Outcome, list[Table]]]]:
        """A plan of these requests, with an outcome for each of the answers and the tables that it has."""
        plan = Plan(self.study, [table.id for table in self.tables], self.runs)
        grouped: dict[tuple[str, ...], tuple[Readings, list[Table]]] = {}
        for readings, table in asked:
            grouped.setdefault(readings.keys, (readings, []))[1].append(table)
        outcomes = []
        for readings, tables in grouped.values():
            wanted = {(table.id, row.id) for table in tables for row in table.rows}
            outcomes.append((plan.add(readings, partial(_is_among, wanted)), tables))
        return plan, outcomes


def _is_among(wanted: Container[tuple[str, tuple[Cell, ...]]], table: Table, row: Row) -> bool:
    return (table.id, row.id) in wanted


def _key(readings: Readings, table: Table) -> tuple[str, ...]:
    return (*readings.keys, table.id)
