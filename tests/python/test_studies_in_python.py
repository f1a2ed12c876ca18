"""Studies that a program builds: the same as in files, with the mistakes of programs."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import penstock as ps
from penstock.errors import ArgumentError, PrecisionMissed, ScenarioError
from penstock.store import Store


def network():
    net = ps.Network()
    hosts, r, sink = net.nodes("hosts", 2), net.node("r"), net.node("sink")
    net.link(hosts, r, rate="10 Mbit/s", delay="1 ms")
    net.link(r, sink, rate="2 Mbit/s", delay="9 ms")
    net.flows("load", hosts, sink, source=ps.PoissonSource(rate="800 kbit/s", packet="500 bytes"))
    net.measure("delay", of="load", take=["mean"])
    return ps.Study(net, duration="1 s")


@pytest.mark.parametrize("verb", ["run", "result"])
def test_flows_between_groups_of_unequal_sizes_are_warned_of_where_the_study_is_run(tmp_path, verb):
    net = ps.Network()
    hosts, r, sinks = net.nodes("hosts", 2), net.node("r"), net.nodes("sinks", 3)
    net.link(hosts, r, rate="10 Mbit/s", delay="1 ms")
    net.link(r, sinks, rate="10 Mbit/s", delay="1 ms")
    net.flows("load", hosts, sinks, source=ps.Cbr(rate="800 kbit/s", packet="500 bytes"))
    study = ps.Study(net, duration="1 s").runs(1)
    with pytest.warns(UserWarning, match="'sinks' has 3 nodes and 'hosts' has 2, which makes 3 flows") as told:
        getattr(study, verb)(store=Store(tmp_path / "store"))
    assert told[0].filename == __file__


def test_a_study_in_python_has_a_frame_with_its_parameters_as_columns(tmp_path):
    study = (
        network()
        .vary("n", [1, 2, 3])
        .vary_together({"r-sink.rate": ["2 Mbit/s", "4 Mbit/s"], "r-sink.delay": ["9 ms", "4 ms"]})
        .points([{"load.class": "ef"}])
        .derive("nodes.hosts.count", "n")
        .where("n < 3")
        .runs(2)
    )
    frame = study.run(store=Store(tmp_path / "store"))
    assert frame.height == 4
    assert frame["n"].to_list() == [1, 2, 1, 2]
    assert frame["nodes.hosts.count"].dtype.is_integer()
    assert frame["r-sink.rate"].to_list() == ["2 Mbit/s", "2 Mbit/s", "4 Mbit/s", "4 Mbit/s"]
    assert (frame["half_width"] > 0).all()
    assert frame["runs"].to_list() == [2] * 4
    with pytest.raises(ScenarioError, match=r"study: grid.m: changes nothing"):
        study.vary("m", [1]).plan()
    with pytest.raises(ScenarioError, match=r"study: r-snk.rate: unknown key, link or group"):
        network().vary("r-snk.rate", ["1 Mbit/s"]).plan().read()


def test_a_study_without_anything_that_varies_is_one_point(tmp_path):
    frame = network().runs(1).run(store=Store(tmp_path / "store"))
    assert frame.height == 1
    assert (frame["method"].to_list(), frame["half_width"].to_list()) == (["none"], [None])


def test_results_and_missed_targets_can_be_sent_to_other_processes(tmp_path):
    study = network().vary("r-sink.rate", ["1 Mbit/s", "2 Mbit/s"]).runs(2)
    result = study.result(store=Store(tmp_path))
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert again.frame().equals(result.frame())
        assert [point.asked.keys() for point in again.points] == [point.asked.keys() for point in result.points]
    with pytest.raises(PrecisionMissed) as missed:
        study.precision("delay", "0.001 %", most=30).run(store=Store(tmp_path))
    assert str(pickle.loads(pickle.dumps(missed.value))) == str(missed.value)


def test_numbers_of_numpy_are_as_those_of_python(tmp_path):
    store = Store(tmp_path / "store")
    study = network().runs(2)

    def frame(counts, weights):
        varied = study.vary("load.count", counts).vary("w", weights).derive("r-sink.weight", "2 * w")
        return varied.points([{"load.precedence": counts[0]}]).run(store=store)

    assert frame(np.arange(2, 5, 2), np.array([0.5, 1.0])).equals(frame([2, 4], [0.5, 1.0]))
    net = ps.Network()
    net.link(net.node("a"), net.node("b"), rate="1 Mbit/s", delay="1 ms", weight=np.float64(0.5))
    net.flows("f", "a", "b", count=np.int64(2), source=ps.Cbr(rate="1 Mbit/s", packet="500 bytes"))
    assert "weight = 0.5\n" in net.toml(duration="1 s")
    assert "count = 2\n" in net.toml(duration="1 s")


@pytest.mark.parametrize("count", [0, -3, 100_001])
def test_a_number_of_runs_is_checked_however_it_is_given(count):
    for given in (lambda: network().runs(count), lambda: ps.Study(ps.Network(), "1 s", replications=count)):
        with pytest.raises(ValueError, match=f"runs?, not {count}"):
            given()


def test_a_text_is_no_list_of_values():
    with pytest.raises(ArgumentError, match=r"vary: r-sink.rate needs a list of values, such as \['1 Mbit/s'\]"):
        network().vary("r-sink.rate", "1 Mbit/s")
    with pytest.raises(ArgumentError, match=r"vary_together: r-sink.rate needs a list of values"):
        network().vary_together({"r-sink.delay": ["1 ms"], "r-sink.rate": "1 Mbit/s"})


def test_a_list_without_points_is_refused():
    with pytest.raises(ArgumentError, match="points: the list is empty, so there would be no point"):
        network().points([])
