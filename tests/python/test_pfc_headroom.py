"""Simulated headroom stays below the demanded bound, and within four packets of the formula of operators."""

import importlib.util
import json
import sys
import tomllib
from pathlib import Path

import pytest

from penstock import _core
from penstock.errors import InputError

ROOT = Path(__file__).parents[2]


def loaded(name):
    """A program of the studies, known by its name to those that import it."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"examples/studies/{name}.py")
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


study = loaded("pfc_headroom")
search = loaded("pfc_search")
STORED = ROOT / "docs/studies/pfc-headroom"


def test_the_formula_by_hand():
    # 2 x 1500 + 800 bytes, 67 x 64 bytes, and two cables of 5 m: 10 m / (0.66 c) at 10 Gbit/s are 63.2 bytes.
    assert study.sonic(10, 5) == pytest.approx(3000 + 800 + 4288 + 63.2, abs=0.1)


@pytest.mark.parametrize(("speed", "cable"), [(10, 5), (400, 300)])
def test_points_are_as_stored_and_below_their_bounds(speed, cable):
    stored = json.loads((STORED / "headroom.json").read_text())
    [row] = [row for row in stored if (row["speed_gbps"], row["cable_m"]) == (speed, cable)]
    for load in study.LOADS:
        # The occupied headroom does not depend on the configured one, as long as that is never full.
        for headroom in ("1 MB", f"{row['demanded']} bytes"):
            assert study.used(speed, cable, load, headroom) == row[f"used, {load}"]
        assert row[f"used, {load}"] <= row["demanded"]
        assert row["sonic"] - 4 * study.LARGEST < row[f"used, {load}"] <= row["sonic"]
    assert study.demanded(speed, cable) == row["demanded"]


def test_a_memory_below_the_stored_one_does_not_suffice():
    stored = json.loads((STORED / "memory.json").read_text())
    row = next(row for row in stored if (row["load"], row["ports"]) == ("worst case", 4))
    switch = study.Switch(100, 40, round(1000 * row["headroom_kb"]))
    assert study.is_enough(4, "worst case", 1000 * row["memory_kb"], switch)
    assert not study.is_enough(4, "worst case", 1000 * (row["memory_kb"] - 1), switch)


def test_one_port_more_than_stored_loses_or_idles():
    stored = json.loads((STORED / "ports.json").read_text())
    row = next(row for row in stored if (row["speed_gbps"], row["cable_m"]) == (400, 300))
    switch = study.Switch(400, 300, row["headroom"])
    for load in study.LOADS:
        assert study.is_enough(row[load], load, study.MEMORY, switch)
        assert not study.is_enough(row[load] + 1, load, study.MEMORY, switch)
        # The formula's headroom is smaller by the second packet that Penstock allows for on the link back.
        assert row[load] <= row["sonic"]


def test_a_switch_of_ones_own(capsys):
    study.own(400, 40.0, 1e6, 4)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("headroom in bytes: 82664 demanded, 81936 by")
    # 1 MB holds twelve headrooms of 82,664 bytes.
    assert [line.endswith("1 MB are enough for 12 ports") for line in lines[1:]] == [True, True]


def test_bisection_finds_the_smallest():
    assert study.bisect(lambda n: n >= 37, 0, 1000) == 37


def test_the_search_uses_and_demands_what_the_study_does():
    tree = tomllib.loads(study.one_port(100, 40, "worst case"))
    assert search.used(tree, "switch") == study.used(100, 40, "worst case")
    assert search.demanded(tree) == {"switch": study.demanded(100, 40)}
    # Delays of cables are rounded to ns, which are 12.5 bytes at 100 Gbit/s.
    assert search.by_formula(tree, "switch") == pytest.approx(study.sonic(100, 40), abs=25)


def test_the_search_finds_the_ports_and_the_buffer_of_the_study():
    switch = study.Switch(400, 300, study.demanded(400, 300))
    tree = search.with_load(tomllib.loads(study.incast(4, "worst case", 2e6, switch)), "worst case")
    # The link back from the receiver reserves headroom too, which the study leaves out of the memory.
    assert search.reservations(tree, "switch") == 5
    ports = study.most_ports("worst case", 2e6, switch)
    memory = 2_000_000 + switch.headroom
    assert search.most_ports(tree, "switch", "hosts", switch.headroom, memory) == ports == 8
    assert search.most_ports(tree, "switch", "hosts", switch.headroom, 5 * switch.headroom) == 0
    found = search.smallest_buffer(tree, "switch")
    _, throughput = search.outcome(search.with_buffer(tree, "switch", search.AMPLE))
    assert search.is_enough(tree, "switch", found, throughput)
    assert not search.is_enough(tree, "switch", found - 1, throughput)


def test_the_headroom_of_a_link_is_less_than_that_of_all():
    tree = tomllib.loads((ROOT / "examples/pfc.toml").read_text()) | {"duration": "6 ms"}
    bounds = search.demanded(tree)
    refused = _core.check(search.text(search.with_headroom(tree, {name: size - 1 for name, size in bounds.items()})))
    assert [mistake["message"].rsplit("at least ")[1] for mistake in refused] == [f"{bounds['edge']} bytes"] * 2
    assert search.reservations(tree, "edge") == 4
    for load in search.loads_of(tree):
        assert 0 < search.used(search.with_load(tree, load), "edge") <= bounds["edge"]


def test_packets_of_other_classes_leave_less_to_arrive_after_a_pause():
    tree = tomllib.loads((ROOT / "examples/pfc.toml").read_text()) | {"duration": "2 ms", "warm-up": "0 s"}
    used = {load: search.used(search.with_load(tree, load), "core") for load in ("worst case", search.ALONE)}
    # The edge begins packets for 2.07 us after a pause, which end 1.2, 2.4 and 3.6 us after the first. With bulk data
    # between them, only the second is storage.
    assert used == {"worst case": 1500, search.ALONE: 4500}
    lossless = tomllib.loads((ROOT / "examples/lossless.toml").read_text())
    assert search.loads_of(lossless) == search.LOADS


def test_a_report_has_each_switch_with_each_load():
    tree = tomllib.loads((ROOT / "examples/pfc.toml").read_text()) | {"duration": "1 ms", "warm-up": "0 s"}
    lines = list(search.report(tree))
    assert [line.partition(":")[0] for line in lines if line[0] != " "] == ["edge", "core"]
    for load in search.loads_of(tree):
        assert sum(line.startswith(f"  {load}:") and "bytes of headroom used" in line for line in lines) == 2
    # Four links into the edge reserve 8,314 bytes each, of 60 kB and four times 12 kB.
    assert [line.endswith("108000 bytes are enough for at most 11 of hosts") for line in lines].count(True) == 4


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (", pause = {", ", unused = {", "no node has `pause`"),
        ("buffer.pool = { size", "buffers.pool = { size", "unknown key 'buffers'"),
        ('buffer.pool = { size = "60 kB" }, pause', "pause", "nodes.edge pauses others and has no `buffer`"),
        ("duration =", "duration", "Expected"),
    ],
)
def test_scenarios_without_headroom_are_refused(before, after, told, tmp_path, monkeypatch, capsys):
    content = (ROOT / "examples/pfc.toml").read_text()
    assert before in content
    file = tmp_path / "net.toml"
    file.write_text(content.replace(before, after))
    monkeypatch.setattr(sys, "argv", ["pfc_search.py", str(file)])
    with pytest.raises(SystemExit) as left:
        search.main()
    assert (left.value.code, told in capsys.readouterr().err) == (2, True)


def test_a_load_needs_a_rate_of_the_first_link():
    tree = tomllib.loads((ROOT / "examples/pfc.toml").read_text())
    for link in tree["links"]:
        link["rate"] = "unlimited"
    with pytest.raises(InputError, match="flow storage: no link that leaves"):
        search.with_load(tree, "random")
