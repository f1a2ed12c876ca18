"""Mistakes in meters, metrics, schedulers and sources written in Python, and their faults."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_own_kinds import COUNTS, EXAMPLES

from penstock import _core
from penstock.own import files

if TYPE_CHECKING:
    from pathlib import Path

CBR = 'source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }'
TURNS = "scheduler.my-wrr = {}\nclass.a.weight = 1\nclass.default.weight = 1"
SMALL = """
use = "mine.py"
duration = "1 s"
nodes = { a = {}, b = {} }

[[links]]
name = "line"
from = "a"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
PORT
"""
FLOW = """
[[flows]]
name = "NAME"
from = "a"
to = "b"
USE
"""
METER = (EXAMPLES / "srtcm.py").read_text()
SCHEDULER = (EXAMPLES / "wrr.py").read_text()
VIDEO = (EXAMPLES / "video.py").read_text()
SOURCE = '''from penstock import own

@own.source
class Mine:
    """Sends one packet a second."""

    draws = own.stream("mine")
    count: int = 0

    def mean_rate(self):
        return 8000

    def first_packet(self):
        return 0, 1000

    def next_packet(self, elapsed):
        BODY
        return own.SECOND // 100, 1000
'''
MINE = "source.mine = {}"


def scenario(use: str) -> str:
    """A scenario with a component, and with flows of two classes if that is a scheduler."""
    flows = use if use.startswith("source.") else CBR
    others = FLOW.replace("NAME", "g").replace("USE", f'{CBR}\nclass = "a"') if "class.a" in use else ""
    port = "" if use.startswith("source.") else use
    return SMALL.replace("PORT", port) + FLOW.replace("NAME", "f").replace("USE", flows) + others


def interpret(monkeypatch: pytest.MonkeyPatch) -> None:
    """Selects the slow gear, which needs no time to compile."""
    monkeypatch.setenv(files.DEBUG, "1")


def mistakes(folder: Path, text: str, use: str) -> list[str]:
    (folder / "mine.py").write_text(text)
    return [each["message"] for each in _core.check(scenario(use), "t", [], str(folder))]


@pytest.mark.parametrize(
    ("text", "use", "message"),
    [
        (METER.replace("def colour", "def color"), "", "SrTcm has no method colour(self, now, packet)"),
        (METER.replace("now, packet):", "now, paket):"), "", "colour has no argument 'paket'; it has now, packet"),
        (METER.replace("excess: int = 0", "excess = 0"), "", "'excess' declares no type"),
        (METER.replace("return colour\n", "return self.fill\n"), "", "a whole number is needed, not float64"),
        (
            SCHEDULER.replace("self.credit -= 1", "self.weight[0] = 1"),
            "",
            "'weight' is a parameter and cannot be assigned",
        ),
        (
            SCHEDULER.replace("own.class_parameter", "own.parameter"),
            "",
            "mine.py:22: 'weight' is a single number, not a list; for one per class, use own.class_parameter",
        ),
        (
            SCHEDULER.replace("queues.count - 1", "queues.length"),
            "",
            "queues has no 'length' (count, rate, packets, bytes, head)",
        ),
        (
            SCHEDULER.replace("on_sent", "on_send"),
            "",
            "a scheduler has no hook 'on_send'; one of on_start, next_queue, ",
        ),
        (SCHEDULER.replace("scheduler(name", "meter(name"), "", "a meter has no class parameters"),
        (
            SCHEDULER.replace("    def next_queue", "    not_before: float = 0.0\n\n    def next_queue", 1),
            "",
            "the state not_before is a float; write not_before: int",
        ),
        (
            VIDEO.replace("    def first_packet", "    frame: float = 0.0\n\n    def first_packet", 1),
            "",
            "the state frame is a float; write frame: int",
        ),
        (
            SCHEDULER.replace("    def next_queue", "    not_before: list[int] = [0]\n\n    def next_queue", 1),
            "",
            "the state not_before is a list; write not_before: int",
        ),
        (SCHEDULER.replace('"my-wrr"', '"wrr"'), "", "there is a scheduler 'wrr' already"),
        (
            SCHEDULER + SCHEDULER[SCHEDULER.index("@") :].replace("class Wrr", "class Other"),
            "",
            "Other is a scheduler of the name 'my-wrr', as Wrr is; give it another",
        ),
        (SOURCE.replace("BODY", "return self.count"), MINE, "mine.py:17: write return after, size"),
        (SOURCE.replace("BODY", "if elapsed > 5: return"), MINE, "mine.py:17: write return after, size"),
        (
            SOURCE.replace("return 0, 1000", "return 0.5, 1000").replace("BODY", "pass"),
            MINE,
            "a whole number is needed, not float64",
        ),
        (
            SOURCE.replace("count: int", 'others = own.stream("b")\n    count: int'),
            MINE,
            "at most one of random streams",
        ),
        (
            SOURCE.replace("return 8000", "return -1").replace("BODY", "pass"),
            MINE,
            "mean_rate answers -1 bit/s; zero or more",
        ),
        (
            VIDEO.replace("frame_packets", "packets"),
            "source.my-video = { rate = '1 Mbit/s' }",
            "frames need the states frame,",
        ),
        (COUNTS.replace("return flow.marked_packets", "return flow"), "", "a number is needed, not "),
        (
            COUNTS.replace("of_flow", "of_flows").replace("of_link", "of_links"),
            "",
            "Marked has no method of_flow or of_link",
        ),
        (
            COUNTS.replace("def of_flow", 'x = own.parameter("count", doc="x")\n\n    def of_flow'),
            "",
            "a metric has no parameters",
        ),
        (COUNTS.replace('"dropped-share"', '"loss"'), "", "there is a metric 'loss' already"),
        (COUNTS.replace('"sum"', '"total"'), "", "metric: statistic='total' is not one of mean, sum, share"),
    ],
)
def test_a_declaration_that_is_wrong_is_a_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, use: str, message: str
) -> None:
    if "needed, not" not in message:  # types are known to the compiler only
        interpret(monkeypatch)
    told = mistakes(tmp_path, text, use)
    assert any(message in each for each in told), told


def test_a_scheduler_has_at_most_32_classes(tmp_path: Path) -> None:
    classes = "\n".join(f"class.c{i}.weight = 1" for i in range(33))
    [told] = mistakes(tmp_path, SCHEDULER, f"scheduler.my-wrr = {{}}\n{classes}")
    assert "has 33 classes; a scheduler of a file has at most 32" in told


@pytest.mark.parametrize(
    ("text", "use", "message"),
    [
        (
            METER.replace("return colour\n", "return 4\n"),
            "marker.my-srtcm = { committed-rate = '1 Mbit/s', committed-burst = '9 kB', excess-burst = '9 kB' }",
            "colour of meter 'my-srtcm' at 'line', 0.000636375281 s, packet 0 of flow 0: 4 is not a colour; 0 to 3",
        ),
        (
            SCHEDULER.replace("return self.turn", "return 2"),
            TURNS,
            "next_queue of scheduler 'my-wrr' at 'line', 0.000636375281 s: there is no queue 2; 0 to 1",
        ),
        (
            SCHEDULER.replace("return self.turn", "return own.WAIT"),
            TURNS,
            "answers WAIT and has no state not_before",
        ),
        (
            SCHEDULER.replace("return self.turn", "return 0"),
            TURNS,
            "queue 0 has no packet",
        ),
        (
            SCHEDULER.replace("self.credit -= 1", "self.credit //= 0"),
            TURNS,
            "on_sent of scheduler 'my-wrr' at 'line', 0.000636375281 s, queue 1: ZeroDivisionError",
        ),
        (
            SOURCE.replace("BODY", "return 1, 65536"),
            MINE,
            "mine.py:16: next_packet of source 'mine' at 'f[0]': 65536 bytes is not a size of a packet",
        ),
        (SOURCE.replace("BODY", "return 0, 40"), MINE, "more than 1000000 packets leave at one instant"),
        (SOURCE.replace("BODY", "return -1, 40"), MINE, "-1 ps is not a time from packet to packet"),
        (
            SOURCE.replace("BODY", "return elapsed // self.count, 40"),
            MINE,
            "mine.py:17: next_packet of source 'mine' at 'f[0]': ZeroDivisionError",
        ),
    ],
)
def test_a_fault_ends_the_run_and_names_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, use: str, message: str
) -> None:
    if not any(each in message for each in ("ZeroDivisionError", "1000000")):
        interpret(monkeypatch)
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(_core.ComponentError) as raised:
        _core.Scenario(scenario(use), "t", [], str(tmp_path)).run(1, 0)
    assert message in str(raised.value)


def test_a_fault_is_told_with_the_numbers_that_the_source_drew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A state of more than 63 words is not copied before each call.
    text = SOURCE.replace("count: int = 0", "slots: list[int] = [0] * 100").replace("BODY", "pass")
    drawing = "drawn = self.draws.below(1000000)\n        if drawn >= 0:\n            raise ValueError(f'drew {drawn}')"
    (tmp_path / "mine.py").write_text(text.replace("return 0, 1000", f"{drawing}\n        return 0, 1000"))
    told = []
    for _ in range(2):
        with pytest.raises(_core.ComponentError) as raised:
            _core.Scenario(scenario(MINE), "t", [], str(tmp_path)).run(1, 0)
        told.append(str(raised.value))
        interpret(monkeypatch)
    assert told[0] == told[1]
    assert "ValueError: drew " in told[0]


def test_a_fault_of_a_metric_names_the_flow(tmp_path: Path) -> None:
    text = COUNTS.replace("return flow.marked_packets", "return 1.0 / flow.marked_packets")
    (tmp_path / "mine.py").write_text(text)
    measured = scenario("") + "[[measure]]\nmetric = 'marked'\nof = 'f'"
    with pytest.raises(_core.ComponentError, match=r"mine.py:9: of_flow of metric 'marked', flow 0: ZeroDivisionError"):
        _core.Scenario(measured, "t", [], str(tmp_path)).run(1, 0)
