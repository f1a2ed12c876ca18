from __future__ import annotations

import json

import pytest

from penstock.errors import InputError
from penstock.studies.definition import alternatives, sweep

pytestmark = pytest.mark.usefixtures("core")

SWEEP = ("--set", "rate=1.0,2.5", "--set", "colour=1,2", "--set", "size=7")


def test_every_combination_is_a_point_and_the_first_setting_varies_slowest():
    points = sweep([("a", "1,2"), ("fixed", "7"), ("b", "x, y")])
    assert [point.sets for point in points] == [
        (("a", one), ("fixed", "7"), ("b", other)) for one in ("1", "2") for other in ("x", "y")
    ]
    assert points[1].parameters == {"a": "1", "b": "y"}
    assert list(points[1].parameters) == ["a", "b"]


@pytest.mark.parametrize(
    ("value", "values"),
    [
        ("1,2", ["1", "2"]),
        ("60 packets,200 packets", ["60 packets", "200 packets"]),
        ('"a, b"', ['"a, b"']),
        ('"a, b","c"', ['"a, b"', '"c"']),
        (r'"a\",b",c', [r'"a\",b"', "c"]),
        ("[0.5, 0.9]", ["[0.5, 0.9]"]),
        ('{ red = { limit = "6 packets", p = 1 } }', ['{ red = { limit = "6 packets", p = 1 } }']),
        ("{ a = 1, b = 2 },{ a = 3 }", ["{ a = 1, b = 2 }", "{ a = 3 }"]),
        # Unclosed text that is not TOML is left whole: the scenario's reader reports the mistake.
        ("{ limit = 60 packets, p = 1", ["{ limit = 60 packets, p = 1"]),
        ("", [""]),
    ],
)
def test_commas_within_quotes_and_brackets_separate_nothing(value, values):
    assert alternatives("a.b", value) == values


def test_a_description_is_one_value():
    assert alternatives("description", "first, second") == ["first, second"]


def test_a_setting_given_twice_is_the_later_one_unless_it_varies():
    (point,) = sweep([("a", "1"), ("b", "2"), ("a", "3")])
    assert point.sets == (("a", "1"), ("b", "2"), ("a", "3"))
    with pytest.raises(InputError, match=r"--set a: is given twice, and has several values"):
        sweep([("a", "1"), ("a", "2,3")])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (",", "',' has a comma without a value on one side of it"),
        ("1,", "'1,' has a comma without a value"),
        ("1,,2", "'1,,2' has a comma without a value"),
        ("1,2,1", "'1' is repeated in '1,2,1'"),
    ],
)
def test_an_empty_or_repeated_value_is_refused(penstock, demo, value, said):
    for verb in ("run", "check"):
        code, out, err = penstock(verb, demo, "--set", f"rate={value}")
        assert (code, out) == (2, "")
        assert f"--set rate: {said}" in err


def test_too_many_points_are_refused():
    with pytest.raises(InputError, match=r"1000000 combinations of 3 parameters are too many; at most 100000 points"):
        sweep([(name, ",".join(map(str, range(100)))) for name in "abc"])


def test_the_table_names_each_point(penstock, demo):
    code, out, _ = penstock("run", demo, *SWEEP)
    assert code == 0
    rows = [line.split() for line in out.splitlines() if line.startswith("goodput")]
    # A demo's value is its rate, the seed, and a tenth of the replication: 1 + 3 + (0 + 0.1 + ... + 0.4) / 5.
    assert [row[2:5] for row in rows] == [
        ["1.0", "1", "4.20"],
        ["1.0", "2", "4.20"],
        ["2.5", "1", "5.70"],
        ["2.5", "2", "5.70"],
    ]
    assert out.splitlines()[1].split() == ["metric", "of", "rate", "colour", "mean", "unit", "runs"]
    assert "20 runs of 4 points, seed 3; ± is half of the 95 % confidence interval." in out


def test_causes_share_a_line_at_each_point_by_itself(penstock, demo):
    _, out, _ = penstock("run", demo, "--set", "rate=1,2", "--replication", 0)
    assert [line.split()[:4] for line in out.splitlines() if line.startswith("drops")] == [
        ["drops", "a-b", "cause=overflow", "1"],
        ["drops", "a-b", "cause=overflow", "2"],
    ]
    assert "2 runs of 2 points" not in out
    assert "replication 0 of each point, seed 3; nothing is known about the error of a single run." in out


def test_json_is_an_array_that_names_the_settings(penstock, demo):
    _, out, _ = penstock("run", demo, *SWEEP, "--format", "json")
    found = json.loads(out)
    assert [each["settings"] for each in found] == [
        {"rate": rate, "colour": colour, "size": "7"} for rate in ("1.0", "2.5") for colour in ("1", "2")
    ]
    _, alone, _ = penstock("run", demo, "--set", "rate=2.5", "--set", "colour=1", "--set", "size=7", "--format", "json")
    single = json.loads(alone)
    made_from = ["settings", "duration_s", "warm_up_s", "seed", "first_replication", "model_version"]
    assert list(single) == ["scenario", "description", *made_from, "runs", "metrics"]
    # A point of a sweep is what it is alone; only the order in which settings were given may differ.
    assert found[2] == single


def test_a_sweep_shares_runs_with_its_points(penstock, demo, core):
    penstock("run", demo, "--set", "rate=1.0")
    assert core.Scenario.runs == 5
    _, out, _ = penstock("run", demo, "--set", "rate=1.0,2.0")
    assert core.Scenario.runs == 10
    assert "10 runs of 2 points, seed 3 (5 from the store)" in out


def test_the_numbers_do_not_depend_on_the_workers(penstock, demo, tmp_path):
    outputs = {
        penstock("run", demo, *SWEEP, "--format", "json", "--jobs", jobs, "--store", tmp_path / str(jobs))[1]
        for jobs in (1, 2, 5)
    }
    assert len(outputs) == 1


def test_a_mistake_at_every_point_is_told_once(penstock, tmp_path):
    (tmp_path / "bad.toml").write_text("foo = 2\n")
    for verb in ("run", "check"):
        code, out, err = penstock(verb, "bad.toml", "--set", "rate=1,2,3")
        assert (code, out) == (2, "")
        assert err.endswith("'duration'?\n1 mistake, nothing was run.\n")


def test_check_of_a_sweep_counts_the_points(penstock, demo):
    assert penstock("check", demo, "--set", "rate=1,2,3")[1] == f"{demo}: sound at all 3 points.\n"
