"""Notes after a run: what decided its numbers without showing in them."""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING

import pytest

import penstock as ps

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LINE = """
duration = "{duration}"
[nodes]
a = {{}}
b = {{}}
[[links]]
from = "a"
to = "b"
rate = "{rate}"
delay = "{delay}"
both-ways = true
{link}
[[flows]]
name = "f"
from = "a"
to = "b"
{flow}
[[measure]]
metric = "{metric}"
of = "{of}"
"""
FTP = 'source.ftp = {}\ntransport.tcp = { recovery = "sack" }'
CBR = 'source.cbr = { rate = "64 kbit/s", packet = "160 bytes", phase = "zero" }'


def line(flow: str, **more: str) -> str:
    keys = {"duration": "1 s", "rate": "10 Mbit/s", "delay": "1 ms", "link": "", "metric": "goodput", "of": "f"}
    return LINE.format(**keys | {"flow": flow} | more)


@pytest.fixture
def notes(penstock: Callable, tmp_path: Path) -> Callable[..., list[str]]:
    """Runs a scenario; gives the notes, and sees to it that they are not among the numbers."""

    def called(text: str, *options: str) -> list[str]:
        (tmp_path / "s.toml").write_text(text, encoding="utf-8")
        code, out, err = penstock("run", "s.toml", "--format", "json", *options)
        assert code == 0, err
        assert "note" not in json.loads(out)
        # From the store the numbers are the same to the byte.
        assert penstock("run", "s.toml", "--format", "json", *options)[1] == out
        return [each.removeprefix("note: ") for each in err.splitlines() if each.startswith("note: ")]

    return called


def test_a_window_that_holds_senders_back(notes: Callable) -> None:
    long = {"duration": "10 s", "rate": "1 Gbit/s", "delay": "100 ms"}
    [note] = notes(line(FTP, **long), "--runs", "1")
    assert note.startswith("f had all of its max-window, 1000 packets, outstanding for ")
    assert int(note.partition("%")[0].split()[-1]) > 70
    # A link that is the bottleneck holds them back itself.
    assert notes(line(FTP, **long | {"rate": "1 Mbit/s", "delay": "1 ms"}), "--runs", "1") == []


def test_a_discipline_that_never_acts(notes: Callable) -> None:
    idle = notes(line(CBR, link="queue.codel = {}"), "--runs", "1")
    assert idle == ["codel never dropped or marked a packet (a-b), so nothing here depends on it."]
    full = line(CBR.replace("64 kbit/s", "20 Mbit/s"), link="queue.codel = {}")
    assert notes(full, "--runs", "1") == []


def test_drops_that_ties_decide(notes: Callable) -> None:
    # Three senders are in step; one packet of each three finds room.
    text = line(CBR.replace("64 kbit/s", "1280 kbit/s"), rate="1280 kbit/s", link='queue.tail-drop.limit = "1 packet"')
    text = text.replace("a = {}", "a = {}\nhosts = { count = 3 }")
    text = text.replace('from = "a"\nto = "b"\nsource', 'from = "hosts"\nto = "b"\nsource')
    text += '[[links]]\nfrom = "hosts"\nto = "a"\nrate = "1 Gbit/s"\ndelay = "1 ms"\n'
    [note] = notes(text, "--runs", "1")
    assert note.startswith("at a-b, ties decided 1,9"), note
    assert "drops, 100% of those for want of room: packets arrived at the same instant" in note
    assert 'ties = "random"' in note
    assert notes(text.replace("duration", 'ties = "random"\nduration', 1), "--runs", "1") == []
    # What one flow sends at once competes with nobody.
    assert notes(line(CBR.replace("64 kbit/s", "2 Mbit/s"), rate="1 Mbit/s"), "--runs", "1") == []


def test_runs_that_are_all_the_same(notes: Callable) -> None:
    [note] = notes(line(CBR), "--runs", "3")
    assert note.startswith("all runs are the same: nothing in the scenario is random")
    assert '`jitter = { uniform = ["0 us", "100 us"] }` of TCP' in note
    assert 'ties = "random"' in note
    assert notes(line(CBR), "--runs", "1") == []
    assert notes(line(CBR.replace("cbr", "poisson").replace(', phase = "zero"', "")), "--runs", "3") == []
    swept = notes(line(CBR), "--runs", "2", "--set", 'f.source={ cbr = { rate = "9 kbit/s", packet = "99 bytes" } }')
    assert len(swept) <= 1


def test_runs_that_hardly_differ() -> None:
    from penstock.records import Metric, RunRequest, RunResult
    from penstock.studies.notes import notes_on_spread
    from penstock.studies.request import PointResult

    def point(*values: float) -> PointResult:
        runs = []
        for number, value in enumerate(values):
            metrics = [Metric("goodput", {}, "bit/s", value), Metric("drops", {}, "packets", 0.0)]
            runs.append(RunResult(RunRequest("", (), 1, number), metrics, str(number), 1))
        return PointResult(None, runs)  # type: ignore[arg-type]  # what was asked for does not matter

    [note] = notes_on_spread([point(1.0, 1.00001), point(1.0, 2.0)])
    assert note.startswith("the runs differ by less than 0.01% in every number at 1 of 2 points: ")
    assert '`jitter = { uniform = ["0 us", "100 us"] }` of TCP' in note
    # Metrics that are constant by nature are no sign of anything.
    assert notes_on_spread([point(1.0, 1.0), point(1.0, float("nan")), point(0.0, 0.0)]) == []


def test_python_has_them_too() -> None:
    net = ps.Network()
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate="1 Mbit/s", delay="1 ms", queue=ps.Codel())
    net.flows("f", a, b, source=ps.Cbr(rate="64 kbit/s", packet="160 bytes"))
    study = ps.Study(net, duration="1 s").runs(1)
    for _ in range(2):  # the second time from the store
        result = study.result()
        assert [note.partition(" (")[0] for note in result.notes] == ["codel never dropped or marked a packet"]
    assert result.points[0].runs[0].cached


def test_a_trace_that_goes_on_after_the_end(penstock: Callable, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("time,size\n0,100\n0.5,100\n1,100\n1.5,100\n9,100\n")
    text = line('source.trace = { file = "t.csv" }')
    (tmp_path / "s.toml").write_text(text)
    _, _, err = penstock("run", "s.toml", "--runs", "1")
    told = (
        "2 of the 5 packets of t.csv are not sent: they come after the end of the run, the last one 9 s after the start"
    )
    assert told in err
    assert told in penstock("check", "s.toml")[2]
    for changed in (text.replace('"1 s"', '"10 s"'), text.replace("source.trace", 'stop = "900 ms"\nsource.trace')):
        (tmp_path / "s.toml").write_text(changed)
        assert "are not sent" not in penstock("check", "s.toml")[2]


def test_no_warning_is_raised_for_a_note() -> None:
    net = ps.Network()
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate="1 Mbit/s", delay="1 ms")
    net.flows("f", a, b, source=ps.Cbr(rate="64 kbit/s", packet="160 bytes"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ps.Study(net, duration="1 s").runs(2).run()
