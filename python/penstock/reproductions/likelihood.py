"""Likelihood of a print under some answers: a synthetic likelihood with a term for model error.

The runs under the answers give each number a mean m and a standard deviation s from run to run. If runs are normal, a
mean of k runs of the print lies around m as Student's t with n - 1 degrees of freedom and the scale
s sqrt(1/k + 1/n) [Wood10] [Price18]. The print has the probability that this distribution gives to everything that
rounds to it.

No simulator is exactly the one behind a print. A model error of standard deviation e times the number's tolerance is
therefore added to the scale [Wilkinson13]. It is the same multiple for all numbers, and unknown: the likelihood is the
mean over a range of multiples, so answers that all miss the print are not told apart by which of them misses by less
than it takes to hit it.
"""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from penstock.reproductions.document import Document
    from penstock.reproductions.outcome import Outcome
    from penstock.reproductions.tables import Column, Table

    Floats = NDArray[np.float64]

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
        allowed = np.array([document.tolerance(table, row, column).allows(number) for row, column, number in numbers])
        # An exact print has the tolerance of its rounding.
        self._unit = np.maximum(allowed, self._half)
        self._runs = document.print_runs

    def log_likelihood(self, values: Floats) -> Floats:
        """Log-likelihood of each printed row for each of :data:`ERRORS`.

        `values`: the numbers of our runs; the last two axes are the number and the run. Those before are variants.

        Returns
        -------
        array
            The axes of variants, one for the row, and one for the model error.
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
