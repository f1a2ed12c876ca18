"""How networks, studies and results look in a notebook, and in one line."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import penstock as ps
from penstock._core import Scenario
from penstock.report.figures import topology_svg
from penstock.topologies import fat_tree

SVG = "{http://www.w3.org/2000/svg}"


def network(extra="r1"):
    net = ps.Network()
    hosts, sink = net.nodes("hosts", 3), net.node("sink")
    middle = net.node(extra)
    net.link(hosts, middle, rate="100 Mbit/s", delay=("1 ms", "2 ms"), both_ways=True)
    net.link(middle, sink, rate="5 Mbit/s", delay="10 ms", queue=ps.TailDrop(limit="9 packets"))
    net.flows("load", hosts, sink, source=ps.PoissonSource(rate="1 Mbit/s", packet="1000 bytes"))
    net.measure("loss", of="load")
    return net


def drawn(net):
    return ElementTree.fromstring(net._repr_html_())


def texts(svg):
    return [each.text for each in svg.iter(f"{SVG}text")]


def test_a_network_is_drawn_with_its_groups_and_links():
    svg = drawn(network())
    assert set(texts(svg)) == {
        *("hosts \u00d7 3", "r1", "sink"),
        *("100 Mbit/s, 1 ms to 2 ms", "5 Mbit/s, 10 ms", "tail-drop"),
    }
    assert len(list(svg.iter(f"{SVG}line"))) == 2
    assert len(list(svg.iter(f"{SVG}polygon"))) == 3  # arrowheads: both ways, and one way
    assert network()._repr_html_() == network()._repr_html_()


def test_each_direction_of_a_link_has_its_own_label():
    net = ps.Network()
    home, isp, server = net.node("home"), net.node("isp"), net.node("server")
    net.link(home, isp, rate="20 Mbit/s", delay="20 ms", queue=ps.Red(**RED))
    net.link(isp, home, rate="200 Mbit/s", delay="10 ms")
    # A way back is a plain one, whatever the way there does.
    net.link(isp, server, rate="1 Gbit/s", delay="1 ms", queue=ps.Codel(), both_ways=True)
    assert [text for text in texts(drawn(net)) if text[0] not in "hs"][:-1] == [
        *("\u2192 20 Mbit/s, 20 ms", "red", "\u2190 200 Mbit/s, 10 ms"),
        *("\u2192 1 Gbit/s, 1 ms", "codel", "\u2190 1 Gbit/s, 1 ms"),
    ]


RED = {"limit": "60 packets", "min_threshold": "5 packets", "max_threshold": "15 packets", "max_probability": 0.1}


def test_parallel_links_are_drawn_as_many_with_all_of_their_rates():
    net = ps.Network()
    hosts, leaf = net.nodes("hosts", 4), net.node("leaf")
    for number, rate in enumerate(("1 Gbit/s", "1 Gbit/s", "10 Gbit/s")):
        net.link(hosts[number], leaf, rate=rate, delay="1 us")
    assert {"2 x 1 Gbit/s, 1 us", "10 Gbit/s, 1 us"} < set(texts(drawn(net)))
    for number in range(3):
        net.link(leaf, hosts[number], rate=f"{number + 1} Mbit/s", delay="1 us")
    net.link(leaf, hosts[3], rate="4 Mbit/s", delay="1 us")
    assert [text for text in texts(drawn(net)) if "\u2190" in text] == [
        *("\u2190 1 Mbit/s, 1 us", "\u2190 2 Mbit/s, 1 us", "\u2190 and 2 more"),
    ]


BACK = """
duration = "1 s"
nodes = { home = {}, isp = {} }
[[links]]
from = "home"
to = "isp"
rate = "20 Mbit/s"
delay = "20 ms"
both-ways = true
back = { rate = "200 Mbit/s", queue.codel = {} }
[[flows]]
name = "f"
from = "home"
to = "isp"
source.cbr = { rate = "1 Mbit/s", packet = "500 bytes" }
"""


def test_the_way_back_has_what_is_said_of_it():
    net = ps.Network()
    home, isp = net.node("home"), net.node("isp")
    net.link(
        home, isp, rate="20 Mbit/s", delay="20 ms", both_ways=True, back={"rate": "200 Mbit/s", "queue": ps.Codel()}
    )
    expected = {"\u2192 20 Mbit/s, 20 ms", "\u2190 200 Mbit/s, 20 ms", "codel"}
    assert expected < set(texts(drawn(net)))
    assert expected < set(texts(ElementTree.fromstring(topology_svg(BACK))))
    rates = [Scenario(BACK, "it", [("isp-home.rate", rate)]) for rate in ("1 Mbit/s", "2 Mbit/s")]
    assert "\u2190 rate varies, 20 ms" in texts(ElementTree.fromstring(topology_svg(BACK, rates)))


def test_the_drawing_of_a_study_has_its_settings_and_names_what_varies():
    study = ps.Study(network(), duration="2 s").vary("r1-sink.rate", ["1 Mbit/s", "2 Mbit/s"])
    asked = study.points([{"hosts-r1.rate": "9 Mbit/s"}]).plan().read()
    svg = ElementTree.fromstring(topology_svg(asked[0].text, [each.scenario for each in asked]))
    assert {"9 Mbit/s, 1 ms to 2 ms", "rate varies, 10 ms"} < set(texts(svg))


def test_traffic_runs_from_left_to_right_and_boxes_do_not_overlap():
    net = ps.Network()
    fat_tree(net, 4, rate="10 Gbit/s", delay="1 us")
    for each in (drawn(network()), drawn(net)):
        wide = [box for box in each.iter(f"{SVG}rect") if box.get("fill") == "Canvas"]
        corners = [(int(box.get("x")), int(box.get("y"))) for box in wide]
        for i, (x, y) in enumerate(corners):
            assert 0 <= x <= float(each.get("width")) - 120
            assert 0 <= y <= float(each.get("height")) - 34
            assert all(abs(x - a) >= 120 or abs(y - b) >= 34 for a, b in corners[:i])
    places = {text: int(box.get("x")) for text, box in zip(("hosts", "sink", "r1"), wide_boxes(), strict=True)}
    assert places["hosts"] < places["r1"] < places["sink"]


def wide_boxes():
    return [box for box in drawn(network()).iter(f"{SVG}rect") if box.get("fill") == "Canvas"]


def test_names_have_no_effect_on_the_page():
    name = "<script>\x1b"
    shown = network(name)._repr_html_()
    assert "<script>" not in shown
    assert "\x1b" not in shown
    assert "&lt;script&gt;" in shown
    study = ps.Study(network(), duration="1 s", description="<script>alert(1)</script>").vary("a.b", ["<i>", "&"])
    assert "<script>" not in study._repr_html_()
    assert "&lt;i&gt;, &amp;" in study._repr_html_()


@pytest.mark.parametrize(
    ("count", "drawn_as"), [(0, "<svg"), (60, "<svg"), (61, "<p>61 nodes and groups are too many")]
)
def test_networks_of_any_size_are_shown(count, drawn_as):
    net = ps.Network()
    for number in range(count):
        net.node(f"n{number}")
    assert net._repr_html_().startswith(drawn_as)


def test_texts_are_short():
    net = network()
    study = ps.Study(net, duration="2 s", warm_up="1 s").vary("r1-sink.rate", ["1 Mbit/s", "2 Mbit/s"]).runs(2)
    assert (repr(ps.Network()), repr(net)) == ("<Network: empty>", "<Network: nodes 3, links 2, flows 1>")
    assert repr(study) == "<Study 'study': 2 s, warm-up 1 s, 2 runs, varies r1-sink.rate>"


def test_a_result_is_the_table_of_the_command_line(tmp_path):
    study = ps.Study(network(), duration="2 s", warm_up="1 s").vary("r1-sink.rate", ["1 Mbit/s", "2 Mbit/s"]).runs(2)
    result = study.result(store=ps.Store(tmp_path))
    assert repr(result) == "<StudyResult 'study': 2 points, 4 runs>"
    page = ElementTree.fromstring(f"<div>{result._repr_html_()}</div>")
    assert [each.text for each in page.iter("th")] == ["metric", "of", "rate", "mean", "unit", "runs"]
    rows = [[cell.text for cell in row] for row in page.iter("tr")][1:]
    assert [row[:3] for row in rows] == [["loss", "load", "1 Mbit/s"], ["loss", "load", "2 Mbit/s"]]
    sure, means, last = [each.text for each in page.iter("p")][-3:]
    assert means.endswith(": the 95 % confidence interval is from 42 to 85; its sides are unequal.")
    assert sure == "4 runs of 2 points, seed 1; ± is half of the 95 % confidence interval."
    assert last == f"duration 2 s, warm-up 1 s, model {ps.MODEL_VERSION[:12]}."
    assert "1 Mbit/s, 2 Mbit/s" in study._repr_html_()
