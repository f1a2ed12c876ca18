"""MSER-5, batch means and quantile intervals: worked by hand, and held to what they claim."""

from __future__ import annotations

import math

import numpy as np
import pytest

from penstock.output_analysis import batch_means, mser5, quantile_interval


def autoregressive(stream, count, correlation, start):
    """x' = c x + e with unit variance in the long run, begun at `start`."""
    noise = stream.normal(0, math.sqrt(1 - correlation**2), count)
    values, value = [], start
    for shock in noise:
        value = correlation * value + shock
        values.append(value)
    return values


def test_mser_cuts_off_a_step_by_hand():
    # Two batches of 9, then batches of 1 and 2 in turn: without the step the error is 0.25 / 18, with any of it more.
    series = [9.0] * 10 + ([1.0] * 5 + [2.0] * 5) * 9
    found = mser5(series)
    assert (found.count, found.total, found.too_short) == (10, 100, False)


def test_mser_finds_a_decaying_start_in_most_series():
    stream = np.random.default_rng(5)
    cuts = [mser5(autoregressive(stream, 1000, 0.8, 30.0)) for _ in range(100)]
    # 30 x 0.8^n is below a tenth of the standard deviation from n = 26 on.
    assert all(25 >= cut.count >= 10 for cut in cuts if not cut.too_short and cut.count < 30)
    assert sum(10 <= cut.count <= 100 for cut in cuts) >= 80


def test_mser_says_where_a_series_is_too_short():
    falling = [float(100 - n) for n in range(100)]
    assert mser5(falling).too_short
    assert not mser5([1.0, 2.0, 3.0, 2.0, 2.0] * 20).too_short
    assert mser5([3.0] * 60).count == 0


@pytest.mark.parametrize(
    ("series", "said"),
    [([1.0] * 49, "at least 50 observations, not 49"), ([1.0] * 99 + [math.nan], "observations that are all numbers")],
)
def test_mser_refuses_what_it_cannot_tell(series, said):
    with pytest.raises(ValueError, match=said):
        mser5(series)


def test_batch_means_by_hand():
    found = batch_means([1.0, 3.0, 2.0, 4.0, 6.0, 8.0, 100.0], batches=3)
    # Means 2, 3 and 7: mean 4, variance 7, t(0.975, 2) = 4.3027; products (-2)(-1) + (-1)(3) = -1 over squares 14.
    assert (found.interval.mean, found.interval.runs, found.size) == (4.0, 3, 2)
    assert found.interval.half == pytest.approx(4.302653 * math.sqrt(7 / 3), rel=1e-6)
    assert found.correlation == pytest.approx(-1 / 14)


def test_batch_means_cover_where_batches_are_long_and_not_where_they_are_short():
    stream = np.random.default_rng(3)
    covered = {200: 0, 4000: 0}
    for length in covered:
        for _ in range(400):
            found = batch_means(autoregressive(stream, length, 0.9, stream.normal())).interval
            covered[length] += found.low <= 0 <= found.high
    # Four standard errors of 400 trials at 95 % are 4.4 points. Batches of 10 are as short as the correlation.
    assert covered[4000] / 400 == pytest.approx(0.95, abs=0.044)
    assert covered[200] / 400 < 0.85


@pytest.mark.parametrize(("count", "batches"), [(10, 1), (39, 20)])
def test_batch_means_refuse_what_has_no_interval(count, batches):
    with pytest.raises(ValueError, match="at least"):
        batch_means([1.0] * count, batches=batches)


def test_quantile_interval_by_hand():
    # Of ten values 1 to 8 lie below the median with probability 1 - 2 (1 + 10) / 1024.
    found = quantile_interval([float(n) for n in range(10, 0, -1)], 0.5)
    assert (found.low, found.high, found.estimate, found.runs) == (2.0, 9.0, 5.0, 10)
    assert found.confidence == pytest.approx(1 - 22 / 1024)


def test_quantile_intervals_cover_whatever_the_distribution():
    stream = np.random.default_rng(8)
    for probability, draw, true in (
        (0.9, lambda: stream.exponential(1, 60), -math.log(0.1)),
        (0.5, lambda: stream.lognormal(0, 2, 25), 1.0),
    ):
        found = [quantile_interval(draw().tolist(), probability) for _ in range(1000)]
        share = sum(each.low <= true <= each.high for each in found) / 1000
        # Exactly as sure as it says: four standard errors of 1,000 trials are 2.8 points.
        assert found[0].confidence >= 0.95
        assert share == pytest.approx(found[0].confidence, abs=0.028)


@pytest.mark.parametrize(
    ("values", "probability", "said"),
    [
        # Both ends lie on one side of the 0.9 quantile with 0.9^n + 0.1^n: 29 runs make it less than 5 %.
        ([1.0] * 28, 0.9, "a 95 % interval of the 0.9 quantile needs at least 29 runs, not 28"),
        ([], 0.5, "needs at least 6 runs, not 0"),
        ([1.0] * 5, 1e-9, "needs at least 2995732273 runs, not 5"),
        ([1.0], 1.5, "a quantile is between 0 and 1, not 1.5"),
        ([1.0, math.nan], 0.5, "values that are all numbers"),
    ],
)
def test_quantile_intervals_that_are_refused(values, probability, said):
    with pytest.raises(ValueError, match=said):
        quantile_interval(values, probability)
