"""Meters, metrics, schedulers and sources written in Python: equal to the built-in ones, in both gears."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from penstock import Network, RunRequest, _core, own, run_all
from penstock.own import files
from penstock.own.kinds import fields
from penstock.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "own"
SHORT = [("duration", "4 s"), ("warm-up", "0 s")]
BUILT_IN = {"wrr": ("my-wrr", "wrr"), "srtcm": ("my-srtcm", "tcm"), "video": ("my-video", "video")}
"""The keys of examples, and of the built-in components that they equal."""


@pytest.fixture
def debugging(monkeypatch: pytest.MonkeyPatch) -> None:
    """The slow gear."""
    monkeypatch.setenv(files.DEBUG, "1")


def example(name: str) -> str:
    return (EXAMPLES / f"{name}.toml").read_text()


def built_in(name: str) -> str:
    """The scenario of an example with the built-in component in the place of its own."""
    mine, theirs = BUILT_IN[name]
    return example(name).replace(f"{mine} =", f"{theirs} =").replace(f'use = "{name}.py"\n', "")


def run(text: str, folder: Path = EXAMPLES, seed: int = 1, sets: list[tuple[str, str]] | None = None) -> _core.Run:
    return _core.Scenario(text, "own.toml", [*SHORT, *(sets or [])], str(folder)).run(seed, 0)


def test_lists_over_classes_are_as_long_as_the_core_makes_them() -> None:
    lengths = {each.name: each.length for each in fields()["Queues"]}
    assert lengths == {"count": 1, "rate": 1, "packets": own.CLASSES, "bytes": own.CLASSES, "head": own.CLASSES}


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_example_equals_the_built_in_component(name: str) -> None:
    for seed in (1, 2):
        mine, theirs = run(example(name), seed=seed), run(built_in(name), seed=seed)
        assert mine.digest == theirs.digest
        assert repr(mine.metrics) == repr(theirs.metrics)
        assert mine.drops > 10


def test_a_source_without_frames_follows_requests(tmp_path: Path) -> None:
    text = re.sub(r"\bframe(_packets?)?\b", r"number\1", (EXAMPLES / "video.py").read_text())
    (tmp_path / "video.py").write_text(text)
    mine, theirs = run(example("video").partition("[[measure]]")[0], tmp_path), run(example("video"))
    assert mine.packet_hops == theirs.packet_hops


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.usefixtures("debugging")
def test_both_gears_give_the_same_numbers(name: str) -> None:
    sets = [("duration", "1 s"), ("warm-up", "0 s")]
    mine, theirs = (
        _core.Scenario(text, "own.toml", sets, str(EXAMPLES)).run(1, 0) for text in (example(name), built_in(name))
    )
    assert (mine.digest, repr(mine.metrics)) == (theirs.digest, repr(theirs.metrics))


def test_both_executors_agree() -> None:
    for name in BUILT_IN:
        scenario = _core.Scenario(example(name), "own.toml", SHORT, str(EXAMPLES))
        assert scenario.run(3, 0).digest == scenario.run(3, 0, None, "plain").digest


def test_parameters_of_classes_and_meters_change_during_a_run() -> None:
    changes = {
        "wrr": ("bottleneck", "class.bronze.weight", "6"),
        "srtcm": ("access", "marker.{}.committed-rate", '"500 kbit/s"'),
    }
    for name, (link, key, value) in changes.items():
        mine, theirs = BUILT_IN[name]
        digests = []
        for text, component in ((example(name), mine), (built_in(name), theirs)):
            change = f'[{{ at = "2 s", parameter = "{key.format(component)}", value = {value} }}]'
            digests.append(run(text, sets=[(f"{link}.parameter-changes", change)]).digest)
        assert digests[0] == digests[1] != run(example(name)).digest


def test_state_of_schedulers_and_meters_is_a_series(penstock: Callable[..., tuple[int, str, str]]) -> None:
    for name, link, variable in (("wrr", "bottleneck", "credit"), ("srtcm", "access", "fill")):
        code, told, error = penstock(
            "series", str(EXAMPLES / f"{name}.toml"), "--of", link, "--what", variable, "--every", "1s", "--limit", "3"
        )
        assert code == 0, error
        assert variable in told


def test_the_stream_of_a_source_is_that_of_its_flow(tmp_path: Path) -> None:
    source = """
from penstock import own

@own.source(name="my-poisson")
class Poisson:
    \"\"\"Poisson arrivals.\"\"\"

    rate = own.parameter("rate", doc="Mean rate.")
    packet = own.parameter("bytes", doc="Size of a packet.")
    gaps = own.stream("gaps")

    def mean_rate(self):
        return self.rate

    def gap(self):
        return int(self.gaps.exponential() * (self.packet * 8.0 / self.rate) * own.SECOND + 0.5)

    def first_packet(self):
        return self.gap(), self.packet

    def next_packet(self):
        return self.gap(), self.packet
"""
    (tmp_path / "mine.py").write_text(source)
    scenario = """
duration = "20 s"
nodes = { a = { count = 3 }, b = {}, c = {} }
links = [
    { from = "a", to = "b", rate = "10 Mbit/s", delay = "1 ms" },
    { from = "b", to = "c", rate = "2 Mbit/s", delay = "1 ms" },
]
[[flows]]
name = "all"
from = "a"
to = "c"
source.my-poisson = { rate = "800 kbit/s", packet = "500 bytes" }
"""
    mine = _core.Scenario(f'use = "mine.py"\n{scenario}', "t", [], str(tmp_path)).run(1, 0)
    theirs = _core.Scenario(scenario.replace("my-poisson", "poisson"), "t", [], None).run(1, 0)
    assert mine.digest == theirs.digest
    assert mine.delivered > 1000


# Metrics


def values(found: _core.Run) -> dict[str, float]:
    return {" ".join([name, *(value for _, value in labels)]): value for name, labels, _, value in found.metrics}


MEASURED = {"mos": "", "delay": ", quantiles = [0.99]", "loss": ""}


def test_the_score_of_voice_follows_from_delay_and_loss() -> None:
    measures = [f"{{ metric = '{name}', of = 'voice', per = 'flow'{more} }}" for name, more in MEASURED.items()]
    found = values(run(example("mos"), sets=[("measure", f"[{', '.join(measures)}]")]))
    scores = {name.split()[-1]: value for name, value in found.items() if name.startswith("mos")}
    assert len(scores) == 10
    for flow, score in scores.items():
        [p99] = [value for name, value in found.items() if name.startswith("delay") and flow in name and "0.99" in name]
        [loss] = [value for name, value in found.items() if name.startswith("loss") and flow in name]
        delay, lost = 20.0 + 1e3 * p99, 100.0 * (1.0 - (1.0 - loss) * 0.99)
        rating = 93.2 - 0.024 * delay - 0.11 * max(delay - 177.3, 0.0) - 95.0 * lost / (lost + 25.1)
        expected = 1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6
        # Delays are whole picoseconds.
        assert math.isclose(score, expected, rel_tol=1e-9)
        assert 1.0 < score < 4.5


COUNTS = """
from penstock import own

@own.metric(unit="packets", statistic="sum")
class Marked:
    \"\"\"Marked packets.\"\"\"

    def of_flow(self, flow):
        return flow.marked_packets

    def of_link(self, link):
        return link.marked_packets

@own.metric(unit="1", statistic="share", name="dropped-share")
class DroppedShare:
    \"\"\"Share of the offered packets that were dropped.\"\"\"

    def of_link(self, link):
        if link.offered_packets == 0:
            return own.NO_VALUE
        return link.dropped_packets / link.offered_packets
"""


TINY = '{ step-marking = { limit = "12 packets", threshold = "10 packets" } }'


@pytest.mark.parametrize("gear", ["compiled", "interpreted"])
def test_metrics_of_flows_and_links_equal_the_built_in_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gear: str
) -> None:
    if gear == "interpreted":
        monkeypatch.setenv(files.DEBUG, "1")
    (tmp_path / "mine.py").write_text(COUNTS)
    names = {"marks": "marked", "loss": "dropped-share"}
    pairs = [(theirs, mine, of) for theirs, mine in names.items() for of in ("transfers", "switch-sink")]
    measures = [
        f"{{ metric = '{metric}', of = '{of}', per = '{'flow' if of == 'transfers' else 'link'}' }}"
        for theirs, mine, of in pairs
        if (mine, of) != ("dropped-share", "transfers")
        for metric in (theirs, mine)
    ]
    text = 'use = "mine.py"\n' + (ROOT / "examples" / "step-marking.toml").read_text()
    sets = [("measure", f"[{', '.join(measures)}]"), ("switch-sink.queue", TINY)]
    found = [
        (name, [value for key, value in labels if key != "of"], value)
        for name, labels, _, value in _core.Scenario(text, "t", sets, str(tmp_path)).run(1, 0).metrics
    ]
    for theirs, mine in names.items():
        wanted = [each[1:] for each in found if each[0] == theirs]
        equal = [each[1:] for each in found if each[0] == mine]
        assert wanted
        assert equal == wanted
        assert any(value > 0 for _, value in equal)


def test_a_metric_has_statistics_and_no_value_without_packets(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(COUNTS)
    scenario = """
use = "mine.py"
duration = "1 s"
nodes = { a = {}, b = {}, c = {} }
links = [
    { from = "a", to = "b", rate = "1 Mbit/s", delay = "1 ms" },
    { from = "b", to = "c", rate = "1 Mbit/s", delay = "1 ms" },
]
measure = [{ metric = "dropped-share", of = ["a-b", "b-c"] }, { metric = "marked", of = "f", take = ["sum", "max"] }]
[[flows]]
name = "f"
from = "a"
to = "b"
source.cbr = { rate = "64 kbit/s", packet = "160 bytes" }
"""
    found = values(_core.Scenario(scenario, "t", [], str(tmp_path)).run(1, 0))
    assert repr(found) == repr(
        {
            "dropped-share a-b mean": 0.0,
            "dropped-share b-c mean": math.nan,
            "marked f sum": 0.0,
            "marked f max": 0.0,
        }
    )
    wrong = scenario.replace('"marked", of = "f", take = ["sum", "max"]', '"dropped-share", of = "f"')
    assert any("'f' is a group of flows" in each["message"] for each in _core.check(wrong, "t", [], str(tmp_path)))


@pytest.mark.parametrize("factor", ["1e306", "1e200", "1e-290"])
def test_very_large_and_small_numbers_of_a_metric_are_shown(
    penstock: Callable[..., tuple[int, str, str]], tmp_path: Path, factor: str
) -> None:
    sent = COUNTS.replace("return flow.marked_packets", f"return {factor} * flow.sent_packets")
    (tmp_path / "mine.py").write_text(sent)
    (tmp_path / "net.toml").write_text(
        """use = "mine.py"
duration = "1 s"
nodes = { a = {}, b = {} }
links = [{ from = "a", to = "b", rate = "1 Mbit/s", delay = "1 ms" }]
measure = [{ metric = "marked", of = "f" }]
flows = [{ name = "f", from = "a", to = "b", source.poisson = { rate = "64 kbit/s", packet = "160 bytes" } }]
"""
    )
    exit_code, out, err = penstock("run", "net.toml", "-n", "4")
    assert exit_code == 0, err
    [row] = [line for line in out.splitlines() if line.startswith("marked")]
    assert re.search(r"f +[0-9.]+e[+-][0-9]+ ±[0-9.]+e[+-][0-9]+ ", row), row
    for form in ("json", "csv"):
        assert penstock("run", "net.toml", "-n", "4", "--format", form)[0] == 0


# All ways through the package


def test_runs_are_kept_and_workers_make_the_same(tmp_path: Path) -> None:
    requests = [
        RunRequest(example(name), tuple(SHORT), 1, 0, name, folder=str(EXAMPLES)) for name in (*BUILT_IN, "mos")
    ]
    digests = [made.digest for made in run_all(requests, jobs=2, store=Store(tmp_path / "one"))]
    assert digests == [run(example(name)).digest for name in (*BUILT_IN, "mos")]


def test_sweeps_and_pages(penstock: Callable[..., tuple[int, str, str]]) -> None:
    code, told, error = penstock(
        "run",
        str(EXAMPLES / "wrr.toml"),
        "--set",
        "bottleneck.class.bronze.weight=1,4",
        "--set",
        "duration=3 s",
        "--runs",
        "1",
        "--format",
        "json",
    )
    assert code == 0, error
    assert len(json.loads(told)) == 2
    for name, part in (
        ("wrr.py", "Weighted round robin"),
        ("srtcm.py", "committed-burst"),
        ("video.py", "frame-rate"),
        ("mos.py", "opinion"),
    ):
        code, told, error = penstock("explain", str(EXAMPLES / name))
        assert code == 0, error
        assert part in told


def test_networks_are_built_with_the_classes() -> None:
    meters, sources, metrics = (own.load(EXAMPLES / f"{name}.py") for name in ("srtcm", "video", "mos"))
    assert not vars(metrics)
    net = Network()
    net.use = "srtcm.py"
    srtcm = meters.SrTcm(committed_rate="1 Mbit/s", committed_burst="9 kB", excess_burst="9 kB")
    net.link(net.node("a"), net.node("b"), rate="1 Mbit/s", delay="1 ms", marker=srtcm)
    assert "marker.my-srtcm = {" in net.toml(duration="1 s")
    assert "rate" in repr(sources.Video(rate="1 Mbit/s"))


@pytest.mark.parametrize(
    ("component", "against"),
    [("wrr.py:Wrr", "wrr"), ("srtcm.py", "tcm"), ("video.py", "video"), ("mos.py", None)],
)
def test_examples_conform(penstock: Callable[..., tuple[int, str, str]], component: str, against: str | None) -> None:
    code, told, error = penstock("conform", str(EXAMPLES / component), *(["--against", against] if against else []))
    assert code == 0, told + error
    assert "compiled and interpreted agree" in told


def test_conformance_shows_what_differs(penstock: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    (tmp_path / "w.py").write_text(
        (EXAMPLES / "wrr.py").read_text().replace("self.credit = self.weight", "self.credit = 1 + self.weight")
    )
    code, told, _ = penstock("conform", f"{tmp_path / 'w.py'}:Wrr", "--against", "wrr")
    assert code == 1
    assert "First difference to wrr, in 'overload' with seed 1: " in told
    (tmp_path / "m.py").write_text(COUNTS.replace("return flow.marked_packets", "return flow.lost_packets"))
    code, told, _ = penstock("conform", f"{tmp_path / 'm.py'}:Marked", "--against", "marks")
    assert code == 1
    assert re.search(
        r"First difference to marks, in 'overload of flows' with seed 1: \w+: \d+\.0 of bursts\[0\]; marks: 0\.0", told
    )
