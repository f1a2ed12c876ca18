"""Congestion controls written in Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from penstock import ArgumentError, Ftp, Network, RunRequest, Sack, Tcp, TimeSeries, _core, own, run_all
from penstock.own import files, kinds
from penstock.own.subjects import SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = Path(__file__).parents[2] / "examples" / "own"
SHORT = [("duration", "4 s"), ("warm-up", "1 s")]
TEMPLATE = '''from penstock import own

@own.congestion_control
class Mine:
    """Adds a segment per round trip and halves."""

    growth = own.parameter("number", 1.0, doc="Segments per round trip.", changeable=True)
    acks: int = own.state(0, doc="Acknowledgements.")
    rates: list[float] = [0.0] * 200

    def on_ack(self, now, ack, window):
        self.acks += 1
        BODY
        window.size += self.growth / window.size

    def on_congestion(self, cause, in_flight, window):
        window.threshold = max(in_flight / 2, 2.0)

    def on_timeout(self, in_flight, window):
        window.threshold = max(in_flight / 2, 2.0)
'''


def scenario(folder: Path, component: str, of: str = "tail drop", use: str = "mine.py", **sets: str) -> _core.Scenario:
    """One of the scenarios of the conformance kit, with a component of a file if `use` is not empty."""
    text = SCENARIOS["congestion-control"][of].replace("COMPONENT", component)
    head = f'use = "{use}"\n' if use else ""
    return _core.Scenario(head + text, "own.toml", list(sets.items()), str(folder))


def written(folder: Path, body: str = "pass", text: str = TEMPLATE) -> Path:
    """A folder with a control whose `on_ack` has this statement."""
    (folder / "mine.py").write_text(text.replace("BODY", body))
    return folder


@pytest.mark.parametrize("of", SCENARIOS["congestion-control"])
def test_cubic_decides_as_the_built_in_one(of: str) -> None:
    for seed in (1, 2):
        ours = scenario(EXAMPLES, "my-cubic = {}", of, "cubic.py").run(seed, 0)
        theirs = scenario(EXAMPLES, "cubic = {}", of, "").run(seed, 0)
        assert ours.digest == theirs.digest
        assert ours.drops > 0 or of == "marks"


def test_both_gears_give_the_same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = [("my-cubic = {}", "cubic.py", "bursts"), ("fast = { alpha = 4 }", "fast.py", "tail drop")]
    compiled = [scenario(EXAMPLES, line, of, use, duration="2 s").run(1, 0).digest for line, use, of in examples]
    monkeypatch.setenv(files.DEBUG, "1")
    plain = [scenario(EXAMPLES, line, of, use, duration="2 s").run(1, 0).digest for line, use, of in examples]
    assert compiled == plain


def test_the_delay_based_example_keeps_its_packets_in_the_queue() -> None:
    text = (EXAMPLES / "fast.toml").read_text()
    request = RunRequest(text, (), 1, 0, "fast.toml", folder=str(EXAMPLES))
    [run] = run_all([request], store=None)
    metrics = {each.name: each.value for each in run.metrics}
    assert metrics["utilisation"] > 0.99
    assert 20 < metrics["queue"] < 40
    series = TimeSeries(text, of="bulk", what="waiting", every="10 s", folder=str(EXAMPLES)).frame()
    assert series["value"].tail(3).to_list() == pytest.approx([8, 8, 8], abs=0.5)


def test_it_conforms(penstock: Callable[..., tuple[int, str, str]]) -> None:
    code, told, _ = penstock("conform", EXAMPLES / "cubic.py", "--against", "cubic", "--format", "json")
    found = json.loads(told)
    assert (code, found["conforms"], found["difference"]) == (0, True, None)
    assert found["runs"] == 2 * len(SCENARIOS["congestion-control"])


FAULTS = [
    ("window.size = ack.newly - 5.0", "leaves a window of -"),
    ("window.size = 1e308 * 10.0 * self.growth", "'size' became inf"),
    ("self.rates[ack.delivered + 300] = 1.0", "IndexError: "),
    ("self.rates[self.acks] = 1.0 / (self.acks - 150)", "ZeroDivisionError: "),
]


@pytest.mark.parametrize(("body", "message"), FAULTS)
@pytest.mark.parametrize("debug", [False, True])
def test_a_fault_names_hook_and_line(
    tmp_path: Path, body: str, message: str, debug: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if debug:
        monkeypatch.setenv(files.DEBUG, "1")
    text = (written(tmp_path, body) / "mine.py").read_text()
    line = next(
        i for i, each in enumerate(text.splitlines(), 1) if ("def on_ack" if "leaves" in message else body) in each
    )
    with pytest.raises(_core.ComponentError) as raised:
        scenario(tmp_path, "mine = {}").run(1, 0)
    told = str(raised.value)
    assert told.startswith(f"mine.py:{line}: on_ack of congestion-control 'mine' at 'tcp"), told
    assert message in told


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("ack.newly = 3", "ack.newly cannot be assigned"),
        ("window.max = 3", "window.max cannot be assigned; of window, size, threshold"),
        ("window.siz = 3.0", "window has no 'siz'; did you mean 'size'?"),
        ("self.acks, self.growth = 1, 2", "'growth' is a parameter"),
        ("self.acks, x = self.rates", "assign to the state one value at a time"),
    ],
)
def test_what_may_not_be_written_is_a_mistake(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(_core.ScenarioError, match=r"mine\.py") as raised:
        scenario(written(tmp_path, body), "mine = {}")
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("def on_timeout(self, in_flight, window)", "def other(self, in_flight, window)", "has no method on_timeout"),
        ("on_ack(self, now, ack, window)", "on_ack(self, now, packet, window)", "on_ack has no argument 'packet'"),
        ("on_timeout(self", "on_timout(self", "a congestion-control has no hook 'on_timout'"),
        ("@own.congestion_control", "@own.congestion_control(marks='some')", "marks is 'some'; 'exact' or 'count'"),
    ],
)
def test_a_declaration_that_is_wrong_is_a_mistake(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(_core.ScenarioError) as raised:
        scenario(written(tmp_path, text=TEMPLATE.replace(old, new)), "mine = {}")
    assert message in str(raised.value)


def test_marks_need_ecn(tmp_path: Path) -> None:
    text = TEMPLATE.replace("@own.congestion_control", '@own.congestion_control(marks="exact")')
    hook = "    def on_marks(self, marks):\n        self.marked += marks.marked\n"
    written(
        tmp_path,
        text=f"{text}\n{hook}".replace("acks: int", "marked: int = own.state(0, doc='Marked.')\n    acks: int"),
    )
    with pytest.raises(_core.ScenarioError, match="ecn = true"):
        scenario(tmp_path, "mine = {}")
    scenario(tmp_path, "mine = {}", "marks").run(1, 0)


def test_every_hook_is_called(tmp_path: Path) -> None:
    """A control that counts the calls of all hooks, and reads all fields."""
    names = [name for name in kinds.KINDS["congestion-control"].hooks if name != "on_start"]
    lines = []
    for i, name in enumerate(names):
        arguments = kinds.KINDS["congestion-control"].hooks[name].arguments
        lines.append(f"    def {name}(self, {', '.join(arguments)}):")
        lines.append(f"        self.calls[{i}] += 1")
        for argument, of in arguments.items():
            fields = [f".{each.name}" for each in kinds.fields()[of.view]] if of.view and of.field is None else [""]
            lines += [f"        self.sum += {argument}{field} % 1000.0" for field in fields if argument != "window"]
        if name in ("on_congestion", "on_timeout"):
            lines.append("        window.threshold = max(in_flight / 2.0, 2.0)")
        if name == "on_recovery_end":
            lines.append("        window.size = window.threshold")
        if name == "on_ack":
            lines.append("        window.size += 1.0 if window.size < window.threshold else 1.0 / window.size")
    state = (
        f"calls: list[int] = own.state([0] * {len(names)}, doc='Calls.')\n    sum: float = own.state(0.0, doc='A sum.')"
    )
    head = TEMPLATE.partition("    def on_ack")[0].replace('acks: int = own.state(0, doc="Acknowledgements.")', state)
    written(tmp_path, text=head + "\n".join(lines) + "\n")
    called: set[str] = set()
    for traffic in ("tail drop", "interrupted", "marks"):
        text = 'use = "mine.py"\n' + SCENARIOS["congestion-control"][traffic].replace("COMPONENT", "mine = {}")
        series = TimeSeries(text, of="tcp", what="calls", every="5 s", sets=[("duration", "5 s")], folder=str(tmp_path))
        rows = series.frame()
        assert {*rows["number"]} == {*range(len(names))}, "an index for each item of the list"
        called |= {names[i] for i, count in zip(rows["number"], rows["value"], strict=True) if count > 0}
    assert called == set(names)


def test_a_control_that_limits_the_rate_gets_reports_that_say_so(tmp_path: Path) -> None:
    state = 'acks: int = own.state(0, doc="Limited reports.")\n    limits_rate: LIMITS'
    report = "    def on_report(self, now, report):\n        self.acks += report.app_limited\n"
    text = TEMPLATE.replace("self.acks += 1", "pass").replace(
        'acks: int = own.state(0, doc="Acknowledgements.")', state
    )
    found = []
    for limits in ("bool = False", "bool = True"):
        written(tmp_path, text=f"{text}\n{report}".replace("LIMITS", limits))
        net = 'use = "mine.py"\n' + SCENARIOS["congestion-control"]["tail drop"].replace("COMPONENT", "mine = {}")
        series = TimeSeries(net, of="tcp[0]", what="acks", every="5 s", folder=str(tmp_path)).frame()
        found.append(series["value"].max())
    assert found[0] == 0
    assert found[1] > 100
    for name in ("limits_rate", "pacing_rate"):
        written(tmp_path, text=text.replace("limits_rate: LIMITS", f"{name}: float = 0.0"))
        with pytest.raises(_core.ScenarioError, match=f"the state {name} is a float; write {name}: int"):
            scenario(tmp_path, "mine = {}")


def test_a_network_is_built_with_its_class() -> None:
    net = Network()
    net.use = "fast.py"
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate="10 Mbit/s", delay="10 ms", both_ways=True)
    fast = own.load(EXAMPLES / "fast.py").Fast(alpha=8)
    net.flows("bulk", a, b, source=Ftp(), transport=Tcp(recovery=Sack(), congestion_control=fast))
    text = net.toml(duration="1 s")
    assert _core.Scenario(text, "own", [], str(EXAMPLES)).run(1, 0).delivered > 100
    with pytest.raises(ArgumentError, match="is a congestion-control"):
        Tcp(recovery=fast)


def test_worker_processes_give_the_same_numbers() -> None:
    text = SCENARIOS["congestion-control"]["bursts"].replace("COMPONENT", "my-cubic = {}")
    requests = [RunRequest(f'use = "cubic.py"\n{text}', (("duration", "2 s"),), 1, 0, "own.toml", folder=str(EXAMPLES))]
    here, there = (run_all(requests, jobs=1, on=on) for on in ("threads", "processes"))
    assert here[0].digest == there[0].digest


def test_the_tables_of_kinds_name_views_and_fields_of_the_core() -> None:
    views: dict[str, Any] = kinds.fields()
    assert len(views) == len(_core.component_views()), "no two views have one name"
    for kind in kinds.KINDS.values():
        for hook in kind.hooks.values():
            for argument in hook.arguments.values():
                assert argument.place in ("first", "second", "now", "more")
                assert (argument.view is not None) == (argument.place in ("first", "second"))
                if argument.view is not None and argument.field is not None:
                    assert argument.field in [each.name for each in views[argument.view]]
