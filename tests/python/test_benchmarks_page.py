"""The benchmarks beside other simulators and those of growth: what they run, and that the page shows what was kept."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from penstock import _core
from penstock.bench import WORKLOADS

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(scope="module", autouse=True)
def _programs():
    sys.path[:0] = [str(BENCH), str(BENCH / "peers")]
    yield
    sys.path.remove(str(BENCH))
    sys.path.remove(str(BENCH / "peers"))


def test_the_page_shows_the_kept_numbers():
    import page

    text = page.PAGE.read_text(encoding="utf-8")
    assert page.renewed(text) == text, "renew it with: python bench/page.py"
    assert {part[1] for part in page.MARKED.findall(text)} == set(page.written())
    assert all((page.PAGE.parent / name).exists() for name in re.findall(r"\{image\} (\S+)", text))


def test_kept_comparisons_did_the_same_work():
    import compare
    import page

    kept = json.loads(page.PEERS.read_text())
    assert [c["workload"] for c in kept if c["outside"] or not c["reached"]] == []
    able = [(name, "ns-2") for name in compare.WORKLOADS]
    able += [(name, "ns-3") for name, workload in compare.WORKLOADS.items() if workload.ns3]
    assert [(c["workload"], c["peer"]) for c in kept] == able


def test_compared_workloads_exist_on_both_sides():
    import compare

    assert set(compare.WORKLOADS) <= set(WORKLOADS)
    for workload in compare.WORKLOADS.values():
        assert (BENCH / "peers" / "ns2" / workload.ns2[0]).exists()
        assert workload.ns3 is None or (BENCH / "peers" / "ns3" / f"{workload.ns3[0]}.cc").exists()


def test_a_peer_that_is_not_there_is_left_out(monkeypatch, capsys):
    import compare

    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "argv", ["compare.py"])
    assert compare.main() == 0
    assert re.findall(r"skipped: (ns-\d) is not installed", capsys.readouterr().out) == ["ns-2", "ns-3"]


def test_work_outside_the_bands_is_told(monkeypatch):
    import compare

    counts = {"delivered": 100, "drops": 4, "goodput": 1e6, "cpu": 1.0, "whole": 1.0, "peak": 1}
    monkeypatch.setattr(compare, "penstock", lambda *_: compare.Run(packet_hops=1000, **counts))
    comparison = compare.Comparison("cbr", "ns-2", 1)
    for hops, drops, outside in [(1000, 4, []), (981, 4, []), (979, 4, ["packet_hops"]), (1000, 2, ["drops"])]:
        theirs = compare.Run(packet_hops=hops, **{**counts, "drops": drops})
        comparison.call = lambda *_, theirs=theirs, **__: theirs
        assert comparison.same_work()[1] == outside


def test_ratios_leave_the_set_up_out_of_both():
    import compare

    def run(cpu, whole):
        return compare.Run(1000, 100, 0, 1e6, cpu=cpu, whole=whole, peak=1)

    ours = compare.side([run(2.0, 4.0)], [1.0])
    told = compare.against(ours, compare.side([run(20.0, 20.0)], [15.0]))
    assert (told["ratios"], told["steady_ratios"], told["whole_process_ratios"], told["setup_ratio"]) == (
        *([10.0], [5.0], [5.0]),
        15.0,
    )


def test_nothing_is_said_of_a_run_that_is_nearly_all_set_up():
    import page

    form = {"runs": [{"cpu": 1.0}], "steady_ratios": [3.0]}
    assert page.without_setup({**form, "setup_cpu_seconds": 0.7}) == 3.0
    assert page.without_setup({**form, "setup_cpu_seconds": 0.9}) is None


@pytest.mark.parametrize("name", ["flows-cbr", "flows-tcp", "hops", "calls", "time-cbr", "time-tcp"])
def test_points_of_growth_are_scenarios(name):
    import growth

    curve = growth.CURVES[name]
    for size in (curve.sizes[0], curve.sizes[-1]):
        sets = [("duration", f"{curve.seconds(size):g} s")]
        assert _core.check(curve.text(size), name, sets) == []


def test_a_point_of_growth():
    import growth

    point = growth.apart("hops", 2)
    # A hundred flows, fifty packets a second, two links, less what is under way.
    assert 0.99 * 100 * 50 * 60 * 2 <= point["packet_hops"] <= 100 * 50 * 60 * 2
    [row] = growth.relative([point], 1e-6)
    assert row["time"] == point["run_cpu_seconds"] / 1e-6
    assert row["setup"] < row["time"]
