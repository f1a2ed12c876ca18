"""Networks from files of graphs: GraphML, GML and DOT."""

import networkx
import pytest
from test_graphs import links

from penstock.errors import InputError
from penstock.graphs import from_file


@pytest.fixture
def sample():
    made = networkx.Graph()
    made.add_node(0, label="Aachen")
    made.add_node(1, label="Bonn am Rhein")
    made.add_node(2, label="Celle")
    made.add_edge(0, 1, rate="10 Gbit/s", delay="2 ms", weight=3)
    made.add_edge(1, 2, rate="1 Gbit/s", delay="4 ms", weight=1.5)
    return made


EXPECTED = [
    {"from": "Aachen", "to": "Bonn-am-Rhein", "rate": "10 Gbit/s", "delay": "2 ms", "weight": 3, "both-ways": True},
    {"from": "Bonn-am-Rhein", "to": "Celle", "rate": "1 Gbit/s", "delay": "4 ms", "weight": 1.5, "both-ways": True},
]


def test_graphml_and_gml_are_read_as_networkx_writes_them(sample, tmp_path):
    networkx.write_graphml(sample, tmp_path / "a.graphml")
    # In GML, networkx writes as labels what nodes are called.
    called = networkx.relabel_nodes(sample, dict(sample.nodes(data="label")))
    networkx.write_gml(called, tmp_path / "a.gml")
    for file in ("a.graphml", "a.gml"):
        with pytest.warns(UserWarning, match="'Bonn am Rhein' is Bonn-am-Rhein"):
            assert links(from_file(tmp_path / file)) == EXPECTED


DOT = """
graph "a net" {
    edge [rate="10 Gbit/s", delay="2 ms"];
    node [kind=router];
    Aachen -- "Bonn am Rhein" [weight=3];   // a comment
    subgraph cluster_north {
        edge [rate="1Gbps", delay="4 ms"];
        "Bonn am Rhein":east -- Celle:west [weight=1.5];
    }
    %s
}
"""


def test_dot_is_read_with_its_defaults_and_subgraphs(tmp_path):
    file = tmp_path / "a.dot"
    file.write_text(DOT % "")
    left_out = pytest.warns(UserWarning, match="left out: 'kind' of nodes")
    with left_out, pytest.warns(UserWarning, match="'Bonn am Rhein' is Bonn-am-Rhein"):
        assert links(from_file(file)) == EXPECTED
    file.write_text(DOT % "Celle -- { Dachau Erfurt }; Alone;")
    with pytest.warns(UserWarning, match="left out"), pytest.warns(UserWarning, match="other name|another name"):
        net = from_file(file)
    assert [(link["from"], link["to"], link["rate"]) for link in links(net)[2:]] == [
        ("Celle", "Dachau", "10 Gbit/s"),
        ("Celle", "Erfurt", "10 Gbit/s"),
    ]
    assert "Alone" in net.node_of
    (tmp_path / "b.gv").write_text('digraph { a -> b -> c [rate="1 Mbit/s", delay="1 ms"] }')
    with pytest.warns(UserWarning, match="2 of 2 edges have no edge back, as the graph is directed"):
        net = from_file(tmp_path / "b.gv")
    assert [(link["from"], link["to"]) for link in links(net)] == [("a", "b"), ("b", "c")]


def test_a_repeated_edge_of_a_strict_graph_changes_only_what_it_says(tmp_path):
    edges = 'edge [rate="1 Mbps", delay="1 ms"]; a -- b [rate="5 Mbps"]; b -- a [weight=3]; a -- b'
    (tmp_path / "a.dot").write_text(f"strict graph {{ {edges} }}")
    [link] = links(from_file(tmp_path / "a.dot"))
    assert (link["rate"], link["delay"], link["weight"]) == ("5 Mbit/s", "1 ms", 3)


def test_defaults_of_graphml_hold_for_edges(tmp_path):
    (tmp_path / "a.graphml").write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="r" for="edge" attr.name="rate" '
        'attr.type="string"><default>10 Mbit/s</default></key><graph edgedefault="undirected"><node id="a"/>'
        '<node id="b"/><edge source="a" target="b"/></graph></graphml>'
    )
    assert links(from_file(tmp_path / "a.graphml", delay="1 ms"))[0]["rate"] == "10 Mbit/s"
    # Networkx applies no default to several kinds of elements.
    key = '<key id="l" attr.name="loss" attr.type="string"><default>1 %</default></key>'
    (tmp_path / "a.graphml").write_text(by_hand(key=key))
    with pytest.warns(UserWarning, match="the default of the <key> 'l' in line 2 left out, as it is for all elements"):
        from_file(tmp_path / "a.graphml", rate="1 Mbit/s", delay="1 ms")


def by_hand(*, key: str = "", graph: str = "", body: str = "") -> str:
    """GraphML of two nodes in the form in which somebody would write it."""
    body = body or '<edge source="a" target="b"/>'
    return (
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n{key}\n<graph{graph}>\n'
        f'<node id="a"/><node id="b"/>\n{body}\n</graph></graphml>'
    )


def test_graphml_without_edgedefault_or_a_key_s_type_is_read(tmp_path):
    key = '<key id="r" attr.name="rate"/>'
    text = by_hand(key=key, body='<edge source="a" target="b"><data key="r">10 Mbit/s</data></edge>')
    (tmp_path / "a.graphml").write_text(text)
    with pytest.warns(UserWarning, match="No key type for id r. Using string"):
        net = from_file(tmp_path / "a.graphml", delay="1 ms")
    assert [(link["rate"], link["both-ways"]) for link in links(net)] == [("10 Mbit/s", True)]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"key": "<key/>"}, "2: this <key> has no attribute 'attr.name'"),
        ({"key": '<key attr.name="rate"/>'}, "2: this <key> has no attribute 'id'"),
        (
            {"key": '<key id="r" attr.name="rate" attr.type="text"/>'},
            "2: 'text' is no type of values; one of boolean, int, long, float, double, string",
        ),
        ({"body": '<edge source="a" target="b"><data key="r">1</data></edge>'}, "5: no <key> has the id 'r'"),
        ({"body": '<edge source="a" target="b"><data>1</data></edge>'}, "5: this <data> has no attribute 'key'"),
        ({"body": "<node/>"}, "5: this <node> has no attribute 'id'"),
        ({"body": '<edge source="a"/>'}, "5: this <edge> has no attribute 'target'"),
        ({"body": '<edge source="a" target="B"/>'}, "5: there is no node 'B'"),
        ({"body": '\n<node id="a"/>'}, "6: there is another <node> with the id 'a'"),
        (
            {"body": '<edge id="e" source="a" target="b"/>\n<edge id="e" source="b" target="a"/>'},
            "6: there is another <edge> with the id 'e'",
        ),
        ({"body": '<node id="c">\n<graph/></node>'}, "6: there is another <graph>; one is read"),
        ({"body": '</graph>\n<graph edgedefault="directed">'}, "6: there is another <graph>; one is read"),
    ],
)
def test_mistakes_in_graphml_written_by_hand_have_their_lines(parts, message, tmp_path):
    (tmp_path / "a.graphml").write_text(by_hand(**parts))
    with pytest.raises(InputError, match=f"a.graphml:{message}"):
        from_file(tmp_path / "a.graphml", rate="1 Mbit/s", delay="1 ms")


def test_edges_between_other_nodes_and_groups_of_yed_are_no_repetitions(tmp_path):
    edges = '<edge id="0" source="a" target="b"/><edge id="0" source="b" target="a"/>'
    group = f'{edges}<node id="g" yfiles.foldertype="group"><graph>{{}}</graph></node>'
    inner = '<node id="c"/><edge id="0" source="b" target="c"/>'
    (tmp_path / "a.graphml").write_text(by_hand(graph=' edgedefault="directed"', body=group.format(inner)))
    with pytest.warns(UserWarning, match="1 of 3 edges of the directed graph"):
        net = from_file(tmp_path / "a.graphml", rate="1 Mbit/s", delay="1 ms", both_ways=True)
    assert [(link["from"], link["to"]) for link in links(net)] == [("a", "b"), ("b", "c"), ("b", "a")]


GML = 'graph [\n  node [ id 0 label "a" ]\n  node [ id 1 label "a" ]\n  edge [ source 0 target 1 rate "1 Mbit/s" ]\n]\n'


def test_nodes_of_one_label_are_called_by_their_identifiers(tmp_path):
    (tmp_path / "a.gml").write_text(GML)
    with pytest.warns(UserWarning, match="called by their identifiers, as several have the same label"):
        net = from_file(tmp_path / "a.gml", delay="1 ms")
    assert [node.name for node in net.node_of.values()] == ["0", "1"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.graphml", "<graphml>\n<graph>\n<node id=3/>\n", "a.graphml:3: is no XML"),
        ("a.graphml", "<html/>", "a.graphml: is no GraphML that can be read"),
        ("a.xml", "<a>\n</b>", "a.xml:2: is no XML"),
        ("a.gml", "graph [\n node [ id 0 ]\n node { id 1 ]\n]", "a.gml:3: is no GML that can be read: cannot tokenize"),
        ("a.gml", "graph [\n node [ id 0 ]\n", "a.gml"),
        ("a.gml", "graph [\n edge [ source 0 target 1 ]\n]", "a.gml: is no GML that can be read"),
        ("a.gml", "graph [ node 0 ]", "a.gml: is no GML that can be read: a node or an edge is not in brackets"),
        ("a.gml", GML.replace('"a" ]\n  node', '"a ]\n\n node', 1), "a.gml"),
        ("a.dot", "graph {\n a -- b\n c -- [\n}", "a.dot:3: is no DOT from here on, column 4"),
        ("a.dot", "not a graph", "a.dot:1: is no DOT"),
        ("a.dot", "graph { a -- b }\ngraph { c -- d }", "a.dot: has 2 graphs; one is read"),
        ("a.dot", "graph { a -- {b -- c} -- d }", "a.dot: an edge ends at a subgraph that has edges of its own"),
        ("a.dot", "graph {\n a -- b\n b -> c }", "a.dot:3: edges of this graph are written --, not ->"),
        ("a.dot", "digraph {\n a -- b }", "a.dot:2: edges of this graph are written ->, not --"),
        ("a.dot", b"graph {\n a -- \xff\n}", "a.dot:2: is not UTF-8"),
        ("a.gml", b"graph [\n\n\xff]", "a.gml:3: is not UTF-8"),
        ("a.gv", "", "a.gv: is empty"),
        ("a.png", "a b", r"a.png: '.png' is no format of graphs; one of .graphml, .xml, .gml, .dot, .gv"),
        ("a.txt", "a b", r"a.txt: is no topology that is known as text: topology.txt of the HPCC simulator, or"),
        ("a.gml", "graph [" + "a [" * 9999, r"a.gml: is nested too deeply"),
        ("a.gml", b"graph [\n\0]", r"a.gml:2: has a NUL byte"),
        ("a.gml", "graph [ ]".encode("utf-16"), r"a.gml: is UTF-16 text; save it as UTF-8"),
        (
            "a.graphml",
            '<?xml version="1.0" encoding="utf-7"?>\n<graphml/>',
            r"a.graphml:1: its encoding cannot be read",
        ),
        ("a.dot", "graph { a -- b }", "a.dot: no edge has a rate, as .* edges have no attributes"),
        ("a.dot", "graph { a -- b [rate=3] }", "a.dot: no edge has a delay"),
        ("a.dot", 'graph { a -- b [rate=3, delay="1 ms"] }', "a.dot:1: edge 'a' to 'b': rate: '3' has no unit"),
        (
            "a.dot",
            'graph { edge [delay="1 ms"]\n a -- b [rate="1 Gbit/s"]\n "b c":p -- a\n}',
            "a.dot:3: edge 'a' to 'b c': has no rate",
        ),
        (
            "a.dot",
            'graph { edge [delay="1 ms", label="a -> b"]\n /* a -- b */ // a -- b\n# a -- b\n a:w -- b [rate=3] }',
            "a.dot:4: edge 'a' to 'b': rate: '3' has no unit",
        ),
        (
            "a.gml",
            'graph [ node [ id 7 label "x" ] node [ id 9 label "y" ]\n'
            'edge [ source 7 target 9 rate "1 ms" delay "1 ms" ] ]',
            "a.gml:2: edge '7' to '9': rate: '1 ms' is no rate",
        ),
        (
            "a.graphml",
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="r" for="edge" attr.name="rate" '
            'attr.type="int"/><graph edgedefault="directed">\n<node id="a"/><node id="b"/>\n'
            '<edge source="b" target="a"><data key="r">3</data></edge></graph></graphml>',
            "a.graphml:3: edge 'b' to 'a': rate: '3' has no unit",
        ),
    ],
)
def test_mistakes_in_files_have_their_place(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message):
        from_file(tmp_path / name, delay=None if "no edge has a delay" in message else "1 ms")


def test_a_file_that_is_missing(tmp_path):
    with pytest.raises(InputError, match="there is no such file"):
        from_file(tmp_path / "a.gml")
    (tmp_path / "b.gml").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        from_file(tmp_path / "b.gml")


PARALLEL = """# graph [ in a comment
Creator "graph [ in a text"
graph [
  node [ id 0 label "A" ]
  node [ id 1 label "B" ]
  edge [ source 0 target 1 rate "10 Gbit/s" delay "1 ms" ]
  edge [ source 1 target 0 rate "2.5 Gbit/s" delay "1 ms" ]
  edge [ source 0 target 1 rate "1 Gbit/s" delay "1 ms" ]
]
"""


def test_parallel_edges_of_gml_are_links_of_their_own(penstock, tmp_path):
    (tmp_path / "a.gml").write_text(PARALLEL)
    found = links(from_file(tmp_path / "a.gml"))
    assert [(link["from"], link.get("name"), link["rate"]) for link in found] == [
        ("A", None, "10 Gbit/s"),
        ("A", "A-B-2", "2.5 Gbit/s"),
        ("B", "B-A-2", "2.5 Gbit/s"),
        ("A", "A-B-3", "1 Gbit/s"),
        ("B", "B-A-3", "1 Gbit/s"),
    ]
    assert penstock("new", "a.toml", "--topology", "a.gml") == (
        0,
        "a.toml: written, with 2 nodes, 6 links, 1 flow. Try: penstock run a.toml\n",
        "",
    )
    (tmp_path / "a.gml").write_text(PARALLEL.replace('"1 Gbit/s"', '"1 Gbit"'))
    with pytest.raises(InputError, match=r"a.gml:8: edge '0' to '1': rate: '1 Gbit' is no rate"):
        from_file(tmp_path / "a.gml")
    (tmp_path / "a.gml").write_text(PARALLEL.replace("[ source 0", "[ key 0 source 0"))
    with pytest.raises(InputError, match=r"a.gml: is no GML that can be read: edge .* is duplicated"):
        from_file(tmp_path / "a.gml")
