"""Simulated headroom stays below the demanded bound, and within four packets of the formula of operators."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location("pfc_headroom", ROOT / "examples/studies/pfc_headroom.py")
study = importlib.util.module_from_spec(spec)
spec.loader.exec_module(study)
STORED = ROOT / "docs/studies/pfc-headroom"


def test_the_formula_by_hand():
    # 2 x 1500 + 800 bytes, 67 x 64 bytes, and two cables of 5 m: 10 m / (0.66 c) at 10 Gbit/s are 63.2 bytes.
    assert study.sonic(10, 5) == pytest.approx(3000 + 800 + 4288 + 63.2, abs=0.1)


@pytest.mark.parametrize(("speed", "cable"), [(10, 5), (400, 300)])
def test_points_are_as_stored_and_below_their_bounds(speed, cable):
    stored = json.loads((STORED / "headroom.json").read_text())
    [row] = [row for row in stored if (row["speed_gbps"], row["cable_m"]) == (speed, cable)]
    for load in study.LOADS:
        # What is used does not depend on the headroom, as long as that is never full.
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
