"""Power of the print to tell two schemes apart, pair of numbers by pair.

Where a document compares two schemes, each of its settings gives a pair of numbers. A test on such a pair assumes that
the difference of the schemes is that of our runs, and that the print has its stated number of runs with the spread of
ours. Its power is the probability that it then rejects equality at 5 %.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.reproductions.contrasts import scheme_pairs
from penstock.reproductions.stored import stored_outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.reproductions.contrasts import Place
    from penstock.reproductions.outcome import Outcome
    from penstock.reproductions.study import Study

NORMAL = statistics.NormalDist()
CRITICAL = NORMAL.inv_cdf(0.975)
CLASSES = ((0.0, 0.2), (0.2, 0.8), (0.8, 1.0))


@dataclass(frozen=True)
class PairPower:
    """A pair of printed numbers, one of each scheme."""

    left: Place  # place of the first number: table, key cells of the row, column
    right: Place  # place of the second number
    printed: float  # `left` less `right` in print
    difference: float  # the same between the means of our runs
    deviation: float  # standard deviation of the printed difference, from the spread of our runs
    identical: bool  # whether both schemes have the same numbers in every run of ours

    @property
    def power(self) -> float:
        """Probability that a test of the print at 5 % tells the schemes apart."""
        return power(self.difference, self.deviation)

    @property
    def is_clear(self) -> bool:
        """Whether the printed difference is significant at 5 %."""
        return abs(self.printed) > CRITICAL * self.deviation


def power(difference: float, deviation: float) -> float:
    """Power of a two-sided test at 5 % for a normal difference.

    Examples
    --------
    >>> round(power(0.0, 1.0), 3), round(power(2.8, 1.0), 2), power(1.0, 0.0)
    (0.05, 0.8, 1.0)
    """
    if deviation == 0:
        return 1.0 if difference else 0.0
    effect = abs(difference) / deviation
    return NORMAL.cdf(effect - CRITICAL) + NORMAL.cdf(-effect - CRITICAL)


def scheme_powers(outcome: Outcome) -> list[PairPower]:
    """Every pair of numbers of the two schemes that was run and printed; needs at least two runs."""
    found = []
    document = outcome.document
    for table in outcome.tables:
        for ends in scheme_pairs(document, table, outcome.tables):
            cells = [row.values[column.name] for _, row, column in ends]
            if any(isinstance(cell, str) for cell in cells):
                continue
            one, other = (outcome.values(where.id, column.name, row.key) for where, row, column in ends)
            spread = math.hypot(*(_deviation(values) for values in (one, other)))
            left, right = ((where.id, row.id, column.name) for where, row, column in ends)
            found.append(
                PairPower(
                    left,
                    right,
                    float(cells[0]) - float(cells[1]),
                    0.0 if one == other else statistics.fmean(one) - statistics.fmean(other),
                    spread / math.sqrt(document.print_runs),
                    one == other,
                )
            )
    return found


def power_section(study: Study) -> list[str]:
    """The section of a study's page, from its stored runs; nothing without a print of two schemes."""
    outcome = stored_outcome(study) if study.document.has_print else None
    pairs = [] if outcome is None else scheme_powers(outcome)
    if not pairs:
        return []
    groups = [("the same in our runs", [pair for pair in pairs if pair.identical])]
    for low, high in CLASSES:
        name = f"power {low:g} to {high:g}"
        groups.append((name, [pair for pair in pairs if not pair.identical and _is_within(pair.power, low, high)]))
    return [
        "## What the print can tell of the two schemes",
        "",
        "Pairs of numbers of the two schemes, by the power of a test at 5 % on their difference in print. The power "
        "assumes the difference and the spread of our runs.",
        "",
        "| pairs | number | significant in print | of these with our sign |",
        "|---|---:|---:|---:|",
        *(_line(name, group) for name, group in groups),
        "",
    ]


def _line(name: str, group: Sequence[PairPower]) -> str:
    clear = [pair for pair in group if pair.is_clear]
    same = sum(pair.printed * pair.difference > 0 for pair in clear)
    return f"| {name} | {len(group)} | {len(clear)} | {same} |"


def _is_within(value: float, low: float, high: float) -> bool:
    return low <= value < high or value == high == 1.0


def _deviation(values: Sequence[float]) -> float:
    return 0.0 if min(values) == max(values) else statistics.stdev(values)
