"""The verbs that look after a store: failed runs tried again, leftovers removed, runs checked."""

from __future__ import annotations

import json
import os
import time

import pytest

from penstock import _core
from penstock.cli.gc import sweep
from penstock.records import RunRequest
from penstock.store import Store, run_key
from penstock.store.folder import sealed_json

pytestmark = pytest.mark.usefixtures("core")

FAILING = "[fake]\nfail = [1]\n"


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def numbers(out):
    return json.loads(out)


def only(folder):
    (file,) = folder.iterdir()
    return file


def resealed(file, **changed):
    """Changes a run's file as somebody would who also makes the checksum right."""
    data = {**json.loads(file.read_text()), **changed}
    del data["checksum"]
    file.write_bytes(sealed_json(data))


def test_failed_runs_are_tried_again_without_their_file(penstock, demo, core, monkeypatch):
    demo.write_text(FAILING)
    penstock("run", demo, "--runs", "3")
    demo.unlink()
    code, out, _ = penstock("retry-failed", "--dry-run")
    assert code == 0
    assert "the queue is unstable" in out
    assert "1 failed run. Nothing was run." in out
    made = core.Scenario.runs
    code, out, _ = penstock("retry-failed", "--format", "json")
    assert code == 1
    (left,) = numbers(out)["failed"]
    assert (left["replication"], left["attempts"], left["message"]) == (1, 2, "the queue is unstable")
    assert core.Scenario.runs == made + 1
    real = core.Scenario.run
    monkeypatch.setattr(core.Scenario, "run", lambda self, *args: (self.fake.clear(), real(self, *args))[1])
    code, out, _ = penstock("retry-failed", "--format", "json")
    assert (code, numbers(out)) == (0, {"made": [left["key"]], "failed": []})
    code, out, _ = penstock("retry-failed")
    assert (code, out) == (0, "0 failed runs tried again: 0 made, 0 left.\n")
    assert core.Scenario.runs == made + 2


def test_failed_runs_are_chosen_and_those_without_a_scenario_said(penstock, demo, tmp_path):
    demo.write_text(FAILING)
    penstock("run", demo, "--runs", "2")
    assert "0 failed runs tried" in penstock("retry-failed", "--name", "other")[1]
    only(tmp_path / "store" / "scenarios").unlink()
    code, out, _ = penstock("retry-failed", "--format", "json")
    assert code == 1
    assert "its text is no longer in the store" in numbers(out)["failed"][0]["message"]


def test_nothing_of_value_is_left_over(penstock, demo, tmp_path):
    penstock("run", demo)
    before = files(tmp_path / "store")
    code, out, _ = penstock("gc")
    assert (code, out) == (0, "removed nothing: 0 B.\n")
    assert files(tmp_path / "store") == before


def test_leftovers_are_removed_once_they_are_old(penstock, demo, tmp_path):
    store = tmp_path / "store"
    demo.write_text(FAILING)
    penstock("run", demo, "--runs", "3")
    kept = files(store)
    key = run_key(_core.Scenario(FAILING).canonical, 1, 1)
    Store(store).put(key, RunRequest(FAILING, replication=1, name="demo"), "d", 1, [])
    leftover = [store / ".it.1.part", store / "runs" / ".it.2.part", store / "scenarios" / f"{'ab' * 32}.toml"]
    for file in leftover:
        file.write_text("left")
    swept = numbers(penstock("gc", "--dry-run", "--format", "json")[1])
    assert (swept["failed"], swept["unfinished"], swept["scenarios"]) == (1, 0, 0)
    for file in leftover:
        os.utime(file, times=(time.time() - 100_000,) * 2)
    swept = numbers(penstock("gc", "--dry-run", "--format", "json")[1])
    assert (swept["failed"], swept["unfinished"], swept["scenarios"], swept["dry_run"]) == (1, 2, 1, True)
    assert all(file.exists() for file in leftover)
    assert penstock("gc")[1].startswith("removed 1 scenario, 2 unfinished files, 1 note of a failed run: ")
    assert files(store) == sorted(
        [*(name for name in kept if not name.startswith("failed/")), f"runs/{key[:2]}/{key}.json"]
    )


def test_the_scenario_of_runs_in_progress_is_no_leftover_however_old_it_is(demo, tmp_path):
    store, request = Store(tmp_path / "store"), RunRequest(demo.read_text(), name="demo")
    store.prepare([request])
    text = only(tmp_path / "store" / "scenarios")
    os.utime(text, (1, 1))
    store.prepare([request])
    assert sweep(store)["scenarios"] == 0
    os.utime(text, (1, 1))
    assert sweep(store)["scenarios"] == 1


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (("--seed", "9"), {3, 4}),
        (("--where", "rate=2"), {3, 9}),
        (("--name", "demo", "--seed", "4"), {3, 9}),
        (("--older-than", "1 h"), {3, 4, 9}),
        (("--stale",), {3, 4, 9}),
        (("--name", "demo"), set()),
    ],
)
def test_runs_are_removed_only_if_they_are_chosen(penstock, demo, options, left):
    penstock("run", demo)
    penstock("run", demo, "--seed", "4", "--set", "rate=2")
    penstock("run", demo, "--seed", "9")
    penstock("gc", *options, "--dry-run")
    assert len(numbers(penstock("runs", "--format", "json")[1])) == 15
    penstock("gc", *options)
    assert {run["seed"] for run in numbers(penstock("runs", "--format", "json")[1])} == left


def test_runs_of_other_models_old_ones_and_damaged_files_are_removed(penstock, demo, tmp_path, monkeypatch):
    penstock("run", demo, "--runs", "2")
    monkeypatch.setattr(_core, "MODEL_VERSION", "newer")
    penstock("run", demo, "--runs", "3")
    assert numbers(penstock("status", "--format", "json")[1])["scenarios"][0]["stale"] == 2
    penstock("gc", "--stale")
    found = numbers(penstock("runs", "--format", "json")[1])
    assert [run["model_version"] for run in found] == ["newer"] * 3
    file = next((tmp_path / "store" / "runs").glob(f"*/{found[0]['key']}.json"))
    resealed(file, made={"host": "h", "begin": "2020-01-01T00:00:00Z", "seconds": 1.0})
    other = next((tmp_path / "store" / "runs").glob(f"*/{found[1]['key']}.json"))
    other.write_bytes(b"")
    code, out, err = penstock("gc", "--older-than", "30 days", "--damaged")
    assert (code, out.split(":")[0]) == (0, "removed 1 run, 1 damaged file")
    assert "is empty" in err
    assert [run["key"] for run in numbers(penstock("runs", "--format", "json")[1])] == [found[2]["key"]]
    assert penstock("gc", "--older-than", "soon")[0] == 2


def test_sound_runs_are_verified(penstock, demo, core):
    penstock("run", demo, "--runs", "8")
    made = core.Scenario.runs
    code, out, _ = penstock("verify")
    assert (code, out) == (0, "8 runs read, 5 made again: 0 differ, 0 damaged and set aside.\n")
    assert core.Scenario.runs == made + 5
    found = numbers(penstock("verify", "--sample", "all", "--format", "json")[1])
    assert (found["read"], found["made_again"], found["differing"], found["damaged"]) == (8, 8, [], 0)
    assert numbers(penstock("verify", "--sample", "0", "--format", "json")[1])["made_again"] == 0
    assert numbers(penstock("verify", "--study", demo, "--format", "json")[1])["read"] == 8
    assert numbers(penstock("verify", "--name", "other", "--format", "json")[1])["read"] == 0
    assert penstock("verify", "--sample", "few")[0] == 2


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"digest": "00"}, "digest 00 stored, 0000000300000000 made"),
        ({"packet_hops": 7}, "7 packet-hops stored, 1000 made"),
        ({"metrics": [], "measured": [["default", 0], ["always", 0]]}, "0 numbers stored, 2 made"),
        ({"measured": [["other", 2], ["always", 0]]}, "it measures something else than its scenario"),
        ({"seed": 4}, "its name is not that of what it says it was made from"),
        ({"settings": [["rate", "7"]]}, "its name is not that of what it says it was made from"),
    ],
)
def test_what_was_altered_with_its_checksum_is_found(penstock, demo, tmp_path, changed, told):
    penstock("run", demo, "--runs", "1")
    (file,) = (tmp_path / "store" / "runs").glob("*/*.json")
    resealed(file, **changed)
    code, out, err = penstock("verify")
    assert code == 1
    assert "1 differ" in out
    assert f"differs: demo {file.stem[:16]}: {told}" in err
    (differing,) = numbers(penstock("verify", "--format", "json")[1])["differing"]
    assert (differing["key"], differing["differs"][0]) == (file.stem, told)


def test_an_altered_scenario_is_set_aside_and_written_again(penstock, demo, tmp_path):
    penstock("run", demo, "--runs", "2")
    file = only(tmp_path / "store" / "scenarios")
    sound = file.read_bytes()
    file.write_bytes(sound + b"# altered\n")
    code, out, err = penstock("verify")
    assert code == 1
    assert out.startswith(
        "2 runs read, 0 made again: 0 differ, 1 damaged and set aside.\n2 whose scenarios are not in "
    )
    place = only(tmp_path / "store" / "damaged")
    outcome = "the next run of that scenario writes it again"
    assert err == f"damaged: {file} does not match its name. It was moved to {place}; {outcome}.\n"
    assert place.read_bytes() == sound + b"# altered\n"
    penstock("run", demo, "--runs", "3")
    assert only(tmp_path / "store" / "scenarios").read_bytes() == sound
    assert penstock("verify") == (0, "3 runs read, 3 made again: 0 differ, 0 damaged and set aside.\n", "")


def test_what_cannot_be_made_again_is_said(penstock, demo, tmp_path, monkeypatch):
    penstock("run", demo, "--runs", "3")
    only(tmp_path / "store" / "scenarios").unlink()
    (first, *_) = (tmp_path / "store" / "runs").glob("*/*.json")
    first.write_bytes(first.read_bytes()[:-1])
    code, out, err = penstock("verify")
    assert code == 1
    assert "2 runs read, 0 made again: 0 differ, 1 damaged and set aside." in out
    assert "2 whose scenarios are not in the store" in out
    assert "does not end in a checksum" in err
    monkeypatch.setattr(_core, "MODEL_VERSION", "newer")
    assert "2 of other versions of the model" in penstock("verify")[1]
