"""The conformance kit with recorded arrivals, and with components that are not of a Python file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from penstock import InputError, _core
from penstock.own.conformance import Recorded, conformance, recorded
from penstock.own.subjects import RECORDED, SCENARIOS, built_in
from penstock.trace import PacketTrace

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.records import Status

EXAMPLES = Path(__file__).parents[2] / "examples" / "own"
RED = 'queue.red = { limit = "20 packets", min-threshold = "3 packets", max-threshold = "9 packets", ecn = true'
NETWORK = """\
duration = "2 s"
nodes = { a = {}, b = {}, c = {} }
links = [
  { from = "a", to = "b", rate = "20 Mbit/s", delay = "1 ms", both-ways = true },
  { name = "r", from = "b", to = "c", rate = "2 Mbit/s", delay = "5 ms", QUEUE },
  { from = "c", to = "b", rate = "2 Mbit/s", delay = "5 ms" },
]
[[flows]]
name = "tcp"
from = "a"
to = "c"
count = 3
source.ftp = {}
transport.tcp = { packet = "1000 bytes", ecn = true }
[[flows]]
name = "bursts"
from = "a"
to = "c"
source.poisson = { rate = "500 kbit/s", packet = "300 bytes" }
"""
QUEUES = {
    "at arrival": RED + ", max-probability = 0.2 }",
    "at departure": 'queue.codel = { limit = "20 packets", target = "2 ms", interval = "20 ms", ecn = true }',
}
LOG = "time_ps,flow,size,ecn,precedence\n"
TRACE = "time_ps,event,cause,place,flow,class,packet,sequence,acknowledgement,retransmission,size,precedence,ecn\n"


@pytest.fixture(params=QUEUES)
def scenario(request: pytest.FixtureRequest) -> str:
    """A scenario with a queue that marks and drops."""
    return NETWORK.replace("QUEUE", QUEUES[request.param])


@pytest.fixture
def trace(scenario: str, tmp_path: Path) -> Path:
    """The trace of its queue."""
    made = PacketTrace(scenario, at="r", seed=3)
    file = tmp_path / "trace.csv"
    made.write_csv(file)
    return file


def test_the_arrivals_of_a_trace_are_those_of_its_link(scenario: str, trace: Path) -> None:
    kept = recorded(trace)
    events = trace.read_text().splitlines()
    assert sum(",mark,discipline," in line for line in events) > 10
    assert sum(",drop," in line for line in events) > 10
    # Everything reaches the link 1 ms after its transmission on the one before, which loses nothing.
    before = PacketTrace(scenario, at="a-b", events="transmit", seed=3).frame()
    ends = (before["time_ps"] + before["size"].cast(int) * 400_000 + 10**9).to_list()
    rows = zip(ends, before["size"].to_list(), before["ecn"].to_list(), strict=True)
    expected = [row for row in rows if row[0] <= 2 * 10**12]
    names = ("not-ect", "ect1", "ect0", "ce")
    assert [(time, size, names[ecn]) for time, _, _, size, ecn, _ in kept.arrivals] == expected
    assert {flow for _, flow, *_ in kept.arrivals} == {"tcp", "bursts"}


def test_recorded_arrivals_reach_the_component_when_they_were_recorded(trace: Path) -> None:
    kept = recorded(trace)
    network = RECORDED["discipline"].replace("COMPONENT", 'tail-drop = { limit = "9 packets" }')
    for load, text in kept.networks(network, by_class=False).items():
        frame = PacketTrace(kept.opened(_core.Scenario(text)), at="bottleneck", events=["accept", "drop"]).frame()
        times = [(time, str(flow)) for time, flow in zip(frame["time_ps"], frame["flow"], strict=True)]
        assert times == [(time, f"{flow}[{number}]") for time, flow, number, *_ in kept.arrivals], load


def test_a_component_is_compared_on_recorded_arrivals(
    penstock: Callable[..., tuple[int, str, str]], tmp_path: Path, trace: Path
) -> None:
    asked = ("--against", "red", "--arrivals", trace, "--format", "json")
    code, told, _ = penstock("conform", EXAMPLES / "red.py", *asked)
    assert (code, json.loads(told)["runs"]) == (0, 2 * (2 + len(SCENARIOS["discipline"])))
    text = (EXAMPLES / "red.py").read_text().replace("p / (2.0 - count * p)", "p / (9.0 - count * p)")
    (tmp_path / "other.py").write_text(text)
    code, told, _ = penstock("conform", tmp_path / "other.py", *asked)
    assert code == 1
    first = json.loads(told)["difference"]
    assert re.match(
        r"in 'recorded arrivals at a load of .*' with seed 1: .*: (accept|drop) of packet .* s; .*: (accept|drop) of ",
        first,
    )


def test_a_scheduler_gets_the_classes_of_a_trace(penstock: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    rows = [
        f"{i * 10**9},accept,,r,{'ab'[i % 2]}[0],{'xy'[i % 2]},datagram,{i},,false,500,0,not-ect" for i in range(200)
    ]
    file = tmp_path / "trace.csv"
    file.write_text(TRACE + "\n".join(rows) + "\n")
    assert recorded(file).classes == {"a": "x", "b": "y"}
    code, told, error = penstock("conform", f"{EXAMPLES / 'wrr.py'}:Wrr", "--against", "wrr", "--arrivals", file)
    assert code == 0, told + error


def test_a_log_of_arrivals_is_read(tmp_path: Path) -> None:
    file = tmp_path / "log.csv"
    file.write_text(LOG + "5,1,1500,2,0\n5,0,40,0,2\n")
    assert recorded(file) == Recorded([(5, "real", 1, 1500, 2, 0), (5, "real", 0, 40, 0, 2)], {"real": "default"})


ROW = "7,accept,,r,f[0],default,datagram,0,,false,500,0,not-ect\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "log.csv:1: has the columns ''; arrivals are what 'penstock trace FILE --at LINK"),
        (LOG, "log.csv: has no arrivals; arrivals are what"),
        ("time,size\n1,2\n", "log.csv:1: has the columns 'time,size'"),
        (LOG + "9,0,40,0,0\n8,0,40,0,0\n", "log.csv:3: 8 ps is before the arrival before it, at 9 ps"),
        (LOG + "9,0,40,0\n", "log.csv:2: has 4 columns, and the first line 5"),
        (LOG + "9,0,x,0,0\n", "log.csv:2: size is 'x', and not a number"),
        (LOG + "9,0,27,0,0\n", "log.csv:2: size 27 is not from 28 to 65535"),
        (LOG + "9,0,40,4,0\n", "log.csv:2: ecn 4 is not from 0 to 3"),
        (LOG + "9,0,40,0,4\n", "log.csv:2: precedence 4 is not from 0 to 3"),
        (LOG + "9,9999999,40,0,0\n", "log.csv:2: flow 9999999 is not from 0 to 1048575"),
        (TRACE + ROW + ROW.replace(",r,", ",s,"), "log.csv:3: is at 's', and the lines before at 'r'; trace one link"),
        (
            TRACE + ROW + ROW.replace("default", "gold"),
            "log.csv:3: 'f[0]' has the class 'gold', and another one before",
        ),
        (TRACE + ROW.replace("f[0]", "f"), "log.csv:2: flow is 'f', and not a member of a group, such as tcp[3]"),
        (TRACE + ROW.replace("not-ect", "ect"), "log.csv:2: ecn is 'ect', and not one of not-ect, ect1, ect0, ce"),
        (TRACE + ROW.replace("accept", "transmit"), "log.csv: has no arrivals"),
        (TRACE + '"', "log.csv:2: "),
    ],
)
def test_what_is_no_record_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "log.csv"
    file.write_text(text)
    with pytest.raises(InputError, match=re.escape(message)):
        recorded(file)


def test_a_kind_without_arrivals_is_refused(penstock: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(LOG + "9,0,40,0,0\n")
    code, _, told = penstock("conform", f"{EXAMPLES / 'video.py'}:Video", "--arrivals", tmp_path / "log.csv")
    assert code == 2
    assert "my-video is a source, which has no arrivals; leave --arrivals out" in told


@pytest.mark.parametrize("name", ["red", "tcm", "wrr", "poisson", "marks", "cubic", "gilbert-elliott", "duplication"])
def test_built_in_components_have_the_properties_of_their_kind(name: str) -> None:
    found = conformance(built_in(name), None, {})
    assert found.conforms, found
    assert list(found.properties) == [
        "repeated runs agree",
        "both executors agree",
        "one and two cores agree",
        "runs from a snapshot agree",
        "packets are conserved",
        "events are bounded",
    ]


def test_built_in_components_are_compared(penstock: Callable[..., tuple[int, str, str]]) -> None:
    code, told, error = penstock("conform", "red", "--against", "red")
    assert code == 0, told + error
    code, told, _ = penstock("conform", "video", "--against", "cbr")
    assert code == 1
    assert "First difference to cbr, in 'alone' with seed 1: video: accept of packet 0 of own[" in told
    code, _, told = penstock("conform", "droptail")
    assert code == 2
    assert "there is no component 'droptail'" in told


def test_a_file_may_have_quotes_in_its_name(penstock: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    file = tmp_path / 'a"b.py'
    file.write_text((EXAMPLES / "srtcm.py").read_text())
    exit_code, out, err = penstock("conform", str(file))
    assert exit_code == 0, (out, err)


def test_a_parameter_is_given_once(penstock: Callable[..., tuple[int, str, str]]) -> None:
    exit_code, _, err = penstock("conform", "red", "--set", "limit=5 packets", "--set", "limit=6 packets")
    assert (exit_code, err) == (2, "--set 'limit': is given twice.\n")


def test_a_wrong_value_is_told_of_its_option(penstock: Callable[..., tuple[int, str, str]]) -> None:
    exit_code, _, err = penstock("conform", "red", "--set", "limit=5")
    assert (exit_code, err.splitlines()[0]) == (2, '--set limit: 5 has no unit; write "5 packets" or "20 KiB"')


def test_progress_counts_the_runs() -> None:
    told: list[Status] = []
    found = conformance(built_in("tail-drop"), None, {}, progress=told.append)
    assert [(each.done, each.total) for each in told] == [(done, found.runs) for done in range(found.runs)]
    assert 0 < told[1].packet_hops < told[-1].packet_hops < found.packets


def test_what_a_run_breaks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that depends on its executor, its cores or a snapshot, or has too many events, lacks that property."""
    from penstock.own import conformance as kit

    numbers, count = kit._numbers, iter(range(10**6))
    monkeypatch.setattr(kit, "_numbers", lambda run: (f"{numbers(run)[0]}{next(count)}", []))
    monkeypatch.setattr(kit, "_digest_from_snapshot", lambda *_: "another")
    monkeypatch.setattr(kit, "_EVENTS_PER_HOP", 0)
    monkeypatch.setattr(kit, "_EVENTS_PER_SECOND", 0)
    found = conformance(built_in("tail-drop"), None, {})
    assert [name for name, holds in found.properties.items() if holds] == ["packets are conserved"]
    assert not found.conforms


@pytest.mark.parametrize("file", ["wrr.py", "srtcm.py"])
def test_parameters_without_a_default_have_the_values_of_examples(
    penstock: Callable[..., tuple[int, str, str]], file: str
) -> None:
    code, told, error = penstock("conform", EXAMPLES / file, "--format", "json")
    assert (code, json.loads(told)["conforms"]) == (0, True), error


def test_a_folder_may_have_the_ending_of_a_file(penstock: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    (tmp_path / ".pyenv").mkdir()
    (tmp_path / ".pyenv" / "mos.py").write_text((EXAMPLES / "mos.py").read_text())
    for name in ("mos.py", "mos.py:Mos"):
        code, _, error = penstock("conform", tmp_path / ".pyenv" / name)
        assert code == 0, error


def test_a_parameter_without_default_and_example_is_asked_for(
    penstock: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(
        "from penstock import own\n\n"
        '@own.discipline\nclass Mine:\n    """Drops."""\n\n    p = own.parameter("probability", doc="Probability.")\n\n'
        "    def on_arrival(self):\n        return own.DROP_EARLY if self.p > 0.5 else own.ACCEPT\n"
    )
    code, told, error = penstock("conform", tmp_path / "mine.py")
    assert (code, told) == (2, "")
    assert "mine: p has no default; give it with --set p=VALUE (between 0 and 1)" in error
    code, _, error = penstock("conform", tmp_path / "mine.py", "--set", "p=0.2")
    assert code == 0, error
