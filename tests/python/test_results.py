from __future__ import annotations

import json
import math

import pytest

from penstock.records import Metric, RunRequest, RunResult
from penstock.results import number, plus_minus, to_frame, to_json
from penstock.statistics import Interval


def result(replication, *metrics, sets=()):
    return RunResult(RunRequest("", sets, 1, replication, "demo"), list(metrics), "0", 1)


def goodput(value, flow="bulk"):
    return Metric("goodput", {"flow": flow}, "bit/s", value)


def test_a_frame_has_one_row_per_metric_labels_and_point():
    delay = Metric("delay", {"quantile": "0.9"}, "s", 0.5)
    frame = to_frame(
        [
            result(0, goodput(1.0), delay, sets=(("x.y", "1"),)),
            result(1, goodput(3.0), delay, sets=(("x.y", "1"),)),
            result(0, goodput(7.0), sets=(("x.y", "2"),)),
        ]
    )
    assert frame.columns == [
        *("scenario", "x.y", "metric", "flow", "quantile", "unit"),
        *("mean", "half_width", "ci_low", "ci_high", "runs", "method", "values"),
    ]
    first, second, third = frame.to_dicts()
    assert (first["mean"], first["runs"], first["values"], first["flow"]) == (2.0, 2, [1.0, 3.0], "bulk")
    assert first["ci_low"] == pytest.approx(2.0 - 12.7062, abs=1e-4)
    assert first["half_width"] == pytest.approx(12.7062, abs=1e-4)
    assert [row["method"] for row in (first, second, third)] == ["t", "t", "none"]
    assert (second["flow"], second["quantile"], second["ci_low"]) == (None, "0.9", 0.5)
    assert (third["x.y"], third["mean"], third["ci_low"]) == ("2", 7.0, None)


def test_an_empty_frame_still_has_its_columns():
    assert to_frame([]).columns == [
        "scenario",
        "metric",
        "unit",
        "mean",
        "half_width",
        "ci_low",
        "ci_high",
        "runs",
        "method",
        "values",
    ]


def test_json_never_says_nan():
    text = to_json("demo", [result(0, goodput(math.nan)), result(1, goodput(1.0))], seed=1)
    metric = json.loads(text)["metrics"][0]
    assert (metric["mean"], metric["ci_low"], metric["values"], metric["runs"]) == (None, None, [None, 1.0], 2)
    assert list(json.loads(text)) == ["scenario", "seed", "metrics"]


@pytest.mark.parametrize(
    ("mean", "half", "shown"),
    [
        (20.318, 0.12, "20.32 ±0.12"),
        (0.10123, 0.000456, "0.10123 ±0.00046"),
        (1234567.0, 2567.0, "1234600 ±2600"),
        (3.0, 0.0, "3 ±0"),
        (1e-6, 2.5e-8, "0.000001000 ±0.000000025"),
        (5.0, 120.0, "0 ±120"),
    ],
)
def test_a_mean_has_the_digits_that_its_interval_supports(mean, half, shown):
    assert plus_minus(Interval(mean, mean - half, mean + half, 5)) == shown


def test_a_mean_alone():
    assert plus_minus(Interval(20.318, None, None, 1)) == "20.32"
    assert plus_minus(Interval(math.nan, None, None, 3)) == "unknown"
    assert number(123456.7) == "123457"
