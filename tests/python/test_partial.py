"""What there is of a study while it is still being made, and what it would still run."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import penstock as ps
from penstock.cli.studies import plan_of
from penstock.errors import PenstockError
from penstock.store import Store
from penstock.studies.compare import Compare
from penstock.studies.making import make, stored
from penstock.studies.precision import Precision
from penstock.studies.runner import Reader, Runner
from penstock.template import TEMPLATE

SHORT = (("duration", "2 s"), ("warm-up", "0.5 s"))


@pytest.fixture
def two(tmp_path):
    """A sweep over two rates."""
    file = tmp_path / "two.toml"
    file.write_text(TEMPLATE)
    return plan_of(file, [*SHORT, ("r1-r2.rate", "5 Mbit/s,10 Mbit/s")], runs=4)


def test_what_there_is_can_be_read_and_nothing_is_run(two, tmp_path):
    store = Store(tmp_path / "store")
    asked = two.read()
    with pytest.raises(PenstockError, match="none of its runs is in the store yet"):
        stored(two, asked, store)
    assert not store.folder.exists()
    whole = make(two, asked, Runner(store=Store(tmp_path / "whole")))
    some = [replace(asked[0], replications=(0, 2, 3)), replace(asked[1], replications=())]
    Runner(store=store).make(some)
    before = sorted(store.folder.rglob("*"))
    found = stored(two, asked, store)
    assert [len(point.runs) for point in found.points] == [3]
    assert [run.metrics for run in found.runs] == [whole.runs[number].metrics for number in (0, 2, 3)]
    assert all(run.cached for run in found.runs)
    assert sorted(store.folder.rglob("*")) == before
    # A sweep stays a sweep, with however few points.
    assert len(json.loads(found.json())) == 1


def test_pairs_of_runs_are_those_of_one_number(two, tmp_path):
    store = Store(tmp_path / "store")
    asked = two.read()
    name = next(iter(two.points[0].parameters))
    plan = replace(two, compare=Compare(name, "5 Mbit/s", ("goodput[bulk]",)))
    whole = make(plan, asked, Runner(store=Store(tmp_path / "whole")))
    Runner(store=store).make([replace(asked[0], replications=(0, 1, 3)), replace(asked[1], replications=(1, 2, 3))])
    (contrast,) = stored(plan, asked, store).comparisons()
    values = [[run.metrics[0].value for run in point.runs] for point in whole.points]
    assert contrast.runs == 2
    assert contrast.found.difference == pytest.approx(sum(values[1][n] - values[0][n] for n in (1, 3)) / 2)
    # One pair is none.
    few = Store(tmp_path / "few")
    Runner(store=few).make([replace(asked[0], replications=(0,)), replace(asked[1], replications=(0,))])
    assert stored(plan, asked, few).comparisons() == []


def test_runs_beyond_the_least_are_found(two, tmp_path):
    store = Store(tmp_path / "store")
    plan = replace(two, precision=Precision("goodput[bulk]", 0.01, least=2, most=50))
    asked = plan.read()
    Runner(store=store).make([replace(asked[0], replications=(0, 1, 2, 5, 7)), asked[1]])
    found = stored(plan, asked, store)
    assert [[run.request.replication for run in point.runs] for point in found.points] == [[0, 1, 2, 5, 7], [0, 1]]
    assert {point.rule for point in found.points} == {"t"}


def test_a_reader_has_all_or_tells_how_much(two, tmp_path):
    asked = two.read()
    Runner(store=Store(tmp_path)).make(asked[:1])
    assert len(Reader(Store(tmp_path)).make(asked[:1])[0]) == 4
    with pytest.raises(PenstockError, match="only 4 of the 8 runs that come first are in the store"):
        Reader(Store(tmp_path)).make(asked)


def test_another_process_and_a_script_can_look_on(tmp_path):
    (tmp_path / "a.toml").write_text(TEMPLATE)
    environment = {**os.environ, "PENSTOCK_STORE": str(tmp_path / "store")}
    command = [sys.executable, "-m", "penstock.cli", "run", "a.toml", "--runs", "3000"]
    at_work = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 120
        while len(list((tmp_path / "store").glob("runs/*/*.json"))) < 5:
            assert at_work.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)
        looked = subprocess.run(
            [*command, "--stored", "--format", "json"], cwd=tmp_path, env=environment, capture_output=True, check=True
        )
        plan = plan_of(tmp_path / "a.toml", [], runs=3000)
        found = stored(plan, plan.read(), Store(tmp_path / "store"))
        assert at_work.poll() is None
    finally:
        at_work.send_signal(signal.SIGINT)
        at_work.wait()
    assert 5 <= json.loads(looked.stdout)["metrics"][0]["runs"] <= len(found.runs) < 3000


def test_a_study_in_python_tells_what_there_is(tmp_path):
    net = ps.Network()
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate="10 Mbit/s", delay="1 ms")
    net.flows("f", a, b, source=ps.Cbr(rate="5 Mbit/s", packet="1000 bytes"))
    net.measure("goodput", of="f")
    study = ps.Study(net, duration="1 s").runs(3)
    study.runs(2).run(store=Store(tmp_path))
    assert len(study.stored(Store(tmp_path)).runs) == 2


def test_what_contradicts_itself_is_told(penstock, tmp_path):
    (tmp_path / "a.toml").write_text(TEMPLATE)
    code, _, err = penstock("run", "a.toml", "--stored", "--dry-run")
    assert (code, "--dry-run shows no numbers" in err) == (2, True)
    code, _, err = penstock("run", "a.toml", "--stored", "--executor", "plain")
    assert (code, "--executor plain keeps no runs" in err) == (2, True)
    code, out, err = penstock("run", "a.toml", "--stored")
    assert (code, out, err) == (1, "", "none of its runs is in the store yet, and nothing is run.\n")
    code, _, err = penstock("reproduce", "af", "--dry-run", "--summary")
    assert (code, "--summary needs numbers" in err) == (2, True)


def test_a_published_study_tells_what_it_would_run(penstock, tmp_path):
    reduced = ["reproduce", "md1k", "--runs", "2", "--format", "json"]
    code, out, _ = penstock(*reduced, "--dry-run")
    before = json.loads(out)
    assert code == 0
    assert {point["runs"] for point in before["points"]} == {2}
    assert not any(point["stored"] for point in before["points"])
    assert not (tmp_path / "store").exists()
    first = penstock(*reduced)
    assert {point["stored"] for point in json.loads(penstock(*reduced, "--dry-run")[1])["points"]} == {2}
    code, out, _ = penstock("reproduce", "md1k", "--runs", "2", "--dry-run")
    count = len(before["points"])
    assert f"{count} points, {2 * count} runs: {2 * count} in the store, 0 to be made. Nothing was run." in out
    # Made by processes, and into another store, it is the same to the byte.
    assert penstock(*reduced, "--on", "processes", "--store", "another")[:2] == first[:2]


def test_what_there_is_of_a_published_study_can_be_read(penstock):
    reduced = ["reproduce", "md1k", "--format", "json"]
    assert penstock(*reduced, "--stored")[::2] == (1, "none of its runs is in the store yet, and nothing is run.\n")
    whole = json.loads(penstock(*reduced, "--runs", "2")[1])
    code, out, _ = penstock(*reduced, "--runs", "3", "--stored")
    assert (code, json.loads(out)) == (0, whole)
    there = list(Path("store").glob("runs/*/*.json"))
    for file in sorted(there)[: len(there) // 2]:
        file.unlink()
    code, out, _ = penstock(*reduced, "--runs", "3", "--stored")
    some = json.loads(out)
    assert code == 0
    assert 0 < sum(each["runs"] for each in some) < sum(each["runs"] for each in whole)
    code, out, _ = penstock("reproduce", "md1k", "--runs", "3", "--stored")
    left, total = len(there) - len(there) // 2, 3 * len(there) // 2
    assert f"So far: {left} of {total} runs, " in out
    worth = (
        r"(\d+) of (\d+) printed numbers agree; .*best null model (\d+).*, discrimination (\S+)\. Nothing was run\.$"
    )
    agree, computed, best, share = re.search(worth, " ".join(out.split())).groups()
    assert int(computed) == len(some)
    assert share == f"{(int(agree) - int(best)) / int(computed):+.2f}"
    assert len(list(Path("store").glob("runs/*/*.json"))) == left
    code, _, err = penstock("reproduce", "md1k", "--stored", "--claims")
    assert (code, "--claims needs all of them" in " ".join(err.split())) == (2, True)


def test_runs_that_mean_the_same_are_counted_once(penstock):
    code, out, _ = penstock("reproduce", "pcn", "--table", "B.2", "--table", "B.3", "--runs", "1", "--dry-run")
    assert code == 0
    assert "runs: 0 in the store, " in out
