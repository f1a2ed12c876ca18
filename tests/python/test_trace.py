"""Traces: what they hold, that they change nothing, and what becomes of a full disk."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import polars as pl
import pytest
from observed_network import CLI
from observed_network import MARKING as TEXT

from penstock import _core, rows
from penstock.errors import ArgumentError, InputError, PenstockError, ScenarioError
from penstock.trace import PacketTrace


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    return PacketTrace(TEXT).frame()


def count(frame: pl.DataFrame, event: str) -> int:
    return frame.filter(event=event).height


def test_the_events_of_a_trace_add_up_to_the_numbers_of_the_run(frame):
    run = _core.Scenario(TEXT).run(1, 0)
    metrics = {
        (name, dict(labels).get("of"), dict(labels).get("cause")): value for name, labels, _, value in run.metrics
    }
    dropped = frame.filter(event="drop", place="r1-r2")
    assert (
        dropped.height == sum(value for (name, of, _), value in metrics.items() if (name, of) == ("drops", "r1-r2")) > 0
    )
    data = frame.filter(pl.col("packet").is_in(["segment", "datagram"]))
    assert count(data, "receive") == run.delivered
    # What has been sent has been received or dropped, but for what was under way at the end.
    under_way = count(frame, "send") - count(frame, "receive") - count(frame, "drop")
    assert 0 <= under_way < 100
    retransmitted = frame.filter(event="send", retransmission=True)
    assert retransmitted.height > 0
    assert frame["time_ps"].is_sorted()


def test_every_kind_of_event_has_its_columns(frame):
    assert set(frame["event"].unique()) == {"send", "accept", "mark", "drop", "transmit", "receive", "timer", "window"}
    of_packets = frame.filter(~pl.col("event").is_in(["timer", "window"]))
    for column in ("packet", "size", "precedence", "ecn", "pcn"):
        assert of_packets[column].null_count() == 0
        assert frame.filter(pl.col("event").is_in(["timer", "window"]))[column].null_count() > 0
    assert set(frame.filter(event="drop")["cause"].unique()) <= {"early", "forced", "overflow"}
    assert set(frame.filter(event="mark")["cause"].unique()) == {"discipline"}
    assert frame.filter(event="mark")["ecn"].unique().to_list() == ["ce"]
    assert "retransmission" in frame.filter(event="timer")["cause"]
    assert frame.filter(event="window")["cwnd"].null_count() == 0
    assert frame.filter(packet="acknowledgement")["acknowledgement"].null_count() == 0
    assert frame.filter(packet="segment")["acknowledgement"].null_count() == frame.filter(packet="segment").height
    assert set(frame.filter(pl.col("flow") == "voice[0]")["class"].unique()) == {"ef"}


def test_a_packet_takes_its_transmission_time_and_the_delay_of_the_link(frame):
    # 160 bytes: 0.128 ms on the access link, 1.28 ms on the bottleneck; delays of 1 and 10 ms.
    first = frame.filter(pl.col("flow") == "voice[0]", pl.col("sequence") == 0)
    times = {(event, place): time for time, event, place in first.select("time_ps", "event", "place").iter_rows()}
    sent = times["transmit", "hosts[0]-r1"]
    assert times["accept", "r1-r2"] == sent + 1_128_000_000
    assert times["accept", "r2-server"] == times["transmit", "r1-r2"] + 11_280_000_000
    assert times["receive", "server"] == times["transmit", "r2-server"] + 1_128_000_000


@pytest.mark.parametrize(
    ("options", "keeps"),
    [
        ({"events": ["drop", "mark"]}, pl.col("event").is_in(["drop", "mark"])),
        ({"flows": "voice"}, pl.col("flow") == "voice[0]"),
        ({"flows": ["tcp[1-2]"]}, pl.col("flow").is_in(["tcp[1]", "tcp[2]"])),
        ({"at": "r1-r2"}, pl.col("place") == "r1-r2"),
        ({"at": "hosts[1]-r1"}, pl.col("place") == "hosts[1]-r1"),
        ({"at": "hosts-r1"}, pl.col("place").cast(pl.String).str.contains(r"^hosts\[.\]-r1$")),
        # A node has the ports of the links that begin there.
        ({"at": "hosts[1]"}, pl.col("place").is_in(["hosts[1]", "hosts[1]-r1"])),
        ({"start": "1 s", "stop": "1.5 s"}, pl.col("time_ps").is_between(10**12, 3 * 10**12 // 2)),
        ({"at": "r1", "events": "drop", "flows": "tcp[0]"}, (pl.col("event") == "drop") & (pl.col("flow") == "tcp[0]")),
    ],
)
def test_filters_keep_what_they_say_of_the_whole(frame, options, keeps):
    kept = PacketTrace(TEXT, **options).frame()
    assert kept.equals(frame.filter(keeps))
    assert 0 < kept.height < frame.height


def test_a_scenario_says_what_is_kept_and_options_stand_in_its_place(frame):
    text = TEXT + '[[trace]]\nevents = ["drop"]\n[[trace]]\nat = "r2-server"\nstop = "1 s"\n'
    said = (pl.col("event") == "drop") | ((pl.col("place") == "r2-server") & (pl.col("time_ps") <= 10**12))
    assert PacketTrace(text).frame().equals(frame.filter(said))
    assert PacketTrace(text, events="mark").frame().equals(frame.filter(event="mark"))
    # Nor does it name other runs: their results do not depend on it.
    plain, traced = _core.Scenario(TEXT), _core.Scenario(text)
    assert plain.canonical == traced.canonical
    assert plain.run(1, 0).digest == traced.run(1, 0).digest


def test_the_bytes_are_the_same_for_every_executor_and_thread_count(tmp_path):
    files = {"parquet": set(), "csv": set()}
    for executor, threads in [("horizon", 1), ("plain", 1), ("horizon", 2), ("horizon", 3)]:
        for form, contents in files.items():
            path = tmp_path / f"{executor}{threads}.{form}"
            trace = PacketTrace(TEXT, executor=executor, threads=threads)
            assert (trace.write_csv(path) if form == "csv" else trace.write_parquet(path)) > 0
            contents.add(path.read_bytes())
    assert [len(contents) for contents in files.values()] == [1, 1]


def test_pieces_of_any_size_are_the_whole(frame, monkeypatch):
    monkeypatch.setattr(rows, "ROWS", 500)
    for size in (499, 777, 2**40):  # of the last, nothing is reserved
        pieces = list(PacketTrace(TEXT).frames(size))
        assert {piece.height for piece in pieces[:-1]} <= {size}
        assert pl.concat(pieces).equals(frame)
    with pytest.raises(ArgumentError, match="rows: 0 is no number of rows"):
        next(PacketTrace(TEXT).frames(0))


@pytest.mark.parametrize("asked", [{"start": 1}, {"at": [1]}])
def test_an_option_that_is_no_text_is_named(asked):
    (key,) = asked
    with pytest.raises(ArgumentError, match=rf"^{key}: needs a text, such as '10 ms' or a name, .* not \[?1"):
        PacketTrace(TEXT, **asked)


def test_a_trace_is_read_once(tmp_path):
    trace = PacketTrace(TEXT, events="drop")
    first = next(trace.frames(1))
    assert first.height == 1
    # Captures have all packets or none.
    with pytest.raises(InputError, match="have been read; make another"):
        trace.write_pcapng(tmp_path / "t")
    assert trace.frame().height > 1
    for again in (trace.frame, lambda: trace.write_csv(tmp_path / "t.csv"), lambda: trace.write_pcapng(tmp_path / "t")):
        with pytest.raises(InputError, match="have been read; make another"):
            again()
    assert list(tmp_path.iterdir()) == []


def test_parquet_and_csv_hold_what_the_frame_holds(frame, tmp_path):
    assert PacketTrace(TEXT).write_parquet(tmp_path / "t.parquet") == frame.height
    assert pl.read_parquet(tmp_path / "t.parquet").equals(frame)
    PacketTrace(TEXT).write_csv(tmp_path / "t.csv")
    assert pl.read_csv(tmp_path / "t.csv", schema=frame.schema).equals(frame)


def test_every_row_says_what_was_run_in_each_form(tmp_path):
    about = {
        "scenario": "net",
        "settings": '{"r1-r2.delay": "11 ms"}',
        "duration_s": 4.0,
        "warm_up_s": 0.0,
        "seed": 7,
        "model_version": _core.MODEL_VERSION,
        "replication": 3,
    }

    def trace() -> PacketTrace:
        return PacketTrace(TEXT, name="net.toml", sets=[("r1-r2.delay", "11 ms")], seed=7, replication=3, stop="1 s")

    trace().write_parquet(tmp_path / "t.parquet")
    trace().write_csv(tmp_path / "t.csv")
    whole = trace().frame()
    for frame in (
        whole,
        next(trace().frames()),
        pl.read_parquet(tmp_path / "t.parquet"),
        pl.read_csv(tmp_path / "t.csv", schema=whole.schema),
    ):
        assert frame.columns[-len(about) :] == list(about)
        assert frame.select(pl.col(about).cast(pl.String)).unique().rows() == [tuple(map(str, about.values()))]
        assert frame.equals(whole)
    whole.write_csv(tmp_path / "frame.csv")
    assert (tmp_path / "t.csv").read_bytes() == (tmp_path / "frame.csv").read_bytes()


def test_what_was_run_takes_no_room_in_a_frame():
    frame, about = PacketTrace(TEXT).frame(), PacketTrace(TEXT).made_from
    assert set(about) <= set(frame.columns)
    assert frame.estimated_size() < frame.drop(*about).estimated_size() + 1000


def test_traces_of_several_settings_are_told_apart_in_one_frame():
    delays = ("10 ms", "11 ms")
    made = [PacketTrace(TEXT, sets=[("r1-r2.delay", delay)], events="drop") for delay in delays]
    both = pl.concat([trace.frame() for trace in made])
    assert both.group_by("settings").len().height == 2


LONG = """
duration = "1 s"
[nodes]
a = {}
b = {}
[[links]]
from = "a"
to = "b"
rate = "1 Gbit/s"
delay = "1 ms"
[[flows]]
name = "fast"
from = "a"
to = "b"
source.cbr = { rate = "90 Mbit/s", packet = "160 bytes" }
[[flows]]
name = "slow"
count = 300
from = "a"
to = "b"
start = "0.99 s"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
"""
"""Numbers of packets that are far apart, more words than a byte can tell apart, and columns without any value."""


@pytest.mark.parametrize("size", [100, 5000, rows.ROWS])
@pytest.mark.parametrize(
    ("text", "options"),
    [
        (TEXT, {"stop": "0.2 s"}),
        (TEXT, {"events": "drop"}),
        (TEXT, {"events": "window"}),
        (TEXT, {"stop": "0 s", "events": "drop"}),
        (LONG, {"start": "0.999 s"}),
    ],
)
def test_a_parquet_file_is_what_polars_would_write_of_the_frame(size, text, options, tmp_path, monkeypatch):
    frame = PacketTrace(text, **options).frame()
    monkeypatch.setattr("penstock.rows.ROWS", size)
    of_trace, of_frame = tmp_path / "trace.parquet", tmp_path / "frame.parquet"
    assert PacketTrace(text, **options).write_parquet(of_trace) == frame.height
    frame.write_parquet(of_frame)
    read = pl.read_parquet(of_trace)
    assert read.schema == frame.schema
    assert read.equals(frame)
    metadata = pl.read_parquet_metadata(of_trace)
    assert json.loads(metadata.pop("penstock"))["duration_s"] == PacketTrace(text).provenance.duration_s
    assert metadata == pl.read_parquet_metadata(of_frame)
    assert pl.read_parquet_schema(of_trace) == pl.read_parquet_schema(of_frame)
    # Columns that nobody asks for, and rows before those that are, are skipped.
    assert pl.scan_parquet(of_trace).select("flow").tail(3).collect().equals(frame.select("flow").tail(3))


def test_a_parquet_file_has_one_end():
    trace = _core.Trace(_core.Scenario(TEXT), 1, 0, [("stop", "0.1 s")])
    while trace.next_row_group(rows.ROWS) is not None:
        pass
    trace.end_parquet([])
    with pytest.raises(RuntimeError, match="the file has its end"):
        trace.end_parquet([])


def test_another_replication_is_another_trace(frame):
    assert not PacketTrace(TEXT, replication=1).frame().equals(frame)
    assert PacketTrace(TEXT, seed=1).frame().equals(frame)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ('at = "r3"', "trace[0].at: unknown node or link 'r3'; did you mean 'r1'?"),
        ('at = "hosts[7]"', "trace[0].at: 'hosts' has no member '7'; its members are hosts[0] to hosts[2]"),
        ('flows = "tpc"', "trace[0].flows: unknown group of flows or calls 'tpc'; did you mean 'tcp'? (tcp, voice)"),
        ('events = ["dorp"]', "trace[0].events: item 0: 'dorp' is not one of send, accept, mark, drop, transmit"),
        ('start = "5 s"', "trace[0].start: 5 s is after the end at 4 s, so nothing would be traced"),
        ('start = "2 s"\nstop = "1 s"', "trace[0].stop: 1 s is before the start at 2 s, so nothing would be traced"),
        ('where = "r1"', "trace[0].where: unknown key 'where'"),
    ],
)
def test_a_mistake_names_its_line_and_what_is_allowed(written, message):
    with pytest.raises(ScenarioError) as told:
        PacketTrace(TEXT + "[[trace]]\n" + written + "\n", name="net.toml")
    line = TEXT.count("\n") + 1 + written.count("\n") + 1
    assert f"net.toml:{line}: {message}" in str(told.value)


def test_a_mistaken_option_says_so_too():
    with pytest.raises(ScenarioError, match=r"trace\.at: unknown node or link 'r3'; did you mean 'r1'"):
        PacketTrace(TEXT, at="r3")
    with pytest.raises(ScenarioError, match=r"trace\.start: .* has no unit"):
        PacketTrace(TEXT, start="5")


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_full_disk_is_told_and_nothing_is_left_of_the_file(form, tmp_path):
    full = tmp_path / f"full.{form}"
    full.symlink_to("/dev/full")
    trace = PacketTrace(TEXT)
    with pytest.raises(PenstockError, match=r"full\.\w+ cannot be written: .*No space left on device[^;]*\.$"):
        trace.write_csv(full) if form == "csv" else trace.write_parquet(full)
    # The device stays as it is, and so do the numbers of the run.
    assert Path("/dev/full").exists()
    assert _core.Scenario(TEXT).run(1, 0).delivered > 0


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(InputError, match="is a folder; give the name of a file"):
        PacketTrace(TEXT).write_parquet(tmp_path)


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "net.toml"
    path.write_text(TEXT)
    return path


def command(*words: str | Path, **how) -> subprocess.CompletedProcess[str]:
    ended = subprocess.run(
        [*CLI, "trace", *map(str, words)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        **how,
    )
    assert "Traceback" not in ended.stderr
    return ended


def test_the_command_shows_a_table_without_empty_columns(file):
    ended = command(file, "--event", "drop", "--limit", "2")
    title, header, *rows = ended.stdout.splitlines()
    assert title == "net: replication 0, seed 1"
    assert header.split()[:5] == ["time", "(s)", "event", "cause", "place"]
    assert "cwnd" not in header
    assert len(rows) == 4
    assert rows[2].startswith("... and more")
    assert rows[3] == f"duration 4 s, warm-up 0 s, model {_core.MODEL_VERSION[:12]}."
    nothing = command(file, "--event", "drop", "--stop", "0 s", "--set", "r1-r2.delay=11 ms").stdout.splitlines()
    assert nothing[-2] == "No such event."
    assert nothing[-1].endswith("with r1-r2.delay = 11 ms.")


def test_the_command_writes_csv_json_and_parquet(file, tmp_path, frame):
    dropped = frame.filter(event="drop").with_columns(scenario=pl.lit("net", pl.Categorical))
    csv = command(file, "--event", "drop", "--format", "csv").stdout
    assert pl.read_csv(csv.encode(), schema=frame.schema).equals(dropped)
    about = json.loads(command(file, "--event", "drop", "--format", "json", "--set", "seed=1").stdout)
    assert [event["time_ps"] for event in about.pop("events")] == dropped["time_ps"].to_list()
    assert about == {
        "scenario": "net",
        "settings": {"seed": "1"},
        "duration_s": 4.0,
        "warm_up_s": 0.0,
        "seed": 1,
        "model_version": _core.MODEL_VERSION,
        "replication": 0,
    }
    nothing = json.loads(command(file, "--event", "drop", "--stop", "0 s", "--format", "json").stdout)
    assert nothing["events"] == []
    # Values that all events share are in JSON once, above them.
    [event] = json.loads(
        command(file, "--stop", "0 s", "--event", "send", "--flow", "tcp[0]", "--format", "json").stdout
    )["events"]
    assert not {*event} & {*about}
    ended = command(file, "--event", "drop", "--format", "parquet", "--output", tmp_path / "d.parquet")
    assert ended.stderr.startswith(f"{dropped.height} events in ")
    assert pl.read_parquet(tmp_path / "d.parquet").equals(dropped)
    made_from = json.loads(pl.read_parquet_metadata(tmp_path / "d.parquet")["penstock"])
    assert made_from == {**about, "settings": {}}


def test_the_command_tells_a_full_disk_with_code_1(file):
    ended = command(file, "--format", "csv", "--output", "/dev/full")
    assert ended.returncode == 1
    assert "/dev/full cannot be written: No space left on device" in ended.stderr
    assert Path("/dev/full").exists()
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ended = subprocess.run(
            [*CLI, "trace", str(file), "--format", "json"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert ended.returncode == 1
    assert "standard output cannot be written: No space left on device" in ended.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--format", "parquet"], "a Parquet file needs a name: write --out FILE."),
        (["--output", "x"], "--out is for csv and parquet"),
        (["--at", "r3"], "trace.at: unknown node or link 'r3'"),
    ],
)
def test_the_command_refuses_what_it_cannot_do(file, words, message):
    ended = command(file, *words)
    assert ended.returncode == 2
    assert message in ended.stderr


def test_nobody_who_reads_ends_the_command_quietly(file):
    with subprocess.Popen(
        [*CLI, "trace", str(file), "--format", "csv"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        run.stdout.readline()
        run.stdout.close()
        assert run.stderr is not None
        assert run.stderr.read() == b""
