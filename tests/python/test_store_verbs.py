"""What the store tells: its runs, how far a study is, and why runs are made anew."""

from __future__ import annotations

import json

import pytest

from penstock import _core
from penstock.cli.options import read_sets
from penstock.cli.studies import plan_of
from penstock.records import RunRequest
from penstock.running import run_all
from penstock.store import Store
from penstock.studies.dry import dry_run
from penstock.studies.making import make, stored
from penstock.studies.runner import Runner
from penstock.studies.standing import standing

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
    assert err.startswith("made anew, for what has changed since runs like these were made: [0].fake.rate: 1.0 -> 2.0;")
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
        "made anew, for what has changed since runs like these were made: model version fake -> newer.\n"
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


def test_many_runs_are_read_from_the_index_until_a_file_changes(tmp_path, monkeypatch, core):
    from penstock.store import index
    from penstock.store import store as module

    monkeypatch.setattr(index, "_SETTLED", -1)
    requests = [RunRequest("", replication=i) for i in range(300)]
    run_all(requests, store=Store(tmp_path))
    (kept,) = (tmp_path / "index").iterdir()
    first = run_all(requests, store=Store(tmp_path))
    read = []
    real = module.load_below
    monkeypatch.setattr(module, "load_below", lambda folder, path, key: read.append(key) or real(folder, path, key))
    again = run_all(requests, store=Store(tmp_path))
    assert [result.metrics for result in again] == [result.metrics for result in first]
    assert [result.digest for result in again] == [result.digest for result in first]
    assert read == []
    manifests = Store(tmp_path).manifests()
    assert (len(manifests), read) == (300, [])
    files = sorted((tmp_path / "runs").glob("*/*.json"))
    files[0].unlink()
    files[1].write_bytes(files[1].read_bytes()[:-1])
    made = core.Scenario.runs
    run_all(requests, store=Store(tmp_path, warn=lambda _: None))
    assert core.Scenario.runs == made + 2
    kept.write_bytes(kept.read_bytes().replace(b'"bytes"', b'"bytez"'))
    read.clear()
    damaged = run_all(requests, store=Store(tmp_path))
    assert [result.metrics for result in damaged] == [result.metrics for result in first]
    assert len(read) == 300


def test_the_index_knows_all_that_files_say(tmp_path, monkeypatch):
    from penstock.store import index

    monkeypatch.setattr(index, "_SETTLED", -1)
    requests = [RunRequest("", (("rate", "2"),), 4, i, "many") for i in range(260)]
    run_all(requests, store=Store(tmp_path))
    from_files = Store(tmp_path).manifests()
    assert len(list((tmp_path / "index").iterdir())) == 1
    assert Store(tmp_path).manifests() == from_files
    assert (from_files[0].name, from_files[0].settings) == ("many", (("rate", "2"),))


def test_every_way_to_open_a_large_study_reads_its_index_once_and_no_run(tmp_path, monkeypatch):
    from penstock.store import index
    from penstock.store import store as module

    monkeypatch.setattr(index, "_SETTLED", -1)
    (tmp_path / "demo.toml").write_text(PAGE)
    plan = plan_of(tmp_path / "demo.toml", read_sets(["rate=1,2,3,4,5,6,7,8,9,10"]), 30)
    asked = plan.read()
    first = make(plan, asked, Runner(store=Store(tmp_path / "store"))).json()
    read, opened = [], []
    real_run, real_index = module.load_below, index.decode
    monkeypatch.setattr(module, "load_below", lambda folder, path, key: read.append(key) or real_run(folder, path, key))
    monkeypatch.setattr(index, "decode", lambda content: opened.append(1) or real_index(content))

    def opens(look) -> None:
        opened.clear()
        look(Store(tmp_path / "store"))
        assert (len(read), len(opened)) == (0, 1)

    opens(lambda store: make(plan, asked, Runner(store=store)))
    opens(lambda store: stored(plan, asked, store))
    opens(lambda store: dry_run(asked, store, 1))
    opens(lambda store: standing(asked, store))
    opens(lambda store: store.manifests())
    opens(lambda store: store.stored_runs())
    assert dry_run(asked, Store(tmp_path / "store"), 1).stored == [30] * 10
    assert stored(plan, asked, Store(tmp_path / "store")).json() == first
    # Of a file that changed since it was gathered only that one is read.
    altered = sorted((tmp_path / "store" / "runs").glob("*/*.json"))[7]
    altered.write_bytes(altered.read_bytes().replace(b'"replication": ', b'"replication":  '))
    told = []
    left = sum(point.left for point in standing(asked, Store(tmp_path / "store", warn=told.append)))
    assert (left, set(read), len(told)) == (1, {altered.stem}, 1)
    assert altered.stem in told[0]


def test_what_is_missing_or_cut_off_among_stored_points_is_made_again(tmp_path, monkeypatch, core):
    from penstock.store import index

    monkeypatch.setattr(index, "_SETTLED", -1)
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


def test_a_folder_of_runs_that_is_a_link_is_refused_by_every_way_to_open(tmp_path, monkeypatch):
    from penstock.errors import StoreError
    from penstock.store import index

    monkeypatch.setattr(index, "_SETTLED", -1)
    (tmp_path / "demo.toml").write_text(PAGE)
    plan = plan_of(tmp_path / "demo.toml", read_sets(["rate=1,2,3,4,5,6,7,8,9,10"]), 30)
    asked = plan.read()
    kept = tmp_path / "store"
    make(plan, asked, Runner(store=Store(kept)))
    moved = sorted((kept / "runs").iterdir())[3]
    moved.rename(tmp_path / "away")
    moved.symlink_to(tmp_path / "away")
    for look in (
        lambda store: make(plan, asked, Runner(store=store)),
        lambda store: stored(plan, asked, store),
        lambda store: dry_run(asked, store, 1),
        lambda store: standing(asked, store),
    ):
        with pytest.raises(StoreError, match="symbolic link"):
            look(Store(kept))


def test_runs_are_listed_from_the_index_as_from_their_files(tmp_path, monkeypatch, penstock):
    from penstock.store import index
    from penstock.store.listing import merged

    monkeypatch.setattr(index, "_SETTLED", -1)
    run_all([RunRequest("", (("rate", "2"),), 4, i, "many") for i in range(260)], store=Store(tmp_path / "store"))
    run_all([RunRequest("", (("rate", "3"),), 4, i, "many") for i in range(3)], store=Store(tmp_path / "store"))
    (kept,) = (tmp_path / "store" / "index").iterdir()
    shown = penstock("runs")[1], penstock("status")[1], penstock("runs", "--where", "rate=3")[1]
    two, three = merged(Store(tmp_path / "store").stored_runs())
    assert (two.count, two.first.settings, three.count) == (260, (("rate", "2"),), 3)
    assert two.first.replication == three.first.replication == 0
    files = sorted((tmp_path / "store" / "runs").glob("*/*.json"))
    assert two.size + three.size == sum(file.stat().st_size for file in files)
    kept.unlink()
    assert (penstock("runs")[1], penstock("status")[1], penstock("runs", "--where", "rate=3")[1]) == shown
    files[0].unlink()
    files[1].write_bytes(files[1].read_bytes()[:-1])
    _, out, err = penstock("runs")
    assert "261 runs at 2 points." in out
    assert "does not end in a checksum" in err
