from __future__ import annotations

import json
import math
import sys
from io import StringIO

import polars as pl
import pytest

from penstock._core import MODEL_VERSION
from penstock.errors import InputError
from penstock.records import Metric, RunRequest, RunResult
from penstock.results import to_data, to_frame, to_json, to_pandas, to_values
from penstock.statistics import Interval
from penstock.unit_scale import number, plus_minus

MADE_FROM = ["settings", "duration_s", "warm_up_s", "seed", "first_replication", "model_version"]


def result(replication, *metrics, sets=(), seed=1, scenario=""):
    request = RunRequest(scenario, sets, seed, replication, "demo")
    return RunResult(request, list(metrics), f"d{replication}", 1, window=(0.5, 20.0))


def goodput(value, flow="bulk"):
    return Metric("goodput", {"flow": flow}, "bit/s", value)


def test_a_number_that_is_measured_twice_counts_once():
    both = [goodput(1.0), goodput(5.0, "other"), goodput(1.0)]
    assert result(0, *both).metrics == both[:2]
    frame = to_frame([result(0, *both), result(1, goodput(3.0), goodput(3.0))])
    assert frame["runs"].to_list() == [2, 1]
    # Student's t of one degree of freedom; s / sqrt(2) = 1.
    assert frame["half_width"].to_list()[0] == pytest.approx(12.706, rel=1e-4)


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
        *("mean", "half_width", "ci_low", "ci_high", "runs", "method", *MADE_FROM),
    ]
    first, second, third = frame.to_dicts()
    assert (first["mean"], first["runs"], first["flow"]) == (2.0, 2, "bulk")
    assert first["ci_low"] == pytest.approx(2.0 - 12.7062, abs=1e-4)
    assert first["half_width"] == pytest.approx(12.7062, abs=1e-4)
    assert [row["method"] for row in (first, second, third)] == ["t", "t", "none"]
    assert (second["flow"], second["quantile"], second["ci_low"]) == (None, "0.9", 0.5)
    assert (third["x.y"], third["mean"], third["ci_low"]) == ("2", 7.0, None)


def test_each_number_has_the_interval_of_its_kind():
    values = (0.999, 0.97, 0.98)
    kinds = {"utilisation": "logit", "loss": "logit", "fairness": "logit", "goodput": "t", "late": "wilson"}
    runs = [
        result(n, *(Metric(name, {"of": "runs" if name == "late" else "bulk"}, "1", v) for name, v in numbers.items()))
        for n, numbers in enumerate(dict.fromkeys(kinds, value) | {"late": float(value > 0.975)} for value in values)
    ]
    frame = {row["metric"]: row for row in to_frame(runs).to_dicts()}
    assert {name: row["method"] for name, row in frame.items()} == kinds
    assert frame["utilisation"]["ci_high"] < 1 < frame["goodput"]["ci_high"]
    assert frame["late"]["mean"] == pytest.approx(2 / 3)
    assert 0 < frame["late"]["ci_low"] < frame["late"]["ci_high"] < 1
    data = {metric["name"]: metric for metric in to_data("demo", runs, rule="t, sequential")["metrics"]}
    assert {name: metric["method"] for name, metric in data.items()} == {
        name: f"{kind}, sequential" for name, kind in kinds.items()
    }
    assert data["loss"]["ci_high"] == frame["loss"]["ci_high"]


def test_a_frame_says_what_was_run():
    [row] = to_frame([result(n, goodput(1.0), sets=(("x.y", "1 ms"),), seed=7) for n in (3, 4)]).to_dicts()
    assert row["settings"] == '{"x.y": "1 ms"}'
    assert [row[name] for name in MADE_FROM[1:]] == [20.0, 0.5, 7, 3, MODEL_VERSION]


def test_runs_of_several_seeds_have_none_in_common():
    [row] = to_frame([result(0, goodput(1.0), seed=seed) for seed in (1, 2)]).to_dicts()
    assert (row["runs"], row["seed"]) == (2, None)


def test_two_scenarios_of_one_name_are_two_points():
    frame = to_frame([result(0, goodput(1.0), scenario="a = 1"), result(0, goodput(2.0), scenario="a = 2")])
    assert frame["mean"].to_list() == [1.0, 2.0]


def test_the_numbers_of_single_runs_are_rows_of_their_own():
    frame = to_values([result(0, goodput(1.0)), result(1, goodput(3.0))])
    assert frame.columns == [
        *("scenario", "metric", "flow", "unit", "replication", "value", "digest"),
        *(name for name in MADE_FROM if name != "first_replication"),
    ]
    assert frame.select("replication", "value", "digest").rows() == [(0, 1.0, "d0"), (1, 3.0, "d1")]


def test_a_setting_called_as_a_column_has_a_column_of_its_own():
    runs = [result(0, goodput(1.0), sets=(("seed", "5"), ("flow", "1"), ("mean", "2")))]
    for frame in (to_frame(runs), to_values(runs)):
        [row] = frame.to_dicts()
        assert (row["parameter.seed"], row["parameter.flow"], row["flow"], row["seed"]) == ("5", "1", "bulk", 1)
    assert to_frame(runs)["parameter.mean"].to_list() == ["2"]


def test_frames_have_no_nested_column():
    runs = [result(n, goodput(float(n)), sets=(("x", "[1, 2]"),)) for n in range(3)]
    for frame in (to_frame(runs), to_values(runs), to_frame([]), to_values([])):
        assert not any(kind.is_nested() or kind == pl.Object for kind in frame.dtypes)
        assert pl.read_csv(StringIO(frame.write_csv())).columns == frame.columns


def test_pandas_needs_nothing_but_pandas(monkeypatch):
    class Pandas:
        @staticmethod
        def DataFrame(columns):  # noqa: N802
            return columns

    runs = [result(n, goodput(float(n))) for n in range(3)]
    monkeypatch.setitem(sys.modules, "pandas", Pandas)
    assert to_pandas(to_values(runs))["value"].tolist() == [0.0, 1.0, 2.0]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match=r"^pandas is not installed; 'pip install pandas' installs it\.$"):
        to_pandas(to_frame(runs))


def test_columns_of_numbers_without_values_are_numbers_in_pandas():
    alone = to_pandas(to_frame([result(0, goodput(1.0))]))
    assert alone["half_width"].dtype.kind == "f"
    assert math.isnan(alone["half_width"][0])
    assert to_pandas(to_frame([]))["mean"].dtype.kind == "f"


def test_an_empty_frame_still_has_its_columns():
    assert to_frame([]).columns == [
        *("scenario", "metric", "unit", "mean", "half_width", "ci_low", "ci_high", "runs", "method", *MADE_FROM)
    ]


def test_json_never_says_nan():
    text = to_json("demo", [result(0, goodput(math.nan)), result(1, goodput(1.0))], note=1)
    metric = json.loads(text)["metrics"][0]
    assert (metric["mean"], metric["ci_low"], metric["values"], metric["runs"]) == (None, None, [None, 1.0], 2)
    assert list(json.loads(text)) == ["scenario", "note", *MADE_FROM, "runs", "metrics"]


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
