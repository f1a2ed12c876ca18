"""The comparison of instruction counts: what takes too much is named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture
def instructions(monkeypatch):
    monkeypatch.syspath_prepend(BENCH)
    import instructions

    monkeypatch.setattr(instructions, "MARGIN", 0.05)
    return instructions


@pytest.mark.parametrize(
    ("now", "code", "said"),
    [
        ({"a": 104.0, "b": 190.0}, 0, "none is more than 5% above the kept count"),
        ({"a": 106.0, "b": 206.0}, 1, "FAILED: more than 5% above the kept count: a."),
        # Nothing is kept of c.
        ({"a": 100.0, "c": 1.0}, 1, "FAILED: more than 5% above the kept count: c."),
    ],
)
def test_what_takes_too_much_is_named(instructions, now, code, said):
    found, lines = instructions.verdict(now, {"a": 100.0, "b": 200.0})
    assert (found, lines[0]) == (code, said)


def test_what_is_shown(instructions):
    head, row, new = instructions.table({"a": 103.0, "new": 7.0}, {"a": 100.0}).splitlines()
    assert head.split()[3:] == ["kept", "now", "change"]
    assert row.split() == ["a", "100.0", "103.0", "+3.0%"]
    assert new.split() == ["new", "nan", "7.0", "+nan%"]


def test_an_update_keeps_what_is_counted(instructions, monkeypatch, tmp_path):
    kept = tmp_path / "instructions.toml"
    monkeypatch.setattr(instructions, "KEPT", kept)
    monkeypatch.setattr(instructions, "SECONDS", {"cbr": (1, 2)})
    monkeypatch.setattr(instructions, "build", lambda: "program")
    monkeypatch.setattr(instructions, "rustc", lambda: "rustc 1")
    monkeypatch.setattr(instructions, "per_hop", lambda *_: 104.0)
    kept.write_text('rustc = "rustc 1"\n[instructions]\ncbr = 90.0\n')
    monkeypatch.setattr(sys, "argv", ["instructions.py"])
    assert instructions.main() == 1
    assert "cbr = 90.0" in kept.read_text()
    monkeypatch.setattr(sys, "argv", ["instructions.py", "--update"])
    assert instructions.main() == 0
    assert "cbr = 104.0" in kept.read_text()


def test_each_workload_has_its_number(instructions):
    assert list(instructions.read(instructions.KEPT)["instructions"]) == list(instructions.SECONDS)
