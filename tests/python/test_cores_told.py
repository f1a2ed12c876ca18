"""Every verb with ``--threads`` says on standard error, once, where a run has fewer cores, and why; results stay."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

import penstock as ps
from penstock import _core
from penstock.cli.app import app
from penstock.cli.cores import Cores
from penstock.records import RunRequest
from penstock.store import Store, run_key
from penstock.workers import ThreadWorker
from penstock.workers.job import Failed, Job, Made

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WHY = "its network allows 4 parts at most, since left-right has 25 % of the load, counted in flows that pass"
RANGE = ("--range", "f.source.cbr.rate=0.5 Mbit/s..1 Mbit/s", "--runs", "2")

VERBS: dict[str, tuple[str, ...]] = {
    "run": ("bell.toml", "--runs", "2", "--format", "json"),
    "trace": ("bell.toml", "--format", "json"),
    "series": ("bell.toml", "--of", "left-right", "--what", "queue", "--every", "10 ms", "--format", "json"),
    "view": ("bell.toml", "--out", "view.html", "--force"),
    "screen": ("bell.toml", *RANGE, "--samples", "2", "--format", "json"),
    "search": ("bell.toml", *RANGE, "--maximise", "goodput", "--trials", "12", "--fresh", "2", "--format", "json"),
    "retry-failed": ("--format", "json"),
    "verify": ("--format", "json"),
    "import": ("kept.tar.gz", "--pick", "1", "--format", "json"),
    "bench": ("bell.toml", "--format", "json"),
}
"""What each verb is called with."""


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """A machine with 8 cores; call it for one with another number."""

    def has(cores: int) -> None:
        for module in ("processors", "cli.cores", "running"):
            monkeypatch.setattr(f"penstock.{module}.available", lambda: cores)

    has(8)
    return has


@pytest.fixture
def bell(tmp_path: Path) -> str:
    """A dumbbell, each of whose flows passes a sender, the middle, a port of its own and a receiver: four parts."""
    net = ps.Network()
    left, right = net.node("left"), net.node("right")
    hosts, sinks = net.nodes("hosts", 6), net.nodes("sinks", 6)
    net.link(hosts, left, rate="1 Gbit/s", delay="1 ms")
    net.link(left, right, rate="10 Mbit/s", delay="1 ms")
    net.link(right, sinks, rate="1 Gbit/s", delay="1 ms")
    net.flows("f", hosts, sinks, source=ps.Cbr(rate="1 Mbit/s", packet="800 bytes"))
    net.measure("goodput", of="f")
    text = net.toml(duration="100 ms")
    (tmp_path / "bell.toml").write_text(text, encoding="utf-8")
    return text


def failed(text: str, store: Store) -> None:
    """Notes two runs as failed, which succeed when they are made again."""
    for replication in (0, 1):
        request = RunRequest(text, (), 1, replication, "bell")
        key = run_key(_core.Scenario(text, "bell").canonical, 1, replication)
        store.prepare([request])
        store.keep_failed(key, request, "the power was gone", ours=False, attempts=1)


@pytest.fixture
def call(penstock: Callable, bell: str, tmp_path: Path) -> Callable[[str, int], tuple[str, str]]:
    """Calls a verb with n threads and a store of its own; gives standard output and standard error."""

    def called(verb: str, threads: int) -> tuple[str, str]:
        store = tmp_path / f"{verb}-{threads}"
        kept = () if verb in ("trace", "series", "bench", "view") else ("--store", str(store))
        if verb in ("verify", "import"):
            there = store if verb == "verify" else tmp_path / "elsewhere"
            penstock("run", "bell.toml", "--runs", "2", "--store", there)
        if verb == "import":
            (tmp_path / "kept.tar.gz").unlink(missing_ok=True)
            assert penstock("export", "kept.tar.gz", "--store", there)[0] == 0
        if verb == "retry-failed":
            failed(bell, Store(store))
        code, out, err = penstock(verb, *VERBS[verb], *kept, "--threads", threads)
        assert code == 0, err
        return out, err

    return called


def said(err: str) -> list[str]:
    return [line for line in err.splitlines() if " runs on " in line]


def test_every_verb_with_the_option_is_gone_over() -> None:
    verbs = app.commands
    assert {name for name, verb in verbs.items() if any("--threads" in each.opts for each in verb.loaded().params)} == {
        *VERBS
    }


@pytest.mark.parametrize("verb", VERBS)
def test_fewer_cores_are_told_once(call: Callable, verb: str, tmp_path: Path) -> None:
    out, err = call(verb, 8)
    [line] = said(err)
    assert re.match(rf"bell runs on 4 of 8 cores: {WHY}, and a part with it has no less", line)
    assert " runs on " not in out
    page = (tmp_path / "view.html").read_bytes() if verb == "view" else None
    alone, quiet = call(verb, 1)
    assert said(quiet) == []
    if verb == "bench":
        assert [each.keys() for each in json.loads(alone)] == [each.keys() for each in json.loads(out)]
        return
    assert alone == out != ""
    assert page is None or page == (tmp_path / "view.html").read_bytes()


@pytest.mark.parametrize("verb", VERBS)
def test_nothing_is_told_of_the_network_where_it_allows_as_many(call: Callable, verb: str) -> None:
    _, err = call(verb, 4)
    assert all(re.match(r"bell runs on one core: one core handled more events a second", each) for each in said(err))


@pytest.mark.parametrize("verb", VERBS)
def test_no_run_has_more_cores_than_the_machine(call: Callable, machine: Callable, verb: str) -> None:
    machine(2)
    out, err = call(verb, 28)
    [line] = said(err)
    assert re.match(r"bell runs on (one core|2 of 28 cores): this machine has 2", line)
    if verb != "bench":
        machine(8)
        assert out == call(verb, 1)[0]


@pytest.mark.usefixtures("bell")
def test_a_part_of_the_runs_tells_it_too(penstock: Callable) -> None:
    code, out, err = penstock("run", "bell.toml", "--runs", "2", "--shard", "1/1", "--threads", "8")
    assert (code, len(said(err)), " runs on " in out) == (0, 1, False)


def test_points_of_one_scenario_tell_it_once_and_two_scenarios_twice(
    penstock: Callable, bell: str, tmp_path: Path
) -> None:
    sweep = ("--set", "f.source.cbr.rate=0.5 Mbit/s,1 Mbit/s")
    assert len(said(penstock("run", "bell.toml", "--runs", "2", *sweep, "--threads", "8")[2])) == 1
    (tmp_path / "gong.toml").write_text(bell, encoding="utf-8")
    assert len(said(penstock("run", "gong.toml", "--runs", "1", "--seed", "7")[2])) == 0
    lines = said(penstock("verify", "--sample", "all", "--threads", "8")[2])
    assert {line.partition(" ")[0] for line in lines} == {"bell", "gong"}
    assert len(lines) == 2


def test_the_workloads_are_told_one_by_one(penstock: Callable) -> None:
    code, out, err = penstock("bench", "cbr", "--duration", "100 ms", "--threads", "8", "--format", "json")
    assert code == 0
    assert re.fullmatch(r"cbr \.\.\.\ncbr runs on (one core|2 of 8 cores): [^\n]*\n", err)
    assert len(json.loads(out)) == 1
    # Nothing is run for this, on whatever cores.
    assert penstock("bench", "cbr", "--setup", "--threads", "8", "--format", "json")[2] == "cbr ...\n"


@pytest.mark.usefixtures("bell")
def test_the_reference_has_one_core_in_a_trace_too(penstock: Callable) -> None:
    for threads in (2, 8):
        _, _, err = penstock("trace", "bell.toml", "--executor", "plain", "--limit", "1", "--threads", threads)
        assert said(err) == ["bell runs on one core: --executor plain has no more."]
    assert said(penstock("trace", "bell.toml", "--executor", "plain", "--limit", "1")[2]) == []


@pytest.mark.parametrize(("lost", "lines"), [({1}, 1), ({0, 1}, 0)])
@pytest.mark.parametrize("verb", ["run", "retry-failed"])
def test_runs_beside_one_that_fails_tell_it(
    penstock: Callable,
    bell: str,
    monkeypatch: pytest.MonkeyPatch,
    verb: str,
    lost: set[int],
    lines: int,
    tmp_path: Path,
) -> None:
    make = ThreadWorker.make

    def failing(self: ThreadWorker, asked: Job) -> Made | Failed:
        return Failed("no more", ours=False) if asked.request.replication in lost else make(self, asked)

    monkeypatch.setattr(ThreadWorker, "make", failing)
    if verb == "retry-failed":
        failed(bell, Store(tmp_path / "store"))
    code, _, err = penstock(verb, *VERBS[verb], "--threads", "8")
    assert (code, len(said(err))) == (1, lines)


def test_nothing_is_read_for_runs_that_have_all_cores() -> None:
    def read():
        raise AssertionError

    cores = Cores(4)
    cores.note("a", "text", read, 4)
    Cores(1).note("a", "text", read)
    assert cores.messages == []


def test_a_scenario_is_looked_at_once(bell: str) -> None:
    reads = []

    def read() -> _core.Scenario:
        reads.append(len(reads))
        return _core.Scenario(bell, "bell")

    cores = Cores(8)
    cores.note("bell", bell, read, 4)
    cores.note("bell", bell, read, 1)
    [message] = cores.messages
    assert message.startswith("bell runs on 4 of 8 cores: ")  # of the first run
    # Where nobody knows on how many cores it was, and the network allows as many.
    enough = Cores(2)
    enough.note("bell", bell, read)
    enough.note("bell", bell, read)
    assert (reads, enough.messages) == ([0, 1], [])
