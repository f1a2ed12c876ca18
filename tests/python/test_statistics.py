"""Worked by hand, or with the tables that every textbook prints."""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from penstock.statistics import QUANTILES, holm, interval, jain, mean, paired, ratio_interval, t_quantile, welch, wilson


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


@pytest.mark.parametrize("kind", [np.array, pl.Series])
def test_columns_of_frames_have_intervals(kind):
    values = [0.25, 0.5, 0.75]
    assert interval(kind(values)) == interval(values)
    assert ratio_interval(kind(values)) == ratio_interval(values)


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


@pytest.mark.parametrize("unit", [1e300, 1e200, 1e80, 1e-70, 1e-200, 1e-300])
def test_very_large_and_small_numbers_have_intervals(unit):
    a, b = [1.0, 2.0, 4.0], [2.0, 3.0, 7.0]
    found, plain = interval([unit * value for value in a]), interval(a)
    for one, other in zip((found.mean, found.low, found.high), (plain.mean, plain.low, plain.high), strict=True):
        assert one == pytest.approx(unit * other, rel=1e-12)
    for compare in (welch, paired):
        found, plain = compare([unit * value for value in a], [unit * value for value in b]), compare(a, b)
        assert (found.t, found.p_above) == pytest.approx((plain.t, plain.p_above))
        assert found.low == pytest.approx(unit * plain.low, rel=1e-12)


def test_bounds_that_no_float_holds_are_unknown():
    found = interval([1e308, 1.7e308])
    assert (found.mean, found.low, found.high) == (pytest.approx(1.35e308), None, None)


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


@pytest.mark.parametrize("compare", [welch, paired])
@pytest.mark.parametrize("values", [[math.nan, 2.0, 2.0], [2.0, math.nan, 2.0], [2.0, 2.0, math.nan]])
def test_an_unknown_run_makes_a_comparison_unknown(compare, values):
    found = compare(values, [1.0, 1.0, 1.0])
    assert all(map(math.isnan, (found.difference, found.low, found.high, found.p_above, found.p_two_sided)))
    assert not found.is_above()
    assert not found.is_below()


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


def test_an_interval_around_a_logit_by_hand():
    # Mean 0.25, half of Student's interval 0.20543; on the scale of the logit 0.20543 / 0.1875 = 1.0956 around ln(1/3).
    found = ratio_interval([0.1, 0.2, 0.3, 0.4])
    assert (found.mean, found.runs, found.method) == (0.25, 4, "logit")
    ends = [math.log(end / (1 - end)) for end in (found.low, found.high)]
    half = interval([0.1, 0.2, 0.3, 0.4]).half / 0.1875
    assert ends == pytest.approx([math.log(1 / 3) - half, math.log(1 / 3) + half], rel=1e-12)


@pytest.mark.parametrize("values", [[0.9999, 0.2], [1.0, 1.0, 0.9], [0.0, 0.0, 1e-9], [1e-100, 0.0], [1.0, 1 - 1e-16]])
def test_intervals_of_shares_stay_between_0_and_1(values):
    found = ratio_interval(values)
    assert 0 <= found.low <= found.mean <= found.high <= 1
    assert found.low < found.high


def test_where_a_share_is_far_from_its_bounds_the_interval_is_students():
    values = [0.5001, 0.4999, 0.5002, 0.4998]
    # The two differ by the third power of the half-width on the scale of the logit, 1e-3: by 1e-10 and less.
    plain, found = interval(values), ratio_interval(values)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=1e-10)


def test_what_is_no_share_or_does_not_vary_has_students_interval():
    assert ratio_interval([1.5, 0.5]) == interval([1.5, 0.5])
    assert ratio_interval([0.3]) == interval([0.3])
    assert ratio_interval([math.nan, 0.3]).low is None
    alike = ratio_interval([0.36] * 3)
    assert (alike.low, alike.high, alike.is_lopsided) == (alike.mean, alike.mean, False)
    for bound in (0.0, 1.0):
        assert (ratio_interval([bound] * 3).low, ratio_interval([bound] * 3).high) == (bound, bound)


def test_near_a_bound_the_logit_covers_better_than_student():
    numpy = pytest.importorskip("numpy")
    # Ten runs each of a share with the mean 0.98 and the density of Beta(49, 1), 2,000 times.
    studies = numpy.random.default_rng(14).beta(49, 1, (2000, 10)).tolist()
    found = {method: [method(values) for values in studies] for method in (ratio_interval, interval)}
    cover = {method: sum(each.low <= 0.98 <= each.high for each in all_) / 2000 for method, all_ in found.items()}
    # Measured: 0.9285 and 0.902, each with a standard error of 0.006.
    assert cover[ratio_interval] > 0.90
    assert cover[ratio_interval] > cover[interval] + 0.01
    assert any(each.high > 1 for each in found[interval])
    assert all(each.low >= 0 and each.high <= 1 for each in found[ratio_interval])


def test_wilsons_interval_of_a_share():
    # [Brown01] have (0.018, 0.404) for 1 of 10.
    found = wilson(1, 10)
    assert (found.mean, found.runs, found.method) == (0.1, 10, "wilson")
    assert (found.low, found.high) == pytest.approx((0.0179, 0.4042), abs=5e-5)
    for none in (2, 10, 100):
        assert (wilson(0, none).low, wilson(none, none).high) == (0.0, 1.0)
        assert wilson(0, none).high == pytest.approx(1 - wilson(none, none).low)
    widths = [wilson(0, count).high for count in (2, 10, 100)]
    assert all(wide > narrow > 0 for wide, narrow in pairwise(widths))
    assert wilson(1, 1).low is None
    for count, trials in ((0, 0), (-1, 3), (4, 3)):
        with pytest.raises(ValueError, match="is no share"):
            wilson(count, trials)


@pytest.mark.parametrize(("trials", "share"), [(20, 0.05), (10, 0.1), (50, 0.3)])
def test_wilsons_interval_covers_what_it_says(trials, share):
    """Exactly: the sum over all outcomes. It swings around 95 % as the outcomes are few [Brown01]: by 3 points here."""
    chances = [math.comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(trials + 1)]
    found = [wilson(k, trials) for k in range(trials + 1)]
    covered = sum(chance for chance, each in zip(chances, found, strict=True) if each.low <= share <= each.high)
    assert covered == pytest.approx(0.95, abs=0.03)
