"""False and true findings of comparisons, over two thousand small studies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from penstock.records import Metric, RunRequest, RunResult
from penstock.studies.compare import Compare, compare
from penstock.studies.definition import Point

STUDIES = 2000
SHARED = 3.0
"""Spread of what the runs of one number share, which pairing takes out; that of a difference is the root of two."""


def study(stream, values, metrics, runs, shift=0.0):
    """A baseline 0 and other values, whose first metric lies higher by `shift` at the value 1."""
    shared = stream.normal(0, SHARED, (len(metrics), runs))
    points = []
    for value in range(values + 1):
        own = shared + stream.normal(0, 1, (len(metrics), runs))
        own[0] += shift * (value == 1)
        made = []
        for number in range(runs):
            found = [Metric(name, {}, "1", 10 + own[i, number]) for i, name in enumerate(metrics)]
            made.append(RunResult(RunRequest("", replication=number), found, "", 0))
        points.append((Point({"queue": value}), made))
    return points


def false_alarms(values, metrics, runs, seed):
    """The share of studies without any difference in which one is significant."""
    stream = np.random.default_rng(seed)
    what = Compare("queue", 0, metrics)
    return (
        sum(
            any(each.p_holm < 0.05 for each in compare(study(stream, values, metrics, runs), what))
            for _ in range(STUDIES)
        )
        / STUDIES
    )


@pytest.mark.parametrize("runs", [2, 5, 20])
def test_one_comparison_finds_nothing_that_is_not_there_in_95_percent_of_studies(runs):
    # The paired t-test is exact for normal differences, for any number of pairs. Four standard errors of 2,000 trials.
    assert abs(false_alarms(1, ("delay",), runs, seed=runs) - 0.05) < 4 * math.sqrt(0.05 * 0.95 / STUDIES)


def test_all_comparisons_of_a_study_together_keep_the_level():
    # Holm's bound holds however the six tests depend on each other; three share a baseline, so they are less than 5 %.
    rate = false_alarms(3, ("delay", "loss"), 10, seed=1)
    assert 0.02 < rate < 0.05 + 4 * math.sqrt(0.05 * 0.95 / STUDIES)
    # Without the correction it would be far more: the test can tell.
    stream = np.random.default_rng(1)
    what = Compare("queue", 0, ("delay", "loss"))
    plain = sum(
        any(each.found.p_two_sided < 0.05 for each in compare(study(stream, 3, ("delay", "loss"), 10), what))
        for _ in range(STUDIES)
    )
    assert plain / STUDIES > 0.15


def test_a_difference_is_found_as_often_as_pairing_allows():
    from scipy import stats

    # A shift of one, where differences spread by the root of two, in 16 pairs: the non-central t-distribution.
    degrees, shift = 15, math.sqrt(16) / math.sqrt(2)
    edge = stats.t.ppf(0.975, degrees)
    power = stats.nct.sf(edge, degrees, shift) + stats.nct.cdf(-edge, degrees, shift)
    stream = np.random.default_rng(4)
    what = Compare("queue", 0, ("delay",))
    found = [compare(study(stream, 1, ("delay",), 16, shift=1.0), what)[0] for _ in range(STUDIES)]
    share = sum(each.p_holm < 0.05 for each in found) / STUDIES
    assert abs(share - power) < 4 * math.sqrt(power * (1 - power) / STUDIES)
    # Unpaired, the shared spread would hide it: its standard error alone is above the shift.
    assert SHARED * math.sqrt(2 / 16) > 1.0
    held = sum(each.found.low <= 1.0 <= each.found.high for each in found) / STUDIES
    assert abs(held - 0.95) < 4 * math.sqrt(0.05 * 0.95 / STUDIES)
