"""The sentence that a report opens each metric with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.parameter_columns import parameter_columns
from penstock.provenance import Provenance
from penstock.report.study import sentence
from penstock.results import Summary
from penstock.statistics import interval


def summaries(means, *, metric="goodput", unit="bit/s", spread=0.01):
    """Means by label and point, from three runs each that differ by a share of the mean."""
    return [
        Summary(
            "demo",
            {"a-b.queue.tail-drop.limit": limit},
            metric,
            {"of": of},
            unit,
            values,
            interval(values),
            Provenance({}),
        )
        for (of, limit), mean in means.items()
        for values in [[mean * (1 - spread), mean, mean * (1 + spread)]]
    ]


def said(own):
    points = [dict(each.point) for each in own]
    return sentence(own, parameter_columns(points, ["a-b.queue.tail-drop.limit"]))


def test_the_extremes_and_where_they_are():
    """Not the ends of the sweep: the maximum may lie inside."""
    own = summaries({("bulk", "5 packets"): 8e6, ("bulk", "10 packets"): 9e6, ("bulk", "50 packets"): 8.5e6})
    text = said(own)
    assert text.startswith("Goodput of bulk is lowest at limit 5 packets (8.00 ±0.20 Mbit/s)")
    assert text.endswith("and highest at limit 10 packets (9.00 ±0.22 Mbit/s).")


def test_of_overlapping_intervals_no_more_is_said_since_means_may_still_differ():
    own = summaries({("bulk", "5 packets"): 8e6, ("bulk", "10 packets"): 8.1e6}, spread=0.1)
    assert said(own) == "Goodput of bulk is from 8 to 8.1 Mbit/s, and these intervals overlap."


def test_points_with_the_same_extreme_are_counted():
    own = summaries({("bulk", f"{number} packets"): mean for number, mean in enumerate((0.0, 0.0, 0.0, 8e6, 9e6))})
    assert said(own).startswith(
        "Goodput of bulk is lowest at limit 0 packets and 2 other points (0 Mbit/s) and highest"
    )


def test_few_flows_have_clauses_of_their_own():
    own = summaries({(of, limit): mean for of, mean in (("a", 1e6), ("b", 2e6)) for limit in ("5 packets",)})
    assert said(own) == "Goodput of a is 1.000 ±0.025 Mbit/s; of b is 2.000 ±0.050 Mbit/s."


def test_of_many_flows_the_range_is_given():
    own = summaries({(f"f{n}", "5 packets"): n * 1e6 for n in range(1, 6)})
    assert said(own) == "Goodput lies between 1.000 ±0.025 Mbit/s (f1) and 5.00 ±0.12 Mbit/s (f5)."


NAN = float("nan")


@pytest.mark.parametrize(
    ("means", "told"),
    [
        ((2.0, NAN, NAN), "Goodput of bulk is 2.000 ±0.050 bit/s at limit 0 packets."),
        ((0.0, 0.0, NAN), "Goodput of bulk is 0 bit/s at each of 2 points."),
    ],
)
def test_points_without_a_mean_are_not_spoken_for(means, told):
    own = summaries({("bulk", f"{number} packets"): mean for number, mean in enumerate(means)})
    assert said(own) == told


def test_many_flows_without_a_mean_are_not_spoken_for():
    own = summaries({(f"f{n}", "5 packets"): 0.0 if n else NAN for n in range(6)})
    assert said(own) == "Goodput is 0 bit/s in all 5 means."


def test_a_single_run_has_no_interval_to_overlap():
    low, high = summaries({("bulk", "5 packets"): 8e6, ("bulk", "10 packets"): 8.1e6}, spread=0.1)
    single = replace(high, interval=interval([8.1e6]))
    assert said([low, single]).endswith("5 packets (8.0 ±2.0 Mbit/s) and highest at limit 10 packets (8.1 Mbit/s).")


@pytest.mark.parametrize(("mean", "told"), [(float("nan"), ""), (0.0, "Loss of bulk is 0 %.")])
def test_numbers_that_are_not_finite_or_zero(mean, told):
    own = summaries({("bulk", "5 packets"): mean}, metric="loss", unit="1")
    assert said(own) == told
