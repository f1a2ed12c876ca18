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
    cases = [*script.cases(), *script.rate_control_cases()]
    assert all(_core.check(script.plain(case, 1.0).scenario(), "point", []) == [] for case in cases)


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


def test_hpcc_keeps_queues_near_zero_and_serves_short_and_long_transfers_sooner_than_dcqcn(script, tmp_path):
    # The claims of [Li19 s5]. Queues of the fullest port: below a packet at HPCC's load of 40 %.
    hpcc, dcqcn = (
        script.measure(script.Case(of, "web-search", 0.4), 1, 1, Store(tmp_path), 0.02)
        for of in ("HPCC and PFC", "DCQCN and PFC")
    )
    assert hpcc["drops"][0] == hpcc["paused-time mean"][0] == 0
    assert hpcc["queue-bytes"][0] < min(1128, dcqcn["queue-bytes"][0] / 10)
    for size in ("up to 100000 bytes", "100000 bytes to 10000000 bytes"):
        for statistic in ("mean", "0.99"):
            key = f"completion-time {statistic} {size}"
            assert hpcc[key][0] < dcqcn[key][0], key


@pytest.mark.parametrize(("senders", "lower", "upper"), [(4, 0.93, 0.95), (32, 0.8, 0.9)])
def test_hpcc_fills_a_port_to_its_target_while_windows_hold_packets(script, senders, lower, upper):
    # The target is 95 %. What 13 us carry is 14 packets: windows of 32 senders are below one, and swing.
    study = script.ps.Study(script.incast(script.Case("HPCC and PFC", "incast"), senders), duration="50 ms")
    last = max(
        number.values[0]
        for number in study.runs(1).result(jobs=1).summaries()
        if number.metric == "completion-time" and number.labels.get("statistic") == "max"
    )
    assert lower < 8e6 * senders * 1128 / 1024 / 10e9 / last < upper


def test_the_stored_table_of_rate_controls_is_what_runs_give(script, tmp_path):
    stored = json.loads((STORED / "rate-controls.json").read_text(encoding="utf-8"))
    assert [(row["mechanism"], row["scenario"], row["load"]) for row in stored] == [
        (case.mechanism, case.scenario, case.load) for case in script.rate_control_cases()
    ]
    for mechanism in ("HPCC and PFC", "TIMELY and PFC"):
        (row,) = [row for row in stored if (row["mechanism"], row["scenario"]) == (mechanism, "incast")]
        found = script.measure(script.Case(mechanism, "incast"), row["runs"], 1, Store(tmp_path))
        assert json.loads(script.as_json([found])) == [row]


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
