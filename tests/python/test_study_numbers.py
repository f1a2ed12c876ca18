"""Numbers of a run that a study names by their labels, and those that it works out from others."""

from __future__ import annotations

import math

import pytest

from penstock.records import Metric
from penstock.reference import catalogue
from penstock.statistics import interval
from penstock.studies.quantity import ExpressionError
from penstock.studies.select import DerivedMetrics, select

METRICS = [
    Metric("delay", {"of": "one", "statistic": "mean"}, "s", 0.25),
    Metric("delay", {"of": "one", "statistic": "max"}, "s", 1.0),
    Metric("delay", {"of": "one", "quantile": "0.9"}, "s", 0.5),
    Metric("loss", {"of": "one"}, "1", 0.0),
    Metric("loss", {"of": "two"}, "1", math.nan),
    Metric("size", {"of": "one"}, "bytes", 50.0),
]


@pytest.mark.parametrize(
    ("selector", "value"),
    [("delay", 0.25), ("delay[one]", 0.25), ("delay[one, max]", 1.0), ("delay[quantile=0.9]", 0.5), ("loss[one]", 0.0)],
)
def test_labels_select_one_number_and_the_mean_where_nothing_is_said(selector, value):
    assert select(selector, METRICS).value == value


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ("dealy", "'dealy' is not measured here; did you mean 'delay'? (delay, loss, size)"),
        ("loss", "'loss' means several numbers; there are loss[one], loss[two]"),
        ("delay[three]", "'delay[three]' means no number; there are delay[one, mean], delay[one, max]"),
        ("delay[one", "'delay[one' has no ']' at its end"),
    ],
)
def test_what_selects_no_number_or_several(selector, said):
    with pytest.raises(ExpressionError) as error:
        select(selector, METRICS)
    assert said in str(error.value)


@pytest.mark.parametrize("metric", catalogue()["metrics"], ids=lambda metric: metric["name"])
def test_every_metric_can_be_compared_with_a_number(metric):
    for unit in metric["unit"].replace(" or ", ", ").split(", "):
        one = f"1 {unit}" if unit != "1" else unit
        (found,) = DerivedMetrics({"x": f"number < {one}"}).of([Metric("number", {}, unit, 0.0)])
        assert found.value == 1.0


def test_derived_metrics_have_units_and_may_use_each_other():
    found = DerivedMetrics({"rate": "size / delay[max]", "double": "2 * rate", "none": "delay / loss[one]"}).of(METRICS)
    assert [(metric.name, metric.unit, metric.value) for metric in found[:2]] == [
        ("rate", "bit/s", 400.0),
        ("double", "bit/s", 800.0),
    ]
    # Divided by zero it is no number, of the unit that it has in other runs.
    assert (found[2].unit, math.isnan(found[2].value)) == ("s", True)
    (unknown,) = DerivedMetrics({"x": "loss[two] + 1"}).of(METRICS)
    assert math.isnan(unknown.value)


@pytest.mark.parametrize("power", [16, 3])
def test_a_derived_metric_beyond_what_its_variance_can_be_computed_of_is_refused(power):
    huge = " * ".join([f"(1000000000000 * size)^{power}"] * (48 // power))
    with pytest.raises(ExpressionError, match="the number is too large"):
        DerivedMetrics({"huge": huge}).of(METRICS)
    (large,) = DerivedMetrics({"large": "(1000000000000 * size)^6"}).of(METRICS)
    assert math.isfinite(interval([large.value, -large.value]).half)
