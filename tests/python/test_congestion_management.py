"""Congestion management side by side: the script, what its runs must keep, and the stored table."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest

from penstock import _core
from penstock.store import Store

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "docs" / "studies" / "congestion-management"
BYTES = 32e6
"""What the incast sends."""


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "examples" / "studies")
    return importlib.import_module("congestion_management")


def test_every_point_can_be_run(script):
    # Not even a warning.
    assert all(_core.check(script.plain(case, 1.0).scenario(), "point", []) == [] for case in script.cases())


def test_an_incast_loses_nothing_with_pfc_and_is_never_faster_than_the_port(script, tmp_path):
    rows = {m: script.measure(script.Case(m, "incast"), 1, 1, Store(tmp_path)) for m in script.MECHANISMS}
    # 1460 of 1500 bytes are payload with TCP, 1024 of 1086 with RoCE.
    for mechanism, row in rows.items():
        share = 1024 / 1086 if mechanism.startswith("DCQCN") else 1460 / 1500
        assert row["completion-time max"][0] >= 8 * BYTES / share / 10e9, mechanism
    assert {m for m, row in rows.items() if row["drops"][0] == 0} >= {"PFC", "DCQCN and PFC"}
    assert rows["none"]["drops"][0] > rows["DCTCP"]["drops"][0]


def test_a_fabric_loses_nothing_with_pfc(script, tmp_path):
    row = script.measure(script.Case("PFC", "web-search", 0.4), 1, 1, Store(tmp_path), 0.01)
    assert row["drops"][0] == 0
    assert row["completion-time mean up to 100000 bytes"][0] > 0
    assert 0 < row["paused-time mean"][0] < 1


def test_the_stored_table_is_what_runs_give(script, tmp_path):
    # If not: python examples/studies/congestion_management.py docs/studies/congestion-management
    stored = json.loads((STORED / "points.json").read_text(encoding="utf-8"))
    assert [(row["mechanism"], row["scenario"], row["load"]) for row in stored] == [
        (case.mechanism, case.scenario, case.load) for case in script.cases()
    ]
    case = script.Case("DCTCP", "incast")
    (row,) = [row for row in stored if (row["mechanism"], row["scenario"]) == ("DCTCP", "incast")]
    found = script.measure(case, row["runs"], 1, Store(tmp_path))
    assert json.loads(script.as_json([found])) == [row]
