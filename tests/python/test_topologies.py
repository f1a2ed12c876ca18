"""The ready-made topologies, against those that the PCN study writes out."""

import tomllib

import pytest

from penstock import Cbr, Ftp, Network, TailDrop, Tcp, _core, topologies
from penstock.reproductions.loading import load
from penstock.reproductions.pcn.cases import ADMISSION, PLT, RTT, SINGLE, Case
from penstock.reproductions.pcn.scenario import scenario
from penstock.reproductions.reading import Readings

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
    # 50 packets of each of 48 flows; the last is still in flight.
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


def run(net, **top):
    return _core.Scenario(net.toml(duration="0.1 s", **top), "topology", [])


UDP = Cbr(rate="8 Mbit/s", packet="1000 bytes")


def test_a_leaf_spine_network_has_a_way_over_every_spine():
    net = Network()
    made = topologies.leaf_spine(net, 4, 3, 8, rate="1 Gbit/s", delay="1 us", queue=TailDrop(limit="20 packets"))
    net.flows("all", made.hosts, made.hosts, shift=1, source=UDP)
    net.measure("utilisation", of=[f"leaf-spine[{spine}]" for spine in range(3)])
    scenario = run(net)
    # 32 hosts at 4 leaves, and 3 spines; (32 + 4 * 3) links both ways.
    assert scenario.sizes == (39, 88, 32)
    result = scenario.run(1, 0)
    # Neighbours are at different leaves, four links away. Packets leave every ms and arrive within one, so that of
    # each flow's 100 packets all but the last have.
    assert 100 * 32 * 4 >= result.packet_hops >= 99 * 32 * 4
    # Every spine gets some of the 32 flows.
    utilised = [value for name, _, _, value, *_ in result.metrics if name == "utilisation"]
    assert len(utilised) >= 3
    assert all(value > 0 for value in utilised)


def test_a_dumbbell_crosses_one_bottleneck():
    net = Network()
    ends = topologies.dumbbell(net, 3, rate="10 Mbit/s", delay="1 ms", access_delay=("1 ms", "2 ms"))
    net.flows("bulk", ends.hosts, ends.sinks, source=Ftp(), transport=Tcp())
    scenario = run(net)
    assert scenario.sizes == (8, 14, 3)
    assert scenario.run(1, 0).packet_hops > 0
    assert [node.name for node in ends.routers] == ["r1", "r2"]


def test_a_star_has_its_hub_between_any_two():
    net = Network()
    made = topologies.star(net, 5, rate="1 Gbit/s", delay="1 us")
    net.flows("round", made.hosts, made.hosts, shift=1, source=UDP)
    scenario = run(net)
    assert scenario.sizes == (6, 10, 5)
    assert 100 * 5 * 2 >= scenario.run(1, 0).packet_hops >= 99 * 5 * 2


def test_a_parking_lot_may_go_both_ways():
    net = Network()
    long, *_ = topologies.parking_lot(net, 3, delay="1 ms", both_ways=True, rate="10 Mbit/s")
    net.flows("long", long.start, long.end, source=Ftp(), transport=Tcp())
    assert run(net).sizes == (8, 14, 1)


def made_by_waxman(**options):
    net = Network()
    made = topologies.waxman(net, 30, rate="1 Gbit/s", delay="10 ms", **options)
    return net, made


def test_a_random_network_is_drawn_from_its_seed_and_is_connected():
    net, made = made_by_waxman()
    assert made_by_waxman()[1] == made
    assert made_by_waxman(seed=2)[1].links != made.links
    # Flows from a node to all others find a way.
    net.flows("out", made.nodes[0], made.nodes[1:30], source=UDP)
    assert run(net).sizes == (30, 2 * len(made.links), 29)
    # Sparse to the utmost: only what joins the parts is left.
    assert len(made_by_waxman(beta=1e-9)[1].links) == 29


def test_near_nodes_are_linked_more_often():
    from math import dist, exp

    expected = found = variance = 0.0
    for seed in range(20):
        _, made = made_by_waxman(alpha=0.5, beta=0.8, seed=seed)
        pairs = {(a, b): dist(made.places[a], made.places[b]) for a in range(30) for b in range(a + 1, 30)}
        longest = max(pairs.values())
        likely = [0.8 * exp(-length / (0.5 * longest)) for length in pairs.values()]
        expected += sum(likely)
        variance += sum(p * (1 - p) for p in likely)
        found += len(made.links)
    # With these, networks are connected as they are drawn, so nothing is added. Four standard errors.
    assert abs(found - expected) < 4 * variance**0.5


def test_delays_and_weights_of_a_random_network_follow_its_lengths():
    net, made = made_by_waxman(weight="distance", queue=TailDrop(limit="20 packets"))
    links = tomllib.loads(net.toml(duration="1 s"))["links"]
    assert len(links) == 2 * len(made.links)
    for link in links:
        number, unit = link["delay"].split()
        share = float(number) * {"ms": 0.1, "us": 1e-4, "ns": 1e-7}[unit]
        assert link["weight"] == max(1, round(1000 * share))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda net: topologies.leaf_spine(net, 0, 1, 1, rate="1 Mbit/s", delay="1 ms"), "at least one of its leaves"),
        (lambda net: topologies.dumbbell(net, 0, rate="1 Mbit/s", delay="1 ms"), "at least one pair"),
        (lambda net: topologies.star(net, 0, rate="1 Mbit/s", delay="1 ms"), "at least one host"),
        (lambda net: topologies.waxman(net, 1, rate="1 Mbit/s", delay="1 ms"), "2 to 2000 nodes, not 1"),
        (lambda net: topologies.waxman(net, 9, rate="1 Mbit/s", delay="1"), "'1' is no delay"),
        (lambda net: topologies.waxman(net, 9, rate="1 Mbit/s", delay="1 ms", beta=2), "at most 1; not 0.1 and 2"),
        (lambda net: topologies.waxman(net, 9, rate="1 Mbit/s", delay="1 ms", weight="hops"), "'distance' or left out"),
        (lambda net: topologies.waxman(net, 9, rate="1 Mbit/s", delay="1 ms", seed=-1), "is 0 or more, not -1"),
    ],
)
def test_networks_that_cannot_be_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make(Network())
