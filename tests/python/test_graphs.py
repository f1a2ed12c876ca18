"""Networks from graphs of networkx."""

import tomllib
import warnings

import networkx
import pytest

import penstock
from penstock import Cbr, TailDrop, _core
from penstock.errors import InputError
from penstock.graphs import from_file, from_networkx

EVEN = {"rate": "10 Mbit/s", "delay": "5 ms"}


def graph(*edges, of=networkx.Graph):
    made = of()
    for a, b, attributes in edges:
        made.add_edge(a, b, **attributes)
    return made


def links(net):
    return tomllib.loads(net.toml(duration="1 s"))["links"]


def sound(net, **top):
    return _core.Scenario(net.toml(duration="1 s", **top), "graph", [])


def test_a_graph_runs():
    net = penstock.from_networkx(graph((0, 1, EVEN), (1, 2, EVEN), (0, 3, EVEN | {"weight": 9})))
    net.flows("all", net.node_of[0], net.node_of[2], source=Cbr(rate="80 kbit/s", packet="1000 bytes"))
    scenario = sound(net)
    assert scenario.sizes == (4, 6, 1)
    # A packet each 100 ms from 0 s on, over two links.
    assert scenario.run(1, 0).packet_hops == 20


def test_weights_of_a_graph_decide_routes_as_networkx_would():
    made = networkx.Graph()
    made.add_weighted_edges_from(
        [("a", "b", 4), ("a", "c", 1), ("c", "d", 1), ("d", "b", 1), ("b", "e", 2.5), ("d", "e", 4)]
    )
    net = from_networkx(made, rate="1 Gbit/s", delay="1 ms")
    for end in "bcde":
        net.flows(f"to-{end}", "a", end, source=Cbr(rate="80 kbit/s", packet="1000 bytes"), stop="0.9 s")
    hops = sum(networkx.shortest_path_length(made, "a", end) for end in "bcde")
    by_weight = sum(len(networkx.dijkstra_path(made, "a", end)) - 1 for end in "bcde")
    assert by_weight != hops
    # One packet each 100 ms.
    assert sound(net).run(1, 0).packet_hops == 9 * by_weight


@pytest.mark.parametrize(
    ("attributes", "rate", "delay"),
    [
        ({"bandwidth": "2.5Gbps", "latency": "30us"}, "2.5 Gbit/s", "30 us"),
        ({"capacity_mbps": 100, "delay_ms": 0.25}, "100 Mbit/s", "250 us"),
        ({"LinkSpeedRaw": 10000000000.0, "latency": "1.5 \N{MICRO SIGN}s"}, "10 Gbit/s", "1.5 us"),
        ({"rate": "unlimited", "delay": "0 s"}, "unlimited", "0 ps"),
        ({"rate_gbps": "1e1", "delay_s": "0.0123"}, "10 Gbit/s", "12.3 ms"),
        ({"rate": "1.5 Mb/s", "delay": "1/3"}, "1.5 Mbit/s", None),
    ],
)
def test_attributes_are_read_with_their_units(attributes, rate, delay):
    made = graph(("a", "b", attributes))
    if delay is None:
        with pytest.raises(InputError, match="graph: edge 'a' to 'b': delay: '1/3' is no delay"):
            from_networkx(made)
    else:
        assert [(link["rate"], link["delay"]) for link in links(from_networkx(made))] == [(rate, delay)]


def test_numbers_without_units_need_one():
    made = graph(("a", "b", {"rate": 10, "delay": 2}))
    with pytest.raises(
        InputError, match=r"'10' has no unit; write it as \"10 Gbit/s\", or tell the unit with rate_unit"
    ):
        from_networkx(made)
    (link,) = links(from_networkx(made, rate_unit="Mbps", delay_unit="ms"))
    assert (link["rate"], link["delay"]) == ("10 Mbit/s", "2 ms")
    with pytest.warns(UserWarning, match="attributes that mean nothing here are left out: 'weight' of edges"):
        net = from_networkx(
            graph(("a", "b", {"bw": 3, "far": 1, "w": 5, "weight": 7})),
            rate_attribute="bw",
            rate_unit="Gbit/s",
            delay_attribute="far",
            delay_unit="s",
            weight_attribute="w",
        )
    (link,) = links(net)
    assert (link["rate"], link["delay"], link["weight"]) == ("3 Gbit/s", "1 s", 5)
    with pytest.raises(InputError, match="graph: rate: 'ms' is no unit of a rate; one of bit/s, kbit/s"):
        from_networkx(made, rate_unit="ms")
    with pytest.raises(InputError, match="graph: delay: '5' has no unit"):
        from_networkx(made, rate_unit="Mbit/s", delay="5")


def test_all_mistakes_are_told_at_once():
    made = graph(
        ("a", "b", {"rate": "10 ms", "delay": "1 ms"}),
        ("b", "c", {"rate": "0 bit/s", "delay": "1 ms"}),
        ("c", "d", {"rate": "1 Mbit/s", "delay": "2 hours"}),
        ("d", "e", {"rate": "1 Mbit/s", "capacity": "2 Mbit/s", "delay": "1 ms"}),
        ("e", "f", {"rate": "1 Mbit/s", "delay": "1 ms", "weight": -1}),
        ("f", "g", {"rate": "1 Mbit/s", "delay": "-1 ms"}),
        ("g", "h", {"delay": "1 ms"}),
        ("h", "i", {"rate": float("nan"), "delay": "1 ms"}),
    )
    with pytest.raises(InputError) as raised:
        from_networkx(made)
    assert str(raised.value).split("\n") == [
        "graph: edge 'a' to 'b': rate: '10 ms' is no rate; such as \"10 Gbit/s\"",
        "graph: edge 'b' to 'c': rate: '0 bit/s' is out of range; 1 bit/s to 100 Tbit/s",
        "graph: edge 'c' to 'd': delay: '2 hours' is no delay; such as \"5 ms\"",
        "graph: edge 'd' to 'e': has both 'rate' and 'capacity'; choose one with rate_attribute",
        "graph: edge 'e' to 'f': weight: '-1' is no weight; 0.001 to 1000000000",
        "graph: edge 'f' to 'g': delay: '-1 ms' is out of range; zero to one hour",
        "graph: edge 'g' to 'h': has no rate",
        "graph: edge 'h' to 'i': rate: 'nan' is no rate; such as \"10 Gbit/s\"",
        "8 mistakes in the graph.",
    ]


def test_a_graph_without_rates_says_what_it_has():
    made = graph(("a", "b", {"length": 3, "colour": "red"}))
    with pytest.raises(InputError) as raised:
        from_networkx(made)
    assert str(raised.value) == (
        "graph: no edge has a rate, as rate, bandwidth or another name that is usual would tell it; "
        "edges have 'colour', 'length'. Name the attribute with rate_attribute, "
        'or give all edges one with rate = "10 Gbit/s".'
    )
    with pytest.raises(InputError, match="no edge has a delay, as 'far' would tell it"):
        from_networkx(made, rate="1 Mbit/s", delay_attribute="far")
    for empty, what in [(networkx.Graph(), "nodes"), (networkx.empty_graph(3), "edges")]:
        with pytest.raises(InputError, match=f"graph: has no {what}"):
            from_networkx(empty)
    with pytest.raises(InputError, match="'int' is no graph"):
        from_networkx(3)


def test_names_that_a_scenario_cannot_hold_are_mapped_and_said():
    made = graph(("New York", "Zürich", EVEN), ("New York", ("pod", 3), EVEN), ("a.b", "a-b", EVEN))
    with pytest.warns(UserWarning, match="3 nodes have other names here.*'New York' is New-York, .* 'a.b' is a-b-2$"):
        net = from_networkx(made)
    assert [net.node_of[node].name for node in made] == ["New-York", "Zürich", "pod-3", "a-b-2", "a-b"]
    net.flows("f", net.node_of["New York"], net.node_of["pod", 3], source=Cbr(rate="8 kbit/s", packet="1000 bytes"))
    assert sound(net).sizes == (5, 6, 1)


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31m", "\u202e", "", "x" * 300, "hosts[3]", "\u3164", 'q"'])
def test_hostile_names_become_sound_ones(name):
    with pytest.warns(UserWarning, match="1 node has another name"):
        net = from_networkx(graph((name, "b", EVEN)))
    net.flows("f", net.node_of[name], "b", source=Cbr(rate="8 kbit/s", packet="1000 bytes"))
    assert sound(net).sizes == (2, 2, 1)


def test_edges_of_all_kinds():
    directed = from_networkx(graph(("a", "b", EVEN), ("b", "a", EVEN), of=networkx.DiGraph))
    assert [(link["from"], link["to"], "both-ways" in link) for link in links(directed)] == [
        ("a", "b", False),
        ("b", "a", False),
    ]
    parallel = graph(("a", "b", EVEN), ("a", "b", EVEN), ("b", "a", EVEN), of=networkx.MultiGraph)
    named = [link.get("name") for link in links(from_networkx(parallel))]
    assert named == [None, "a-b-2", "b-a-2", "a-b-3", "b-a-3"]
    # Names of links can meet where names of nodes have hyphens.
    net = from_networkx(graph(("a-b", "c", EVEN), ("a", "b-c", EVEN)))
    net.flows("f", "a", "b-c", source=Cbr(rate="8 kbit/s", packet="1000 bytes"))
    assert sound(net).sizes == (4, 4, 1)
    with pytest.warns(UserWarning, match="1 edge from a node to itself left out"):
        assert len(links(from_networkx(graph(("a", "b", EVEN), ("a", "a", EVEN))))) == 1
    with pytest.warns(UserWarning, match="1 weight rounded to thousandths"):
        assert links(from_networkx(graph(("a", "b", EVEN | {"weight": 1 / 3}))))[0]["weight"] == 0.333


def test_ports_are_alike_both_ways():
    net = from_networkx(graph(("a", "b", EVEN)), queue=TailDrop(limit="7 packets"))
    assert [(link["from"], link["queue"]) for link in links(net)] == [
        ("a", {"tail-drop": {"limit": "7 packets"}}),
        ("b", {"tail-drop": {"limit": "7 packets"}}),
    ]


@pytest.mark.parametrize(
    ("options", "rate", "delay"),
    [
        ({"rate": "10Gbps", "delay": "5\N{MICRO SIGN}s"}, "10 Gbit/s", "5 us"),
        ({"rate": "unlimited", "delay_per_km": "5\N{MICRO SIGN}s"}, "unlimited", "555.975 us"),
        ({"rate": 10, "rate_unit": "Gbps", "delay": "5", "delay_unit": "us"}, "10 Gbit/s", "5 us"),
    ],
)
def test_values_of_all_edges_may_be_spelled_as_those_of_one(options, rate, delay):
    made = graph(("a", "b", {}))
    for node, latitude in (("a", 1), ("b", 2)):
        made.add_node(node, lat=latitude, lon=3)
    with warnings.catch_warnings(action="ignore"):
        net = from_networkx(made, **options)
    net.flows("f", "a", "b", source=Cbr(rate="8 kbit/s", packet="1000 bytes"))
    assert [(link["rate"], link["delay"]) for link in links(net)] == [(rate, delay)]
    assert sound(net).sizes == (2, 2, 1)


def test_links_do_not_have_the_name_of_a_node():
    net = from_networkx(graph(("a", "b", EVEN), ("b", "b-a", EVEN)))
    assert [link.get("name") for link in links(net)] == [None, "b-a-2", None]
    net.flows("f", "a", "b-a", source=Cbr(rate="8 kbit/s", packet="1000 bytes"))
    assert sound(net).sizes == (3, 4, 1)


def test_jitter_and_loss_of_edges_are_impairments(penstock, tmp_path):
    (tmp_path / "a.gml").write_text(
        'graph [\n node [ id 0 label "A" ]\n node [ id 1 label "B" ]\n'
        ' edge [ source 0 target 1 rate "10 Mbit/s" latency "20 ms" jitter "2 ms" packet_loss 0.1 ]\n]\n'
    )
    with pytest.warns(UserWarning, match="left out") as said, pytest.warns(UserWarning, match="jitter of 1 edge"):
        net = from_file(tmp_path / "a.gml")
    assert "'packet_loss' of 1 edge left out: a number without a unit, which loss_unit = \"%\"" in str(said[0].message)
    delay = {"added": {"uniform": ["0 s", "4 ms"]}, "keep-order": True}
    assert [(link["delay"], link["impairment"]) for link in links(net)] == [("18 ms", {"delay": delay})] * 2
    code, _, err = penstock("new", "a.toml", "--topology", "a.gml", "--set", "loss-unit=%")
    assert (code, err.count("warning")) == (0, 1)
    page = (tmp_path / "a.toml").read_text()
    assert tomllib.loads(page)["links"][1]["impairment"] == {"delay": delay, "loss": {"probability": 0.001}}
    # Means of 20 ms there, and nothing lost at a probability of zero.
    code, out, _ = penstock("run", "a.toml", "--runs", "2", "--set", "duration=1 s")
    assert code == 0, out


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"loss": "120 %"}, "loss: '120 %' is out of range; 0 % to 100 %"),
        ({"loss_probability": 2}, "loss_probability: '2' is out of range"),
        ({"loss": "some"}, "loss: 'some' is no loss; such as \"0.1 %\""),
        ({"jitter": "6 ms"}, "jitter: 6 ms is more than the delay, 5 ms"),
        ({"jitter": "1 Mbit/s"}, "jitter: '1 Mbit/s' is no jitter; such as \"2 ms\""),
        ({"loss": "1 %", "plr": "1 %"}, "has both 'loss' and 'plr'; leave one out"),
    ],
)
def test_impairments_that_are_none_are_mistakes(attributes, message):
    with pytest.raises(InputError) as raised:
        from_networkx(graph(("a", "b", EVEN | attributes)))
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("attributes", "probability"),
    [
        ({"loss": "0.5 %"}, 0.005),
        ({"packet_loss_percent": 2}, 0.02),
        ({"plr_probability": "1e-3"}, 0.001),
        ({"loss": 0}, None),
    ],
)
def test_loss_is_read_with_its_unit(attributes, probability):
    found = links(from_networkx(graph(("a", "b", EVEN | attributes))))
    assert found[0].get("impairment") == (None if probability is None else {"loss": {"probability": probability}})
    assert ("both-ways" in found[0]) == (probability is None)


def test_impairments_of_edges_and_of_all_ports_apply_both():
    lossy = graph(("a", "b", EVEN | {"loss": "1 %"}))
    found = links(from_networkx(lossy, impairments=[penstock.Delay(added="1 ms")]))
    assert found[1]["impairment"] == {"loss": {"probability": 0.01}, "delay": {"added": "1 ms"}}
    with pytest.raises(InputError, match="edge 'a' to 'b': has 'loss' of its own, and impairments of all ports have"):
        from_networkx(lossy, impairments=[penstock.Loss(probability=0.5)])


def test_what_is_left_out_is_said():
    made = graph(("a", "b", EVEN | {"mtu": 1500, "colour": "red", "id": "e1"}))
    made.nodes["a"]["country"] = "DE"
    with pytest.warns(UserWarning, match="left out: 'colour', 'mtu' of edges; 'country' of nodes$"):
        from_networkx(made)


def test_delays_come_from_latitude_and_longitude():
    made = networkx.Graph()
    made.add_node("pole", Latitude=90, Longitude=0)
    made.add_node("equator", lat="0", lon="77.5")
    made.add_node("nowhere")
    made.add_edge("pole", "equator", rate="1 Gbit/s")
    made.add_edge("nowhere", "equator", rate="1 Gbit/s", delay="3 ms")
    # A quarter of the earth's circumference: 10007.5572 km at 5 us.
    with pytest.warns(UserWarning, match="1 delay from latitude and longitude: great circle, 5 us a km"):
        net = from_networkx(made, delay_per_km="5 us")
    assert [link["delay"] for link in links(net)] == ["50.037786 ms", "3 ms"]
    made.edges["nowhere", "equator"].pop("delay")
    with pytest.raises(InputError, match="'equator' to 'nowhere': has no delay, nor have both its nodes a place"):
        from_networkx(made, delay_per_km="5 us")
    with pytest.raises(InputError, match=r"no edge has a delay.* latitude and longitude with delay_per_km"):
        from_networkx(made)
    with pytest.raises(InputError, match="delay_per_km: '5 km' is no delay"):
        from_networkx(made, delay_per_km="5 km")
    made.nodes["pole"]["Latitude"] = 91
    with pytest.raises(InputError, match="'pole' to 'equator': Latitude: '91' is not between -90 and 90 degrees"):
        from_networkx(made, delay_per_km="5 us")
