"""Messages about faults of components written in Python: the file, the line, the packet and the numbers of the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_own_kinds import EXAMPLES
from test_own_kinds_mistakes import CBR, FLOW, SMALL, interpret, scenario

from penstock import PacketTrace, PenstockError, RunRequest, Simulation, TimeSeries, _core, run_all
from penstock.studies.definition import Point
from penstock.studies.plan import StudyPlan

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

QUEUE = '''from penstock import own

@own.discipline
class Mine:
    """Fails."""

    count: int = 0

    def on_arrival(self, ARGUMENTS):
        BODY
        return own.ACCEPT
'''
BULK = "source.ftp = {}\ntransport.tcp = { packet = '1000 bytes', syn = SYN }"


def told(folder: Path, text: str, network: str, threads: int = 1) -> str:
    """The message of a fault."""
    (folder / "mine.py").write_text(text)
    with pytest.raises(_core.ComponentError) as raised:
        _core.Scenario(network, "t", [], str(folder)).run(1, 0, None, "horizon", threads)
    return str(raised.value)


@pytest.mark.parametrize(
    ("arguments", "body", "syn", "packet"),
    [
        ("queue", "assert queue.packets < 3", "false", "packet "),
        ("packet", "assert packet.size > 100", "false", "acknowledgement 1 "),
        ("packet", "assert packet.size > 100", "true", "SYN "),
    ],
)
def test_the_kind_of_the_packet_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, body: str, syn: str, packet: str
) -> None:
    interpret(monkeypatch)
    back = SMALL.partition("[[links]]")[2].replace('"a"', '"c"').replace('"b"', '"a"').replace('"c"', '"b"')
    network = SMALL.replace("PORT", "queue.mine = {}" if packet != "acknowledgement 1 " else "")
    network += "[[links]]" + back.replace('"line"', '"line-back"').replace("PORT", "queue.mine = {}")
    network += FLOW.replace("NAME", "f").replace("USE", BULK.replace("SYN", syn))
    message = told(tmp_path, QUEUE.replace("ARGUMENTS", arguments).replace("BODY", body), network)
    assert message.startswith("mine.py:10: on_arrival of discipline 'mine' at 'line"), message
    assert f" s, {packet}" in message
    assert message.endswith("of flow 0: AssertionError: "), message


def test_a_fault_names_the_file_that_the_scenario_uses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    text, network = QUEUE.replace("ARGUMENTS", "now").replace("BODY", "assert now < 0"), scenario("queue.mine = {}")
    assert told(tmp_path, text, network).startswith("mine.py:10: ")
    (tmp_path / "other.py").write_text(text)
    assert told(tmp_path, text, network.replace("mine.py", "other.py")).startswith("other.py:10: ")
    assert told(tmp_path, text, network).startswith("mine.py:10: ")


def test_each_of_two_threads_that_fail_tells_its_own_exception(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    queue = QUEUE.replace("ARGUMENTS", "now").replace("BODY", "assert now < 0, 'of mine'")
    others = queue.partition("\n")[2].replace("class Mine", "class Other").replace("of mine", "of other")
    link = SMALL.partition("[[links]]")[2].replace('from = "a"', 'from = "c"').replace('to = "b"', 'to = "d"')
    network = scenario("queue.mine = {}").replace("b = {}", "b = {}, c = {}, d = {}")
    network += "[[links]]" + link.replace('"line"', '"other"').replace("PORT", "queue.other = {}")
    flow = FLOW.replace("NAME", "g").replace("USE", CBR)
    network += flow.replace('from = "a"', 'from = "c"').replace('to = "b"', 'to = "d"')
    for _ in range(5):
        message = told(tmp_path, queue + others, network, threads=2)
        name = "mine" if "'mine'" in message else "other"
        assert message.endswith(f"AssertionError: of {name}"), message


def test_a_fault_of_a_metric_is_told_by_a_simulation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    (tmp_path / "mine.py").write_text(
        "from penstock import own\n\n@own.metric(unit='1')\nclass Mine:\n    '''Fails.'''\n\n"
        "    def of_flow(self, flow):\n        return 1.0 / flow.marked_packets\n"
    )
    network = scenario("") + "[[measure]]\nmetric = 'mine'\nof = 'f'"
    with pytest.raises(PenstockError, match=r"mine.py:8: of_flow of metric 'mine', flow 0: ZeroDivisionError"):
        Simulation(network, folder=str(tmp_path)).result()


def test_rows_and_reading_raise_an_error_of_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interpret(monkeypatch)
    (tmp_path / "mine.py").write_text(QUEUE.replace("ARGUMENTS", "now").replace("BODY", "assert now < 0"))
    network = scenario("queue.mine = {}")
    for read in (
        lambda: PacketTrace(network, folder=str(tmp_path)).frame(),
        lambda: PacketTrace(network, folder=str(tmp_path)).write_parquet(tmp_path / "t.parquet"),
        lambda: PacketTrace(network, folder=str(tmp_path)).write_pcapng(tmp_path / "t"),
        lambda: TimeSeries(network, of="line", on="change", folder=str(tmp_path)).frame(),
    ):
        with pytest.raises(PenstockError, match=r"mine.py:10: on_arrival of discipline 'mine'"):
            read()
    video = (EXAMPLES / "video.py").read_text().replace("return self.rate\n", "return 1.5\n", 1)
    (tmp_path / "mine.py").write_text(video)
    network = scenario('source.my-video = { rate = "1 Mbit/s" }')
    for read in (
        lambda: run_all([RunRequest(network, folder=str(tmp_path))]),
        lambda: PacketTrace(network, folder=str(tmp_path)),
        lambda: Simulation(network, folder=str(tmp_path)),
        lambda: StudyPlan("net", network, str(tmp_path / "net.toml"), [Point()], runs=1).read(),
    ):
        with pytest.raises(PenstockError, match="mean_rate of source 'my-video': TypeError: a whole number is needed"):
            read()


@pytest.mark.parametrize("verb", ["trace", "run"])
def test_all_verbs_report_a_fault_as_a_mistake_of_the_file(
    tmp_path: Path, penstock: Callable[..., tuple[int, str, str]], verb: str
) -> None:
    (tmp_path / "mine.py").write_text(QUEUE.replace("ARGUMENTS", "now").replace("BODY", "assert now < 0"))
    (tmp_path / "net.toml").write_text(scenario("queue.mine = {}"))
    others = ["--runs", "1"] if verb == "run" else ["--out", str(tmp_path / "all.csv")]
    code, _, message = penstock(verb, str(tmp_path / "net.toml"), *others)
    assert code == 1
    assert "mine.py:10: on_arrival of discipline 'mine'" in message
    assert "bug in Penstock" not in message


def test_the_command_that_repeats_a_run_finds_the_component(
    tmp_path: Path, penstock: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    interpret(monkeypatch)
    (tmp_path / "mine.py").write_text(QUEUE.replace("ARGUMENTS", "queue").replace("BODY", "assert False"))
    network = SMALL.replace("PORT", "queue.mine = {}") + FLOW.replace("NAME", "f").replace("USE", CBR)
    (tmp_path / "page.toml").write_text(network)
    code, _, err = penstock("run", "page.toml", "-n", "1", "--store", "store")
    assert code == 1, err
    command = err.partition("repeat that one run: penstock ")[2].partition("\n")[0].split()
    code, _, again = penstock(*command)
    assert (code, "mine.py:10: on_arrival" in again) == (1, True), again
