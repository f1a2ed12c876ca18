"""Simulations that are advanced step by step."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

import penstock as ps
from penstock.errors import ArgumentError, InputError, ScenarioError
from penstock.simulation import Observation, reward_function

PARAMETER = "r-b.queue.red.max-probability"


def network(**top):
    net = ps.Network()
    a, r, b = net.node("a"), net.node("r"), net.node("b")
    net.link(a, r, rate="20 Mbit/s", delay="2 ms", both_ways=True)
    red = ps.Red(limit="60 packets", min_threshold="5 packets", max_threshold="15 packets", max_probability=0.1)
    net.link(r, b, rate="2 Mbit/s", delay="10 ms", both_ways=True, queue=red)
    net.flows("web", a, b, count=3, start=("0 s", "1 s"), source=ps.Ftp(), transport=ps.Tcp(variant="sack"))
    net.measure("goodput", of="web")
    return net.toml(**{"duration": "4 s", **top})


def simulation(**options):
    return ps.Simulation(network(), observe=["queue[r-b]", "drops[r-b]", "drops[r-b] per step", "srtt[web]"], **options)


def test_stopping_and_reading_changes_no_number():
    sim = simulation(seed=5, replication=2)
    while sim.now < sim.end:
        sim.step("37 ms")
        assert set(sim.state()) == set(sim.units)
    [whole] = ps.run_all([ps.RunRequest(network(), (), 5, 2)])
    result = sim.result()
    assert result.digest == whole.digest
    assert [(each.name, each.value) for each in result.metrics] == [(each.name, each.value) for each in whole.metrics]
    assert sim.units == {
        "queue[r-b]": "packets",
        "drops[r-b]": "packets",
        "drops[r-b] per step": "packets",
        "srtt[web]": "s",
    }


def test_increases_add_up_and_what_does_not_exist_yet_is_nan():
    sim = simulation()
    assert math.isnan(sim.state()["srtt[web]"])
    increases = []
    for time in (0.5, "1.5 s", 2.25, "4 s"):
        sim.step_until(time)
        increases.append(sim.state()["drops[r-b] per step"])
    assert sum(increases) == sim.state()["drops[r-b]"] > 0
    assert 0.024 < sim.state()["srtt[web]"] < 1


def test_a_snapshot_is_gone_back_to_as_often_as_wanted():
    sim = simulation()
    sim.step_until("1 s")
    before, state = sim.snapshot(), sim.state()
    digests = []
    for probability in (0.1, 0.9, 0.1, 0.9):
        sim.restore(before)
        assert (sim.now, before.now, sim.state()["queue[r-b]"]) == (1.0, 1.0, state["queue[r-b]"])
        sim.set(PARAMETER, probability)
        digests.append(sim.result().digest)
    assert digests[:2] == digests[2:]
    assert digests[0] != digests[1]
    # Setting what it is already changes nothing.
    assert digests[0] == simulation().result().digest


def test_a_snapshot_has_what_was_observed():
    sim = simulation()
    for time in ("1 s", "1.5 s"):
        sim.step_until(time)
    before, state = sim.snapshot(), sim.state()
    assert state["drops[r-b] per step"] > 0
    sim.step_until("2 s")
    after = sim.state()
    for _ in range(2):
        sim.restore(before)
        assert sim.state() == state
        sim.step_until("2 s")
        assert sim.state() == after


def test_a_simulation_is_not_pickled():
    sim = simulation()
    with pytest.raises(ArgumentError, match="make it again from its scenario, or go back to a snapshot"):
        pickle.dumps(sim)
    with pytest.raises(ArgumentError, match="restore it as often as wanted"):
        copy.deepcopy(sim.snapshot())


def test_counting_begins_at_the_start():
    sim = ps.Simulation(network(warm_up="2 s"))
    assert sim.result().metrics == ps.Simulation(network()).result().metrics


def test_a_result_has_the_seed_of_its_run():
    sim = ps.Simulation(network(seed=9))
    request = sim.result().request
    assert request.seed == 9
    assert ps.run_all([request])[0].digest == sim.result().digest


def test_a_snapshot_of_another_run_is_refused():
    sim = simulation()
    for other in (ps.Simulation(network(), observe=["queue[r-b]"]), simulation(seed=2), simulation(replication=1)):
        with pytest.raises(ArgumentError, match="snapshot: is of another run, or of other observations"):
            sim.restore(other.snapshot())
    again = simulation(seed=1)
    again.step_until("1 s")
    sim.restore(again.snapshot())
    assert sim.now == 1.0


def test_times_are_exact_in_long_runs_and_end_with_the_run():
    net = ps.Network()
    net.link(net.node("a"), net.node("b"), rate="1 kbit/s", delay="10 ms")
    net.flows("slow", "a", "b", source=ps.Cbr(rate="1 bit/s", packet="500 bytes"))
    sim = ps.Simulation(net.toml(duration="20000.000000000001 s"))
    sim.step_until("10000.000000000001 s")
    sim.step("1 ps")
    sim.step("1 ps")
    assert sim._run.now == 10_000_000_000_000_003
    for beyond in (1e300, "20000000 s", 10**40):
        sim.step_until(beyond)
        assert sim._run.now == sim._run.end
    with pytest.raises(ArgumentError, match="the run is at its end; restore a snapshot"):
        sim.set(PARAMETER, 0.5)


def test_numbers_of_numpy_are_set_as_those_of_python():
    digests = set()
    for number in (0.7, np.float64(0.7)):
        sim = simulation()
        sim.step(np.float64(1.0))
        sim.set(PARAMETER, number)
        digests.add(sim.result().digest)
    assert len(digests) == 1


def test_mistakes_say_what_is_allowed():
    with pytest.raises(ScenarioError, match="1 mistake, nothing was run"):
        ps.Simulation(network(routing="shortest"))
    for observe, message in (
        ("queue", r"observation 'queue': write a variable and of what, such as 'queue\[r1-r2\]'"),
        (
            "queue[r-bb]",
            r"observation 'queue\[r-bb\]': unknown link, node or group of flows 'r-bb'; did you mean 'r-b'\?",
        ),
        ("cue[r-b]", r"observation 'cue\[r-b\]': unknown variable 'cue'"),
    ):
        with pytest.raises(InputError, match=message):
            ps.Simulation(network(), observe=["queue[r-b]", observe])
    sim = simulation()
    sim.step_until("2 s")
    for call, message in (
        (lambda: sim.step_until("1 s"), "time: 1 s is before 2 s"),
        (lambda: sim.step_until("soon"), "time: 'soon' is no time"),
        (lambda: sim.step_until("3 Mbit/s"), "time: '3 Mbit/s' is no time"),
        (lambda: sim.step(-1.0), "duration: -1.0 is no time"),
        (lambda: sim.step(math.nan), "duration: nan is no time"),
        (
            lambda: sim.set("r-b.queue.red.limit", "9 packets"),
            r"'r-b.queue.red.limit': .*'limit' cannot be changed during a run",
        ),
        (lambda: sim.set(PARAMETER, 7), "7 is out of range; between 0 and 1"),
        (lambda: sim.set(PARAMETER, math.inf), "max-probability"),
        (lambda: sim.set("r-b.queue.codel.target", "1 ms"), "has no 'codel'"),
    ):
        with pytest.raises(ArgumentError, match=message):
            call()
    assert sim.result().digest == simulation().result().digest


@pytest.mark.parametrize(
    ("text", "values", "reward"),
    [
        ("utilisation - queue / (50 packets)", (0.5, 25.0), 0.0),
        ("-abs(queue - 5 packets) / (1 packet)", (0.0, 7.0), -2.0),
        ("min(queue / (10 packets), 1)", (0.95, 30.0), 1.0),
        ("utilisation > 0.9 and not queue > 20 packets", (0.95, 30.0), 0.0),
        ("utilisation ^ 2", (0.5, 0.0), 0.25),
    ],
)
def test_rewards(text, values, reward):
    units = {"utilisation": "1", "queue": "packets"}
    names, function = reward_function(text, units)
    found = dict(zip(units, values, strict=True))
    assert function([found[name] for name in names]) == pytest.approx(reward)


@pytest.mark.parametrize("wrong", [{"seed": -1}, {"seed": 2**64}, {"seed": "1"}, {"replication": -1}])
def test_a_seed_or_replication_that_does_not_exist_is_refused(wrong):
    for made in (ps.Simulation, ps.PacketTrace):
        with pytest.raises(InputError, match=r"(seed|replication): .* is not a whole number from 0 to 2\^64 - 1"):
            made(network(), **wrong)


def test_rewards_that_cannot_be_computed():
    for text, message in (
        ("queue -", "reward: "),
        ("queue + 1 s", "reward: .* cannot be added to"),
        ("cwnd", "reward: 'cwnd' is not observed; one of queue"),
        ("'queue'", "reward: a text is no number"),
    ):
        with pytest.raises(InputError, match=message):
            reward_function(text, {"queue": "packets"})


def test_observations_are_read():
    assert Observation.read("queue.red.average[r1-r2]") == Observation("r1-r2", "queue.red.average")
    assert Observation.read(" drops[hosts[3]-r1] per step ") == Observation("hosts[3]-r1", "drops", per_step=True)
