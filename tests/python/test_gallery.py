"""The gallery: results belong to its studies, and words and pictures to the results."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from penstock.cli.studies import plan_of
from penstock.plots import picture
from penstock.plots.data import from_json
from penstock.studies.definition import sweep as sweep_of
from penstock.studies.making import make
from penstock.studies.plan import StudyPlan
from penstock.template import TEMPLATE
from penstock.trace import PacketTrace

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))
import gallery  # noqa: E402

BY_NAME = {entry.name: entry for entry in gallery.ENTRIES}


def means(name, metric, *labels):
    """The means of a number, by the values of the parameters that are no paths and no tables."""
    found = {}
    for point in BY_NAME[name].result()["points"]:
        key = tuple(value for path, value in point["parameters"].items() if not path.endswith((".queue", ".from")))
        for each in point["metrics"]:
            if each["name"] == metric and all(label in each["labels"].values() for label in labels):
                found[key if len(key) > 1 else key[0]] = each["mean"]
    return found


def test_every_study_has_an_entry_and_every_entry_a_study():
    studies = {file.stem for file in gallery.STUDIES.glob("*.toml") if not file.stem.endswith("-network")}
    assert studies == set(BY_NAME) == {file.stem for file in gallery.RESULTS.glob("*.json")} - {"first"}


@pytest.mark.parametrize("name", BY_NAME)
def test_what_is_stored_is_what_the_study_gives(name):
    """The first run of the first point, repeated; 'python docs/gallery.py' renews the stored one."""
    plan = plan_of(gallery.STUDIES / f"{name}.toml", ())
    asked = plan.read([0])
    stored = BY_NAME[name].result()["points"]
    assert [each.point.parameters for each in asked] == [point["parameters"] for point in stored]
    assert all(metric["runs"] == plan.runs for point in stored for metric in point["metrics"])
    result = make(replace(plan, compare=None), asked[:1])
    [run] = result.runs
    assert [metric.value for metric in run.metrics] == [metric["values"][0] for metric in stored[0]["metrics"]]


def test_what_is_stored_of_the_tutorial_is_what_it_shows():
    stored = gallery.FIRST.result()
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    sweep = f"--runs 10 --set '{gallery.FIRST_RUNS[-1]}'"
    assert page.count(f"first.toml {sweep}") == 2
    assert " ".join(f"--y '{each}'" for each in gallery.FIRST.request.y) in page
    [point] = [point for point in stored if point["settings"]["r1-r2.queue.tail-drop.limit"] == "50 packets"]
    plan = StudyPlan("first", TEMPLATE, "first.toml", sweep_of([("r1-r2.queue.tail-drop.limit", "50 packets")]), runs=1)
    [run] = make(plan, plan.read([0])).runs
    assert [metric.value for metric in run.metrics] == [metric["values"][0] for metric in point["metrics"]]
    for metric in point["metrics"]:
        shown = re.search(rf"^goodput  {metric['labels']['of']} +50 packets +([\d.]+) ", page, re.MULTILINE)
        assert float(shown[1]) == pytest.approx(metric["mean"] / 1e6, abs=5e-4)  # half of its last digit


@pytest.mark.parametrize("name", BY_NAME)
def test_a_picture_has_something_in_every_panel_and_the_command_asks_for_it(name):
    entry = BY_NAME[name]
    figure = picture(from_json(entry.result(), name), entry.request)
    assert len(figure.axes) == len(entry.request.y)
    assert all(axes.containers for axes in figure.axes)
    assert "95 % confidence intervals" in figure.get_supxlabel()
    assert entry.command().startswith(f"penstock plot {name}.toml --")


def test_the_words_about_the_dumbbell():
    near, far = means("dumbbell", "goodput", "near"), means("dumbbell", "goodput", "far")
    assert far["5 ms"] == pytest.approx(near["5 ms"], rel=0.05)
    assert far["10 ms"] / 9.7e6 == pytest.approx(1 / 5, rel=0.1)
    assert far["160 ms"] / 9.7e6 == pytest.approx(1 / 40, rel=0.1)


def test_the_words_about_the_parking_lot():
    long = means("parking-lot", "goodput", "long")
    assert long[1, "tail drop"] == pytest.approx(2.5e6, rel=0.05)
    assert long[1, "RED"] == pytest.approx(2.5e6, rel=0.05)
    assert long[2, "tail drop"] / long[1, "tail drop"] == pytest.approx(1 / 7, rel=0.05)
    assert long[4, "RED"] / long[4, "tail drop"] == pytest.approx(9, rel=0.05)


def test_the_words_about_phase_effects():
    long, regular = means("parking-lot-overhead", "goodput", "long"), means("parking-lot", "goodput", "long")
    assert 4 <= long[2] / regular[2, "tail drop"] < 5
    page = (gallery.STUDIES / "parking-lot-network.toml").read_text()
    found = PacketTrace(page, sets=[("long.from", "entry[2]")], at="r3-r4", start="20 s").frame()
    packets = found.filter(pl.col("packet") == "segment")
    served = packets.filter(pl.col("event") == "transmit").select("time_ps", begun="time_ps")
    came = packets.filter(pl.col("event").is_in(["accept", "drop"]))
    phase = came.join_asof(served, on="time_ps").with_columns(phase=(pl.col("time_ps") - pl.col("begun")) / 1e9)
    for flow, after, lost in (("long[0]", 2.106, 0.035), ("last[0]", 1.110, 0.0012)):
        own = phase.filter(pl.col("flow") == flow)
        assert own["phase"].median() == pytest.approx(after, abs=5e-4)
        # But for bursts after a loss, every packet comes at that moment.
        assert ((own["phase"] - after).abs() < 1e-3).mean() > 0.9
        assert (own["event"] == "drop").mean() == pytest.approx(lost, rel=0.05)  # half of its last digit


def test_the_words_about_queue_management():
    delay, busy = means("aqm", "delay", "mean"), means("aqm", "utilisation")
    assert delay.pop("tail drop") == pytest.approx(0.164, abs=0.0005)
    assert max(delay.values()) <= 0.04
    assert min(busy.values()) >= 0.97


def test_the_words_about_buffers():
    busy = means("buffers", "utilisation")
    assert min(busy[flows, 1] for flows in (1, 4, 16, 64)) >= 0.94
    assert busy[1, 0.5] > busy[16, 0.5] > busy[64, 0.5]


def test_the_words_about_voice():
    late = means("voice", "delay", "0.99")
    for ratio in (5, 6, 8):
        steps = [late[n + 1, ratio] - late[n, ratio] for n in (1, 2, 3, 4)]
        assert sum(steps) / 4 == pytest.approx(0.007, abs=0.001)
    assert max(abs(late[n, 5] - late[n, 8]) for n in range(1, 6)) < 0.0055


def test_the_words_about_admission():
    load = means("admission", "throughput")
    assert all(load[demand] == pytest.approx(6.4e6, rel=0.01) for demand in (2, 3, 5))
    assert means("admission", "blocking")[5] == pytest.approx(0.8, abs=0.02)
