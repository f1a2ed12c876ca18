"""Likelihood of a print under some answers: a synthetic likelihood with a term for model error.

The runs under the answers give each number a mean m and a standard deviation s from run to run. If runs are normal, a
mean of k runs of the print lies around m as Student's t with n - 1 degrees of freedom and the scale
s sqrt(1/k + 1/n) [Wood10] [Price18]. The print has the probability that this distribution gives to everything that
rounds to it.

No simulator is exactly the one behind a print. A model error of standard deviation e times the number's tolerance is
therefore added to the scale [Wilkinson13]. It is the same multiple for all numbers, and unknown: the likelihood is the
mean over a range of multiples, so answers that all miss the print are not told apart by which of them misses by less
than it takes to hit it.

The runs are made within a budget, and each only once. The budget counts those that are needed, also those that the
store has already, so that the same command gives the same result however much of it was finished before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from penstock.reproductions.document import Document
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import Plan
from penstock.reproductions.study import Page, Study
from penstock.reproductions.tables import Column, Table
from penstock.studies.runner import Runner

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Request = tuple[Readings, Table]

ERRORS = (0.0, *(2 ** (step / 2) for step in range(-8, 9)))
"""Multiples of a number's tolerance that the model error may have, all equally likely: 0, and 1/16 to 16."""

FEWEST_RUNS = 2
"""Fewest runs that have a spread."""

SAMPLES = 1000
"""How many samples of rows a posterior is the mean over."""

FLOOR = 1e-12
"""Lowest probability of a printed number, also where our runs have no value: none excludes an answer alone."""


class Print:
    """The printed numbers of a table: what they round from, and their tolerances."""

    def __init__(self, document: Document, table: Table) -> None:
        import numpy as np

        numbers = table.numbers()
        rows = [row.id for row, *_ in numbers]
        self._starts = [place for place, row in enumerate(rows) if place == 0 or row != rows[place - 1]]
        self._printed = np.array([printed for *_, printed in numbers])
        self._half = np.array([_half_a_digit(table, column) for _, column, _ in numbers])
        allowed = np.array([document.allowed(table, row, column) for row, column, _ in numbers])
        # An exact print has the tolerance of its rounding.
        self._unit = np.maximum(allowed, self._half)
        self._runs = document.print_runs

    def log_likelihood(self, values: Floats) -> Floats:
        """Log-likelihood of each printed row for each of :data:`ERRORS`, on the last two axes of the result.

        `values` has the numbers of our runs; its last two axes are the number and the run, those before are variants.
        """
        import numpy as np
        from scipy.special import stdtr

        runs = values.shape[-1]
        mean = values.mean(axis=-1)[..., np.newaxis]
        square = values.var(axis=-1, ddof=1)[..., np.newaxis] * (1 / self._runs + 1 / runs)
        half = self._half[:, np.newaxis]
        error = self._unit[:, np.newaxis] * np.array(ERRORS)
        # Where nothing varies, the print is hit or missed.
        scale = np.maximum(np.sqrt(square + error**2), 1e-9 * half)
        # The distribution is symmetric; in its lower tail differences keep their digits.
        away = -np.abs(self._printed[:, np.newaxis] - mean)
        share = stdtr(runs - 1, (away + half) / scale) - stdtr(runs - 1, (away - half) / scale)
        return np.asarray(np.add.reduceat(np.log(np.fmax(share, FLOOR)), self._starts, axis=-2))


def joint(likelihoods: Iterable[Floats]) -> Floats:
    """Log-likelihood of several tables together, whatever the model error."""
    import numpy as np
    from scipy.special import logsumexp

    return np.asarray(logsumexp(sum(rows.sum(axis=-2) for rows in likelihoods), axis=-1) - math.log(len(ERRORS)))


def bagged_posterior(answers: Sequence[Floats]) -> list[float]:
    """Posterior probabilities of some answers that are equally likely beforehand, bagged over rows [Huggins23].

    The mean over samples of the posterior that the rows of a sample give, where a sample has as many rows as there are,
    drawn with replacement. The numbers of a row come from the same runs and stay together. What only few rows say, or
    the noise of few runs, gives another posterior in every sample, and so none that is sure.

    `answers`: the log-likelihood of all rows under each answer, by row and model error.
    """
    import numpy as np
    from scipy.special import logsumexp, softmax

    rows = len(answers[0])
    samples = np.random.default_rng(1).multinomial(rows, [1 / rows] * rows, size=SAMPLES)
    likelihoods = np.stack([logsumexp(samples @ by_row, axis=-1) for by_row in answers])
    return [float(share) for share in softmax(likelihoods, axis=0).mean(axis=-1)]


def values_of(outcome: Outcome, table: Table) -> Floats:
    """Our numbers for the printed ones of a table, by number and run; NaN where a run has no value."""
    import numpy as np

    found = np.array([outcome.values(table.id, column.name, row.key) for row, column, _ in table.numbers()])
    return np.where(np.isfinite(found), found, math.nan)


def _half_a_digit(table: Table, column: Column) -> float:
    """Half a unit of the last printed digit; the finest of the column if the study does not state it."""
    decimals = column.decimals
    if decimals is None:
        cells = [row.values[column.name] for row, of, _ in table.numbers() if of is column]
        decimals = max(-int(Decimal(repr(cell)).as_tuple().exponent) for cell in cells)
    return 0.5 * 10.0**-decimals


class Ran(NamedTuple):
    """A table under some answers."""

    outcome: Outcome
    values: Floats  # our numbers, by number and run
    likelihood: Floats  # log-likelihood of its print, by row and model error


class Evaluated:
    """Numbers and likelihoods of a study under the answers that were run, with at most `budget` runs if not None."""

    def __init__(
        self, study: Study, tables: Sequence[Table], runs: int, budget: int | None, runner: Runner | None
    ) -> None:
        self.study = study
        self.tables = tables
        self.runs = runs
        self.budget = budget
        self._runner = runner
        self._prints = {table.id: Print(study.document, table) for table in tables}
        self._ran: dict[tuple[str, ...], Ran] = {}
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
                values = values_of(outcome, table)
                likelihood = self.predicted(values, table)
                self._ran[_key(outcome.readings, table)] = Ran(replace(outcome, tables=[table]), values, likelihood)
        return True

    def known(self, readings: Readings, tables: Iterable[Table]) -> bool:
        """Whether all these tables were run under these answers."""
        return all(_key(readings, table) in self._ran for table in tables)

    def ran(self, readings: Readings, table: Table) -> Ran:
        """The runs of one table."""
        return self._ran[_key(readings, table)]

    def log_likelihood(self, readings: Readings, tables: Iterable[Table]) -> float:
        """Log-likelihood of the print of these tables."""
        return float(joint(self.ran(readings, table).likelihood for table in tables))

    def by_row(self, readings: Readings) -> Floats:
        """Log-likelihood of every printed row of all tables, by row and model error."""
        import numpy as np

        return np.concatenate([self.ran(readings, table).likelihood for table in self.tables])

    def predicted(self, values: Floats, table: Table) -> Floats:
        """Log-likelihood of a table's print if our numbers were `values`, by row and model error."""
        return self._prints[table.id].log_likelihood(values)

    def differ(self, one: Readings, other: Readings, table: Table) -> bool:
        """Whether two answers give a table other scenarios or other numbers."""
        import numpy as np

        if self._pages_of(one, table) != self._pages_of(other, table):
            return True
        return not np.array_equal(self.ran(one, table).values, self.ran(other, table).values, equal_nan=True)

    def _pages_of(self, readings: Readings, table: Table) -> tuple[Page, ...]:
        key = _key(readings, table)
        if key not in self._pages:
            plan, _ = self._planned([(readings, table)])
            self._pages[key] = tuple(part.page for part in plan.parts)
        return self._pages[key]

    def _missing(self, asked: Iterable[Request]) -> list[Request]:
        found = {_key(readings, table): (readings, table) for readings, table in asked}
        return [request for key, request in found.items() if key not in self._ran]

    def _planned(self, asked: Sequence[Request]) -> tuple[Plan, list[tuple[Outcome, list[Table]]]]:
        """A plan of these requests, with an outcome for each of the answers and the tables that it has."""
        plan = Plan(self.study, [table.id for table in self.tables], self.runs)
        grouped: dict[tuple[str, ...], tuple[Readings, list[Table]]] = {}
        for readings, table in asked:
            grouped.setdefault(readings.keys, (readings, []))[1].append(table)
        outcomes = []
        for readings, tables in grouped.values():
            rows = {(table.id, row.id) for table in tables for row in table.rows}
            outcomes.append((plan.add(readings, rows), tables))
        return plan, outcomes


def _key(readings: Readings, table: Table) -> tuple[str, ...]:
    return (*readings.keys, table.id)
