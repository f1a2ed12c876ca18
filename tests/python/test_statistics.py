"""Worked by hand, or with the tables that every textbook prints."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest

from penstock.statistics import holm, interval, jain, mean, paired, t_quantile, welch
from penstock.student import QUANTILES


@pytest.mark.parametrize(
    ("probability", "degrees", "printed"),
    [(0.975, 1, 12.706), (0.975, 4, 2.776), (0.975, 9, 2.262), (0.95, 9, 1.833), (0.995, 30, 2.750)],
)
def test_t_quantiles_are_those_of_the_tables(probability, degrees, printed):
    assert t_quantile(probability, degrees) == pytest.approx(printed, abs=5e-4)


def test_an_interval_by_hand():
    # Mean 3, variance 2.5, standard error sqrt(0.5), t(0.975, 4) = 2.7764.
    numbers = interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert numbers.mean == 3.0
    assert numbers.runs == 5
    assert numbers.half == pytest.approx(2.776445 * math.sqrt(0.5), rel=1e-6)
    assert numbers.high - numbers.mean == pytest.approx(numbers.mean - numbers.low)


def test_one_run_has_no_interval():
    numbers = interval([7.0])
    assert (numbers.mean, numbers.low, numbers.high, numbers.half, numbers.runs) == (7.0, None, None, None, 1)


def test_equal_runs_have_an_interval_of_no_width():
    assert interval([0.1, 0.1, 0.1]).half == 0.0


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_an_unknown_run_makes_the_mean_unknown(value):
    numbers = interval([1.0, value])
    assert math.isnan(numbers.mean)
    assert (numbers.low, numbers.runs) == (None, 2)


def test_the_mean_does_not_depend_on_the_order():
    values = [0.1, 1e16, -1e16, 0.2, 0.3]
    assert mean(values) == mean(sorted(values)) == pytest.approx(0.12)
    with pytest.raises(ValueError, match="no values"):
        mean([])


def student_tail(t, degrees):
    """The probability above `t`, by Simpson's rule over the density between 0 and `t`."""
    scale = math.gamma((degrees + 1) / 2) / (math.sqrt(degrees * math.pi) * math.gamma(degrees / 2))
    steps = 1000
    weights = [1, *[4, 2] * (steps // 2 - 1), 4, 1]
    density = [(1 + (t * i / steps) ** 2 / degrees) ** (-(degrees + 1) / 2) for i in range(steps + 1)]
    return 0.5 - scale * t / steps / 3 * sum(w * d for w, d in zip(weights, density, strict=True))


def test_welch_by_hand():
    # Means 3 and 6, variances 2.5 and 10, five runs each: error sqrt(0.5 + 2), t = -3 / 1.5811,
    # degrees 2.5^2 / (0.5^2 / 4 + 2^2 / 4) = 5.882.
    comparison = welch([1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 4.0, 6.0, 8.0, 10.0])
    assert comparison.difference == -3.0
    assert comparison.t == pytest.approx(-1.897367, abs=1e-6)
    assert comparison.degrees == pytest.approx(5.882353, abs=1e-6)
    tail = student_tail(1.897367, 5.882353)
    assert comparison.p_two_sided == pytest.approx(2 * tail, abs=1e-6)
    assert comparison.p_above == pytest.approx(1 - tail, abs=1e-6)
    assert not comparison.is_below()
    assert comparison.low < -3.0 < 0.0 < comparison.high


def test_pairs_see_what_the_spread_hides():
    a, b = [10.0, 20.0, 30.0, 40.0], [9.0, 18.5, 29.0, 38.5]
    comparison = paired(a, b)
    # Differences 1, 1.5, 1, 1.5: mean 1.25, standard error sqrt(1/12 / 4), t(0.975, 3) = 3.182.
    assert comparison.difference == 1.25
    assert comparison.high - 1.25 == pytest.approx(3.182446 * math.sqrt(1 / 48), rel=1e-6)
    assert comparison.is_above(0.01)
    assert not welch(a, b).is_above()


def test_samples_that_never_vary_are_compared_exactly():
    assert welch([2.0, 2.0], [1.0, 1.0]).is_above(1e-12)
    assert welch([1.0, 1.0], [2.0, 2.0]).is_below(1e-12)
    equal = paired([1.0, 5.0], [1.0, 5.0])
    assert (equal.low, equal.high, equal.p_two_sided) == (0.0, 0.0, 1.0)
    assert not equal.is_above()
    assert not equal.is_below()


@pytest.mark.parametrize("compare", [welch, paired])
def test_comparisons_need_two_runs(compare):
    with pytest.raises(ValueError, match="at least two runs"):
        compare([1.0], [2.0])


def test_pairs_need_equally_many_runs():
    with pytest.raises(ValueError, match="equally many runs a side, not 2 and 3"):
        paired([1.0, 2.0], [1.0, 2.0, 3.0])


def test_holm_by_hand():
    # Sorted 0.005, 0.01, 0.03, 0.04: times 4, 3, 2, 1 gives 0.02, 0.03, 0.06, 0.04; but none below the one before.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_jain_by_hand():
    assert jain([3.0, 3.0, 3.0]) == pytest.approx(1.0)
    assert jain([1.0, 2.0, 3.0]) == pytest.approx(36 / 42)
    assert jain([5.0] + [0.0] * 9) == pytest.approx(0.1)
    assert math.isnan(jain([]))
    assert math.isnan(jain([0.0, 0.0]))


def test_tabled_quantiles_are_those_of_scipy():
    from scipy.special import stdtrit

    # Another build of SciPy may round otherwise; four units in the last place are far below what any interval shows.
    for degrees, quantile in enumerate(QUANTILES, start=1):
        assert t_quantile(0.975, degrees) == quantile == pytest.approx(float(stdtrit(degrees, 0.975)), rel=1e-15 * 4)
    assert t_quantile(0.975, len(QUANTILES) + 1) < QUANTILES[-1]
    assert t_quantile(0.975, 2.5) == float(stdtrit(2.5, 0.975))


def test_intervals_of_a_few_runs_need_no_scipy():
    program = (
        "import sys; from penstock.statistics import interval; interval([1.0, 2.0]); assert 'scipy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
