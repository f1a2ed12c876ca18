"""The benchmarks against other simulators and of growth: their runs, and the page of their stored results."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import penstock
from penstock import _core
from penstock.bench import WORKLOADS

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(scope="module", autouse=True)
def _programs():
    sys.path[:0] = [str(BENCH), str(BENCH / "peers")]
    yield
    sys.path.remove(str(BENCH))
    sys.path.remove(str(BENCH / "peers"))


def test_the_page_shows_all_tables_and_figures():
    import benchmarks_page as page

    text = page.PAGE.read_text(encoding="utf-8")
    assert set(re.findall(r"\{include\} (\S+)", text)) == set(page.texts())
    assert all((page.PAGE.parent / name).exists() for name in re.findall(r"\{image\} (\S+)", text))


def test_kept_comparisons_did_the_same_work():
    import benchmarks_page as page
    import compare

    kept = json.loads(page.PEERS.read_text())
    assert [c["workload"] for c in kept if c["outside"] or not c["reached"]] == []
    able = [(name, peer) for peer in compare.FORMS for name, each in compare.WORKLOADS.items() if peer in each.jobs]
    assert [(c["workload"], c["peer"]) for c in kept] == able


def test_compared_workloads_exist_on_both_sides():
    import compare

    for name, workload in compare.WORKLOADS.items():
        assert workload.jobs
        for peer, job in workload.jobs.items():
            assert name in WORKLOADS if job.text is None else _core.check(job.text(), name) == []
            assert (job.seconds is None) == (peer == "ns-2")
            sources = {"ns-2": "ns2/{}", "ns-3": "ns3/{}.cc", "htsim": "htsim/fat-tree.cc"}
            assert (BENCH / "peers" / sources[peer].format(*job.command)).exists()


def test_a_peer_that_is_not_there_is_left_out(monkeypatch, capsys):
    import compare

    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "argv", ["compare.py"])
    assert compare.main() == 0
    assert re.findall(r"skipped: (\S+) is not", capsys.readouterr().out) == ["ns-2", "ns-3", "htsim"]


def test_what_is_given_as_htsim_must_be_a_program(monkeypatch, capsys, tmp_path):
    import compare

    monkeypatch.setattr(sys, "argv", ["compare.py", "--peer", "htsim", "--htsim", str(tmp_path / "none")])
    assert compare.main() == 0
    assert f"{tmp_path / 'none'} is no program" in capsys.readouterr().out


def test_work_outside_the_bands_is_told(monkeypatch):
    import compare

    counts = {"delivered": 100, "drops": 4, "goodput": 1e6, "cpu": 1.0, "whole": 1.0, "peak": 1}
    monkeypatch.setattr(compare, "penstock", lambda *_: compare.Run(packet_hops=1000, **counts))
    comparison = compare.Comparison("cbr", "ns-2", 1)
    for hops, drops, outside in [(1000, 4, []), (981, 4, []), (979, 4, ["packet_hops"]), (1000, 2, ["drops"])]:
        theirs = compare.Run(packet_hops=hops, **{**counts, "drops": drops})
        comparison.call = lambda *_, theirs=theirs, **__: theirs
        assert comparison.same_work()[1] == outside


def test_other_work_is_not_timed(monkeypatch, capsys):
    import compare

    ours = compare.Run(1000, 100, 4, 1e6, cpu=1.0, whole=1.0, peak=1)
    monkeypatch.setattr(compare, "penstock", lambda *_: ours)
    comparison = compare.Comparison("cbr", "ns-2", 1)
    calls = []
    comparison.call = lambda *_, **how: calls.append(how) or ours._replace(drops=9)
    seen = comparison.runs()
    assert (seen["outside"], seen["reached"], calls) == (["drops"], False, [{"exact": True}])
    compare.show(seen)
    assert capsys.readouterr().out.endswith("  not the same work: not timed\n")


def test_what_is_new_takes_the_place_of_what_was_kept():
    import compare

    def made(*which):
        return [{"peer": peer, "workload": name, "seconds": number} for peer, name, number in which]

    kept = made(("ns-2", "cbr", 1), ("ns-2", "af", 1), ("ns-3", "cbr", 1))
    new = made(("ns-3", "cbr", 2), ("htsim", "fat-tree-4", 2), ("ns-2", "parking-lot", 2))
    assert compare.merged(kept, new) == made(
        *[("ns-2", "cbr", 1), ("ns-2", "parking-lot", 2), ("ns-2", "af", 1)],
        *[("ns-3", "cbr", 2), ("htsim", "fat-tree-4", 2)],
    )


def test_htsim_is_run_on_the_network_of_the_workload(monkeypatch, tmp_path, capsys):
    import compare
    import simulators

    calls = tmp_path / "calls"
    program = tmp_path / "htsim"
    program.write_text(f'#!/bin/sh\necho "$@" >> {calls}\necho packet_hops=1000 delivered=100 drops=4 goodput=1e6\n')
    program.chmod(0o755)
    monkeypatch.setattr(simulators, "BUILT", tmp_path)
    scenarios = []

    def ours(name, *_, **__):
        scenarios.append(name)
        return compare.Run(1000, 100, 4, 1e6, cpu=1.0, whole=1.0, peak=1)

    monkeypatch.setattr(compare, "penstock", ours)
    argv = ["compare.py", "fat-tree-4", "cbr", "--peer", "htsim", "--htsim", str(program), "--pairs", "1"]
    monkeypatch.setattr(sys, "argv", argv)
    assert compare.main() == 0
    network = tmp_path / "fat-tree-4.txt"
    assert calls.read_text().splitlines() == [f"--network={network} --until={t}" for t in (0.4, 0.4, 0.0001)]
    assert network.read_text().startswith("96\n")
    assert set(scenarios) == {"cbr", str(tmp_path / "fat-tree-4-htsim.toml")}
    assert "cbr: not compared with htsim" in capsys.readouterr().out


def test_fat_trees_stand_by_size_with_both_sides():
    import benchmarks_page as page

    def compared(ports, peer):
        side = {
            "packet_hops_per_cpu_second": 2e6,
            "peak_bytes": 1,
            "steady": [3e6],
            "runs": [{"cpu": 5, "packet_hops": 7}],
        }
        told = {"main": "a", "forms": {"a": {**side, "ratios": [8, 9, 10]}}, "reference": 1e8, "load": [0, 1]}
        return {"workload": f"fat-tree-{ports}", "peer": peer, "seconds": 0.02, "penstock": side, **told}

    rows = page.tree_rows([compared(16, "ns-3"), compared(4, "ns-3"), compared(4, "htsim"), {"workload": "cbr"}])
    cells = [row.split(" | ") for row in rows[2:]]
    assert [(row[0], row[1]) for row in cells] == [
        *[("| 16", "ns-3"), ("| 16", "Penstock"), ("| 16", "htsim"), ("| 16", "Penstock")],
        *[("| 1,024", "ns-3"), ("| 1,024", "Penstock")],
    ]
    assert cells[0][2:] == ["20 ms", "7", "5.00", "2.00 M", "0.0300", "9.0 (8.0 to 10.0)", "0.0 to 1.0 |"]


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
    import benchmarks_page as page

    form = {"runs": [{"cpu": 1.0}], "steady_ratios": [3.0]}
    assert page.without_setup({**form, "setup_cpu_seconds": 0.7}) == 3.0
    assert page.without_setup({**form, "setup_cpu_seconds": 0.9}) is None


NOTED = {"measured": {"version": "0.1.0", "model": "ab12", "date": "2026-11-25"}}


def is_of_now(noted):
    # Yesterday, if it was midnight meanwhile.
    days = [(datetime.now(UTC) - timedelta(days=back)).date().isoformat() for back in (0, 1)]
    return noted["date"] in days and (noted["version"], noted["model"]) == (penstock.__version__, _core.MODEL_VERSION)


def test_a_comparison_says_with_which_model_and_when_it_was_made():
    import compare

    comparison = compare.Comparison("cbr", "ns-2", 1)
    assert is_of_now(comparison.about({}, [])["measured"])


def test_a_curve_says_with_which_model_and_when_it_was_measured(monkeypatch, tmp_path, capsys):
    import benchmarks_page as page
    import growth

    point = {"size": 1, "seconds": 1, "packet_hops": 10, "peak_bytes": 1, "setup_cpu_seconds": 1, "run_cpu_seconds": 1}
    monkeypatch.setattr(growth, "apart", lambda _, size: {**point, "size": size})
    monkeypatch.setattr(growth.bench, "measure_in_subprocess", lambda *_, **__: {"packet_hops_per_cpu_second": 1e6})
    monkeypatch.setattr(page, "GROWTH", tmp_path / "growth.json")
    monkeypatch.setattr(page, "renew", lambda: None)
    old = {"what": "flows", "doc": "as it was", "points": [point]}
    page.GROWTH.write_text(json.dumps({"hops": old, "calls": old}))
    monkeypatch.setattr(sys, "argv", ["growth.py", "hops", "--keep"])
    growth.main()
    kept = json.loads(page.GROWTH.read_text())
    assert is_of_now(kept["hops"]["measured"])
    assert kept["calls"] == old
    assert capsys.readouterr().out.startswith("\nhops: ")


def test_numbers_say_below_their_table_when_they_were_measured(monkeypatch, tmp_path):
    import benchmarks_page as page

    told = "with Penstock 0.1.0, model ab12, on 2026-11-25"
    point = {"size": 1, "seconds": 1, "packet_hops": 10, "peak_bytes": 1, "time": 1, "setup": 1}
    curve = {"what": "nodes", "doc": "a network", "points": [point]}
    monkeypatch.setattr(page, "GROWTH", tmp_path / "growth.json")
    page.GROWTH.write_text(json.dumps({"hops": {**curve, **NOTED}, "calls": curve}))
    parts = page.tables()
    assert parts["growth-hops"] == [*page.growth_rows(curve), "", f"Measured {told}."]
    assert parts["growth-calls"][-2:] == ["", "Measured before such notes were kept."]
    kept = json.loads(page.PEERS.read_text())
    monkeypatch.setattr(page, "PEERS", tmp_path / "peers.json")

    def note_of(part, noted):
        marked = [{**one, **NOTED} if (one["peer"], one["workload"]) in noted else one for one in kept]
        page.PEERS.write_text(json.dumps(marked))
        return page.tables()[part][-1]

    trees = {("htsim", f"fat-tree-{ports}") for ports in (4, 8, 16)}
    assert note_of("htsim-ratios", set()) == "Measured before such notes were kept."
    assert note_of("htsim-ratios", trees) == f"Measured {told}."
    before = "before such notes were kept"
    assert note_of("htsim-ratios", trees - {("htsim", "fat-tree-8")}) == (
        f"Measured: fat-tree-4, fat-tree-16 {told}; fat-tree-8 {before}."
    )
    others = "16 hosts against ns-3, 128 hosts against ns-3, 1,024 hosts against ns-3"
    assert note_of("fat-tree-peers", trees) == (
        f"Measured: {others} {before}; "
        f"16 hosts against htsim, 128 hosts against htsim, 1,024 hosts against htsim {told}."
    )


def test_a_provider_of_shorter_links_is_told_apart():
    import benchmarks_page as page

    [_, old] = page.growth_note("provider", {})
    assert old == f"Measured before such notes were kept, {page.SINCE_CHANGED['provider']}."
    assert "shorter" not in page.growth_note("provider", NOTED)[1]
    assert "shorter" not in page.growth_note("hops", {})[1]


@pytest.mark.parametrize("nodes", [40, 80, 150])
def test_the_links_of_a_provider_take_1_to_30_ms_by_their_length(nodes):
    import growth

    from penstock.components import TailDrop
    from penstock.network import Network
    from penstock.topologies import waxman

    net = Network()
    made = waxman(net, nodes, rate="100 Mbit/s", delay="30 ms", weight="distance", queue=TailDrop(limit="250 packets"))
    links = tomllib.loads(growth.provider(nodes))["links"]
    read = {(link["from"], link["to"]): int(link["delay"].removesuffix(" us")) for link in links}
    ends = {(a, b): (f"node[{a}]", f"node[{b}]") for a, b in made.links}
    weights = {(link["from"], link["to"]): link["weight"] for link in tomllib.loads(net.toml(duration="1 s"))["links"]}
    assert {(link["from"], link["to"]): link["weight"] for link in links} == weights
    assert read.keys() == {pair for a, b in ends.values() for pair in ((a, b), (b, a))}
    assert all(read[a, b] == read[b, a] for a, b in ends.values())
    assert (min(read.values()), max(read.values())) == (1000, 30_000)
    lengths = {
        pair: sum((x - y) ** 2 for x, y in zip(*(made.places[end] for end in pair), strict=True)) for pair in made.links
    }
    by_length = [read[ends[pair]] for pair in sorted(made.links, key=lengths.__getitem__)]
    assert by_length == sorted(by_length)
    # Delays differ as lengths do, but for what both have at least, and their rounding.
    root = {pair: length**0.5 for pair, length in lengths.items()}
    longest, shortest, middle = (
        max(root, key=root.get),
        min(root, key=root.get),
        sorted(root, key=root.get)[len(root) // 2],
    )
    share = (root[middle] - root[shortest]) / (root[longest] - root[shortest])
    assert read[ends[middle]] == pytest.approx(1000 + 29_000 * share, abs=1)


@pytest.mark.parametrize("name", ["flows-cbr", "flows-tcp", "hops", "calls", "time-cbr", "time-tcp", "provider"])
def test_points_of_growth_are_scenarios(name):
    import growth

    curve = growth.CURVES[name]
    for size in (curve.sizes[0], curve.sizes[-1]):
        sets = [("duration", f"{curve.seconds(size):g} s")]
        assert _core.check(curve.text(size), name, sets) == []


def test_a_point_of_growth():
    import growth

    point = growth.apart("hops", 2)
    # A hundred flows, fifty packets a second, two links, less packets in flight.
    assert 0.99 * 100 * 50 * 60 * 2 <= point["packet_hops"] <= 100 * 50 * 60 * 2
    [row] = growth.relative([point], 1e-6)
    assert row["time"] == point["run_cpu_seconds"] / 1e-6
    assert row["setup"] == point["setup_cpu_seconds"] / 1e-6
