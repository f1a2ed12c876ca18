"""Time series: their contents, agreement with numbers and traces, and mistakes in requests."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
from pathlib import Path

import polars as pl
import pytest
from observed_network import CLI, TEXT
from one_link import one_link

from penstock import _core
from penstock.errors import ArgumentError, InputError, ScenarioError
from penstock.plots.data import from_series
from penstock.reference import catalogue, pages
from penstock.series import TimeSeries, wide
from penstock.trace import PacketTrace

ASKED = """
[[series]]
of = "r1-r2"
what = ["queue", "class-queue", "average", "utilisation"]
every = "100 ms"
[[series]]
of = "tcp"
what = "cwnd"
on = "change"
"""

# Poisson arrivals at load 0.8 of a link that serves 1000 bytes in 8 ms.
QUEUE = one_link(
    {"poisson": 'poisson = { rate = "800 kbit/s", packet = "1000 bytes" }'},
    [("queue", 'of = "a-b"\ntake = ["mean"]'), ("utilisation", 'of = "a-b"')],
    duration="200 s",
    rate="1 Mbit/s",
    limit=None,
)


def metrics(text: str) -> dict[str, float]:
    return {name: value for name, _, _, value in _core.Scenario(text).run(1, 0).metrics}


def test_an_interval_has_a_row_for_each_instant_and_variable():
    frame = TimeSeries(TEXT + ASKED).frame()
    queue = frame.filter(series=0, variable="queue")
    assert queue["time_ps"].to_list() == [i * 10**11 for i in range(41)]
    assert queue["place"].unique().to_list() == ["r1-r2"]
    assert queue["component"].unique().to_list() == ["port"]
    assert queue["unit"].unique().to_list() == ["packets"]
    by_class = frame.filter(variable="class-queue").group_by("time_ps").agg(pl.col("value").sum())
    assert queue.select("time_ps", "value").sort("time_ps").equals(by_class.sort("time_ps"))
    assert set(frame.filter(variable="class-queue")["class"].unique()) == {"default", "ef"}
    assert frame.filter(variable="average")["component"].unique().to_list() == ["queue.red"]
    # A rate belongs to the interval that ends at its instant.
    assert frame.filter(variable="utilisation")["time_ps"].min() == 10**11
    assert 0.9 < frame.filter(variable="utilisation")["value"].mean() <= 1
    assert set(frame.filter(series=1)["flow"].unique()) == {"tcp[0]", "tcp[1]", "tcp[2]"}
    assert frame["time_ps"].is_sorted()
    assert not any(isinstance(kind, (pl.List, pl.Struct)) for kind in frame.schema.values())


def test_the_integral_of_a_queue_is_its_mean():
    """Exactly, up to the rounding of a sum of a hundred thousand doubles."""
    frame = TimeSeries(QUEUE, of="a-b", what="queue", on="change").frame()
    until = frame["time_ps"].shift(-1).fill_null(200 * 10**12)
    mean = ((until - frame["time_ps"]) * frame["value"]).sum() / (200 * 10**12)
    assert mean == pytest.approx(metrics(QUEUE)["queue"], rel=1e-9)


def test_a_sampled_queue_has_the_mean_of_the_same_run():
    """The mean of 200,000 samples at 1 ms estimates the integral over the same path.

    Each of 20,000 arrivals and departures counts from the next sample on, a uniform time of up to 1 ms late: with
    variance 1/12 ms^2, and a mean that cancels. Service takes 8 samples, so all departures of a busy period are late
    alike: 4,000 of them with a mean square of 125 packets (Borel's law at load 0.8).
    sqrt((20,000 + 4,000 * 125) / 12) ms over 200 s are
    0.00104 packets.
    """
    frame = TimeSeries(QUEUE, of="a-b", what=["queue", "utilisation"], every="1 ms").frame()
    measured = metrics(QUEUE)
    assert frame.filter(variable="queue")["value"].mean() == pytest.approx(measured["queue"], abs=4 * 0.00104)
    # The intervals are equal and cover the run.
    assert frame.filter(variable="utilisation")["value"].mean() == pytest.approx(measured["utilisation"], rel=1e-9)


def test_windows_are_those_of_the_trace():
    series = TimeSeries(TEXT, of="tcp", what=["cwnd"], on="change").frame()
    traced = PacketTrace(TEXT, events="window").frame()
    for flow in ("tcp[0]", "tcp[1]", "tcp[2]"):
        told = traced.filter(pl.col("flow") == flow).group_by("time_ps").agg(pl.col("cwnd").last()).sort("time_ps")
        told = told.filter((pl.col("cwnd") != pl.col("cwnd").shift(1)).fill_null(value=True))
        read = series.filter(pl.col("flow") == flow)
        # A series has the window of a connection that has not begun, too.
        read = read.filter(pl.col("time_ps") >= told["time_ps"][0])
        assert read["value"].to_list() == told["cwnd"].to_list()
        assert read["time_ps"].to_list() == told["time_ps"].to_list()


@pytest.mark.parametrize("options", [{"executor": "plain"}, {"threads": 2}, {"executor": "plain", "threads": 2}])
def test_the_bytes_do_not_depend_on_executor_or_threads(tmp_path: Path, options):
    TimeSeries(TEXT + ASKED).write_csv(tmp_path / "a.csv")
    TimeSeries(TEXT + ASKED, **options).write_csv(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_a_frame_can_be_sent_to_other_processes():
    """Also where only some rows have a word in a column."""
    frame = TimeSeries(TEXT, of="r1-r2", what=["queue", "class-queue"], every="1 s").frame()
    assert 0 < frame["class"].null_count() < frame.height
    assert pickle.loads(pickle.dumps(frame)).equals(frame)


@pytest.mark.parametrize("of", [TimeSeries, PacketTrace])
def test_rows_that_have_not_been_read_are_pickled_and_copied(of):
    selected = {"of": ["r1-r2"], "every": "1 s"} if of is TimeSeries else {"at": "r1-r2", "events": ["drop"]}
    made = of(TEXT, **selected, name="net.toml", sets=[("r1-r2.delay", "11 ms")], seed=5, replication=2)
    again, copied = pickle.loads(pickle.dumps(made)), copy.deepcopy(made)
    frame = made.frame()
    assert again.frame().equals(frame)
    assert copied.frame().equals(frame)
    assert frame.height > 0
    with pytest.raises(ArgumentError, match="rows that have been read cannot be pickled or copied: use frame"):
        pickle.dumps(made)
    with pytest.raises(ArgumentError, match="make them from its TOML text"):
        copy.copy(of(_core.Scenario(TEXT), **selected))


def test_each_row_says_what_was_run(tmp_path: Path):
    sets = [("r1-r2.delay", "11 ms")]
    made = TimeSeries(TEXT + ASKED, name="net.toml", sets=sets, seed=5, replication=2)
    frame = made.frame()
    TimeSeries(TEXT + ASKED, name="net.toml", sets=sets, seed=5, replication=2).write_csv(tmp_path / "a.csv")
    assert pl.read_csv(tmp_path / "a.csv", schema=frame.schema).equals(frame)
    about = frame.select("scenario", "settings", "duration_s", "warm_up_s", "seed", "model_version", "replication")
    told = ("net", '{"r1-r2.delay": "11 ms"}', 4.0, 0.0, 5, _core.MODEL_VERSION, 2)
    assert about.unique().rows() == [told]


def test_series_of_several_runs_are_drawn_apart():
    """As lines of their own, of frames or files that were put together."""
    made = [TimeSeries(TEXT, of="r1-r2", what="queue", every="1 s", replication=number).frame() for number in (0, 1)]
    data = from_series(pl.concat(made))
    assert {number.cells["of"] for number in data.numbers} == {"0", "1"}
    assert len(data.numbers) == 2 * len(from_series(made[0]).numbers)


@pytest.mark.parametrize("queue", ["queue.tail-drop = {}", "queue.codel = {}"])
def test_a_packet_is_lost_exactly_where_the_channel_was_bad(queue: str):
    """Whether departures are known on arrival (tail drop) or not (CoDel)."""
    channel = "impairment.gilbert-elliott = { good-to-bad = 0.1, bad-to-good = 0.4 }"
    text = QUEUE.replace('delay = "1 ms"', f'delay = "1 ms"\n{queue}\n{channel}')
    bad = TimeSeries(text, of="a-b", what="impairment.gilbert-elliott.bad", on="change", stop="20 s").frame()
    traced = PacketTrace(text, at="a-b", events=["transmit", "drop"], stop="20 s").frame()
    lost = traced.filter(cause="loss")["sequence"].to_list()
    sent = traced.filter(event="transmit").select("time_ps", "sequence")
    # A state is read after everything at its instant: a packet finds what was read before its transmission began.
    found = sent.join_asof(bad.select("time_ps", "value"), on="time_ps", strategy="backward", allow_exact_matches=False)
    assert 50 < len(lost) < sent.height
    # The last ones may be lost after the end.
    assert [number for number in found.filter(value=1)["sequence"].to_list() if number <= lost[-1]] == lost


def test_what_drops_frames_shows_the_cells_of_each_circuit():
    text = (Path(__file__).parents[2] / "examples" / "ubr.toml").read_text()
    what = ["queue", "circuit-queue", "active-circuits", "dropping"]
    frame = TimeSeries(text, of="s1-s2", what=what, on="change", stop="150 ms").frame()
    # On change there are rows of what has changed alone: each variable of each circuit stays until the next one.
    wide = (
        frame.with_columns(pl.concat_str("variable", pl.col("number").cast(pl.String).fill_null("")).alias("name"))
        .pivot("name", index="time_ps", values="value")
        .sort("time_ps")
        .with_columns(pl.all().forward_fill())
    )
    circuits = [f"circuit-queue{number}" for number in range(15)]
    held = wide.select(pl.sum_horizontal(circuits)).to_series()
    active = wide.select(pl.sum_horizontal(pl.col(name) > 0 for name in circuits)).to_series()
    assert active.to_list() == wide["active-circuits"].to_list()
    # As of the last arrival: what has been sent since still counts.
    assert (held >= wide["queue"]).all()
    assert (held == wide["queue"]).mean() > 0.3
    assert wide["queue"].max() > 800
    assert frame.filter(variable="dropping")["value"].max() == 1


def test_series_change_neither_digest_nor_name_of_a_run():
    assert _core.Scenario(TEXT).run(1, 0).digest == _core.Scenario(TEXT + ASKED).run(1, 0).digest
    assert _core.Scenario(TEXT).canonical == _core.Scenario(TEXT + ASKED).canonical


def test_a_wide_frame_has_a_column_for_each_series():
    frame = wide(TimeSeries(TEXT, of="r1-r2", what=["queue", "average"], every="1 s").frame())
    assert frame.columns == ["time", "port queue", "queue.red average"]
    assert frame["time"].to_list() == [0.0, 1.0, 2.0, 3.0, 4.0]
    runs = [TimeSeries(TEXT, of="r1-r2", what="queue", every="1 s", replication=number).frame() for number in (0, 1)]
    both = wide(pl.concat(runs))
    assert both.columns == ["time", "0 queue", "1 queue"]
    assert both["1 queue"].to_list() == runs[1]["value"].to_list()


@pytest.mark.parametrize(
    ("asked", "messages"),
    [
        (
            'of = "r1-r2"\nwhat = "quue"\nevery = "1 s"',
            ["unknown variable 'quue'; did you mean 'queue'?", "drops"],
        ),
        (
            'of = "r1-r2"\nwhat = "cwnd"\nevery = "1 s"',
            ["unknown variable 'cwnd' (one of average, ", ", throughput, utilisation)"],
        ),
        ('of = "tpc"\nevery = "1 s"', ["unknown link, node or group of flows 'tpc'; did you mean 'tcp'?"]),
        ('of = "tcp[3]"\nevery = "1 s"', ["its members are tcp[0] to tcp[2]"]),
        ('of = "tcp"', ['write every = "100 ms", or on = "change"']),
        ('of = "tcp"\nevery = "1 s"\non = "change"', ["leave one of them out"]),
        (
            'of = "tcp"\nwhat = ["cwnd", "throughput"]\non = "change"',
            ["'throughput' describes the time between two samples, so it has no value on change"],
        ),
        ('of = "r1-r2"\nwhat = "port.utilisation"\non = "change"', ["'port.utilisation' describes the time"]),
        ('of = "tcp"\nevery = "0 s"', ["must be at least 10 ns"]),
        ('of = "tcp"\nevery = "9999 ps"', ['must be at least 10 ns; on = "change" shows every state']),
        ('of = "tcp"\nevery = "1 s"\nstart = "5 s"', ["5 s is after the end at 4 s"]),
    ],
)
def test_mistakes_say_what_there_is(asked, messages):
    [mistake] = _core.check(f"{TEXT}[[series]]\n{asked}\n")
    assert mistake["line"] is not None
    assert mistake["path"].startswith("series[0]")
    for message in messages:
        assert message in mistake["message"]


def test_options_have_mistakes_of_their_own():
    with pytest.raises(ScenarioError, match=r"series\.what: unknown variable 'window'"):
        TimeSeries(TEXT, of="tcp", what="window", every="1 s")
    with pytest.raises(ScenarioError, match=r"series\.what: 'goodput' describes the time between two samples"):
        TimeSeries(TEXT, of="tcp", what="goodput", on="change")
    with pytest.raises(InputError, match=r"has no \[\[series\]\]"):
        TimeSeries(TEXT)


def test_the_command_writes_all_forms(tmp_path: Path):
    file = tmp_path / "net.toml"
    file.write_text(TEXT + ASKED)

    def call(*words):
        return subprocess.run([*CLI, "series", str(file), *map(str, words)], capture_output=True, text=True, check=True)

    frame = TimeSeries(TEXT + ASKED).frame()
    assert "r1-r2" in call("--limit", 3).stdout
    whole = json.loads(call("--format", "json").stdout)
    assert whole["seed"] == 1
    assert len(whole["series"]) == frame.height
    call("--format", "parquet", "--output", tmp_path / "a.parquet")
    assert pl.read_parquet(tmp_path / "a.parquet").height == frame.height
    del whole["series"]
    assert json.loads(pl.read_parquet_metadata(tmp_path / "a.parquet")["penstock"]) == whole
    shown = call("--format", "csv", "--of", "tcp", "--what", "rto", "--on-change").stdout.splitlines()
    assert shown[0].startswith("time_ps,series,place,flow")
    assert all(",rto,s," in line for line in shown[1:])


def test_pages_list_the_state_that_components_show():
    [page] = [page for page in pages("red") if page.startswith("# red (discipline)")]
    assert "In series:" in page
    assert "`average` (packets)" in page
    names = {entry["name"]: {shown["name"] for shown in entry["state"]} for entry in catalogue()["state"]}
    assert {"queue", "utilisation"} <= names["port"]
    assert {"cwnd", "ssthresh", "srtt", "rto", "in-flight"} <= names["tcp"]


def test_series_are_drawn_in_one_line(tmp_path: Path):
    file = tmp_path / "net.toml"
    file.write_text(TEXT + ASKED)
    picture = tmp_path / "net.svg"
    command = [*CLI, "plot", str(file), "--series", "--out", str(picture)]
    subprocess.run(command, check=True, capture_output=True)
    content = picture.read_bytes()
    assert b"</svg>" in content
    subprocess.run(command, check=True, capture_output=True)
    assert picture.read_bytes() == content
    failed = subprocess.run([*command, "--runs", "3"], check=False, capture_output=True, text=True)
    assert failed.returncode == 2
    assert "--runs changes nothing" in failed.stderr


def test_a_drawn_state_stays_until_it_changes():
    from penstock.plots.data import from_series

    data = from_series(TimeSeries(TEXT, of="tcp[0]", what="cwnd", on="change").frame())
    points = [(float(each.cells["time (s)"]), each.mean) for each in data.numbers]
    assert points == sorted(points, key=lambda point: point[0])
    # Each value is drawn where it begins and where the next one does.
    assert [value for _, value in points[1::2]] == [value for _, value in points[:-1:2]]
    numbers = from_series(TimeSeries(TEXT, of="r1-r2", what="queue", every="1 s").frame()).numbers
    assert len(numbers) == 5


def test_a_sum_is_that_of_its_members():
    of_members = TimeSeries(TEXT, of="tcp", what=["sending-rate", "cwnd"], every="500 ms").frame()
    of_group = TimeSeries(TEXT, of="tcp", what=["sending-rate", "cwnd"], every="500 ms", sum=True).frame()
    expected = of_members.group_by("time_ps", "variable").agg(pl.col("value").sum()).sort("time_ps", "variable")
    found = of_group.sort("time_ps", "variable")
    assert found["value"].to_list() == pytest.approx(expected["value"].to_list())
    assert found["flow"].cast(pl.String).unique().to_list() == ["tcp"]
    changes = TimeSeries(TEXT, of="tcp", what="sent", on="change", sum=True).frame()
    steps = changes["value"].diff().drop_nulls()
    assert steps.min() > 0
    last = TimeSeries(TEXT, of="tcp", what="sent", every="4 s").frame().filter(pl.col("time_ps") == 4 * 10**12)
    assert changes["value"].to_list()[-1] == last["value"].sum()


def test_what_is_no_amount_is_not_added_up():
    with pytest.raises(ScenarioError, match="'utilisation' cannot be summed; leave out either it or sum"):
        TimeSeries(TEXT, of="r1", what="utilisation", every="1 s", sum=True)
    kept = TimeSeries(TEXT, of="r1", every="1 s", sum=True).frame()
    assert not {"1", "s"} & set(kept["unit"].cast(pl.String).unique())


SHARED = """
[[flows]]
name = "m"
matrix = [["", "server"], ["hosts[1]", 0.5], ["hosts[2]", "200 kbit/s"]]
source.cbr = { rate = "1 Mbit/s", packet = "1000 bytes" }
[[calls]]
name = "calls"
from = "hosts"
to = "server"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
arrivals.poisson = { interval = "500 ms" }
holding.exponential = { mean = "2 s" }
[[series]]
of = ["r1", "m", "calls"]
what = ["held", "port-held", "sending-rate", "calls", "offered", "admitting"]
every = "1 s"
"""


def test_shared_buffers_and_calls_show_their_state():
    toml = TEXT.replace("r1 = {}", 'r1 = { buffer.pool = { size = "30 kB" } }') + SHARED
    frame = TimeSeries(toml).frame()
    held = frame.filter(variable="held")
    assert held["place"].cast(pl.String).unique().to_list() == ["r1"]
    ports = frame.filter(variable="port-held").group_by("time_ps").agg(pl.col("value").sum()).sort("time_ps")
    assert held["value"].to_list() == ports["value"].to_list()
    assert max(held["value"]) > 0
    rates = frame.filter(variable="sending-rate", time_ps=4 * 10**12)
    assert rates.filter(pl.col("flow") == "m[0]")["value"].item() == pytest.approx(500_000, abs=8000)
    assert rates.filter(pl.col("flow") == "m[1]")["value"].item() == pytest.approx(200_000, abs=8000)
    assert frame.filter(variable="offered")["value"].max() > 0
    assert set(frame.filter(variable="admitting")["value"]) == {1.0}


def test_pauses_show_their_state():
    text = (Path(__file__).parents[2] / "examples" / "pfc.toml").read_text()
    frame = TimeSeries(text, of="core", what=["paused", "headroom-held-bytes"], on="change").frame()
    # The one sender that core pauses is edge; its state follows after the transmission of a frame.
    pauses = frame.filter(variable="paused").sort("time_ps")
    times, states = ([5e9, *pauses["time_ps"].cast(pl.Float64), 50e9], [0.0, *pauses["value"], 0.0])
    assert set(states) == {0.0, 1.0}
    spent = sum(
        max(0.0, end - max(begin, 5e9)) for begin, end, state in zip(times, times[1:], states, strict=False) if state
    )
    metrics = _core.Scenario(text, "pfc").run(1, 0).metrics
    storage = {"of": "edge-core", "class": "storage", "statistic": "mean"}
    [told] = [value for name, labels, _, value in metrics if (name, dict(labels)) == ("paused-time", storage)]
    assert spent / 45e9 == pytest.approx(told, rel=0.01)
    held = frame.filter(variable="headroom-held-bytes")["value"]
    assert 0 < held.max() <= 12_000


def test_what_a_switch_holds_is_what_its_ports_hold_headroom_included():
    text = (Path(__file__).parents[2] / "examples" / "pfc.toml").read_text()
    what = ["held-bytes", "port-held-bytes", "headroom-held-bytes", "link-headroom-held-bytes"]
    frame = TimeSeries(text, of="edge", what=what, every="10 us").frame()

    def of(variable):
        rows = frame.filter(variable=variable).group_by("time_ps").agg(pl.col("value").sum()).sort("time_ps")
        return rows["value"].to_list()

    assert of("held-bytes") == of("port-held-bytes")
    # Of two ingress links with lossless packets, the one with the fuller headroom holds at least half of the sum.
    pairs = list(zip(of("link-headroom-held-bytes"), of("headroom-held-bytes"), strict=True))
    assert all(both / 2 <= one <= both for one, both in pairs)
    assert any(0 < one < both for one, both in pairs)


def test_json_and_results_have_the_series_of_the_first_run(tmp_path):
    file = tmp_path / "net.toml"
    file.write_text(TEXT + ASKED)
    words = [*CLI, "run", str(file), "--runs", "2", "--store", str(tmp_path / "store"), "--format", "json"]
    found = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)["series"]
    made = TimeSeries(TEXT + ASKED, name="net.toml")
    expected = made.frame()
    assert found == {"replication": 0, "rows": expected.select(made.row_schema.names()).to_dicts()}
    from penstock.cli.studies import plan_of
    from penstock.store import Store
    from penstock.studies.making import make
    from penstock.studies.runner import Runner

    plan = plan_of(file, [], 2, None)
    result = make(plan, plan.read(), Runner(store=Store(tmp_path / "store")))
    assert result.series.rows() == expected.rows()
    assert not any(kind in (pl.Enum, pl.Categorical) for kind in result.series.schema.values())
    assert set(result.series["replication"]) == {0}
