"""The comparison of Linux hosts with simulated ones, and samples of TCP connections."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from test_emulation_opened import NETWORK, TCP

from penstock import _core
from penstock.cli import main
from penstock.cli.studies import plan_of
from penstock.emulation import comparison
from penstock.emulation.comparison import Sample, Transfer, goodput, mean_window, samples_of, simulated_windows
from penstock.emulation.namespaces import why_not
from penstock.errors import PenstockError
from penstock.plots.data import is_series

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMAND = [sys.executable, "-m", "penstock"]
TRANSFER = Transfer("tcp", "h1", "h2", 1, "cubic", 5201)
# Lines of 'ss -tinHO state established' of iproute2 6.1: the connection for data, and that for control.
DATA = (
    "0      655944          198.18.0.1:51690       198.18.0.2:5201 cubic wscale:10,10 rto:288 rtt:87.559/0.125 "
    "mss:1448 cwnd:{} ssthresh:119 bytes_sent:142447037 bytes_retrans:41992 bytes_acked:{} segs_out:98378 retrans:0/29"
)
CONTROL = DATA.replace("51690", "51688").format(10, 240)
needs_rights = pytest.mark.skipif(why_not() is not None, reason=f"emulation is not possible here: {why_not()}")
needs_iperf3 = pytest.mark.skipif(shutil.which("iperf3") is None, reason="iperf3 is not installed")


def test_samples_are_of_the_connections_that_carry_data():
    output = "\n".join(
        ["up 100.50", CONTROL, "up 101.50", CONTROL, DATA.format(20, 1000), "up 103.50", DATA.format(30, 251_000)]
    )
    samples = samples_of(TRANSFER, output)
    assert samples == [Sample(1.3, "tcp[0]", 20, 1000), Sample(3.3, "tcp[0]", 30, 251_000)]
    assert goodput(samples, TRANSFER, 0.0) == pytest.approx(1e6)
    assert goodput(samples, TRANSFER, 2.0) is None
    assert [mean_window(samples, "tcp", after) for after in (0.0, 2.0, 4.0)] == [25, 30, None]


def test_connections_are_numbered_by_their_ports():
    two = [DATA.replace("51690", port).format(window, 5000) for port, window in (("51694", 7), ("51692", 9))]
    four = Transfer("tcp", "h1", "h2", 2, "cubic", 5201)
    samples = samples_of(four, "\n".join(["up 1.00", CONTROL, *two]))
    assert {each.flow: each.window for each in samples} == {"tcp[0]": 9, "tcp[1]": 7}


def test_windows_of_simulated_hosts():
    text = NETWORK + TCP.replace("tcp = {}", "tcp = { initial-window = '3 packets' }")
    samples = simulated_windows(_core.Scenario(text), [TRANSFER], 1, 0)
    assert (samples[0], samples[1].time) == (Sample(0.0, "tcp[0]", 3.0), 0.2)
    assert samples[-1].window > 3


@needs_iperf3
def test_settings_of_a_point_apply_to_linux_hosts_too(tmp_path, monkeypatch):
    monkeypatch.setattr(comparison, "check", lambda _: None)
    measure = '[[measure]]\nmetric = "wait"\nof = "r-h2"\n'
    (tmp_path / "two.toml").write_text(NETWORK + TCP + measure)
    study = tmp_path / "study.toml"
    study.write_text(
        'scenario = "two.toml"\n[grid]\nflows.tcp.count = [1, 4]\n'
        "flows.tcp.transport.tcp.congestion-control = [{ cubic = {} }]\nlinks.r-h2.rate = ['5 Mbit/s']\n"
    )
    cells = comparison.cells_of(plan_of(study, [("duration", "2 s")]), study, 1500)
    assert [cell.parameters["flows.tcp.count"] for cell in cells] == [1, 4]
    assert [(cell.transfers[0].count, cell.transfers[0].control) for cell in cells] == [(1, "cubic"), (4, "cubic")]
    for cell in cells:
        assert cell.linux.asked.scenario.window == cell.simulated.window == (0.0, 2.0)
        assert '"rate":"5 Mbit/s"' in cell.linux.asked.scenario.canonical
        measured = {(name, dict(labels)["of"]) for name, labels, _, _ in cell.linux.asked.scenario.run(1, 0).metrics}
        assert measured == {("wait", "r-h2")}


@needs_iperf3
def test_sockets_of_linux_hosts_do_not_begin_with_a_pacing_control(tmp_path, monkeypatch):
    monkeypatch.setattr(comparison, "check", lambda _: None)
    given = []

    def emulate(*_: object, settings: list[tuple[str, str]], **__: object) -> None:
        given.extend(settings)
        raise PenstockError("enough")

    monkeypatch.setattr(comparison, "emulate", emulate)
    file = tmp_path / "two.toml"
    file.write_text(NETWORK + TCP)
    [cell] = comparison.cells_of(plan_of(file, []), file, 1500)
    own = ("net.ipv4.tcp_congestion_control", "cubic")
    with pytest.raises(PenstockError, match="enough"):
        comparison.compare(cell, 1, 1500, [own])
    # Later settings take precedence.
    assert given == [("net.ipv4.tcp_congestion_control", "reno"), own]


@needs_iperf3
def test_flows_that_iperf3_cannot_make_are_refused(tmp_path, capsys, monkeypatch):
    file = tmp_path / "two.toml"
    file.write_text(
        NETWORK + TCP + TCP.replace('"tcp"', '"other"').replace("tcp = {}", "tcp.congestion-control.h-tcp = {}")
    )
    monkeypatch.setattr("sys.argv", ["penstock", "compare-hosts", str(file)])
    with pytest.raises(SystemExit):
        main()
    assert "flows 'other': Linux has no control 'h-tcp' here" in capsys.readouterr().err


@needs_iperf3
@pytest.mark.parametrize(
    ("tcp", "control"),
    [
        ("{}", "reno"),
        ('{ profile = "linux-6" }', "cubic"),
        ('{ profile = "linux-6", congestion-control.reno = {} }', "reno"),
        ('{ congestion-control = "cubic" }', "cubic"),
    ],
)
def test_linux_hosts_have_the_control_of_simulated_ones(tmp_path, monkeypatch, tcp, control):
    monkeypatch.setattr(comparison, "check", lambda _: None)
    monkeypatch.setattr(comparison, "_controls", lambda: ["reno", "cubic"])
    file = tmp_path / "two.toml"
    file.write_text(NETWORK + TCP.replace("tcp = {}", f"tcp = {tcp}"))
    [cell] = comparison.cells_of(plan_of(file, []), file, 1500)
    assert [each.control for each in cell.transfers] == [control]


@needs_iperf3
@pytest.mark.parametrize(
    ("keys", "is_refused"),
    [
        ('start = "101 ms"', True),
        ('start = { uniform = ["0 s", "101 ms"] }', True),
        ('stop = "900 ms"', True),
        ('start = { uniform = ["0 s", "100 ms"] }', False),
    ],
)
def test_flows_that_do_not_send_all_the_time_are_refused(tmp_path, monkeypatch, keys, is_refused):
    monkeypatch.setattr(comparison, "check", lambda _: None)
    file = tmp_path / "two.toml"
    file.write_text('warm-up = "100 ms"\n' + NETWORK + TCP + keys + "\n")
    plan = plan_of(file, [])
    if is_refused:
        with pytest.raises(PenstockError, match="iperf3 sends all the time; leave out stop, and a start after warm-up"):
            comparison.cells_of(plan, file, 1500)
    else:
        assert comparison.cells_of(plan, file, 1500)


@needs_rights
@needs_iperf3
@pytest.mark.usefixtures("namespaces")
def test_linux_hosts_are_compared_with_simulated_ones(tmp_path):
    example, windows = EXAMPLES / "next-to-linux" / "study.toml", tmp_path / "windows.csv"
    sets = ["duration=2 s", "warm-up=500 ms", "flows.tcp.transport.tcp.congestion-control={ cubic = {} }"]
    sets += ["flows.tcp.count=2"]
    words = ["compare-hosts", str(example), "--runs", "1", *(word for each in sets for word in ("--set", each))]
    done = subprocess.run(
        [*COMMAND, *words, "--format", "json", "--windows", str(windows)], capture_output=True, text=True, check=True
    )
    assert "cell 3 of 3, pair 1 of 1: lateness" in done.stderr
    cells = json.loads(done.stdout)["cells"]
    assert [next(iter(cell["parameters"]["links.r1-r2.scheduler"])) for cell in cells] == ["fifo", "fifo", "fq-codel"]
    for cell in cells:
        rows = {row["metric"]: row for row in cell["rows"]}
        assert set(rows) == {"goodput", "loss", "wait", "window"}
        # A gap that is filled after the warm-up also delivers what arrived before: more than the 20 Mbit/s of the link.
        assert all(2e6 < each < 23e6 for kind in ("linux", "simulated") for each in rows["goodput"][kind])
        difference = rows["window"]["simulated"][0] / rows["window"]["linux"][0] - 1
        assert rows["window"]["relative_difference"] == pytest.approx(difference)
    series = pl.read_csv(windows)
    assert is_series(series)
    assert set(series.select("scenario", "flow", "variable").unique().iter_rows()) == {
        (f"study ({hosts})", flow, "cwnd") for hosts in ("linux", "simulated") for flow in ("tcp[0]", "tcp[1]")
    }
    assert [json.loads(each) for each in series["settings"].unique(maintain_order=True)] == [
        cell["parameters"] for cell in cells
    ]
