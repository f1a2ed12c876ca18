"""Number of runs for a precision target: a sequential stopping rule with bounds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from penstock.statistics import Interval, interval, wilson
from penstock.studies.quantity import Dimension, Quantity

LEAST = 30
"""Default number of runs before the rule is first applied. With ten [Law15 s9.4.1], 95 % intervals of skewed means
cover the true mean in less than 93 % of studies, with thirty in 93 to 97 %.
"""
MOST = 1000  # default number of runs after which a target is given up
JUDGED = 10  # number of runs after which the total is estimated
BEYOND = 10
"""A target is given up at once if its estimate exceeds the maximum by this factor. The variance of ten normal values
is off by as much less than once in 10^10 times, by the chi-square distribution with nine degrees of freedom.
"""


@dataclass(frozen=True, slots=True)
class Precision:
    """A target for the half-width of a metric's 95 % interval.

    The rule is Law's sequential procedure [Law15 s9.4.1], after Chow and Robbins [Chow65]: stop at the first n, from
    the minimum number of runs on, at which the half-width of the t-interval of the first n runs is at most g / (1 + g)
    of the mean's magnitude. The correction by 1 + g makes g bound the error relative to the true mean. An absolute
    target is compared with the half-width itself. For a condition the interval is Wilson's: if all runs meet it, the
    t-interval has no width, although the true share is not certain.

    Parameters
    ----------
    metric : str
        The number, such as ``"goodput[near]"``.
    half_width : float
        The target: a share of the mean if `relative`, else in base units, such as s or bit.
    relative : bool
        Whether it is a share of the mean.
    dimension : tuple
        Unit of an absolute target.
    least, most : int
        Minimum and maximum number of runs.
    is_share : bool
        Whether it is a condition, whose mean is a share of the runs.
    """

    metric: str
    half_width: float
    relative: bool = True
    dimension: Dimension = ()
    least: int = LEAST
    most: int = MOST
    is_share: bool = False

    def stop(self, values: Sequence[float]) -> int | None:
        """Returns the first number of these runs, in their order, that reaches the target; None if none does."""
        return next((n for n in range(self.least, len(values) + 1) if self._is_met(values[:n])), None)

    def why_hopeless(self, values: Sequence[float]) -> str | None:
        """Returns why no number of runs would reach the target, judging by these values; else None."""
        if not all(math.isfinite(value) for value in values):
            return "is not a number in every run"
        if self.relative and not any(values):
            return "is zero in every run, so no half-width is a share of it; give an absolute one"
        is_certain = self.is_share and len(set(values)) == 1  # as far as these tell
        needed = self.needed(values) if len(values) >= JUDGED and not is_certain else 0.0
        if needed > BEYOND * self.most:
            return f"would take about {needed:.0e} runs to reach ±{self.goal}, and at most {self.most} are made"
        return None

    def next_runs(self, values: Sequence[float]) -> int:
        """Returns the next number of runs: an estimate from their spread, at most twice the present number."""
        count = len(values)
        return min(self.most, max(count + 1, math.ceil(min(self.needed(values), 2.0 * count))))

    def needed(self, values: Sequence[float]) -> float:
        """Returns the estimated number of runs."""
        half, target = self._interval(values).half, self._target(values)
        return len(values) * (half / target) ** 2 if half is not None and target > 0 else math.inf

    def _interval(self, values: Sequence[float]) -> Interval:
        return wilson(round(sum(values)), len(values)) if self.is_share else interval(values)

    def _is_met(self, values: Sequence[float]) -> bool:
        half = self._interval(values).half
        return half is not None and half <= self._target(values)

    def _target(self, values: Sequence[float]) -> float:
        if not self.relative:
            return self.half_width
        return abs(self._interval(values).mean) * self.half_width / (1 + self.half_width)

    @property
    def goal(self) -> str:
        """The target in words."""
        if self.relative:
            return f"{100 * self.half_width:g} %"
        return str(Quantity(Fraction(self.half_width), self.dimension))
