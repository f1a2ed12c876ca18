"""Means, intervals and tests for the few runs of a study; `level` is the confidence level of an interval.

SciPy is imported only where needed: ``scipy.special`` takes 0.2 s beyond NumPy and ``scipy.stats`` 0.6 s, longer than
many runs.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = [
    "Comparison",
    "Interval",
    "holm",
    "interval",
    "jain",
    "mean",
    "paired",
    "ratio_interval",
    "t_quantile",
    "welch",
    "wilson",
]

LEVEL = 0.95  # default confidence level

# fmt: off
QUANTILES = (
    12.706204736174694, 4.302652729749462, 3.1824463052837078, 2.7764451051977934, 2.5705818356363146,
    2.4469118511449786, 2.364624251592784, 2.306004135204166, 2.262157162798205, 2.228138851986274,
    2.200985160091639, 2.1788128296672284, 2.1603686564627913, 2.144786687917804, 2.131449545559776,
    2.1199052992212546, 2.1098155778333156, 2.1009220402410382, 2.0930240544083087, 2.085963447265864,
    2.0796138447276795, 2.0738730679040254, 2.0686576104190486, 2.0638985616280245, 2.0595385527532972,
    2.0555294386428735, 2.0518305164802846, 2.0484071417952454, 2.045229642132703, 2.0422724563012378,
    2.039513446396408, 2.0369333434601016, 2.0345152974493383, 2.0322445093177186, 2.030107928250343,
    2.0280940009804502, 2.0261924630291093, 2.0243941639119694, 2.022690920036761, 2.021075390306273,
    2.019540970441376, 2.0180817028184443, 2.016692199227824, 2.0153675744437636, 2.014103388880846,
    2.012895598919429, 2.0117405137297655, 2.010634757624232, 2.0095752371292392, 2.008559112100761,
    2.007583770315836, 2.006646805061688, 2.0057459953178687, 2.0048792881880564, 2.0040447832891455,
    2.003240718847872, 2.002465459291007, 2.0017174841452356, 2.000995378088267, 2.0002978220142604,
)
"""Quantiles of Student's distribution for 95 % intervals and 1, 2, 3, ... degrees of freedom, as SciPy has them."""
# fmt: on

_TABLED = (1 + LEVEL) / 2
_DEGREES = range(1, len(QUANTILES) + 1)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its bounds, None below two runs; see :func:`interval`, :func:`ratio_interval` and :func:`wilson`."""

    mean: float
    low: float | None
    high: float | None
    runs: int
    method: str = field(default="t", repr=False)  # or "logit" or "wilson"

    @property
    def half(self) -> float | None:
        """Half the interval's width."""
        return None if self.low is None or self.high is None else self.high / 2 - self.low / 2

    @property
    def is_lopsided(self) -> bool:
        """Whether one side is more than a tenth longer than half the width, so that this half does not describe both.

        >>> interval([2.0, 3.0]).is_lopsided, ratio_interval([0.999, 0.97, 0.98]).is_lopsided
        (False, True)
        """
        if self.low is None or self.high is None:
            return False
        return max(self.mean - self.low, self.high - self.mean) > 1.1 * (self.high - self.low) / 2


@dataclass(frozen=True, slots=True)
class Comparison:
    """Difference between the means of `a` and `b`: that of `a` less that of `b`, with its interval.

    Parameters
    ----------
    t, degrees : float
        Student's statistic and its degrees of freedom; infinite if neither sample varies.
    p_above : float
        Probability of a t at least as large if `a` were not above `b`.
    p_two_sided : float
        Probability of a t at least as far from zero if the means were equal.
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
    """Returns the arithmetic mean, rounded independently of the order. Raises ValueError if there are no values."""
    if len(values) == 0:
        raise ValueError("the mean of no values")
    if not all(map(math.isfinite, values)):
        return math.nan
    try:
        return math.fsum(values) / len(values)
    except OverflowError:  # the sum is too large for a float
        return math.fsum(value / len(values) for value in values)


def t_quantile(probability: float, degrees: float) -> float:
    """Returns a quantile of Student's distribution.

    Examples
    --------
    >>> round(t_quantile(0.975, 9), 4)
    2.2622
    """
    if probability == _TABLED and degrees in _DEGREES:
        return QUANTILES[int(degrees) - 1]
    from scipy.special import stdtrit

    return float(stdtrit(degrees, probability))


def interval(values: Sequence[float], level: float = LEVEL) -> Interval:
    """Returns the mean of independent runs and its t-interval [Law15 s4.5].

    There is a value per run. The interval has no bounds below two runs, if a value is NaN, or if no float holds them.

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
    half = t_quantile((1 + level) / 2, runs - 1) * _standard_error(values, centre)
    if not math.isfinite(centre - half) or not math.isfinite(centre + half):
        return Interval(centre, None, None, runs)
    return Interval(centre, centre - half, centre + half, runs)


def ratio_interval(values: Sequence[float], level: float = LEVEL) -> Interval:
    """Returns the mean of independent runs of a quantity between 0 and 1, with an interval that stays there.

    The interval is Student's around the logit of the mean, ln(m / (1 - m)), whose standard error is that of the mean
    over m (1 - m) (delta method), transformed back [Brown01]. For means many standard errors from 0 and 1, it is
    Student's own; near 0 or 1, it is longer on the side with room. If all runs gave the same, both bounds are that.
    Values outside 0 to 1 give :func:`interval`, and there are no bounds where that has none.

    Examples
    --------
    >>> found = ratio_interval([0.999, 0.97, 0.98])
    >>> f"{found.low:.3f} {found.mean:.3f} {found.high:.3f}"
    '0.866 0.983 0.998'
    >>> f"{interval([0.999, 0.97, 0.98]).high:.3f}"
    '1.020'
    """
    plain = interval(values, level)
    half = plain.half
    if half is None or min(values) < 0 or max(values) > 1:
        return plain
    if min(values) == max(values):  # rounding would make sides that differ
        return Interval(plain.mean, plain.mean, plain.mean, plain.runs, "logit")
    if not 0 < plain.mean < 1:
        # All are there, or differ from it by less than a mean can tell.
        low, high = max(0.0, plain.mean - half), min(1.0, plain.mean + half)
        return Interval(plain.mean, low, high, plain.runs, "logit")
    odds = plain.mean / (1 - plain.mean)
    # Beyond this the ends are 0 and 1 to the last digit.
    factor = math.exp(min(half / (plain.mean * (1 - plain.mean)), 700.0))
    low, high = odds / (odds + factor), odds * factor / (1 + odds * factor)
    return Interval(plain.mean, min(low, plain.mean), max(high, plain.mean), plain.runs, "logit")


def wilson(count: int, trials: int, level: float = LEVEL) -> Interval:
    """Returns the share of `count` successes in independent trials, with Wilson's score interval [Wilson27].

    Trials are such as runs; packets or transfers of one run are dependent, as they share queues. The interval is within
    0 and 1, and not empty even for 0 or all successes; it has no bounds below two trials. Raises ValueError if there
    are no trials, or `count` is not from 0 to `trials`.

    Examples
    --------
    >>> found = wilson(0, 10)
    >>> f"{found.mean} {found.low} {found.high:.4f}"
    '0.0 0.0 0.2775'
    """
    if trials < 1 or not 0 <= count <= trials:
        raise ValueError(f"{count} of {trials} trials is no share")
    share = count / trials
    if trials < 2:
        return Interval(share, None, None, trials, "wilson")
    from scipy.special import ndtri

    square = float(ndtri((1 + level) / 2)) ** 2
    centre = (share + square / (2 * trials)) / (1 + square / trials)
    half = math.sqrt(square * (share * (1 - share) + square / (4 * trials)) / trials) / (1 + square / trials)
    low = 0.0 if count == 0 else max(0.0, centre - half)
    high = 1.0 if count == trials else min(1.0, centre + half)
    return Interval(share, low, high, trials, "wilson")


def welch(a: Sequence[float], b: Sequence[float], level: float = LEVEL) -> Comparison:
    """Compares two means of unequal variance [Welch47]. Raises ValueError if a sample has fewer than two values."""
    if min(len(a), len(b)) < 2:
        raise ValueError("a comparison needs at least two runs a side")
    scale = _scale([*a, *b])
    error_a, error_b = (_variance([value / scale for value in each]) / len(each) for each in (a, b))
    error = error_a + error_b
    degrees = error**2 / (error_a**2 / (len(a) - 1) + error_b**2 / (len(b) - 1)) if error > 0 else math.inf
    return _comparison(mean(a) - mean(b), math.sqrt(error) * scale, degrees, level)


def paired(a: Sequence[float], b: Sequence[float], level: float = LEVEL) -> Comparison:
    """Compares two samples run by run, for variants that share their random numbers.

    ``a[i]`` and ``b[i]`` have the same seed and replication. Raises ValueError if the lengths differ or are below two.
    """
    if len(a) != len(b):
        raise ValueError(f"pairs need equally many runs a side, not {len(a)} and {len(b)}")
    if len(a) < 2:
        raise ValueError("a comparison needs at least two runs a side")
    differences = [x - y for x, y in zip(a, b, strict=True)]
    error = _standard_error(differences, mean(differences))
    return _comparison(mean(differences), error, len(differences) - 1, level)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusts the p-values of several tests by Holm's method [Holm79]; compare each with the level as if it were alone.

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
    """Returns Jain's fairness index, (sum x)^2 / (n sum x^2): 1 if all are equal, 1/n if one has everything [Jain84].

    It is NaN if there are no shares or all are zero.

    Examples
    --------
    >>> jain([1.0, 1.0]), jain([1.0, 0.0])
    (1.0, 0.5)
    """
    squares = math.fsum(share * share for share in shares)
    return math.fsum(shares) ** 2 / (len(shares) * squares) if squares > 0 else math.nan


def _standard_error(values: Sequence[float], centre: float) -> float:
    """The standard error of the mean, which is `centre`."""
    scale = _scale(values)
    return math.sqrt(_variance([value / scale for value in values], centre / scale) / len(values)) * scale


def _scale(values: Sequence[float]) -> float:
    """A power of two; values divided by it are so small that a float holds the squares of their squares.

    Dividing by it changes no digit, and it is 1 for all but very large and very small values.
    """
    largest = max(map(abs, values))
    return 2.0 ** (math.frexp(largest)[1] - 1) if largest > 1e70 or 0 < largest < 1e-60 else 1.0


def _variance(values: Sequence[float], centre: float | None = None) -> float:
    """The variance about the mean, which is `centre` if that is known; NaN if a value is."""
    if centre is None:
        centre = mean(values)
    # NaN compares as if it were not there.
    if min(values) == max(values) and not math.isnan(centre):
        return 0.0  # exactly, although the rounded mean may differ from the values
    return math.fsum([(value - centre) ** 2 for value in values]) / (len(values) - 1)


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
