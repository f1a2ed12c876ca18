"""The networks that programs of other simulators are given: routes and starts as Penstock has them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from penstock import PacketTrace
from penstock.bench import fat_tree

PEERS = Path(__file__).parents[2] / "bench" / "peers"


@pytest.fixture(scope="module")
def network():
    sys.path.insert(0, str(PEERS))
    import network

    yield network
    sys.path.remove(str(PEERS))


@pytest.fixture(scope="module")
def plan(network):
    return network.plan(fat_tree(4))


def test_every_flow_has_a_way_there_and_back(plan):
    assert len(plan.flows) == 64
    for name, (start, there, back) in plan.flows.items():
        shift, host = int(name[len("transfers")]), int(name.partition("[")[2][:-1])
        ends = (f"host[{host}]", f"host[{(host + (1, 4, 5, 9)[shift]) % 16}]")
        for way, (source, destination) in ((there, ends), (back, ends[::-1])):
            links = [plan.links[link] for link in way]
            assert (links[0][0], links[-1][1]) == (source, destination)
            assert all(before[1] == after[0] for before, after in pairwise(links))
        assert 0 <= start <= 1e9


def test_packets_take_these_ways_from_these_starts(plan):
    name = "transfers2[7]"
    start, there, back = plan.flows[name]
    frame = PacketTrace(fat_tree(4), flows=name, events=["send", "transmit"], stop="4 ms").frame()
    assert frame["time_ps"].min() == start
    for packet, way in (("segment", there), ("acknowledgement", back)):
        seen = frame.filter((frame["event"] == "transmit") & (frame["packet"] == packet))
        assert set(seen["place"]) == {"-".join(plan.links[link]) for link in way}


def test_neither_hangs_on_the_variant_of_tcp(network, plan):
    assert network.plan(fat_tree(4, "sack")) == plan


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_programs_read_what_is_written(plan, tmp_path):
    program = """
        #include "network.h"
        #include <iostream>
        int main(int, char* argv[])
        {
            auto network = read_network(argv[1]);
            std::cout << network.links.size() << "\\n";
            for (auto [from, to] : network.links)
                std::cout << from << " " << to << "\\n";
            std::cout << network.flows.size() << "\\n";
            for (const auto& flow : network.flows)
            {
                std::cout << flow.start;
                for (const auto& way : {flow.there, flow.back})
                {
                    std::cout << " " << way.size();
                    for (auto link : way)
                        std::cout << " " << link;
                }
                std::cout << "\\n";
            }
        }
    """
    (tmp_path / "echo.cc").write_text(program)
    (tmp_path / "network.txt").write_text(plan.text())
    built = ["g++", "-std=c++17", f"-I{PEERS}", str(tmp_path / "echo.cc"), "-o", str(tmp_path / "echo")]
    subprocess.run(built, check=True)

    def echo(file):
        return subprocess.run([tmp_path / "echo", file], capture_output=True, text=True, check=False)

    assert echo(tmp_path / "network.txt").stdout == plan.text()
    (tmp_path / "half.txt").write_text(plan.text()[:500])
    assert echo(tmp_path / "half.txt").returncode != 0
