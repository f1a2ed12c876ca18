"""What the page of a traced run holds."""

from __future__ import annotations

import base64
import json
import re
import zlib

import numpy as np
import pytest

from penstock.cli import main
from penstock.records import RunRequest
from penstock.running import run_all
from penstock.series import TimeSeries
from penstock.store import Store
from penstock.trace import PacketTrace
from penstock.view import render, view_of

NET = """
duration = "2 s"
[nodes]
a = { count = 2 }
r = {}
b = {}
[[links]]
from = "a"
to = "r"
rate = "10 Mbit/s"
delay = "1 ms"
both-ways = true
[[links]]
from = "r"
to = "b"
rate = "1 Mbit/s"
delay = "20 ms"
both-ways = true
queue.tail-drop = { limit = "8 packets" }
[[flows]]
name = "tcp"
from = "a"
to = "b"
source.ftp = {}
transport.tcp = {}
"""
OPTIONS = {"folder": None, "sets": (), "seed": None, "replication": 0, "threads": 1}


def viewed(limit=1_000_000, **asked):
    return view_of(NET, PacketTrace(NET, **asked, **OPTIONS), "net", OPTIONS, limit)


def unpacked(view):
    types = {"Uint8": "<u1", "Uint32": "<u4", "Float32": "<f4", "Float64": "<f8"}
    return {
        name: np.frombuffer(zlib.decompress(base64.b64decode(column["data"])), types[column["type"]])
        for name, column in view.model["arrays"].items()
    }


def test_the_events_of_the_page_are_those_of_the_trace():
    view, trace = viewed(), PacketTrace(NET).frame()
    columns, model = unpacked(view), view.model
    times = np.cumsum(columns["delta"], dtype=np.int64) * 1000 + trace["time_ps"][0] // 1000 * 1000
    assert np.array_equal(times, trace["time_ps"].to_numpy() // 1000 * 1000)
    assert [model["kinds"][kind] for kind in columns["kind"]] == trace["event"].to_list()
    names = [place["name"] for place in model["places"]]
    assert [names[columns["pairPlace"][pair]] for pair in columns["pair"]] == trace["place"].to_list()
    flows = [*model["flows"], None]
    assert [flows[flow] for flow in columns["flow"]] == trace["flow"].to_list()
    windows = trace.filter(trace["event"] == "window")["cwnd"].to_numpy().astype("f4")
    assert np.array_equal(columns["window"], windows)


def test_packets_take_as_long_as_size_rate_and_delay_say():
    view, trace = viewed(), PacketTrace(NET).frame()
    columns = unpacked(view)
    rows = trace.with_row_index().filter((trace["event"] == "transmit") & (trace["place"] == "r-b"))
    for size in (40, 1500):
        at = rows.filter(rows["size"] == size)["index"][0]
        assert columns["travel"][columns["pair"][at]] == pytest.approx(size * 8 / 1e6 + 0.02, rel=1e-5)


def test_queues_are_those_of_the_series():
    view = viewed()
    columns, links = unpacked(view), view.model["queues"]
    samples = len(columns["queueTime"])
    queue = columns["queue"].reshape(len(links), samples)[links.index("r-b")]
    right = TimeSeries(NET, of="r-b", what="queue", on="change").frame()
    where = np.searchsorted(right["time_ps"].to_numpy() / 1e12, columns["queueTime"], side="right") - 1
    assert np.array_equal(queue, right["value"].to_numpy()[where])
    assert queue.max() == 8


def test_links_are_drawn_where_the_topology_has_them():
    places = {place["name"]: place["ends"] for place in viewed().model["places"]}
    assert places["r-b"] == places["b-r"][::-1]
    assert places["a[0]-r"] == places["a[1]-r"] == [places["a[0]"][0], places["r-b"][0]]


def test_the_first_events_alone_if_there_are_too_many():
    view = viewed(limit=100)
    assert len(unpacked(view)["kind"]) == 100
    assert dict(view.facts)["events"].startswith("100 (the first 100, until 0.0")
    assert dict(view.facts)["made from"].startswith("duration 2 s, warm-up 0 s, model ")


def test_the_same_bytes_and_nothing_that_ends_the_script():
    page = render(viewed(), "penstock view net.toml")
    assert page == render(viewed(), "penstock view net.toml")
    model = re.search(r'id="model">(.*?)</script>', page, re.DOTALL)[1]
    assert json.loads(model)["flows"] == ["tcp[0]", "tcp[1]"]
    assert re.findall(r'https?://[^"]*', page) == ["http://www.w3.org/2000/svg"]


def told(capsys, *words):
    with pytest.raises(SystemExit) as ended:
        main_with(words)
    return ended.value.code, capsys.readouterr()


def main_with(words):
    import sys

    before, sys.argv = sys.argv, ["penstock", *words]
    try:
        main()
    finally:
        sys.argv = before


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.toml").write_text(NET)
    code, said = told(capsys, "view", "net.toml", "--flow", "tcp[0]", "--set", "duration=1 s", "--limit", "500")
    assert code == 0
    assert re.match(r"net.html: written, \d", said.out)
    assert "500 events (the first 500, until 0." in said.err
    page = (tmp_path / "net.html").read_text()
    assert "penstock view net.toml --flow &#39;tcp[0]&#39; --set &#39;duration=1 s&#39; --limit 500" in page
    code, said = told(capsys, "view", "net.toml")
    assert (code, "exists and is left as it is" in said.err) == (2, True)
    code, said = told(capsys, "view", "net.toml", "--force", "--start", "1.9999999 s", "--flow", "tcp[7]")
    assert code == 2
    code, said = told(capsys, "view", "net.toml", "--force", "--at", "b", "--stop", "1 us")
    assert code == 2
    assert "nothing happens there and then" in said.err


def test_a_stored_run_has_no_trace_and_the_command_that_makes_one_is_told(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = Store(tmp_path / "store")
    run_all([RunRequest(NET, (("duration", "1 s"),), seed=7, replication=2, name="net")], store=store)
    [kept] = store.manifests()
    code, said = told(capsys, "view", kept.key[:8], "--store", str(store.folder))
    assert code == 2
    assert "is stored without a trace" in said.err
    assert "penstock view net.toml --seed 7 --replication 2 --set 'duration=1 s'" in said.err
