"""Hooks of components written in Python: faults while they run, and the same results compiled and in Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from own_component import (
    LINE,
    MINE,
    SCENARIO,
    SHORT,
    TEMPLATE,
    WITHOUT_SERIES,
    run_mine,
    with_file,
)

from penstock import _core

FAULTS = [
    ("self.mean = 1.0 / self.count", "ZeroDivisionError: "),
    ("self.slots[packet.size] = 1", "IndexError: "),
    ("self.mean = 1e308 * 10.0", "'mean' became inf"),
    ("raise ValueError(f'packet of {packet.size} bytes')", "ValueError: packet of 40 bytes"),
    ("while self.count < 1: self.mean += 1.0", "the loop takes more than"),
    ("assert packet.size < 10, 'too large'", "AssertionError: too large"),
    ("self.count = int(1e300 * packet.size)", "4e+301 does not fit into 64 bits"),
    ("self.count = 1 << packet.size + 24", "a shift by less than 0 or more than 63 bits"),
    ("self.count = packet.size << 60", "46116860184273879040 does not fit into 64 bits"),
    ("self.count = packet.size * own.NEVER // own.NEVER", "368934881474191032280 does not fit into 64 bits"),
    ("return 77", "77 is not a verdict"),
    ("return 0", "0 is not a verdict"),
    ("return own.MARK", "marks a packet that is not ECN-capable"),
]


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a component that fails as its parameter says."""
    folder = tmp_path_factory.mktemp("faulty")
    body = "".join(f"if self.fault == {i}:\n            {each}\n        " for i, (each, _) in enumerate(FAULTS))
    parameter = 'fault = own.parameter("count", doc="Which fault.")\n    drops ='
    (folder / "mine.py").write_text(TEMPLATE.replace("drops =", parameter).replace("BODY", body))
    return folder


@pytest.mark.parametrize("fault", range(len(FAULTS)), ids=[message for _, message in FAULTS])
def test_a_fault_ends_the_run_and_names_its_place(faulty: Path, fault: int) -> None:
    text = SCENARIO.replace("red.py", "mine.py").replace(LINE, f"queue.mine = {{ fault = {fault} }}")
    scenario = _core.Scenario(text, "own.toml", SHORT, str(faulty))
    with pytest.raises(_core.ComponentError) as raised:
        scenario.run(1, 0)
    told, (body, message) = str(raised.value), FAULTS[fault]
    lines = (faulty / "mine.py").read_text().splitlines()
    at = "def on_arrival" if "return" in body else body
    line = next(i for i, each in enumerate(lines, 1) if at in each)
    assert told.startswith(f"mine.py:{line}: on_arrival of discipline 'mine' at 'bottleneck', "), told
    assert " s, SYN of flow " in told
    assert message in told


@pytest.mark.usefixtures("gear")
def test_an_index_is_computed_once(tmp_path: Path) -> None:
    body = (
        "self.slots[self.drops.below(3)] += 1\n        self.slots[self.next()] *= 1\n        self.count += 1\n        "
    )
    body += "assert self.slots[0] + self.slots[1] + self.slots[2] == self.count // 2, 'drawn twice'"
    method = "\n    def next(self):\n        self.count += 1\n        return 0\n"
    text = TEMPLATE.replace("BODY", body) + method
    assert run_mine(tmp_path, text).packet_hops > 0


@pytest.mark.usefixtures("gear")
def test_a_bool_is_zero_or_one(tmp_path: Path) -> None:
    body = """self.mark = 4 + self.count
        self.marks[1] = packet.size
        self.count += self.mark + self.marks[1]
        self.mark = self.count < 0
        assert self.count % 2 + self.mark == 0, 'wrong'"""
    text = TEMPLATE.replace("mean: float = 0.0", "mark: bool = False\n    marks: list[bool] = [False, False]")
    assert run_mine(tmp_path, text.replace("BODY", body)).packet_hops > 0


SOMETIMES = {
    "if packet.size > 99: late = 1": 1,
    "for late in range(packet.size - 40): self.count += late": 1,
    "while self.count > 0: late = 1": 1,
    "for i in range(3):\n            if i > packet.size: late, self.mean = 1, 2.5": 2,
    "match packet.size:\n            case 41: late = 1\n            case 42: late = 2": 3,
    "late = self.sometimes(packet.size)": -1,
}
"""Code after which a variable has no value, and how many lines below its first one the variable is read."""


@pytest.mark.parametrize("code", SOMETIMES)
@pytest.mark.usefixtures("gear")
def test_a_variable_without_a_value_is_a_fault(tmp_path: Path, code: str) -> None:
    body = f"{code}\n        self.count = late if packet.size > 0 or late else 1"
    method = "\n    def sometimes(self, size):\n        if size > 99:\n            late = 1\n        return late\n"
    text = (TEMPLATE + method).replace("BODY", body)
    with pytest.raises(_core.ComponentError, match=r"UnboundLocalError: .* 'late'") as raised:
        run_mine(tmp_path, text)
    line = 16 + SOMETIMES[code] if SOMETIMES[code] > 0 else 23
    assert str(raised.value).startswith(f"mine.py:{line}: on_arrival of"), raised.value


@pytest.mark.usefixtures("gear")
def test_a_variable_with_a_value_on_the_way_that_is_taken_may_be_read(tmp_path: Path) -> None:
    body = """if packet.size > 39: sure, pair = 2.5, (1, 2)
        for i in range(2): last = i
        if packet.size < 40: never = 1
        if packet.size < 0:
            return own.DROP_EARLY
        else:
            known = 3
        self.count = last + pair[1] + known
        assert packet.size > 39 or never > 0
        assert sure + self.count == 8.5, 'wrong'"""
    text = TEMPLATE.replace("BODY", body)
    assert run_mine(tmp_path, text).packet_hops > 0


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise ValueError('never')", "ValueError: never"),
        ("assert False, 'never'", "AssertionError: never"),
        ("return 1 // 0", "ZeroDivisionError"),
    ],
)
@pytest.mark.usefixtures("gear")
def test_a_hook_that_always_fails_is_a_fault(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(_core.ComponentError, match=message):
        run_mine(tmp_path, TEMPLATE.replace("BODY", body))


@pytest.mark.usefixtures("gear")
def test_both_gears_compute_alike(tmp_path: Path) -> None:
    # A quotient of numbers above 2^53 is that of the nearest floating-point numbers.
    body = """large = self.count + 9007199254740993
        assert large / 3 == 3002399751580330.5, 'divided'
        assert ~(self.count == 0) == -2, 'inverted'"""
    text = TEMPLATE.replace("mean: float = 0.0", "mean: float = 1e300").replace("BODY", body)
    assert run_mine(tmp_path, text).packet_hops > 0


def test_functions_of_math_are_compiled_under_other_names(tmp_path: Path) -> None:
    body = "self.count = down(2.5) + math.ceil(root(2.0))\n        assert self.count == 4, 'wrong'"
    text = "import math\nfrom math import floor as down, sqrt as root\n" + TEMPLATE.replace("BODY", body)
    assert run_mine(tmp_path, text).packet_hops > 0


def test_the_debugger_gear_prints_and_keeps_no_runs(tmp_path: Path) -> None:
    body = "if self.count < 2: print('size', packet.size, own.SECOND)\n        self.count += 1"
    (tmp_path / "own.toml").write_text(with_file(tmp_path, TEMPLATE.replace("BODY", body), MINE))
    command = [sys.executable, "-m", "penstock", "run", str(tmp_path / "own.toml"), "--runs", "1"]
    environment = os.environ | {"PENSTOCK_STORE": str(tmp_path / "store")}
    told = subprocess.run(
        [*command, *WITHOUT_SERIES, "--debug-component"], env=environment, check=True, capture_output=True, text=True
    )
    assert told.stdout.count("size 40 1000000000000") == 2
    assert not list((tmp_path / "store").glob("runs/*"))
