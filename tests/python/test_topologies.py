"""The ready-made topologies, against those that the PCN study writes out."""

import tomllib

import pytest

from penstock import Network, TailDrop, topologies
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
