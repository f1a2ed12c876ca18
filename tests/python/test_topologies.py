"""The ready-made topologies, against those that the PCN study writes out."""

import tomllib

import pytest

from penstock import Cbr, Ftp, Network, TailDrop, Tcp, _core, topologies
from penstock.reproductions.pcn.cases import ADMISSION, PLT, RTT, SINGLE, Case
from penstock.reproductions.pcn.scenario import scenario
from penstock.reproductions.reading import Readings
from penstock.reproductions.study import load

SETTINGS = Readings(load("pcn").document).settings()


def shape(page):
    """Names of nodes, and ends and delays of links, in no order."""
    data = tomllib.loads(page)
    return data["nodes"], sorted((link["from"], link["to"], str(link["delay"])) for link in data["links"])


@pytest.mark.parametrize("case", [Case(ADMISSION, "CBR", SINGLE), Case(ADMISSION, "CBR", RTT, 10)], ids=str)
def test_one_bottleneck(case):
    net = Network()
    if case.topology == SINGLE:
        path = topologies.single_link(net, rate="128 Mbit/s", delay="1 ms", queue=TailDrop(limit="80000 packets"))
    else:
        path = topologies.fan_in(net, case.size, access_delay=("1 ms", "100 ms"), rate="128 Mbit/s", delay="10 ms")
    assert shape(net.toml(duration="1 s")) == shape(scenario(SETTINGS, case))
    assert len(path.start) == max(1, case.size)


@pytest.mark.parametrize("bottlenecks", [2, 3, 5])
def test_parking_lots(bottlenecks):
    net = Network()
    long, *short = topologies.parking_lot(net, bottlenecks, delay="1 ms", rate="128 Mbit/s")
    assert shape(net.toml(duration="1 s")) == shape(scenario(SETTINGS, Case(ADMISSION, "CBR", PLT, bottlenecks)))
    assert long.crosses == tuple(path.crosses[0] for path in short)


def test_too_many_bottlenecks_are_refused():
    with pytest.raises(ValueError, match="1 to 12 bottlenecks, not 13"):
        topologies.parking_lot(Network(), 13, delay="1 ms", rate="1 Mbit/s")


def small_tree(**flows):
    net = Network()
    tree = topologies.fat_tree(net, 4, rate="1 Gbit/s", delay="1 us", queue=TailDrop(limit="20 packets"))
    for shift in (1, 4, 11):
        net.flows(f"by{shift}", tree.hosts, tree.hosts, shift=shift, **flows)
    return _core.Scenario(net.toml(duration="5 ms"), "tree", [])


def test_a_fat_tree_has_the_size_that_its_ports_give():
    # 16 hosts; 8 edge, 8 aggregation and 4 core switches; 16 + 16 + 16 links, both ways.
    assert small_tree(source=Cbr(rate="8 Mbit/s", packet="1000 bytes")).sizes == (36, 96, 48)
    net = Network()
    topologies.fat_tree(net, 16, rate="1 Gbit/s", delay="1 us")
    assert net.routing == "ecmp"


def test_ways_in_a_fat_tree():
    # Hosts that are 1 and 11 apart are in different pods, 6 links away; those that are 4 apart at edges of one pod, 4.
    run = small_tree(source=Cbr(rate="80 Mbit/s", packet="1000 bytes")).run(1, 0)
    assert run.drops == 0
    # 50 packets of each of 48 flows, of which the last is still under way.
    assert 50 * 16 * (6 + 4 + 6) >= run.packet_hops >= 49 * 16 * (6 + 4 + 6)


def test_a_fat_tree_is_the_same_on_any_number_of_cores():
    tcp = Tcp(initial_rto="1 ms", min_rto="1 ms")
    scenario = small_tree(source=Ftp(), transport=tcp, start=("0 s", "1 ms"))
    one, *several = (scenario.run(1, 0, threads=threads) for threads in (1, 2, 3, 4))
    assert one.threads == 1
    assert one.drops > 0
    for run in several:
        assert (run.digest, run.metrics, run.packet_hops) == (one.digest, one.metrics, one.packet_hops)


@pytest.mark.parametrize("ports", [0, 5, 66])
def test_switches_without_a_fat_tree_are_refused(ports):
    with pytest.raises(ValueError, match=f"from 2 to 64, not {ports}"):
        topologies.fat_tree(Network(), ports, rate="1 Gbit/s", delay="1 us")
