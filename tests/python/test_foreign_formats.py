"""Topologies and traffic of other simulators' users: read, or refused with the line that converts them."""

import re
import shutil
import subprocess
import tomllib
import warnings

import pytest

from penstock.errors import InputError
from penstock.graphs import from_file

PAGE = 'duration = "1 s"\n'


def links(net):
    return tomllib.loads(net.toml(duration="1 s"))["links"]


def test_the_topology_of_hpcc_is_read(penstock, tmp_path):
    (tmp_path / "topology.txt").write_text(
        "4 1 3\n3\n0 3 100Gbps 0.001ms 0\n1 3 100Gbps 1000ns 0.000000\n2 3 25Gbps 1us 0.01\n"
    )
    found = links(from_file(tmp_path / "topology.txt"))
    assert [(link["from"], link["rate"], link["delay"]) for link in found[:2]] == [
        ("0", "100 Gbit/s", "1 us"),
        ("1", "100 Gbit/s", "1 us"),
    ]
    # Each way has its own impairments.
    assert [(link["from"], link["impairment"]) for link in found[2:]] == [
        ("2", {"loss": {"probability": 0.01}}),
        ("3", {"loss": {"probability": 0.01}}),
    ]
    assert penstock("new", "new.toml", "--topology", "topology.txt")[0] == 0
    assert penstock("run", "new.toml", "--runs", "1", "--set", "duration=10 ms")[0] == 0


def test_a_topology_of_hpcc_spreads_flows_over_equal_paths(penstock, tmp_path):
    # Hosts 0 and 1, leaves 2 and 3, spines 4 and 5.
    ends = ("0 2", "1 3", "2 4", "2 5", "3 4", "3 5")
    text = "6 4 6\n2 3 4 5\n" + "".join(f"{each} 100Gbps 1us 0\n" for each in ends)
    (tmp_path / "topology.txt").write_text(text)
    assert tomllib.loads(from_file(tmp_path / "topology.txt").toml(duration="1 s"))["routing"] == "ecmp"
    assert penstock("new", "new.toml", "--topology", "topology.txt")[0] == 0
    assert penstock("check", "new.toml")[0] == 0


def test_mistakes_in_a_topology_of_hpcc_have_their_lines(tmp_path):
    (tmp_path / "topology.txt").write_text("3 1 3\n0\n0 1 100Gbps 1us\n0 7 1Gbps 1us 0\n0 1 1Gbps 1us 2\n")
    with pytest.raises(InputError) as raised:
        from_file(tmp_path / "topology.txt")
    assert str(raised.value).replace(str(tmp_path), "").splitlines() == [
        "/topology.txt:3: has 4 fields; a link has two nodes, rate, delay and error rate",
        "/topology.txt:4: there is no node '7'; 0 to 2",
    ]
    (tmp_path / "topology.txt").write_text("2 0 1\n0 1 1Gbps 1us 2\n")
    with pytest.raises(InputError, match=r"topology.txt:2: edge '0' to '1': loss_probability: '2' is out of range"):
        from_file(tmp_path / "topology.txt")


def test_rocketfuel_s_weights_and_latencies_are_read(tmp_path):
    (tmp_path / "weights.intra").write_text("Bonn,+DE1 Ulm,+DE2 3\nUlm,+DE2 Bonn,+DE1 3.5\n")
    with pytest.warns(UserWarning, match="2 nodes have other names"):
        net = from_file(tmp_path / "weights.intra", rate="1 Gbit/s", delay="2 ms")
    assert [(link["from"], link["to"], link["weight"]) for link in links(net)] == [
        ("Bonn-DE1", "Ulm-DE2", 3),
        ("Ulm-DE2", "Bonn-DE1", 3.5),
    ]
    (tmp_path / "latencies.intra").write_text("a b 3\nb a 4\na c\n")
    with pytest.raises(InputError, match=r"latencies.intra:3: has 2 fields; a link has two cities and its latency"):
        from_file(tmp_path / "latencies.intra", rate="1 Gbit/s")
    (tmp_path / "latencies.intra").write_text("a b 3\nb a 4\n")
    net = from_file(tmp_path / "latencies.intra", rate="1 Gbit/s")
    assert [link["delay"] for link in links(net)] == ["3 ms", "4 ms"]


SNDLIB = """<?xml version="1.0" encoding="ISO-8859-1"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0"><networkStructure>
<nodes coordinatesType="geographical">
<node id="Berlin"><coordinates><x>13.405</x><y>52.52</y></coordinates></node>
<node id="Ulm"><coordinates><x>9.99</x><y>48.4</y></coordinates></node>
<node id="Bonn"><coordinates><x>7.1</x><y>50.73</y></coordinates></node></nodes>
<links>
<link id="L1"><source>Berlin</source><target>Ulm</target>
<preInstalledModule><capacity>40.0</capacity><cost>0.0</cost></preInstalledModule></link>
<link id="L2"><source>Ulm</source><target>Bonn</target>
<additionalModules><addModule><capacity>10.0</capacity><cost>1.0</cost></addModule></additionalModules></link>
<link id="L3"><source>Bonn</source><target>Berlin</target><additionalModules>
<addModule><capacity>10.0</capacity></addModule><addModule><capacity>40.0</capacity></addModule></additionalModules></link>
</links></networkStructure>
<demands><demand id="D1"><source>Bonn</source><target>Ulm</target><demandValue>3.0</demandValue></demand></demands>
</network>
"""


def test_a_network_of_sndlib_is_read(tmp_path):
    file = tmp_path / "small.xml"
    file.write_text(SNDLIB)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        net = from_file(file, rate="1 Gbit/s", rate_unit="Gbit/s", delay_per_km="5 us")
    found = links(net)
    assert [(link["from"], link["to"], link["rate"]) for link in found] == [
        ("Berlin", "Ulm", "40 Gbit/s"),
        ("Berlin", "Bonn", "1 Gbit/s"),
        ("Ulm", "Bonn", "10 Gbit/s"),
    ]
    # 514 km, by hand with the haversine.
    assert found[0]["delay"].startswith("2.5")
    assert sorted(str(warning.message) for warning in said) == [
        "1 demand left out; [[transfers]] take a matrix of loads",
        "1 link could have one of several capacities, and none is taken; choose one",
        "3 delays from latitude and longitude: great circle, 5 us a km",
    ]
    file.write_text(SNDLIB.replace("<target>Ulm<", "<target>Köln<"), encoding="latin-1")
    with pytest.raises(InputError, match=r"small\.xml: link 'L1': there is no node 'Köln'"):
        from_file(file)


FAT_TREE = """# a comment
Nodes 16
Tiers 3
Podsize 4
Tier 0
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 500
Tier 1
Downlink_speed_Gbps 200
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 1000
Tier 2
Downlink_speed_Gbps 200
Radix_Down 4
Downlink_Latency_ns 1000
"""
LEAF_SPINE = """Nodes 32
Tiers 2
Podsize 32

Tier 0
Downlink_speed_Gbps 100
Radix_Down 8
Radix_Up 2
Downlink_Latency_ns 1000
Tier 1
Downlink_speed_Gbps 100
Radix_Down 4
Downlink_Latency_ns 1000
"""


@pytest.mark.parametrize(
    ("text", "settings", "sizes"),
    [
        (
            FAT_TREE,
            "fat-tree --set ports=4 --set rate='200 Gbit/s' --set delay='1000 ns' --set host-rate='100 Gbit/s' "
            "--set host-delay='500 ns'",
            "36 nodes, 96 links",
        ),
        (
            LEAF_SPINE,
            "leaf-spine --set leaves=4 --set spines=2 --set hosts=8 --set rate='100 Gbit/s' --set delay='1000 ns'",
            "38 nodes, 80 links",
        ),
    ],
)
def test_a_topology_of_htsim_is_a_command(penstock, tmp_path, text, settings, sizes):
    (tmp_path / "a.topo").write_text(text)
    code, _, err = penstock("new", "a.toml", "--topology", "a.topo")
    assert (code, err) == (
        2,
        f"a.topo: is a topology of htsim, which is generated here: penstock new FILE --topology {settings}\n",
    )
    words = re.findall(r"[^\s']+'[^']*'|\S+", settings)
    code, out, _ = penstock("new", "a.toml", "--topology", *(word.replace("'", "") for word in words))
    assert code == 0
    assert sizes in out


def test_a_topology_of_htsim_that_no_command_makes_is_told(penstock, tmp_path):
    (tmp_path / "a.topo").write_text(FAT_TREE.replace("Nodes 16", "Nodes 15"))
    code, _, err = penstock("new", "a.toml", "--topology", "a.topo")
    assert code == 2
    assert "its numbers are none of a fat tree or a leaf-spine network" in err


def converted(penstock, tmp_path, scenario, name):
    """The scenario's CSV, made by the line that the message has."""
    (tmp_path / "s.toml").write_text(scenario + f'[[transfers]]\nname = "t"\nfile = "{name}"\n')
    code, _, err = penstock("check", "s.toml")
    assert code == 2
    line = re.search(r"awk .* > \w+\.(csv|txt)", err)[0]
    subprocess.run(["bash", "-c", line], cwd=tmp_path, check=True)
    text = scenario + '[[transfers]]\nname = "t"\nfile = "transfers.csv"\n'
    (tmp_path / "s.toml").write_text(text)
    code, _, err = penstock("check", "s.toml")
    assert code == 0, err
    return (tmp_path / "transfers.csv").read_text().splitlines()


needs_awk = pytest.mark.skipif(shutil.which("awk") is None, reason="needs awk")


@needs_awk
def test_transfers_of_hpcc_are_converted_by_the_line_that_is_told(penstock, tmp_path):
    (tmp_path / "topology.txt").write_text("3 1 2\n2\n0 2 100Gbps 1us 0\n1 2 100Gbps 1us 0\n")
    scenario = from_file(tmp_path / "topology.txt").toml(duration="3 s")
    (tmp_path / "flow.txt").write_text("2\n0 1 3 100 200000 2\n1 0 3 101 5000 2.000000013\n")
    assert converted(penstock, tmp_path, scenario, "flow.txt") == [
        "start,from,to,bytes",
        "2,0,1,200000",
        "2.000000013,1,0,5000",
    ]
    code, _, err = penstock("new", "new.toml", "--topology", "flow.txt")
    assert code == 2
    assert "flow.txt: lists transfers, not links" in err


@needs_awk
def test_a_connection_matrix_of_htsim_is_converted_by_the_line_that_is_told(penstock, tmp_path):
    assert penstock("new", "tree.toml", "--topology", "fat-tree", "--set", "ports=8")[0] == 0
    scenario = (tmp_path / "tree.toml").read_text()
    matrix = (
        "Nodes 128\nConnections 3\n# none\n0->127 id 1 start 1500000 size 2000000\n5->16 start 0 size 1500\n"
        "1->2 id 9 trigger 1 size 7\n"
    )
    (tmp_path / "a.cm").write_text(matrix)
    # With 4 hosts a switch and 4 switches a pod, host 5 is the second at the second switch of the first pod. That is
    # switch 8 here, and its second host is 32 + 8. Host 127 is the last of the last pod, 16 the first of the second.
    assert converted(penstock, tmp_path, scenario, "a.cm") == [
        "start,from,to,bytes",
        "0.000001500000,host[0],host[127],2000000",
        "0.000000000000,host[40],host[1],1500",
    ]
    code, _, err = penstock("new", "new.toml", "--topology", "a.cm")
    assert code == 2
    assert "a.cm: lists transfers, not links" in err


@needs_awk
def test_sizes_of_ns_2_are_converted_by_the_line_that_is_told(penstock, tmp_path):
    page = (
        'duration = "1 s"\nnodes = { a = {}, b = {} }\n[[links]]\nfrom = "a"\nto = "b"\nrate = "1 Mbit/s"\n'
        'delay = "1 ms"\nboth-ways = true\n[[transfers]]\nname = "t"\nfrom = "a"\nto = "b"\ncount = 3\n'
        'interval = "10 ms"\nsize.distribution = "SIZES"\n'
    )
    (tmp_path / "CDF.txt").write_text("1 1 0\n10 1 0.5\n100 1 1\n")
    (tmp_path / "s.toml").write_text(page.replace("SIZES", "CDF.txt"))
    code, _, err = penstock("check", "s.toml")
    assert code == 2
    subprocess.run(["bash", "-c", re.search(r"awk .* > sizes\.txt", err)[0]], cwd=tmp_path, check=True)
    assert (tmp_path / "sizes.txt").read_text() == "1460 0\n14600 0.5\n146000 1\n"
    (tmp_path / "s.toml").write_text(page.replace("SIZES", "sizes.txt"))
    assert penstock("check", "s.toml")[0] == 0
