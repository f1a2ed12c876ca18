"""Where the page of a traced run draws nodes, by the structure of their network."""

from __future__ import annotations

import math

import pytest

import penstock as ps
from penstock._core import Scenario
from penstock.topologies.pages import GENERATORS, generated_page
from penstock.trace import PacketTrace
from penstock.view.layout import layout_of
from penstock.view.network import network_of

RING = """
duration = "1 s"
[nodes]
r = { count = 6 }
h = { count = 12 }
[[links]]
name = "ring"
from = ["r[0]", "r[1]", "r[2]", "r[3]", "r[4]", "r[5]"]
to = ["r[1]", "r[2]", "r[3]", "r[4]", "r[5]", "r[0]"]
rate = "1 Mbit/s"
delay = "1 ms"
both-ways = true
back.queue.tail-drop = { limit = "7 packets" }
[[links]]
from = "h"
to = "r"
rate = "1 Mbit/s"
delay = "1 ms"
both-ways = true
[[flows]]
name = "f"
from = "h[0]"
to = "h[3]"
source.cbr = { rate = "10 kbit/s", packet = "100 bytes" }
"""


def laid(text):
    network = network_of(Scenario(text, "net", [], None))
    return network, layout_of(network)


KINDS = [
    ("leaf-spine", {}, "fabric"),
    ("fat-tree", {}, "fabric"),
    ("star", {}, "chain"),
    ("dumbbell", {}, "chain"),
    ("parking-lot", {}, "chain"),
    ("waxman", {}, "tree"),
    ("waxman", {"alpha": "0.4", "beta": "0.6"}, "graph"),
    ("ring", {}, "ring"),
]


def test_every_generated_network_is_among_them():
    assert {name for name, *_ in KINDS} == {*GENERATORS, "ring"}


@pytest.mark.parametrize(("name", "settings", "kind"), KINDS)
def test_places_are_those_of_the_core_and_no_node_covers_another(name, settings, kind):
    text = RING if name == "ring" else generated_page(name, settings)
    network, layout = laid(text)
    assert layout.kind == kind
    places = PacketTrace(text, stop="1 us").row_schema["place"].categories.to_list()
    assert sorted(places) == sorted([*network.nodes, *network.links])
    for link, it in network.links.items():
        if "-" in link and not link.startswith("ring"):
            assert link == f"{network.nodes[it.start]}-{network.nodes[it.end]}"
    points = [layout.at[node] for node in range(len(network.nodes))]
    closest = min(math.dist(a, b) for number, a in enumerate(points) for b in points[:number])
    assert closest > 15


def test_a_fat_tree_of_128_hosts_has_four_rows_and_its_pods_side_by_side():
    network, layout = laid(generated_page("fat-tree", {"ports": "8"}))
    rows = {}
    for node, (x, y) in layout.at.items():
        rows.setdefault(round(y), []).append((x, network.nodes[node]))
    assert [len(row) for _, row in sorted(rows.items())] == [16, 32, 32, 128]
    assert [label.text for label in layout.labels] == ["host (128)", "edge (32)", "aggregation (32)", "core (16)"]
    # The edge switches of a pod, which have equal numbers modulo 8, are neighbours.
    edges = [int(name[5:-1]) % 8 for _, name in sorted(rows[sorted(rows)[2]])]
    assert edges == [pod for pod in edges[::4] for _ in range(4)]


def test_traffic_through_a_tree_goes_from_left_to_right():
    text = """
        duration = "1 s"
        nodes = { s = { count = 6 }, x = { count = 2 }, r1 = {}, r2 = {}, t = { count = 6 } }
        links = [
          { from = "s", to = "x", rate = "1 Mbit/s", delay = "1 ms" },
          { from = "x", to = "r1", rate = "1 Mbit/s", delay = "1 ms" },
          { from = "r1", to = "r2", rate = "1 Mbit/s", delay = "1 ms" },
          { from = "r2", to = "t", rate = "1 Mbit/s", delay = "1 ms" },
        ]
        flows = [{ name = "f", from = "s", to = "t", source.cbr = { rate = "10 kbit/s", packet = "100 bytes" } }]
    """
    network, layout = laid(text)
    assert layout.kind == "stream"
    column = {group: {x for node, (x, _) in layout.at.items() if network.nodes[node].startswith(group)} for group in
              ("s", "x", "r1", "r2", "t")}  # fmt: skip
    assert all(len(xs) == 1 for xs in column.values())
    ordered = [next(iter(xs)) for xs in column.values()]
    assert ordered == sorted(ordered)


def test_ports_have_the_settings_of_their_direction():
    network, _ = laid(RING)
    assert network.links["ring[0]"].port["queue"] == "tail-drop"
    assert network.links["ring-back[0]"].port["queue"] == "tail-drop (limit 7 packets)"
    back = network.links["ring-back[5]"]
    assert [network.nodes[end] for end in (back.start, back.end)] == ["r[0]", "r[5]"]


def test_what_decides_at_a_port_is_written_with_its_settings():
    text = RING.replace(
        'back.queue.tail-drop = { limit = "7 packets" }',
        "scheduler.fq-codel = {}\nimpairment.loss = { probability = 0.1 }",
    )
    network, _ = laid(text)
    assert dict(network.links["ring[0]"].port) == {"scheduler": "fq-codel", "impairment": "loss (probability 0.1)"}
    assert dict(network.links["h[0]-r[0]"].port) == {"queue": "tail-drop"}


def test_separate_parts_are_side_by_side():
    net = ps.Network()
    for number in range(3):
        a, b = net.node(f"a{number}"), net.node(f"b{number}")
        net.link(a, b, rate="1 Mbit/s", delay="1 ms")
        net.flows(f"f{number}", a, b, source=ps.Cbr(rate="10 kbit/s", packet="100 bytes"))
    _, layout = laid(net.toml(duration="1 s"))
    assert len(set(layout.at.values())) == 6
