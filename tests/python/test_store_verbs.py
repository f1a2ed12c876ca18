"""Verbs of the store: its runs, progress of a study, and why runs are repeated."""

from __future__ import annotations

import json

import pytest

from penstock import _core
from penstock.cli.options import read_sets
from penstock.cli.studies import plan_of
from penstock.records import RunRequest
from penstock.running import run_all
from penstock.store import Store
from penstock.studies.making import make
from penstock.studies.runner import Runner

pytestmark = pytest.mark.usefixtures("core")

PAGE = 'description = "A demo"\nseed = 3\n[fake]\nrate = 1.0\n'


def test_runs_are_listed_by_point_filtered_and_shown(penstock, demo):
    penstock("run", demo, "--runs", "2", "--set", "rate=1.5,2.5")
    penstock("run", demo, "--runs", "3", "--set", "rate=4", "--seed", "9")
    code, out, _ = penstock("runs")
    assert code == 0
    lines = out.splitlines()
    assert [line.split()[:4] for line in lines[2:5]] == [
        ["demo", "rate=1.5", "3", "2"],
        ["demo", "rate=2.5", "3", "2"],
        ["demo", "rate=4", "9", "3"],
    ]
    assert lines[5] == "7 runs at 3 points."
    found = json.loads(penstock("runs", "--where", "rate=2.5", "--format", "json")[1])
    assert [(run["settings"], run["seed"], run["replication"]) for run in found] == [
        ({"rate": "2.5"}, 3, i) for i in (0, 1)
    ]
    for options, count in (
        (("--seed", "9"), 3),
        (("--name", "de*"), 7),
        (("--name", "other"), 0),
        (("--stale",), 0),
        (("--where", "rate=7"), 0),
        (("--where", "rate=1.5", "--each"), 2),
    ):
        assert penstock("runs", *options)[1].splitlines()[-1].startswith(f"{count} run"), options
    code, out, _ = penstock("runs", found[0]["key"][:10])
    assert code == 0
    assert found[0]["key"] in out
    assert "rate = 2.5" in out
    assert "replication 0" in out
    shown = json.loads(penstock("runs", found[0]["key"], "--format", "json")[1])
    assert {name: shown[name] for name in found[0]} == found[0]
    assert (shown["text"], shown["metrics"][0]["value"]) == (PAGE, 5.5)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("zz",), "'zz' is not the beginning of a run's key"),
        (("abc",), "'abc' is not the beginning of a run's key"),
        (("0000",), "the keys of no run in"),
        (("--where", "rate"), "'rate' is not of the form path=value"),
    ],
)
def test_runs_that_are_not_there(penstock, demo, words, told):
    penstock("run", demo)
    code, out, err = penstock("runs", *words)
    assert (code, out) == (2, "")
    assert told in err


def test_an_empty_store_is_listed_and_not_made(penstock, tmp_path):
    for verb in ("runs", "status"):
        assert penstock(verb)[0] == 0
        assert penstock(verb, "--format", "json")[0] == 0
    assert not (tmp_path / "store").exists()


def test_status_counts_what_is_stored_failed_and_left(penstock, demo):
    demo.write_text("[fake]\nfail = [1]\n")
    assert penstock("run", demo, "--runs", "3")[0] == 1
    code, out, _ = penstock("status", demo, "--runs", "4")
    assert code == 0
    assert out.splitlines()[2].split() == ["1", "4", "2", "1", "2"]
    assert "1 point, 4 runs: 2 stored, 1 failed, 2 left." in out
    assert "failed: the queue is unstable (1 run)" in out
    (point,) = json.loads(penstock("status", demo, "--runs", "4", "--format", "json")[1])["points"]
    assert {name: point[name] for name in ("runs", "stored", "failed", "left", "changes")} == {
        **{"runs": 4, "stored": 2, "failed": 1, "left": 2},
        "changes": None,
    }
    assert point["failures"] == [{"replication": 1, "message": "the queue is unstable", "attempts": 1}]
    (whole,) = json.loads(penstock("status", "--format", "json")[1])["scenarios"]
    assert {name: whole[name] for name in ("name", "points", "runs", "stale", "failed")} == {
        **{"name": "demo", "points": 1, "runs": 2},
        **{"stale": 0, "failed": 1},
    }


def test_status_needs_a_file_for_what_concerns_one(penstock):
    code, _, err = penstock("status", "--runs", "3")
    assert code == 2
    assert "--runs is for the scenario or study in a FILE" in err


def test_a_changed_scenario_says_which_setting(penstock, demo):
    assert penstock("run", demo)[2] == ""
    demo.write_text(PAGE.replace("rate = 1.0", "rate = 2.0"))
    (point,) = json.loads(penstock("status", demo, "--format", "json")[1])["points"]
    # The canonical form of the fake core is a list of the page and its settings.
    assert {change["what"] for change in point["changes"]} == {"[0].fake.rate", "[1].rate"}
    assert (point["changes"][0]["before"], point["changes"][0]["now"]) == ("1.0", "2.0")
    _, _, err = penstock("run", demo)
    assert err.startswith("repeated because of what has changed since similar runs: [0].fake.rate: 1.0 -> 2.0;")
    assert penstock("run", demo)[2] == ""
    # Further runs of the same, other comments and new points are no change.
    assert penstock("run", demo, "--runs", "7")[2] == ""
    assert penstock("run", demo, "--set", "rate=2.0,9")[2] == ""
    (point,) = json.loads(penstock("status", demo, "--runs", "8", "--format", "json")[1])["points"]
    assert (point["left"], point["changes"]) == (1, None)


def test_another_model_says_so(penstock, demo, monkeypatch):
    penstock("run", demo)
    monkeypatch.setattr(_core, "MODEL_VERSION", "newer")
    (point,) = json.loads(penstock("status", demo, "--format", "json")[1])["points"]
    assert point["changes"] == [{"what": "model version", "before": "fake", "now": "newer"}]
    assert penstock("run", demo)[2] == (
        "repeated because of what has changed since similar runs: model version fake -> newer.\n"
    )


def test_settings_on_the_command_line_are_told_by_status_alone(penstock, demo):
    penstock("run", demo, "--set", "rate=1")
    assert penstock("run", demo, "--set", "rate=2")[2] == ""
    (point,) = json.loads(penstock("status", demo, "--set", "rate=3", "--format", "json")[1])["points"]
    assert point["changes"][-1] == {"what": "[1].rate", "before": "2", "now": "3"}


def test_damaged_lines_of_points_are_passed_over(penstock, demo, tmp_path):
    penstock("run", demo)
    (file,) = (tmp_path / "store" / "points").iterdir()
    file.write_bytes(b'{"a": [\n[1, 2]\n\xff\n' + file.read_bytes() + b'["demo", "cut o')
    demo.write_text(PAGE.replace("seed = 3", "seed = 4"))
    (point,) = json.loads(penstock("status", demo, "--format", "json")[1])["points"]
    assert "seed" in {change["what"] for change in point["changes"]}
    penstock("run", demo)
    demo.write_text(PAGE)
    (point,) = json.loads(penstock("status", demo, "--format", "json")[1])["points"]
    assert (point["left"], point["changes"]) == (0, None)


def test_what_is_missing_or_cut_off_among_stored_points_is_made_again(tmp_path, core):
    (tmp_path / "demo.toml").write_text(PAGE)
    plan = plan_of(tmp_path / "demo.toml", read_sets(["rate=1,2,3,4,5,6,7,8,9,10"]), 30)
    asked = plan.read()
    kept = tmp_path / "store"
    first = make(plan, asked, Runner(store=Store(kept)))
    files = sorted((kept / "runs").glob("*/*.json"))
    files[0].unlink()
    files[5].write_bytes(files[5].read_bytes()[:-1])
    made, told = core.Scenario.runs, []
    runner = Runner(store=Store(kept, warn=told.append))
    again = make(plan, asked, runner)
    assert (core.Scenario.runs - made, runner._before.cached, runner._before.done) == (2, 298, 300)
    assert again.json() == first.json()
    assert again.frame().equals(first.frame())
    assert again.values().equals(first.values())
    assert sum(point.cached for point in again.points) == 298
    assert len(told) == 1


def test_runs_are_listed_point_by_point(tmp_path, penstock):
    run_all([RunRequest("", (("rate", "2"),), 4, i, "many") for i in range(20)], store=Store(tmp_path / "store"))
    run_all([RunRequest("", (("rate", "3"),), 4, i, "many") for i in range(3)], store=Store(tmp_path / "store"))
    two, three = Store(tmp_path / "store").stored_runs()
    assert (two.count, two.first.settings, three.count) == (20, (("rate", "2"),), 3)
    assert two.first.replication == three.first.replication == 0
    files = sorted((tmp_path / "store" / "runs").glob("*/*.json"))
    assert two.size + three.size == sum(file.stat().st_size for file in files)
    files[0].unlink()
    files[1].write_bytes(files[1].read_bytes()[:-1])
    _, out, err = penstock("runs")
    assert "21 runs at 2 points." in out
    assert "does not end in a checksum" in err
