"""Means, intervals and tests for the few runs that a study makes.

SciPy is imported where it is needed: ``scipy.special`` costs 0.2 s beyond NumPy and ``scipy.stats`` 0.6 s, more than
many a run.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.student import QUANTILES

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Comparison", "Interval", "holm", "interval", "jain", "mean", "paired", "t_quantile", "welch"]

LEVEL = 0.95
"""The confidence level wherever none is given."""
_TABLED = (1 + LEVEL) / 2
_DEGREES = range(1, len(QUANTILES) + 1)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its confidence interval, which is unknown below two runs."""

    mean: float
    low: float | None
    high: float | None
    runs: int

    @property
    def half(self) -> float | None:
        """Half the interval's width."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class Comparison:
    """How far the mean of `a` lies above that of `b`.

    Parameters
    ----------
    difference : float
        Mean of `a` less mean of `b`.
    low, high : float
        Confidence interval of the difference.
    t, degrees : float
        Student's statistic and its degrees of freedom; infinite where neither sample varies.
    p_above : float
        Probability of a t as great as this if `a` were not above `b`.
    p_two_sided : float
        Probability of a t as far from zero as this if the means were equal.
    """

    difference: float
    low: float
    high: float
    t: float
    degrees: float
    p_above: float
    p_two_sided: float

    def is_above(self, alpha: float = 1 - LEVEL) -> bool:
        """Whether `a` is significantly above `b`."""
        return self.p_above < alpha

    def is_below(self, alpha: float = 1 - LEVEL) -> bool:
        """Whether `a` is significantly below `b`."""
        return 1 - self.p_above < alpha


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean, whatever the order of the values.

    Raises
    ------
    ValueError
        If there are none.
    """
    if not values:
        raise ValueError("the mean of no values")
    if not all(math.isfinite(value) for value in values):
        return math.nan
    return math.fsum(values) / len(values)


def t_quantile(probability: float, degrees: float) -> float:
    """The quantile of Student's distribution.

    Examples
    --------
    >>> round(t_quantile(0.975, 9), 4)
    2.2622
    """
    if probability == _TABLED and degrees in _DEGREES:
        return QUANTILES[int(degrees) - 1]
    from scipy.special import stdtrit  # type: ignore[import-untyped]

    return float(stdtrit(degrees, probability))


def interval(values: Sequence[float], level: float = LEVEL) -> Interval:
    """The mean of independent runs and its t-interval [Law15 s4.5].

    Parameters
    ----------
    values : sequence of float
        One per run.
    level : float
        How sure the interval is to hold the true mean.

    Returns
    -------
    Interval
        Without bounds below two runs, or where a value is not a number.

    Examples
    --------
    >>> interval([3.0])
    Interval(mean=3.0, low=None, high=None, runs=1)
    >>> interval([2.0, 2.0])
    Interval(mean=2.0, low=2.0, high=2.0, runs=2)
    """
    centre = mean(values)
    runs = len(values)
    if runs < 2 or math.isnan(centre):
        return Interval(centre, None, None, runs)
    half = t_quantile((1 + level) / 2, runs - 1) * math.sqrt(_variance(values) / runs)
    return Interval(centre, centre - half, centre + half, runs)


def welch(a: Sequence[float], b: Sequence[float], level: float = LEVEL) -> Comparison:
    """Compares the means of two independent samples of unequal variance [Welch47].

    Parameters
    ----------
    a, b : sequence of float
        At least two values each.
    level : float
        Confidence level of the interval.

    Raises
    ------
    ValueError
        If either has fewer than two values.
    """
    if min(len(a), len(b)) < 2:
        raise ValueError("a comparison needs at least two runs a side")
    error_a, error_b = _variance(a) / len(a), _variance(b) / len(b)
    error = error_a + error_b
    degrees = error**2 / (error_a**2 / (len(a) - 1) + error_b**2 / (len(b) - 1)) if error > 0 else math.inf
    return _comparison(mean(a) - mean(b), math.sqrt(error), degrees, level)


def paired(a: Sequence[float], b: Sequence[float], level: float = LEVEL) -> Comparison:
    """Compares two samples run by run, for variants that share their random numbers.

    Parameters
    ----------
    a, b : sequence of float
        Equally many, at least two; ``a[i]`` and ``b[i]`` come from the same seed and replication.
    level : float
        Confidence level of the interval.

    Raises
    ------
    ValueError
        If they are not equally many, or fewer than two.
    """
    if len(a) != len(b):
        raise ValueError(f"pairs need equally many runs a side, not {len(a)} and {len(b)}")
    if len(a) < 2:
        raise ValueError("a comparison needs at least two runs a side")
    differences = [x - y for x, y in zip(a, b, strict=True)]
    error = math.sqrt(_variance(differences) / len(differences))
    return _comparison(mean(differences), error, len(differences) - 1, level)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusts the p-values of several tests made together, so that one error among them stays as rare [Holm79].

    Returns
    -------
    list of float
        In the order given; compare each with the level as if it stood alone.

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = largest
    return adjusted


def jain(shares: Sequence[float]) -> float:
    """Jain's fairness index, (sum x)^2 / (n sum x^2): 1 if all are equal, 1/n if one has everything [Jain84].

    Returns
    -------
    float
        Not a number if there are no shares or all are zero.

    Examples
    --------
    >>> jain([1.0, 1.0]), jain([1.0, 0.0])
    (1.0, 0.5)
    """
    squares = math.fsum(share * share for share in shares)
    return math.fsum(shares) ** 2 / (len(shares) * squares) if squares > 0 else math.nan


def _variance(values: Sequence[float]) -> float:
    if min(values) == max(values):
        return 0.0  # exactly, although the rounded mean may differ from the values
    centre = mean(values)
    return math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1)


def _comparison(difference: float, error: float, degrees: float, level: float) -> Comparison:
    if error == 0:
        # Neither sample varies: the difference is certain.
        p_above = 0.5 if difference == 0 else float(difference < 0)
        t = math.copysign(math.inf, difference) if difference else 0.0
        return Comparison(difference, difference, difference, t, math.inf, p_above, float(difference == 0))
    from scipy.special import stdtr

    t = difference / error
    half = t_quantile((1 + level) / 2, degrees) * error
    p_above = float(stdtr(degrees, -t))
    two_sided = 2 * float(stdtr(degrees, -abs(t)))
    return Comparison(difference, difference - half, difference + half, t, degrees, p_above, two_sided)
