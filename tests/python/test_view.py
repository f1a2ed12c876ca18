"""Contents of the page of a traced run."""

from __future__ import annotations

import base64
import json
import re
import zlib

import numpy as np
import polars as pl
import pytest

from penstock.cli import main
from penstock.records import RunRequest
from penstock.running import run_all
from penstock.series import TimeSeries
from penstock.store import Store
from penstock.trace import PacketTrace
from penstock.view.page import CAUSES, packet_numbers, queues_of, render, view_of

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
    types = {"Uint8": "<u1", "Uint32": "<u4", "Float64": "<f8"}
    return {
        name: np.frombuffer(zlib.decompress(base64.b64decode(column["data"])), types[column["type"]])
        for name, column in view.model["arrays"].items()
    }


def times_ps(columns, model):
    micros = np.cumsum(columns["micros"]).astype(np.int64) + model["begin"]
    return micros * 1_000_000 + columns["picos"]


def test_the_events_of_the_page_are_those_of_the_trace():
    view, trace = viewed(), PacketTrace(NET).frame()
    columns, model = unpacked(view), view.model
    assert times_ps(columns, model).tolist() == trace["time_ps"].to_list()
    assert [model["kinds"][kind] for kind in columns["kind"]] == trace["event"].to_list()
    causes = [*(cause["name"] for cause in model["causes"])]
    assert [None if n == 255 else causes[n] for n in columns["cause"]] == trace["cause"].to_list()
    assert [model["places"][place] for place in columns["place"]] == trace["place"].to_list()
    flows = [*model["flows"], None]
    assert [flows[flow] for flow in columns["flow"]] == trace["flow"].to_list()
    windows = trace.filter(trace["event"] == "window")["cwnd"].to_list()
    assert columns["window"].tolist() == windows
    none = 2**32 - 1
    for name, empty in {"sequence": none, "acknowledgement": none, "size": none, "retransmission": False}.items():
        of_packet = [None if n == none else columns[name][n] for n in columns["packet"]]
        known = [empty if each is None else each for each in trace[name].to_list()]
        assert [empty if each is None else each for each in of_packet] == known


def test_each_packet_goes_from_its_sender_to_its_receiver():
    view, trace = viewed(), PacketTrace(NET).frame()
    columns = unpacked(view)
    numbered = trace.with_columns(pl.Series("number", columns["packet"])).filter(pl.col("packet").is_not_null())
    ways = numbered.group_by("number", maintain_order=True).agg(pl.col("event").cast(str), pl.col("place").cast(str))
    steps = ["send", "accept", "transmit", "accept", "transmit", "receive"]
    whole = 0
    known = [["a[0]", "a[0]-r", "a[0]-r", "r-b", "r-b", "b"], ["a[1]", "a[1]-r", "a[1]-r", "r-b", "r-b", "b"]]
    known += [["b", "b-r", "b-r", f"r-a[{n}]", f"r-a[{n}]", f"a[{n}]"] for n in (0, 1)]
    for events, places in ways.select("event", "place").iter_rows():
        assert any(places == way[: len(places)] for way in known)
        assert events == steps[: len(events)] or events == [*steps[:3], "drop"]
        whole += events == steps
    drops = numbered.filter(numbered["event"] == "drop").height
    assert drops > 10
    assert whole > 100
    assert numbered["number"].n_unique() == numbered.filter(numbered["event"] == "send").height


def test_duplicate_acknowledgements_are_told_apart():
    """Same flow, same number, both on the way: each event happens to the one that has waited longest there."""
    kinds = {"flow": "f", "packet": "acknowledgement", "sequence": None, "acknowledgement": 7, "size": 40}
    rows = [
        ("send", "b"), ("accept", "b-a"), ("transmit", "b-a"), ("send", "b"), ("accept", "b-a"),
        ("receive", "a"), ("transmit", "b-a"), ("receive", "a"),
    ]  # fmt: skip
    events = pl.DataFrame(
        [{**kinds, "event": event, "cause": None, "place": at, "retransmission": False} for event, at in rows],
        schema_overrides={"sequence": pl.UInt32, "cause": pl.String},
    )
    assert packet_numbers(events, {"b-a": ("b", "a")}) == [0, 0, 0, 1, 1, 0, 1, 1]


def test_queues_are_those_of_the_series():
    view = viewed()
    columns, links = unpacked(view), view.model["queues"]
    link = links.index("r-b")
    first, stop = columns["queueBegin"][link], columns["queueBegin"][link + 1]
    begin = times_ps(columns, view.model)[0]
    times = begin + np.cumsum(columns["queueGap"]).astype(np.int64)
    right = TimeSeries(NET, of="r-b", what="queue", on="change").frame()
    assert times[first:stop].tolist() == right["time_ps"].to_list()
    assert columns["queue"][first:stop].tolist() == right["value"].to_list()
    assert columns["queue"][first:stop].max() == 8


def test_a_drop_is_told_with_the_queue_of_its_instant():
    view, trace = viewed(), PacketTrace(NET).frame()
    columns = unpacked(view)
    decided = trace.filter(trace["event"].is_in(["drop", "mark"]))
    right = TimeSeries(NET, of="r-b", what="queue", on="change").frame()
    for at, place, held in zip(decided["time_ps"], decided["place"], columns["decidedQueue"], strict=True):
        assert place == "r-b"
        assert held == right.filter(right["time_ps"] <= at)["value"][-1]
    assert 8 in columns["decidedQueue"]
    assert view.model["causes"][0]["why"] == "because its queue was full"
    [port] = [port for port in view.model["network"]["ports"]["kinds"] if "8 packets" in port["queue"]]
    assert port["queue"] == "tail-drop (limit 8 packets)"


def test_too_many_changes_of_queues_are_thinned_and_the_last_of_each_interval_stays():
    trace = PacketTrace(NET).frame()
    decided = trace.filter(trace["event"] == "drop")
    asked = (NET, "net", OPTIONS, ["r-b"], ["r-b"], (0, int(trace["time_ps"][-1])), decided)
    whole, thinned = queues_of(*asked), queues_of(*asked, most=50)
    assert (whole.is_thinned, thinned.is_thinned) == (False, True)
    assert thinned.changes.height <= 51
    assert thinned.at_events.equals(whole.at_events)
    kept = thinned.changes.join(whole.changes, on=["link", "time_ps", "value"], how="semi")
    assert kept.height == thinned.changes.height


def test_every_cause_of_a_drop_or_mark_is_explained():
    known = {cause["name"] for cause in viewed().model["causes"]}
    timers = {"start", "stop", "retransmission", "pacing", "delayed-retransmission", "delayed-acknowledgement", "page"}
    assert known - timers - {"report"} == set(CAUSES)


def test_the_first_events_alone_if_there_are_too_many():
    view = viewed(limit=100)
    assert len(unpacked(view)["kind"]) == 100
    [warning] = view.warnings
    assert warning.startswith("This page has the first 100 events, until 0.0")
    assert view.run.startswith("duration 2 s, warm-up 0 s, model ")


def test_the_same_bytes_and_nothing_that_ends_the_script():
    page = render(viewed(), "penstock view net.toml")
    assert page == render(viewed(), "penstock view net.toml")
    model = re.search(r'id="model">(.*?)</script>', page, re.DOTALL)[1]
    assert json.loads(model)["flows"] == ["tcp[0]", "tcp[1]"]
    assert re.findall(r'https?://[^"]*', page) == []


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
    assert "This page has the first 500 events, until 0." in said.err
    page = (tmp_path / "net.html").read_text()
    assert "penstock view net.toml --flow &#39;tcp[0]&#39; --set &#39;duration=1 s&#39; --limit 500" in page
    code, said = told(capsys, "view", "net.toml")
    assert (code, "exists and is left as it is" in said.err) == (2, True)
    code, said = told(capsys, "view", "net.toml", "--force", "--start", "1.9999999 s", "--flow", "tcp[7]")
    assert code == 2
    code, said = told(capsys, "view", "net.toml", "--force", "--at", "b", "--stop", "1 us")
    assert code == 2
    assert "nothing happens there and then" in said.err


def test_a_page_is_not_viewed_again(tmp_path, capsys):
    page = tmp_path / "x.html"
    page.write_text("<!doctype html>")
    code, said = told(capsys, "view", str(page))
    assert code == 2
    assert "is a page already: open it in a browser. RUN is a scenario (TOML)." in said.err
    assert page.read_text() == "<!doctype html>"


def test_a_stored_run_has_no_trace_and_the_command_that_makes_one_is_told(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = Store(tmp_path / "store")
    run_all([RunRequest(NET, (("duration", "1 s"),), seed=7, replication=2, name="net")], store=store)
    [kept] = store.manifests()
    code, said = told(capsys, "view", kept.key[:8], "--store", str(store.folder))
    assert code == 2
    assert "is stored without a trace" in said.err
    assert "penstock view net.toml --seed 7 --replication 2 --set 'duration=1 s'" in said.err
