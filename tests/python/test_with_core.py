"""The command line in a process of its own, with the real core."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import penstock as ps
from penstock import _core
from penstock.components import CodecMix

VERBS = ("run", "check", "new", "list", "explain", "reproduce", "sensitivity", "bench")
COMMAND = [sys.executable, "-m", "penstock.cli"]


@pytest.fixture
def shell(tmp_path):
    environment = {**os.environ, "PENSTOCK_STORE": str(tmp_path / "store")}

    def call(*arguments):
        return subprocess.run(
            [*COMMAND, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )

    return call


def test_the_template_runs_as_it_is(shell):
    assert shell("new", "a.toml").returncode == 0
    assert shell("check", "a.toml").returncode == 0
    ended = shell("run", "a.toml", "--runs", "2", "--format", "json")
    assert (ended.returncode, ended.stderr) == (0, "")
    metrics = json.loads(ended.stdout)["metrics"]
    assert {metric["name"] for metric in metrics} == {"goodput"}
    assert all(metric["runs"] == 2 and metric["mean"] > 0 for metric in metrics)


def test_json_is_byte_identical_for_any_number_of_workers(shell):
    shell("new", "a.toml")
    outputs = {
        shell("run", "a.toml", "--runs", "4", "--jobs", jobs, "--store", jobs, "--format", "json").stdout
        for jobs in ("1", "3")
    }
    assert len(outputs) == 1
    assert outputs != {""}


def test_a_sweep_gives_what_each_of_its_points_gives_alone(shell):
    shell("new", "a.toml")
    options = ("run", "a.toml", "--runs", "2", "--format", "json", "--set", "r1-r2.rate=1 Mbit/s")
    swept = json.loads(shell(*options[:-1], "r1-r2.rate=1 Mbit/s,2 Mbit/s").stdout)
    assert [point["settings"] for point in swept] == [{"r1-r2.rate": f"{rate} Mbit/s"} for rate in (1, 2)]
    assert json.loads(shell(*options).stdout) == swept[0] != swept[1]


def test_a_sweep_over_a_path_that_does_not_exist(shell):
    shell("new", "a.toml")
    ended = shell("run", "a.toml", "--set", "r1-r3.rate=1 Mbit/s,2 Mbit/s")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("--set r1-r3.rate: unknown key, link or group of flows or calls 'r1-r3'; did you")
    assert ended.stderr.endswith("\n1 mistake, nothing was run.\n")


def test_json_is_byte_identical_for_any_number_of_threads(shell):
    shell("new", "a.toml")
    outputs = [
        shell("run", "a.toml", "--runs", "1", "--threads", threads, "--store", threads, "--format", "json").stdout
        for threads in ("1", "2", "3")
    ]
    assert outputs[0] == outputs[1] == outputs[2] != ""


def test_a_network_that_is_all_in_one_place_has_one_core(shell, tmp_path):
    net = ps.Network()
    a, b, c = net.node("a"), net.node("b"), net.node("c")
    net.link(a, b, rate="1 Mbit/s", delay="0 s")
    net.link(b, c, rate="1 Mbit/s", delay="0 s")
    # Without a delay it is the smallest packet's transmission that keeps two nodes apart; of this mix it is not known.
    net.flows("f", a, c, source=CodecMix())
    (tmp_path / "near.toml").write_text(net.toml(duration="1 s"))
    ended = shell("run", "near.toml", "--threads", "2", "--format", "json")
    assert ended.returncode == 0
    assert ended.stderr.startswith("near runs on one core: its network cannot be cut, since everything in it is joined")
    assert shell("run", "near.toml", "--format", "json").stderr == ""
    # What comes from the store was not made at all.
    assert shell("run", "near.toml", "--threads", "2", "--format", "json").stderr == ""


def test_cores_beyond_what_a_dumbbell_allows_are_told(penstock, monkeypatch, tmp_path):
    net = ps.Network()
    left, right = net.node("left"), net.node("right")
    hosts, sinks = net.nodes("hosts", 6), net.nodes("sinks", 6)
    net.link(hosts, left, rate="1 Gbit/s", delay="1 ms")
    net.link(left, right, rate="10 Mbit/s", delay="1 ms")
    net.link(right, sinks, rate="1 Gbit/s", delay="1 ms")
    net.flows("f", hosts, sinks, source=ps.Cbr(rate="1 Mbit/s", packet="800 bytes"))
    (tmp_path / "bell.toml").write_text(net.toml(duration="100 ms"))
    for module in ("penstock.processors", "penstock.cli.cores"):
        monkeypatch.setattr(f"{module}.available", lambda: 8)
    # Each flow passes a sender, the middle, a port of its own and a receiver.
    code, out, err = penstock("trace", "bell.toml", "--threads", "8", "--format", "csv")
    assert code == 0
    allowed = "its network allows 4 parts at most, since left-right has 25 % of the load, counted in flows that pass"
    assert re.search(rf"^bell runs on 4 of 8 cores: {allowed}, and a part with it has no less", err, re.M)
    # What one core gives is the same, and has nothing to say of cores.
    assert penstock("trace", "bell.toml", "--format", "csv") == (0, out, "")


def test_the_speed_of_a_scenario_of_ones_own(shell):
    shell("new", "a.toml")
    [seen] = json.loads(shell("bench", "a.toml", "--format", "json").stdout)
    events = seen["events"]
    assert seen["workload"] == "a.toml"
    assert events["plain"] + events["sweeps"] + events["windows"] >= seen["packet_hops"] > 0
    assert sum(seen["ports"].values()) > 0
    ended = shell("bench", "a.toml", "--duration", "soon")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "duration" in ended.stderr
    ended = shell("bench", "b.toml")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("b.toml: there is no such file")


EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["pcn-admission", "pcn-termination"])
def test_examples_of_calls_run(shell, name):
    ended = shell("run", str(EXAMPLES / f"{name}.toml"), "--runs", "2", "--format", "json")
    assert (ended.returncode, ended.stderr) == (0, "")
    metrics = {metric["name"] for metric in json.loads(ended.stdout)["metrics"]}
    assert {"throughput", "calls"} <= metrics


def test_what_is_probably_not_meant_is_a_warning(shell):
    doubtful = [str(EXAMPLES / "pcn-admission.toml"), "--set", "voice.admission.cle.threshold=0.2"]
    for command in (["check"], ["run", "--runs", "1"]):
        ended = shell(*command, *doubtful)
        assert ended.returncode == 0
        warning = ended.stderr.splitlines()[0]
        assert warning.startswith("warning: --set voice.admission.cle.threshold: 0.2 is above 0.1852, ")


def test_calls_built_in_python_run():
    net = ps.Network()
    a, b = net.node("a"), net.node("b")
    meter = ps.SingleThresholdPcnMeter(admissible_rate="400 kbit/s", supportable_rate="720 kbit/s")
    net.link(a, b, rate="1 Mbit/s", delay=("1 ms", "2 ms"), both_ways=True, pcn=[meter])
    source = ps.Cbr(rate="64 kbit/s", packet="160 bytes")
    net.calls(
        "voice",
        a,
        b,
        source=source,
        arrivals=ps.PoissonArrival(interval="1 s"),
        holding=ps.Exponential(mean="60 s"),
        admission=ps.Cle(threshold=0.01),
    )
    scenario = _core.Scenario(net.toml(duration="60 s"))
    metrics = {(name, dict(labels).get("what")): value for name, labels, _, value in scenario.run(1, 0).metrics}
    assert scenario.warnings == []
    assert metrics["calls", "blocked"] > 0
    assert metrics["calls", "live"] > 1


def least_cpu_seconds(run) -> float:
    """CPU seconds of a command: the minimum of three, since other work on the machine only adds."""
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert run().returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


@pytest.fixture(scope="module")
def import_of_click() -> float:
    """What any command line made with this library takes, in CPU seconds on this machine now."""
    return least_cpu_seconds(lambda: subprocess.run([sys.executable, "-c", "import click"], check=False))


@pytest.mark.parametrize("arguments", [["--help"], [], *([verb, "--help"] for verb in VERBS)], ids=" ".join)
def test_help_is_instant(shell, arguments, import_of_click):
    # 0.10 s next to 0.05 s where this was written. Polars alone would add 0.2 s, SciPy or Matplotlib more.
    assert least_cpu_seconds(lambda: shell(*arguments)) < 3 * import_of_click


@pytest.mark.parametrize("command", [["list"], ["list", "--format", "json"], ["--help"]], ids=" ".join)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written(command, tmp_path):
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [*COMMAND, *command], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    said = "standard output cannot be written: No space left on device; finished runs are kept.\n"
    assert (ended.returncode, ended.stderr) == (1, said)
