"""Damages of every kind of file that a user hands in: mistakes of the file, never bugs, backtraces or silence."""

import gzip
import io
import re
import struct
from pathlib import Path

import networkx
import polars
import pytest

import penstock as ps
from penstock.errors import PenstockError

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGE = """
duration = "1 s"
[nodes]
hosts = { count = 2 }
s = {}
[[links]]
from = "hosts"
to = "s"
rate = "1 Mbit/s"
delay = "1 ms"
both-ways = true
"""
TRACE = '[[flows]]\nname = "f"\nfrom = "hosts[0]"\nto = "s"\nsource.trace = { file = "NAME" }\n'
TRANSFERS = '[[transfers]]\nname = "t"\nfile = "NAME"\n'
SIZES = (
    '[[transfers]]\nname = "t"\nfrom = "hosts"\nto = "s"\ncount = 3\ninterval = "10 ms"\nsize.distribution = "NAME"\n'
)
MATRIX = '[[flows]]\nname = "f"\nmatrix = "NAME"\nsource.cbr = { rate = "1 bit/s", packet = "100 bytes" }\n'
RATES = 'rate-changes = { file = "NAME" }\n' + TRACE.replace("NAME", "own.csv")
STUDY = """scenario = "page.toml"
runs = 1
[grid]
"hosts-s.rate" = ["1 Mbit/s", "2 Mbit/s"]
[derived]
"hosts-s.delay" = "2 * 3 ms"
"""


def gml():
    made = networkx.Graph()
    made.add_edge("a", "b", rate="10 Mbit/s", delay="5 ms")
    return "\n".join(networkx.generate_gml(made))


def graphml():
    made = networkx.Graph()
    made.add_edge("a", "b", rate="10 Mbit/s", delay="5 ms", weight=2)
    return "\n".join(networkx.generate_graphml(made))


SNDLIB = """<?xml version="1.0" encoding="ISO-8859-1"?>
<network xmlns="http://sndlib.zib.de/network" version="1.0"><networkStructure>
<nodes coordinatesType="geographical">
<node id="A"><coordinates><x>13.4</x><y>52.5</y></coordinates></node>
<node id="B"><coordinates><x>11.6</x><y>48.1</y></coordinates></node></nodes>
<links><link id="L"><source>A</source><target>B</target>
<preInstalledModule><capacity>40.0</capacity></preInstalledModule></link></links>
</networkStructure></network>
"""


def capture():
    header = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1)
    return header + b"".join(struct.pack("<IIIIxxxx", 7, ns, 4, 100) for ns in (0, 10**6, 10**8))


def capture_ng():
    section = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)
    interface = struct.pack("<IIHHII", 1, 20, 1, 0, 0, 20)
    packets = [struct.pack("<IIIIIIIII", 6, 36, 0, 0, us, 4, 100, 0, 36) for us in (0, 1000, 10**5)]
    return section + interface + b"".join(packets)


def parquet():
    content = io.BytesIO()
    polars.DataFrame({"time": [0.0, 0.1], "size": [100, 200], "note": ["a,b", "#"]}).write_parquet(content)
    return content.getvalue()


KINDS = {
    "page.toml": (PAGE + TRACE.replace("NAME", "own.csv"), ""),
    "study.toml": (STUDY, PAGE + TRACE.replace("NAME", "own.csv")),
    "graph.gml": (gml(), None),
    "graph.graphml": (graphml(), None),
    "graph.dot": (
        'graph {\n a -- b [rate="1 Mbit/s", delay="1 ms"]\n b -- c [rate="1 Mbit/s", delay="2 ms"]\n}\n',
        None,
    ),
    "network.xml": (SNDLIB, None),
    "topology.txt": ("3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 0.001ms 0.01\n", None),
    "weights.intra": ("Bonn,+DE1 Ulm,+DE2 3\nUlm,+DE2 Bonn,+DE1 3.5\n", None),
    "trace.csv": ('time,size,note\n0,100,"a, b"\n0.1,200,c\n', TRACE),
    "trace.parquet": (parquet(), TRACE),
    "trace.pcap": (capture(), TRACE),
    "trace.pcapng": (capture_ng(), TRACE),
    "jobs.csv": ("start,from,to,bytes\n0,hosts[0],s,1000\n0.1,hosts[1],s,2000\n", TRANSFERS),
    "sizes.csv": ("bytes,probability\n0,0\n1000,0.5\n20000,1\n", SIZES),
    "sizes.txt": ("0 0\n1000 50\n20000 100\n", SIZES),
    "rates.csv": ("time,rate\n0.2,1e6\n0.5,2000000\n", RATES),
    "cell.trace": ("# made by hand\n3\n12\n12\n40\n", RATES),
    "loads.csv": (',hosts[0],s\nhosts[0],0,1000\ns,"2 kbit/s",0\n', MATRIX),
}


def replaced_number(content):
    return re.sub(rb"\d+", b"9" * 6000, content, count=1)


def middle(insert):
    return lambda content: content[: len(content) // 2] + insert + content[len(content) // 2 :]


# Ten of each make 10^15 letters of the last.
ENTITIES = (
    b'<!DOCTYPE q [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (letter, b"&%c;" % (letter - 1) * 10) for letter in b"bcdefghijklmno")
    + b"]><q>&o;</q>"
)

DAMAGES = {
    "none": lambda content: content,
    "empty": lambda _: b"",
    "blank": lambda _: b"\n \n",
    "a NUL in the middle": middle(b"\0"),
    "a NUL at the end": lambda content: content + b"\0",
    "no UTF-8": middle(b"\xff\xfe"),
    "a control character": middle(b"\x1b[2J"),
    "a BOM": lambda content: b"\xef\xbb\xbf" + content,
    "UTF-16": lambda content: content.decode("latin-1").encode("utf-16"),
    "UTF-16 without a mark": lambda content: content.decode("latin-1").encode("utf-16-le"),
    "gzip": lambda content: gzip.compress(content, mtime=0),
    "lines that end otherwise": lambda content: content.replace(b"\n", b"\r"),
    "half": lambda content: content[: len(content) // 2],
    "all but a byte": lambda content: content.rstrip()[:-1],
    "twice": lambda content: content + content,
    "a long number": replaced_number,
    "a long line": lambda content: content + b"x" * 300_000,
    "a quote": middle(b'"'),
    "brackets": middle(b"[" * 3000),
    "braces": middle(b"{" * 3000),
    "parentheses": middle(b"(" * 3000),
    "nested tables": lambda content: content + b"\nq = " + b"[" * 3000 + b"]" * 3000,
    "nested keys": lambda content: content + b"\n" + b"q." * 3000 + b"q = 1\n",
    "nested elements": middle(b"<q>" * 100_000),
    "nested records": middle(b" a [ " * 3000 + b" ] " * 3000),
    "an unknown encoding": lambda content: content.replace(b"ISO-8859-1", b"utf-7").replace(b"'utf-8'", b"'hex'"),
    "entities": lambda _: ENTITIES,
    "no text": lambda content: bytes(range(256)) * (len(content) // 256 + 1),
}
"""What happens to files; each may leave a file sound."""


def read(penstock, tmp_path, name, content):
    """What a command says that reads a file of this content."""
    (tmp_path / "own.csv").write_text("time,size\n0,100\n")
    (tmp_path / name).write_bytes(content)
    _, around = KINDS[name]
    if around is None:
        return penstock("new", "new.toml", "--topology", name, "--set", "rate-unit=Mbit/s", *graph_settings(name))
    if name != "page.toml":
        (tmp_path / "page.toml").write_text(around if "[nodes]" in around else PAGE + around.replace("NAME", name))
    return penstock("check", "study.toml" if name == "study.toml" else "page.toml")


def graph_settings(name):
    settings = {"network.xml": ["delay=1 ms"], "weights.intra": ["rate=1 Gbit/s", "delay=1 ms"]}
    return [word for setting in settings.get(name, ()) for word in ("--set", setting)]


def original(name):
    content, _ = KINDS[name]
    return content if isinstance(content, bytes) else content.encode()


def is_a_mistake_of_the_file(name, code, out, err):
    told = f"{name}: {code}\n{out}\n{err}"
    assert code in {0, 2}, told
    assert "bug in Penstock" not in out + err, told
    assert "Traceback" not in out + err, told
    assert "panicked" not in err, told
    if code == 2:
        assert name in err, told
        assert len(err.splitlines()) < 60, told


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", [name for name in KINDS if not name.endswith(".parquet")])
def test_a_damaged_file_is_a_mistake_of_the_file(penstock, tmp_path, name, damage):
    code, out, err = read(penstock, tmp_path, name, DAMAGES[damage](original(name)))
    is_a_mistake_of_the_file(name, code, out, err)
    if damage == "none":
        assert code == 0, err
    # XML may be in UTF-16.
    if damage in {"empty", "blank", "gzip", "no text"} or (
        damage == "UTF-16" and name not in {"graph.graphml", "network.xml"}
    ):
        assert code == 2


# Each starts a process.
@pytest.mark.parametrize("damage", ["none", "half", "a NUL in the middle", "no text", "all but a byte"])
def test_damaged_parquet_is_a_mistake_of_the_file(penstock, tmp_path, damage):
    code, out, err = read(penstock, tmp_path, "trace.parquet", DAMAGES[damage](original("trace.parquet")))
    is_a_mistake_of_the_file("trace.parquet", code, out, err)
    assert code == (0 if damage == "none" else 2), err


@pytest.mark.parametrize(
    "name", ["trace.pcap", "trace.pcapng", "graph.gml", "graph.graphml", "network.xml", "page.toml"]
)
def test_any_byte_may_be_wrong(penstock, tmp_path, name):
    content = original(name)
    for position in range(0, len(content), max(1, len(content) // 20)):
        for wrong in (0, 0xFF):
            changed = content[:position] + bytes([wrong]) + content[position + 1 :]
            (tmp_path / "new.toml").unlink(missing_ok=True)
            is_a_mistake_of_the_file(name, *read(penstock, tmp_path, name, changed))


@pytest.mark.parametrize("name", ["graph.gml", "trace.csv", "page.toml"])
def test_a_folder_in_the_place_of_a_file(penstock, tmp_path, name):
    read(penstock, tmp_path, name, original(name))
    (tmp_path / "new.toml").unlink(missing_ok=True)
    (tmp_path / name).unlink()
    (tmp_path / name).mkdir()
    words = ("new", "new.toml", "--topology", name) if name == "graph.gml" else ("check", "page.toml")
    code, out, err = penstock(*words)
    assert code == 2
    is_a_mistake_of_the_file(name, code, out, err)


def write_study(folder, derived):
    head = 'scenario = "page.toml"\nruns = 1\n[grid]\nn = [1, 2]\n[derived]\n"hosts-s.rate" = "x0 * 1 Mbit/s"\n'
    (folder / "study.toml").write_text(head + "".join(f'{name} = "{text}"\n' for name, text in derived.items()))


def test_a_chain_of_derived_values_is_limited(penstock, tmp_path):
    (tmp_path / "page.toml").write_text(KINDS["page.toml"][0])
    (tmp_path / "own.csv").write_text("time,size\n0,100\n")
    for length, code in ((49, 0), (50, 2), (2000, 2)):
        write_study(tmp_path, {f"x{i}": f"x{i + 1} + 1" for i in range(length - 1)} | {f"x{length - 1}": "n"})
        found, out, err = penstock("check", "study.toml")
        assert found == code, err
        is_a_mistake_of_the_file("study.toml", found, out, err)
    assert "study.toml:6: derived.hosts-s.rate: uses a chain of more than 50 derived values" in err
    brackets = "(" * 45 + "NEXT" + " + 1)" * 45
    write_study(tmp_path, {f"x{i}": brackets.replace("NEXT", f"x{i + 1}") for i in range(40)} | {"x40": "n"})
    is_a_mistake_of_the_file("study.toml", *penstock("check", "study.toml"))


def nested(levels):
    value = {}
    for _ in range(levels):
        value = {"a": value}
    return value


def circular():
    value = []
    value.append(value)
    return value


@pytest.mark.parametrize(
    "value",
    [
        "a\0b",
        "\ud800",
        "x" * 100_000,
        10**5000,
        -1,
        float("nan"),
        b"bytes",
        object(),
        nested(5000),
        circular(),
        [[]] * 3,
    ],
    ids=["NUL", "surrogate", "long", "digits", "negative", "nan", "bytes", "object", "deep", "circular", "lists"],
)
@pytest.mark.parametrize("where", ["name", "rate", "queue", "pause", "setting", "graph"])
def test_networks_made_in_python_are_refused_with_a_reason(value, where):
    with pytest.raises((PenstockError, TypeError, ValueError)) as raised:
        build(value, where)
    assert not isinstance(raised.value, RecursionError)


def build(value, where):
    if where == "graph":
        graph = networkx.Graph()
        graph.add_edge("a", "b", rate=value, delay="1 ms")
        return ps.from_networkx(graph)
    net = ps.Network()
    a = net.node(value if where == "name" else "a", **({"pause": {"xoff": value}} if where == "pause" else {}))
    b = net.node("b")
    queue = {"queue": ps.TailDrop(limit=value)} if where == "queue" else {}
    net.link(a, b, rate=value if where == "rate" else "1 Mbit/s", delay="1 ms", **queue)
    net.flows("f", a, b, source=ps.Cbr(rate="1 kbit/s", packet="100 bytes"))
    study = ps.Study(net, duration="1 s")
    if where == "setting":
        study = study.vary("f.source.cbr.rate", [value, "1 kbit/s"])
    return study.runs(1).run()
