"""``penstock new --topology``: pages of generated networks and of graphs from files."""

import re
import tomllib

import pytest

from penstock import _core
from penstock.cli.new import new
from penstock.topologies.pages import GENERATORS

DOT = """graph {
    Aachen -- "Bonn am Rhein" [rate="10 Mbit/s", delay="2 ms"]
    "Bonn am Rhein" -- Celle [bandwidth="1 Mbit/s", latency="4 ms", weight=2]
}
"""


@pytest.mark.parametrize("name", GENERATORS)
def test_every_network_is_a_page_that_runs(penstock, tmp_path, name):
    code, out, err = penstock("new", "a.toml", "--topology", name)
    assert (code, err) == (0, "")
    sizes = re.fullmatch(
        r"a.toml: written, with (\d+) nodes, (\d+) links, (\d+) flows. Try: penstock run a.toml\n", out
    )
    page = (tmp_path / "a.toml").read_text()
    scenario = _core.Scenario(page, "a.toml", [("duration", "12 ms")])
    assert scenario.sizes == tuple(map(int, sizes.groups()))
    assert not scenario.warnings
    assert page.startswith(f"# {GENERATORS[name].what} ({name}): ")
    scenario.run(1, 0)


def test_help_names_every_network():
    assert new.__doc__
    shown = str(new.__annotations__["topology"])
    assert all(name in shown for name in GENERATORS)


def test_settings_change_the_network(penstock, tmp_path):
    settings = ["--set", "leaves=2", "--set", "spines=3", "--set", "hosts=5", "--set", "host-rate=10 Gbit/s"]
    code, out, _ = penstock("new", "a.toml", "--topology", "leaf-spine", *settings)
    assert code == 0
    assert "with 15 nodes, 32 links, 10 flows" in out
    page = tomllib.loads((tmp_path / "a.toml").read_text())
    assert [link["rate"] for link in page["links"]] == ["10 Gbit/s"] + 3 * ["1 Gbit/s"]
    assert page["routing"] == "ecmp"


def test_a_graph_is_a_page_that_runs(penstock, tmp_path):
    (tmp_path / "lab.dot").write_text(DOT)
    code, out, err = penstock("new", "a.toml", "--topology", "lab.dot")
    assert (code, out) == (0, "a.toml: written, with 3 nodes, 4 links, 1 flow. Try: penstock run a.toml\n")
    assert err.startswith("warning: lab.dot: 1 node has another name here, as names have letters, digits")
    page = (tmp_path / "a.toml").read_text()
    assert page.startswith("# The graph of lab.dot.\n# 'Bonn am Rhein' is Bonn-am-Rhein here.\n")
    (flow,) = tomllib.loads(page)["flows"]
    assert (flow["from"], flow["to"]) == ("Aachen", "Celle")
    # 1,250 packets of 1000 bytes over two links.
    assert _core.Scenario(page, "a.toml", []).run(1, 0).packet_hops == 2500 - 1


@pytest.mark.parametrize("key", ["rate-attribute", "rate_attribute"])
def test_a_graph_takes_what_it_lacks_from_settings(penstock, tmp_path, key):
    (tmp_path / "a.gml").write_text("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 speed 3 ] ]")
    code, out, err = penstock("new", "a.toml", "--topology", "a.gml")
    assert (code, out) == (2, "")
    assert "a.gml: no edge has a rate" in err
    assert "edges have 'speed'" in err
    settings = ["--set", f"{key}=speed", "--set", "rate-unit=Mbit/s", "--set", "delay=1 ms"]
    assert penstock("new", "a.toml", "--topology", "a.gml", *settings)[0] == 0
    assert tomllib.loads((tmp_path / "a.toml").read_text())["links"][0]["rate"] == "3 Mbit/s"


def test_a_graph_of_links_one_way_and_loops(penstock, tmp_path):
    (tmp_path / "a.dot").write_text('digraph { edge [rate="1 Mbit/s", delay="1 ms"] z; a -> a; a -> b -> c }')
    code, out, err = penstock("new", "a.toml", "--topology", "a.dot")
    assert (code, out) == (0, "a.toml: written, with 4 nodes, 2 links, 1 flow. Try: penstock run a.toml\n")
    assert err.splitlines() == [
        "warning: a.dot: 1 edge from a node to itself left out",
        "warning: a.dot: 2 of 2 edges have no edge back, as the graph is directed: nothing returns over these links, "
        "acknowledgements included; both_ways = true gives each a way back",
    ]
    code, out, err = penstock("new", "b.toml", "--topology", "a.dot", "--set", "both-ways=true")
    assert "with 4 nodes, 4 links" in out
    assert "2 of 2 edges of the directed graph have no edge back and became links both ways" in err
    code, _, err = penstock("new", "c.toml", "--topology", "a.dot", "--set", "both-ways=maybe")
    assert (code, err) == (2, "--set both-ways: 'maybe' is neither true nor false.\n")
    (tmp_path / "a.dot").write_text('digraph { a -> a [rate="1 Mbit/s", delay="1 ms"] }')
    code, _, err = penstock("new", "d.toml", "--topology", "a.dot")
    assert (code, err) == (2, "a.dot: has no edges between two nodes.\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--topology", "fat-treee"], "--topology 'fat-treee': is no topology; did you mean 'fat-tree'? (leaf-spine, "),
        (["--topology", "no.gml"], "no.gml: there is no such file."),
        (["--topology", "old.toml"], "old.toml: '.toml' is no format of graphs; one of .graphml"),
        (["--set", "ports=4"], "--set says what a topology is like; name one with --topology."),
        (
            ["--topology", "fat-tree", "--set", "port=4"],
            "'port': is no setting of this topology; did you mean 'ports'?",
        ),
        (["--topology", "fat-tree", "--set", "ports"], "--set 'ports': is no setting; write KEY=VALUE"),
        (["--topology", "fat-tree", "--set", "ports=x"], "--set ports: 'x' is not a whole number, such as 4."),
        (["--topology", "fat-tree", "--set", "ports=5"], "fat-tree: the switches of a fat tree have an even number"),
        (["--topology", "waxman", "--set", "alpha=x"], "--set alpha: 'x' is not a number, such as 0.1."),
        (["--topology", "star", "--set", "hosts=2", "--set", "hosts=3"], "--set 'hosts': is given twice."),
        (["--topology", "star", "--set", "rate=10 Gbps"], "new.toml:13: links[0].rate: unknown unit 'Gbps'"),
        (["--topology", "lab.dot", "--set", "ports=4"], "'ports': is no setting of this topology"),
    ],
)
def test_what_was_asked_for_wrongly_writes_nothing(penstock, tmp_path, arguments, said):
    (tmp_path / "old.toml").write_text("")
    (tmp_path / "lab.dot").write_text(DOT)
    code, out, err = penstock("new", "new.toml", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert not (tmp_path / "new.toml").exists()


def test_a_mistake_of_all_links_is_told_once(penstock):
    code, out, err = penstock("new", "new.toml", "--topology", "fat-tree", "--set", "rate=10", "--set", "delay=1")
    assert (code, out) == (2, "")
    [rate, delay, last] = err.splitlines()
    assert rate.startswith("new.toml:18: links[0].rate: 10 has no unit")
    assert delay.startswith("new.toml:19: links[0].delay: 1 has no unit")
    assert last == "2 mistakes, nothing was run."


def test_an_existing_page_is_kept(penstock, tmp_path):
    (tmp_path / "old.toml").write_text("mine")
    code, _, err = penstock("new", "old.toml", "--topology", "star")
    assert (code, err) == (2, "old.toml: exists and is left as it is; choose another name.\n")
    assert (tmp_path / "old.toml").read_text() == "mine"
