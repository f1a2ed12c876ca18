"""The comparison of instruction counts: what breaks a bound is named, and no option writes the baseline."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture
def instructions(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    import instructions

    # Apart from each other, whatever they are now, so that each bound is seen to be broken by itself.
    monkeypatch.setattr(instructions, "BASELINE_MARGIN", 0.03)
    monkeypatch.setattr(instructions, "MARGIN", 0.05)
    return instructions


@pytest.mark.parametrize(
    ("now", "code", "said"),
    [
        ({"a": 100.0, "b": 206.0}, 0, ["none is more than 3% above the baseline or 5% above what is kept"]),
        ({"a": 104.0, "b": 206.0}, 1, ["FAILED: more than 3% above the baseline: a."]),
        # b is 4.8 % above the baseline, 4.3 % above what is kept of it.
        ({"a": 107.0, "b": 209.5}, 1, ["above the baseline: a, b.", "FAILED: more than 5% above what is kept: a."]),
        # c came after the baseline; d has no number at all.
        ({"a": 100.0, "c": 31.0}, 0, ["none"]),
        ({"c": 32.0, "d": 1.0}, 1, ["FAILED: more than 5% above what is kept: c, d."]),
    ],
)
def test_what_breaks_a_bound_is_named(instructions, now, code, said):
    found, lines = instructions.verdict(now, {"a": 100.0, "b": 200.0}, {"a": 101.0, "b": 201.0, "c": 30.0})
    assert found == code
    assert [line for line in lines if "%" in line] == [line for line in lines if any(part in line for part in said)]
    assert all(any(part in line for line in lines) for part in said)


def test_both_columns_are_shown(instructions):
    head, row, new = instructions.table({"a": 103.0, "new": 7.0}, {"a": 100.0}, {"a": 102.0, "new": 7.0}).splitlines()
    assert head.split()[3:] == ["baseline", "kept", "now", "to", "baseline", "to", "kept"]
    assert row.split() == ["a", "100.0", "102.0", "103.0", "+3.0%", "+1.0%"]
    assert new.split() == ["new", "nan", "7.0", "7.0", "+nan%", "+0.0%"]


def test_an_update_leaves_the_baseline_alone(instructions, monkeypatch, tmp_path, capsys):
    names = ("instructions.toml", "instructions-baseline.toml")
    kept, baseline = (tmp_path / name for name in names)
    monkeypatch.setattr(instructions, "KEPT", kept)
    monkeypatch.setattr(instructions, "BASELINE", baseline)
    monkeypatch.setattr(instructions, "SECONDS", {"cbr": (1, 2)})
    monkeypatch.setattr(instructions, "build", lambda: "program")
    monkeypatch.setattr(instructions, "rustc", lambda: "rustc 1")
    monkeypatch.setattr(instructions, "per_hop", lambda *_: 104.0)
    text = 'rustc = "rustc 1"\n[instructions]\ncbr = 100.0\n'
    kept.write_text(text)
    baseline.write_text(text)
    monkeypatch.setattr(sys, "argv", ["instructions.py", "--update"])
    assert instructions.main() == 1
    assert "cbr = 104.0" in kept.read_text()
    assert baseline.read_text() == text
    assert "FAILED: more than 3% above the baseline: cbr." in capsys.readouterr().out


def test_each_workload_has_its_numbers(instructions):
    baseline, kept = (instructions.read(path)["instructions"] for path in (instructions.BASELINE, instructions.KEPT))
    assert list(kept) == list(instructions.SECONDS)
    assert set(baseline) <= set(kept)
