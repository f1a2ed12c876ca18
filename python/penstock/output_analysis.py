"""Analysis of long runs and of quantiles: start-up transient, batch means, order statistics."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from penstock.statistics import LEVEL, Interval, interval, mean

__all__ = ["BatchMeans", "QuantileInterval", "Truncation", "batch_means", "mser5", "quantile_interval"]

_BATCH = 5  # observations per batch of MSER-5
_FEWEST = 10  # number of batches below which a transient cannot be distinguished from chance


@dataclass(frozen=True, slots=True)
class Truncation:
    """The first `count` of `total` values are discarded; `too_short` to tell if the second half has the least error."""

    count: int
    total: int
    too_short: bool


@dataclass(frozen=True, slots=True)
class BatchMeans:
    """The mean of one long run and its interval, whose ``runs`` are batches of `size` observations.

    The `correlation` is that of neighbouring batches (lag 1); if it is well above zero, batches are too short and the
    interval too narrow.
    """

    interval: Interval
    size: int
    correlation: float


@dataclass(frozen=True, slots=True)
class QuantileInterval:
    """A quantile of independent values, one per run, with an interval from `low` to `high` between two of them.

    The `confidence` is the coverage of the interval for any distribution, at least the requested level.
    """

    probability: float
    estimate: float
    low: float
    high: float
    confidence: float
    runs: int


def mser5(series: Sequence[float]) -> Truncation:
    """Finds the start-up transient by MSER-5 [White97], on means of five observations each.

    Discards as many of the first observations as minimise the squared standard error of the mean of the rest,
    sum (y - mean)^2 / n^2. If these are half of the series or more, the run is too short to tell [White00].

    The series has the observations of one run in order, such as means over windows of equal length. Raises ValueError
    if there are fewer than 50, or one is NaN.

    Examples
    --------
    >>> mser5([9.0] * 10 + [1.0, 2.0] * 45)
    Truncation(count=10, total=100, too_short=False)
    """
    count = len(series) // _BATCH
    if count < _FEWEST:
        raise ValueError(f"MSER-5 needs at least {_BATCH * _FEWEST} observations, not {len(series)}")
    if not all(math.isfinite(value) for value in series):
        raise ValueError("MSER-5 needs observations that are all numbers")
    batches = [mean(series[_BATCH * i : _BATCH * (i + 1)]) for i in range(count)]
    best, least = 0, math.inf
    # The last few batches alone may be alike by chance; they are never all that is left.
    for cut in range(count - _BATCH + 1):
        rest = batches[cut:]
        centre = mean(rest)
        error = math.fsum((value - centre) ** 2 for value in rest) / len(rest) ** 2
        if error < least:
            best, least = cut, error
    return Truncation(_BATCH * best, len(series), 2 * best >= count)


def batch_means(series: Sequence[float], batches: int = 20, level: float = LEVEL) -> BatchMeans:
    """Returns the mean of one long run and its t-interval from the means of batches [Law15 s9.5.3].

    The series has the observations in order, without the start-up; a remainder that fills no batch is discarded. The
    confidence level is valid if batches are nearly independent. Raises ValueError if there are fewer than two batches,
    or fewer than two observations for each.

    Examples
    --------
    >>> found = batch_means([1.0, 3.0, 2.0, 4.0, 3.0, 5.0], batches=3)
    >>> found.interval.mean, found.interval.runs, found.size
    (3.0, 3, 2)
    """
    if batches < 2:
        raise ValueError(f"batch means need at least two batches, not {batches}")
    size = len(series) // batches
    if size < 2:
        raise ValueError(f"{batches} batches need at least {2 * batches} observations, not {len(series)}")
    means = [mean(series[size * i : size * (i + 1)]) for i in range(batches)]
    centre = mean(means)
    squares = math.fsum((value - centre) ** 2 for value in means)
    products = math.fsum((a - centre) * (b - centre) for a, b in pairwise(means))
    return BatchMeans(interval(means, level), size, products / squares if squares > 0 else 0.0)


def quantile_interval(values: Sequence[float], probability: float, level: float = LEVEL) -> QuantileInterval:
    """Returns a quantile of independent values and its interval between order statistics [Hahn91 s5].

    The number of values below the true quantile is binomial for any distribution, so the interval between the l-th and
    the u-th smallest value covers it with the probability that this number is from l to u - 1. The narrowest pair
    around the estimate with sufficient coverage, `level`, is chosen. There is a value per run. Raises ValueError if
    `probability` is not between 0 and 1, a value is NaN, or there are too few values.

    Examples
    --------
    >>> found = quantile_interval([float(i) for i in range(1, 11)], 0.5)
    >>> found.low, found.high, round(found.confidence, 4)
    (2.0, 9.0, 0.9785)
    """
    from scipy.special import bdtr

    if not 0 < probability < 1:
        raise ValueError(f"a quantile is between 0 and 1, not {probability}")
    if not all(math.isfinite(value) for value in values):
        raise ValueError("quantiles need values that are all numbers")
    ordered, count = sorted(values), len(values)
    # sure[k]: how likely at most k values lie below the true quantile.
    sure = [float(bdtr(k, count, probability)) for k in range(count)]
    pairs = [
        (upper - lower, abs(lower + upper - 1 - 2 * count * probability), lower, upper)
        for lower in range(1, count)
        for upper in range(lower + 1, count + 1)
        if sure[upper - 1] - sure[lower - 1] >= level
    ]
    if not pairs:
        logs = math.log(probability), math.log1p(-probability)
        fewest = max(2, math.floor(math.log(1 - level) / max(logs)))
        needed = next(n for n in range(fewest, 2 * fewest + 2) if 1 - sum(math.exp(n * log) for log in logs) >= level)
        raise ValueError(
            f"a {100 * level:g} % interval of the {probability:g} quantile needs at least {needed} runs, not {count}"
        )
    _, _, lower, upper = min(pairs)
    # The smallest value with at least that share of all at or below it.
    estimate = ordered[max(0, math.ceil(count * probability - 1e-9) - 1)]
    confidence = sure[upper - 1] - sure[lower - 1]
    return QuantileInterval(probability, estimate, ordered[lower - 1], ordered[upper - 1], confidence, count)
