"""The comparison with ns-2: that both sides get the same settings, and that its test can tell."""

from __future__ import annotations

import json
import random
import shutil
import sys
import tomllib
from pathlib import Path

import pytest

from penstock import _core

PEER = Path(__file__).parents[2] / "bench" / "peers" / "ns2"


@pytest.fixture(scope="module")
def crosscheck():
    sys.path.insert(0, str(PEER))
    try:
        import crosscheck

        yield crosscheck
    finally:
        sys.path.remove(str(PEER))


@pytest.mark.usefixtures("crosscheck")  # which puts the folder on the path
def test_the_cases_of_random_loss_are_sound_and_no_two_are_the_same():
    import random_loss

    texts = [
        random_loss.SCENARIO.format(until=60, warm_up=random_loss.WARM_UP, loss=0.01, tcp=case.penstock)
        for case in random_loss.CASES.values()
    ]
    assert len({_core.Scenario(text, "scenario", []).canonical for text in texts}) == len(texts)
    assert len({str(case.ns2) + case.penstock for case in random_loss.CASES.values()}) == len(texts)


def canonical(crosscheck, variant, row):
    request = crosscheck.scenario(crosscheck.VARIANTS[variant], row)
    return _core.Scenario(request.scenario, request.name, list(request.sets)).canonical


def test_every_scenario_is_sound_and_no_two_are_the_same(crosscheck):
    texts = {canonical(crosscheck, variant, row) for variant in crosscheck.VARIANTS for row in crosscheck.ns2.ROWS}
    assert len(texts) == len(crosscheck.VARIANTS) * len(crosscheck.ns2.ROWS)


def test_rows_are_those_of_the_printed_table(crosscheck):
    keys = {row: tuple(crosscheck.printed_row(row)[1].key.values()) for row in crosscheck.ns2.ROWS}
    assert keys == {
        "1.28M none": ("1.28M", "none", "N/A"),
        "1.28M 2DP 192": ("1.28M", "2", "192"),
        "1.28M 2DP 256": ("1.28M", "2", "256"),
        "128k none": ("128k", "none", "N/A"),
        "128k 2DP 192": ("128k", "2", "192"),
        "128k 2DP 256": ("128k", "2", "256"),
    }


def runs_of(rng, shift):
    """Ten runs whose metrics scatter by one around ten, `avg_tcp` shifted."""
    from ns2 import METRICS

    return [{m: rng.gauss(10 + (shift if m == "avg_tcp" else 0), 1) for m in METRICS} for _ in range(10)]


def test_equal_sides_do_not_differ_and_a_shifted_mean_does(crosscheck):
    rng = random.Random(7)
    theirs = {row: runs_of(rng, 0) for row in crosscheck.ns2.ROWS}
    ours = {row: runs_of(rng, 3 if row == "128k none" else 0) for row in crosscheck.ns2.ROWS}
    cells = crosscheck.compare(theirs, ours)
    assert [(cell.row, cell.metric) for cell in cells if cell.differs] == [("128k none", "avg_tcp")]
    shifted = next(cell for cell in cells if cell.differs)
    # Three standard deviations of single runs, and the difference is ours less theirs.
    assert 1.5 < shifted.standardised < 4.5
    assert shifted.difference == pytest.approx(shifted.penstock[0] - shifted.ns2[0])
    assert crosscheck.verdict(cells).startswith("1 of 36 means differ")


def test_runs_that_never_vary_have_no_standardised_difference(crosscheck):
    same = {"row": [dict.fromkeys(crosscheck.ns2.METRICS, 1.0)] * 2}
    assert {(cell.standardised, cell.p, cell.differs) for cell in crosscheck.compare(same, same)} == {
        (None, 1.0, False)
    }


def test_settings_of_one_side_are_checked(crosscheck, capsys):
    with pytest.raises(SystemExit):
        crosscheck.parse(["--seeds", "1"])
    with pytest.raises(SystemExit):
        crosscheck.parse(["--set", "ties"])
    assert "take NAME=VALUE" in capsys.readouterr().err


def test_what_cannot_be_run_ends_with_1(crosscheck, monkeypatch, capsys):
    def fails(*_):
        raise RuntimeError("ns: no such thing")

    monkeypatch.setattr(crosscheck.ns2, "replicate", fails)
    assert crosscheck.main(["--rows", "128k none"]) == 1
    assert capsys.readouterr().err == "crosscheck: ns: no such thing\n"


def test_queues_are_as_long_as_those_of_ns2(crosscheck):
    # With a limit of 60 its DropTail holds 59 packets and one in service, its RED one more.
    request = crosscheck.scenario(crosscheck.VARIANTS["1999"], "1.28M 2DP 192")
    scenario = tomllib.loads(request.scenario)
    tails = {link["queue"]["tail-drop"]["limit"] for link in scenario["links"] if "tail-drop" in link["queue"]}
    assert tails == {"59 packets"}
    assert dict(request.sets)["r1-r2.queue.red-n.limit"] == "60 packets"


@pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed")
def test_both_simulators_run(crosscheck, capsys):
    shorter = ["--ns2", "until=5", "--set", "duration=5 s"]
    assert crosscheck.main(["--seeds", "2", "--rows", "128k none", "--format", "json", *shorter]) == 0
    (answer,) = json.loads(capsys.readouterr().out)
    assert {cell["metric"] for cell in answer["cells"]} == set(crosscheck.ns2.METRICS)
    assert all(
        side[0] > 0
        for cell in answer["cells"]
        for side in (cell["ns2"], cell["penstock"])
        if cell["metric"] != "min_tcp"
    )


def test_de_phased_entry_links_are_faster_in_both(crosscheck):
    variant = crosscheck.VARIANTS["de-phased"]
    assert variant.ns2["entry_rate"] == "1.53Mb"
    sets = dict(crosscheck.scenario(variant, "1.28M none").sets)
    assert [sets[f"ar{group}-r1.rate"] for group in range(1, 6)] == ["1.53 Mbit/s"] * 5
