"""Components written in Python: equal to the built-in ones, in both gears, on all ways through the package."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING

import pytest

from penstock import ArgumentError, Network, PenstockError, RunRequest, Simulation, _core, own, run_all
from penstock.errors import advice
from penstock.own import files
from penstock.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "own"
SCENARIO = (EXAMPLES / "red.toml").read_text()
LINE = next(line for line in SCENARIO.splitlines() if line.startswith("queue.my-red"))
SHORT = [("duration", "6 s"), ("series", "[]")]
CODEL = 'queue.my-codel = { limit = "60 packets", target = "5 ms", interval = "50 ms" }'


@pytest.fixture
def debugging(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow gear."""
    monkeypatch.setenv(files.DEBUG, "1")


def own_and_built_in(name: str, line: str, built_in: str) -> tuple[str, str]:
    """The scenario with a component of an example, and with the built-in one in its place."""
    text = SCENARIO.replace(LINE, line).replace("red.py", f"{name}.py")
    return text, text.replace(f"my-{name}", built_in).replace(f'use = "{name}.py"\n', "")


def run(text: str, sets: list[tuple[str, str]] | None = None, seed: int = 1) -> _core.Run:
    return _core.Scenario(text, "own.toml", SHORT if sets is None else sets, str(EXAMPLES)).run(seed, 0)


WITHOUT_SERIES = ("--set", "series=[]", "--set", "duration=3 s")


def with_file(folder: Path, text: str, line: str = LINE, name: str = "mine.py") -> str:
    """A scenario that uses a file with this text."""
    (folder / name).write_text(text)
    return SCENARIO.replace("red.py", name).replace(LINE, line)


def mistakes(folder: Path, text: str, line: str = LINE) -> list[str]:
    scenario = with_file(folder, text, line)
    return [each["message"] for each in _core.check(scenario, "own.toml", SHORT, str(folder))]


@pytest.mark.parametrize(("name", "line"), [("red", LINE), ("codel", CODEL)])
def test_an_example_decides_as_the_built_in_component(name: str, line: str) -> None:
    mine, theirs = own_and_built_in(name, line, name)
    for seed in (1, 2):
        ours, built_in = run(mine, seed=seed), run(theirs, seed=seed)
        assert (ours.digest, ours.drops) == (built_in.digest, built_in.drops)
        assert ours.drops > 100


@pytest.mark.parametrize(("name", "line"), [("red", LINE), ("codel", CODEL)])
@pytest.mark.usefixtures("debugging")
def test_both_gears_give_the_same_numbers(name: str, line: str) -> None:
    mine, theirs = own_and_built_in(name, line, name)
    assert run(mine).digest == run(theirs).digest


def test_its_state_is_a_series_and_its_parameters_change() -> None:
    mine, theirs = own_and_built_in("red", LINE, "red")
    change = '[{ at = "2 s", parameter = "queue.NAME.max-probability", value = 0.5 }]'
    found = []
    for text, name in ((mine, "my-red"), (theirs, "red")):
        sets = [("duration", "6 s"), ("bottleneck.parameter-changes", change.replace("NAME", name))]
        scenario = _core.Scenario(text, "own.toml", sets, str(EXAMPLES))
        found.append(scenario.run(1, 0).digest)
    assert found[0] == found[1]
    assert found[0] != run(mine).digest
    wrong = [("bottleneck.parameter-changes", change.replace("NAME.max-probability", "my-red.weight"))]
    [mistake] = _core.check(mine, "own.toml", wrong, str(EXAMPLES))
    assert "'weight' cannot be changed during a run; one of min-threshold" in mistake["message"]


def test_a_simulation_sets_its_parameters() -> None:
    digests = []
    for text, name in zip(own_and_built_in("red", LINE, "red"), ("my-red", "red"), strict=True):
        sim = Simulation(text, sets=SHORT, folder=str(EXAMPLES), seed=1)
        sim.step_until("2 s")
        sim.set(f"bottleneck.queue.{name}.max-probability", 0.5)
        digests.append(sim.result().digest)
    assert digests[0] == digests[1]


def test_a_fault_ends_a_simulation_and_its_snapshots_go_on(tmp_path: Path) -> None:
    broken = (
        (EXAMPLES / "red.py")
        .read_text()
        .replace("        self.count += 1\n", "        self.count += 1 // (now < 2 * own.SECOND)\n")
    )
    sim = Simulation(with_file(tmp_path, broken), sets=SHORT, folder=str(tmp_path), seed=1)
    sim.step_until("1 s")
    before = sim.snapshot()
    with pytest.raises(PenstockError, match=r"mine\.py.*on_arrival"):
        sim.step_until("3 s")
    with pytest.raises(PenstockError, match="a component has failed in this run; go back to a snapshot"):
        sim.step_until("4 s")
    sim.restore(before)
    sim.step_until("1.5 s")


def test_runs_are_kept_and_found_by_the_text_of_the_file(tmp_path: Path) -> None:
    text = with_file(tmp_path, (EXAMPLES / "red.py").read_text())
    store = Store(tmp_path / "store")

    def key(folder: Path) -> str:
        scenario = _core.Scenario(text, "own.toml", SHORT, str(folder))
        assert not scenario.unidentified_components
        return scenario.canonical

    request = RunRequest(text, tuple(SHORT), 1, 0, "own.toml", folder=str(tmp_path))
    [first] = run_all([request], store=store)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(tmp_path / "mine.py", elsewhere / "mine.py")
    assert key(tmp_path) == key(elsewhere), "a folder is no part of the key"
    [again] = run_all([request], store=store)
    assert again.metrics == first.metrics
    (elsewhere / "mine.py").write_text((tmp_path / "mine.py").read_text().replace("count * p < 2.0", "count * p < 1.5"))
    assert key(tmp_path) != key(elsewhere)


@pytest.mark.parametrize("on", ["processes", "dask"])
def test_worker_processes_give_the_same_numbers(tmp_path: Path, on: str) -> None:
    text = with_file(tmp_path, (EXAMPLES / "red.py").read_text())
    requests = [RunRequest(text, tuple(SHORT), 1, 0, "own.toml", folder=str(tmp_path))]
    here, there = (run_all(requests, jobs=1, on=place) for place in ("threads", on))
    assert here[0].metrics == there[0].metrics
    assert here[0].digest == there[0].digest


def test_stored_runs_are_verified_anywhere_and_imported_if_python_is_allowed(
    penstock: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    (folder / "own.toml").write_text(with_file(folder, (EXAMPLES / "red.py").read_text()))
    assert penstock("run", folder / "own.toml", "--runs", "1", *WITHOUT_SERIES)[0] == 0
    assert penstock("verify")[0] == 0
    assert penstock("export", "a.tar.gz")[0] == 0
    code, out, err = penstock("import", "a.tar.gz", "--store", "other")
    assert (code, out) == (2, "")
    assert "executes the Python file" in err
    assert not (tmp_path / "other").exists()
    code, out, _ = penstock("import", "a.tar.gz", "--store", "other", "--allow-python")
    assert (code, "1 run verified, 1 of them made again; 1 taken" in out) == (0, True)


def test_code_in_the_cache_is_loaded_without_numba(tmp_path: Path) -> None:
    program = (
        "import sys; from penstock import _core\n"
        f"text = open({str(EXAMPLES / 'red.toml')!r}).read()\n"
        f"run = _core.Scenario(text, 'own.toml', {SHORT!r}, {str(EXAMPLES)!r}).run(1, 0)\n"
        "print(run.digest, 'numba' in sys.modules)"
    )
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    told = [
        subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True)
        for _ in range(2)
    ]
    first, second = (each.stdout.split() for each in told)
    assert (first[1], second[1]) == ("True", "False")
    assert first[0] == second[0]
    [code] = (tmp_path / "penstock-compiled").iterdir()
    code.write_bytes(code.read_bytes()[:-1])
    third = subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True)
    assert third.stdout.split() == [first[0], "True"], "damaged code is compiled again"


def test_it_is_explained_and_in_the_schema(penstock: Callable[..., tuple[int, str, str]]) -> None:
    _, shown, _ = penstock("explain", f"{EXAMPLES / 'red.py'}:Red")
    assert "# my-red (discipline)" in shown
    assert "max_p" in shown
    assert "`average` (packets)" in shown
    _, written, _ = penstock("schema", "--use", str(EXAMPLES / "red.py"))
    assert "max-probability" in json.loads(written)["$defs"]["discipline.my-red"]["required"]
    code, _, told = penstock("explain", f"{EXAMPLES / 'red.py'}:Blue")
    assert code == 2
    assert "has no component 'Blue'; it has Red" in told


def test_a_docstring_loses_its_indentation(penstock: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(TEMPLATE.replace("BODY", "pass").replace("something.", "something.\n\n    More.\n    "))
    _, out, _ = penstock("explain", str(file))
    assert "Does something.\n\nMore.\n" in out


def test_an_example_conforms_to_the_built_in_component(penstock: Callable[..., tuple[int, str, str]]) -> None:
    code, written, _ = penstock("conform", EXAMPLES / "red.py", "--against", "red", "--format", "json")
    found = json.loads(written)
    assert (code, found["conforms"], len(found["properties"])) == (0, True, 7)
    assert found["packets"] > 10_000


def test_the_first_difference_to_a_component_is_shown(
    penstock: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    text = (EXAMPLES / "red.py").read_text().replace("p / (2.0 - count * p)", "p / (9.0 - count * p)")
    (tmp_path / "other.py").write_text(text)
    code, told, _ = penstock("conform", f"{tmp_path / 'other.py'}:Red", "--against", "red")
    assert code == 1
    assert re.search(r"First difference to red, in 'overload' with seed 1: my-red: accept of .*; red: drop of ", told)
    code, _, told = penstock("conform", f"{tmp_path / 'other.py'}:Red", "--against", "rde")
    assert code == 2
    assert "there is no discipline 'rde'; did you mean 'red'?" in told


def test_a_network_is_built_with_its_class() -> None:
    queues = own.load(EXAMPLES / "red.py")
    with pytest.raises(ArgumentError, match="max_probability is missing"):
        queues.Red(limit="60 packets", min_threshold="5 packets", max_threshold="25 packets")
    red = queues.Red(limit="60 packets", min_threshold="5 packets", max_threshold="25 packets", max_probability=0.1)
    net = Network()
    net.use = "red.py"
    net.link(net.node("a"), net.node("b"), rate="1 Mbit/s", delay="1 ms", queue=red)
    text = net.toml(duration="1 s")
    assert 'use = "red.py"' in text
    assert "queue.my-red = {" in text


HEAD = "from penstock import own\n"
TEMPLATE = '''from penstock import own

TABLE = [1, 2]

@own.discipline
class Mine:
    """Does something."""

    limit = own.parameter("limit", "60 packets", doc="Its limit.")
    drops = own.stream("mine")
    count: int = 0
    mean: float = 0.0
    slots: list[int] = [0, 0, 0]

    def on_arrival(self, now, packet, queue):
        BODY
        return own.ACCEPT
'''
MINE = "queue.mine = {}"


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


@pytest.mark.parametrize("gear", ["", "1"])
def test_an_index_is_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gear: str) -> None:
    monkeypatch.setenv(files.DEBUG, gear)
    body = (
        "self.slots[self.drops.below(3)] += 1\n        self.slots[self.next()] *= 1\n        self.count += 1\n        "
    )
    body += "assert self.slots[0] + self.slots[1] + self.slots[2] == self.count // 2, 'drawn twice'"
    method = "\n    def next(self):\n        self.count += 1\n        return 0\n"
    text = TEMPLATE.replace("BODY", body) + method
    assert _core.Scenario(with_file(tmp_path, text, MINE), "own.toml", SHORT, str(tmp_path)).run(1, 0).packet_hops > 0


@pytest.mark.parametrize("gear", ["", "1"])
def test_a_bool_is_zero_or_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gear: str) -> None:
    monkeypatch.setenv(files.DEBUG, gear)
    body = """self.mark = 4 + self.count
        self.marks[1] = packet.size
        self.count += self.mark + self.marks[1]
        self.mark = self.count < 0
        assert self.count % 2 + self.mark == 0, 'wrong'"""
    text = TEMPLATE.replace("mean: float = 0.0", "mark: bool = False\n    marks: list[bool] = [False, False]")
    scenario = with_file(tmp_path, text.replace("BODY", body), MINE)
    assert _core.Scenario(scenario, "own.toml", SHORT, str(tmp_path)).run(1, 0).packet_hops > 0


SOMETIMES = {
    "if packet.size > 99: late = 1": 1,
    "for late in range(packet.size - 40): self.count += late": 1,
    "while self.count > 0: late = 1": 1,
    "for i in range(3):\n            if i > packet.size: late, self.mean = 1, 2.5": 2,
    "match packet.size:\n            case 41: late = 1\n            case 42: late = 2": 3,
    "late = self.sometimes(packet.size)": -1,
}
"""Code after which a variable has no value, and how many lines below its first one the variable is read."""


@pytest.mark.parametrize("gear", ["", "1"])
@pytest.mark.parametrize("code", SOMETIMES)
def test_a_variable_without_a_value_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, gear: str
) -> None:
    monkeypatch.setenv(files.DEBUG, gear)
    body = f"{code}\n        self.count = late if packet.size > 0 or late else 1"
    method = "\n    def sometimes(self, size):\n        if size > 99:\n            late = 1\n        return late\n"
    text = (TEMPLATE + method).replace("BODY", body)
    with pytest.raises(_core.ComponentError, match=r"UnboundLocalError: .* 'late'") as raised:
        _core.Scenario(with_file(tmp_path, text, MINE), "own.toml", SHORT, str(tmp_path)).run(1, 0)
    line = 16 + SOMETIMES[code] if SOMETIMES[code] > 0 else 23
    assert str(raised.value).startswith(f"mine.py:{line}: on_arrival of"), raised.value


@pytest.mark.parametrize("gear", ["", "1"])
def test_a_variable_with_a_value_on_the_way_that_is_taken_may_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gear: str
) -> None:
    monkeypatch.setenv(files.DEBUG, gear)
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
    assert _core.Scenario(with_file(tmp_path, text, MINE), "own.toml", SHORT, str(tmp_path)).run(1, 0).packet_hops > 0


@pytest.mark.parametrize("gear", ["", "1"])
@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("raise ValueError('never')", "ValueError: never"),
        ("assert False, 'never'", "AssertionError: never"),
        ("return 1 // 0", "ZeroDivisionError"),
    ],
)
def test_a_hook_that_always_fails_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, message: str, gear: str
) -> None:
    monkeypatch.setenv(files.DEBUG, gear)
    scenario = with_file(tmp_path, TEMPLATE.replace("BODY", body), MINE)
    with pytest.raises(_core.ComponentError, match=message):
        _core.Scenario(scenario, "own.toml", SHORT, str(tmp_path)).run(1, 0)


@pytest.mark.parametrize("gear", ["", "1"])
def test_both_gears_compute_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gear: str) -> None:
    monkeypatch.setenv(files.DEBUG, gear)
    # A quotient of numbers above 2^53 is that of the nearest floating-point numbers.
    body = """large = self.count + 9007199254740993
        assert large / 3 == 3002399751580330.5, 'divided'
        assert ~(self.count == 0) == -2, 'inverted'"""
    text = TEMPLATE.replace("mean: float = 0.0", "mean: float = 1e300").replace("BODY", body)
    assert _core.Scenario(with_file(tmp_path, text, MINE), "own.toml", SHORT, str(tmp_path)).run(1, 0).packet_hops > 0


def test_functions_of_math_are_compiled_under_other_names(tmp_path: Path) -> None:
    body = "self.count = down(2.5) + math.ceil(root(2.0))\n        assert self.count == 4, 'wrong'"
    text = "import math\nfrom math import floor as down, sqrt as root\n" + TEMPLATE.replace("BODY", body)
    assert _core.Scenario(with_file(tmp_path, text, MINE), "own.toml", SHORT, str(tmp_path)).run(1, 0).packet_hops > 0


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("self.mean = cuont", "'cuont' is not known"),
        ("self.cuont += 1", "self has no 'cuont'; did you mean 'count'?"),
        ("self.limit = 3", "'limit' is a parameter and cannot be assigned"),
        ("self.count = TABLE[0]", "'TABLE' cannot be used in a hook"),
        ("self.count = packet.sise", "packet has no 'sise'; did you mean 'size'?"),
        ("global TABLE", "globals cannot change"),
        ("self.mean = 1e10 ** 40", "10000000000.0 ** 40 is no number that a float holds"),
        ("self.mean = 0 ** -1", "0 ** -1 is no number that a float holds"),
        ("self.mean = round(self.mean, 1)", "write one argument, as in round(10.0 * x) / 10.0"),
        (
            "self.count = self.drops.random()",
            "a stream has unit(), exponential(), below(n) and chance(p), not 'random'",
        ),
        ("self.count = [1, 2][0]", "a list cannot be made in a hook"),
        ("self.count = 1.5", "a whole number is needed, not float64; write int(...)"),
        ("eval('1')", "'eval' is not allowed"),
        ("if (n := packet.size) > 3: self.count = n", "an assignment within an expression cannot be compiled"),
        ("own.ACCEPT = 5", "own.ACCEPT cannot be assigned; keep the value in the state"),
        ("self.count = own.mul_div(1, 2)", "mul_div is called with 2 arguments; it has 3"),
        ("for i in range(1.5): self.count += i", "a whole number is needed, not float64; write int(...)"),
        ("self.mean = self.slots[1:]", "a number is needed, not a list"),
        ("self.mean = packet", "a number is needed, not an object"),
        ("self.count = 'a'", "a whole number is needed, not a text"),
        ("self.mean = None", "a number is needed, but some way through the method gives no value"),
        ("self.mean = print(1)", "a number is needed, but some way through the method gives no value"),
        ("nonlocal TABLE", "no binding for nonlocal 'TABLE' found"),
        ("if packet.size > 3: return", "a whole number is needed, but some way through the method gives no value"),
        ("while True: self.count += 1", "the loop never ends; give it a condition, a break or a return"),
        ("while True:\n            while self.count: break", "the loop never ends"),
    ],
)
def test_code_that_cannot_be_compiled_is_a_mistake_with_its_line(tmp_path: Path, body: str, message: str) -> None:
    [told] = mistakes(tmp_path, TEMPLATE.replace("BODY", body), MINE)
    line = next(i for i, each in enumerate(TEMPLATE.splitlines(), 1) if "BODY" in each)
    assert message in told
    at = int(told.split(":")[1])
    assert at == line or (at == line - 1 and "no value" in message), told


@pytest.mark.usefixtures("debugging")
def test_calls_have_as_many_arguments_as_functions(tmp_path: Path) -> None:
    body = "self.count = twice(1, 2) + self.next()"
    text = "def twice(n):\n    return 2 * n\n" + TEMPLATE.replace("BODY", body)
    text += "\n    def next(self, n):\n        return n\n"
    assert mistakes(tmp_path, text, MINE) == [
        "mine.py:18: twice is called with 2 arguments; it has 1",
        "mine.py:18: next is called with 0 arguments; it has 1",
    ]


@pytest.mark.usefixtures("debugging")
def test_a_pattern_of_several_values_is_refused(tmp_path: Path) -> None:
    body = "match packet.size, self.count:\n            case (40, _): self.count = 1"
    assert mistakes(tmp_path, TEMPLATE.replace("BODY", body), MINE) == [
        "mine.py:17: a pattern of several values cannot be compiled; compare one value, or write if"
    ]


@pytest.mark.usefixtures("debugging")
@pytest.mark.parametrize(
    ("functions", "lines"),
    [
        ("def f(n):\n    return f(n + 1) if n else 0\n", [4]),
        ("def f(n):\n    return g(n)\ndef g(n):\n    return f(n)\n", [4, 6]),
    ],
)
def test_functions_that_call_themselves_are_refused(tmp_path: Path, functions: str, lines: list[int]) -> None:
    text = TEMPLATE.replace("TABLE = [1, 2]\n", f"TABLE = [1, 2]\n{functions}").replace("BODY", "self.count = f(1)")
    said = [f"mine.py:{line}: the function calls itself; write a loop" for line in lines]
    assert mistakes(tmp_path, text, MINE) == said


@pytest.mark.usefixtures("debugging")
def test_a_method_that_calls_itself_is_refused(tmp_path: Path) -> None:
    body = "return self.deep(1)\n\n    def deep(self, n):\n        return self.deep(n + 1)\n\n    def other(self):"
    [told] = mistakes(tmp_path, TEMPLATE.replace("BODY", body), MINE)
    assert "the function calls itself; write a loop" in told


@pytest.mark.usefixtures("debugging")
def test_a_loop_without_a_condition_ends_with_a_break_or_a_return(tmp_path: Path) -> None:
    for way_out in ("break", "return own.ACCEPT"):
        body = f"while True:\n            if self.count: {way_out}\n            self.count += 1"
        assert mistakes(tmp_path, TEMPLATE.replace("BODY", body), MINE) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import numpy\n" + TEMPLATE, "mine.py:1: imports 'numpy'; a file with components may import math, penstock"),
        (TEMPLATE.replace("count: int = 0", "count = 0"), "mine.py:11: 'count' declares no type"),
        (TEMPLATE.replace("count: int = 0", "count: str = ''"), "'count' is of the type str; one of int, float, bool"),
        (TEMPLATE.replace("count: int = 0", "count: int = 1.5"), "begins as 1.5, which is not a finite int"),
        (TEMPLATE.replace("count: int = 0", "count: int = 2**63"), "begins as 9223372036854775808, which is not"),
        (TEMPLATE.replace("count: int = 0", "count: float = 10**400"), "which is not a finite float of 64 bits"),
        (
            TEMPLATE.replace("on_arrival", "on_arival"),
            "mine.py:6: Mine has no method on_arrival(self, now, packet, queue)",
        ),
        (
            TEMPLATE.replace("now, packet", "time, packet"),
            "on_arrival has no argument 'time'; it has now, packet, queue",
        ),
        (
            TEMPLATE.replace('"limit", "60', '"lenght", "60'),
            "mine.py:9: parameter 'limit': there is no kind 'lenght'; one of limit,",
        ),
        (
            TEMPLATE.replace("@own.discipline", '@own.discipline(name="red")'),
            "'mine.py': there is a discipline 'red' already",
        ),
        (TEMPLATE.replace('"""Does something."""', ""), "Mine has no docstring"),
        (
            TEMPLATE.replace("count: int = 0", "next_timer: list[int] = [5]")
            + "\n    def on_timer(self, now, queue):\n        pass\n",
            "mine.py:19: on_timer needs the state next_timer, the time of its next call",
        ),
        (
            TEMPLATE.replace("count: int", 'more = own.stream("mine")\n    count: int'),
            "mine.py:11: 'more' draws the numbers of another stream 'mine'; rename it",
        ),
        (
            TEMPLATE.replace("@own", "class Base:\n    pass\n\n\n@own").replace("class Mine:", "class Mine(Base):"),
            "mine.py:10: Mine inherits from Base; write all parts of a component in its own class",
        ),
        (
            TEMPLATE.replace("count: int = 0", "count: int = 0\n\n    def __init__(self):\n        self.count = 5\n"),
            "mine.py:13: __init__ is never called; write initial values into the declarations",
        ),
        (
            TEMPLATE + "\n    def on_arrival(self):\n        return own.DROP_EARLY\n",
            "mine.py:19: 'on_arrival' is declared in line 15 already; rename one of them",
        ),
        (
            TEMPLATE.replace("count: int = 0", "count: int = 0\n    count: int = 1"),
            "mine.py:12: 'count' is declared in line 11 already",
        ),
        (TEMPLATE + TEMPLATE.partition("[1, 2]")[2], "mine.py:21: 'Mine' is declared in line 6 already"),
        (TEMPLATE.replace("def on_arrival", "async def on_arrival"), "on_arrival: write a method, with def at the top"),
        (
            TEMPLATE.replace("count: int", "on_leave = own.mul_div\n    count: int"),
            "mine.py:11: on_leave: write a method",
        ),
        (TEMPLATE.replace("TABLE = [1, 2]", "TABLE = 1 / 0"), "mine.py:3: ZeroDivisionError: division by zero"),
        (TEMPLATE.replace("TABLE = [1, 2]", "raise SystemExit(3)"), "mine.py:3: SystemExit: 3"),
        ("x = (", "mine.py:1: '(' was never closed"),
        ("x = 1\0", "mine.py:1: source code string cannot contain null bytes"),
        (f"x = {'-' * 100_000}1", "mine.py: is nested too deeply"),
        (f"x = {'1 + ' * 100_000}1", "mine.py: is nested too deeply"),
        (HEAD, "mine.py: has no component"),
        *(
            (TEMPLATE.replace('"limit", "60 packets", doc="Its limit."', arguments), f"mine.py:9: parameter: {message}")
            for arguments, message in (
                ('"limit", doc=5', "doc is 5; it must be a text"),
                ('5, doc=""', "kind is 5; it must be a text"),
                ('"limit", [60], doc=""', "default is [60]; it must be a text, a number, True or False"),
                ('"limit", doc="", changeable="no"', "changeable is 'no'; it must be True or False"),
                ('"choice", doc=""', "a choice needs words; write words=[...]"),
                ('"choice", doc="", words="ab"', "words is 'ab'; it must be a list of texts"),
                ('"choice", doc="", words=[1, 2]', "word is 1; it must be a text"),
                ('"choice", doc="", words={"a": 5}', "word is 5; it must be a text"),
                ('"choice", doc="", words=["a", "b", "a"]', "words has a word twice (a, b, a)"),
                ('"choice", "c", doc="", words=["a", "b"]', "default is 'c', not one of a, b"),
            )
        ),
        (
            TEMPLATE.replace('doc="Its', 'words=["a"], doc="Its'),
            "mine.py:9: parameter 'limit': only a choice has words",
        ),
        (TEMPLATE.replace("int = 0", "int = own.state(0, doc=5)"), "mine.py:11: state: doc is 5; it must be a text"),
        (TEMPLATE.replace("int = 0", 'int = own.state(0, unit="")'), "mine.py:11: state: unit is empty; write '1'"),
        (TEMPLATE.replace('stream("mine")', 'stream("")'), "mine.py:10: stream: name is empty"),
        (TEMPLATE.replace('stream("mine")', "stream(5)"), "mine.py:10: stream: name is 5; it must be a text"),
        (
            TEMPLATE.replace("@own.discipline", "@own.discipline(name=5)"),
            "mine.py:5: discipline: name is 5; it must be a text",
        ),
        (
            TEMPLATE.replace("@own.discipline", '@own.discipline(name="")'),
            "'' is no name for a discipline",
        ),
        (
            TEMPLATE.replace("@own.discipline", "@own.meter\n@own.discipline"),
            "mine.py:5: meter: Mine is a discipline already; a class is one component",
        ),
        (
            TEMPLATE.replace("    def on_arrival", "    @staticmethod\n    def on_arrival"),
            "on_arrival: write a method without decorators and defaults",
        ),
        *(
            (
                TEMPLATE + f"\n{head}\n" + indent(TEMPLATE[TEMPLATE.index("@own") :], "    ") + tail,
                "mine.py:21: Mine is within another statement; write a component at the top level of the file",
            )
            for head, tail in (
                ("if True:", ""),
                ("try:", "finally:\n    pass\n"),
                ("def make():", "    return Mine\nOther = make()\n"),
                ("class Outer:", ""),
            )
        ),
    ],
)
def test_a_declaration_that_is_wrong_is_a_mistake(tmp_path: Path, text: str, message: str) -> None:
    told = mistakes(tmp_path, text.replace("BODY", "pass"), MINE)
    assert any(message in each for each in told), told


def test_a_class_may_have_any_name_that_python_allows(tmp_path: Path) -> None:
    text = TEMPLATE.replace("@own.discipline", '@own.discipline(name="mine")').replace("Mine", "Größe")
    text = text.replace("count", "zähler").replace("BODY", "self.erhöhe()") + (
        "\n    def erhöhe(self):\n        self.zähler += 1\n"
    )
    scenario = _core.Scenario(with_file(tmp_path, text, MINE), "own.toml", SHORT, str(tmp_path))
    assert scenario.run(1, 0).packet_hops > 0


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "\ufeff" + TEMPLATE.replace("BODY", "pass"), MINE) == []


def test_a_file_that_is_missing_or_no_python_is_a_mistake(tmp_path: Path) -> None:
    missing = _core.check(SCENARIO, "own.toml", SHORT, str(tmp_path))
    assert [(each["path"], each["message"]) for each in missing] == [
        ("use", "red.py: there is no such file; names are relative to the scenario's folder")
    ]
    (tmp_path / "red.txt").write_text("raise ValueError('executed')")
    for value in ('"red.txt"', '["red.py"]'):
        [other] = _core.check(SCENARIO.replace('"red.py"', value), "own.toml", SHORT, str(tmp_path))
        assert 'write use = "my_queues.py"' in other["message"]


def test_missing_numba_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.own.compiled.util.find_spec", lambda _: None)
    [told] = mistakes(tmp_path, TEMPLATE.replace("BODY", "pass"), MINE)
    assert f"install it with: {advice('jit')}" in told
    monkeypatch.setenv(files.DEBUG, "1")
    assert mistakes(tmp_path, TEMPLATE.replace("BODY", "pass"), MINE) == []


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
