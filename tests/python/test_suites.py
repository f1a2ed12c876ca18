"""Suites run in reduced form, show what they compare, and write tables, figures and files for flent."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from penstock import suites
from penstock.cli import files as outputs
from penstock.cli.studies import plan_of, read_precision
from penstock.errors import PrecisionMissed, ScenarioError
from penstock.store import Store
from penstock.studies.making import make
from penstock.studies.runner import Runner
from penstock.suites import Part, Suite, command, ellipses, flent
from penstock.suites.ellipses import ellipse
from penstock.suites.flent import STEP

REDUCED = {
    "l4s": ("coexistence", ("--set", "bottleneck.rate=10 Mbit/s", "--set", "duration=5 s", "--set", "warm-up=4 s")),
    "rfc7928": ("senders", ("--set", "duration=8 s", "--set", "warm-up=6 s")),
    "controllers": ("share", ("--set", "duration=14 s", "--set", "warm-up=12 s")),
    "rrul": ("line", ("--set", "duration=8 s", "--set", "warm-up=6 s")),
    "household": ("line", ("--set", "duration=20 s", "--set", "warm-up=5 s")),
}
"""A part of each suite with settings that make it short."""


def test_the_suites(penstock):
    assert set(REDUCED) == set(suites.names())
    assert all(question.endswith("?") for question in suites.summaries().values())
    _, listed, _ = penstock("list", "suites")
    assert all(name in listed for name in suites.names())


@pytest.mark.parametrize("name", sorted(REDUCED))
def test_every_part_of_a_suite_is_sound_and_on_its_page(name, penstock):
    code, page, _ = penstock("explain", name)
    assert (code, page[:2]) == (0, "# ")
    for part in suites.load(name).parts:
        assert penstock("check", part.file)[0] == 0
        assert f"`{part.name}`" in page


@pytest.mark.parametrize("name", sorted(REDUCED))
def test_a_suite_in_reduced_form(name, penstock, tmp_path):
    part, settings = REDUCED[name]
    words = ("reproduce", name, "--table", part, "--runs", "1", *settings)
    code, out, _ = penstock(*words, "--format", "json", "--jobs", "1")
    rows = json.loads(out)
    assert code == 0
    assert {(row["document"], row["table"]) for row in rows} == {(name, part)}
    assert all(row["published"] is None and row["verdict"] is None and row["runs"] == 1 for row in rows)
    assert penstock(*words, "--format", "json", "--jobs", "2", "--store", tmp_path / "other")[1] == out
    [chosen] = [each for each in suites.load(name).parts if each.name == part]
    code, told, _ = penstock(*words, "--stored", "--out", tmp_path / "out")
    assert (code, chosen.what.split()[0] in told) == (0, True)
    written = {file.name for file in (tmp_path / "out").iterdir()}
    assert {f"{part}.csv", f"{part}.json", *(f"{figure.name}.svg" for figure in chosen.figures)} - written <= LEFT_OUT


LEFT_OUT = {"shares.svg"}
"""Figures of points that the reduced form leaves out."""


def test_a_suite_runs_until_it_is_precise(tmp_path, capsys):
    small = tiny(tmp_path)
    part = Part("lengths", "Two lengths of a queue", "", small, ["wait[mean]"], [])
    suite = Suite("tiny", "A queue", "How long?", tmp_path, [part], "")

    def runs(goal):
        asked = command.Asked(precision=read_precision(goal), jobs=1, store=Store(tmp_path / "store"))
        command.reproduce(suite, asked, as_json=True)
        return {row["runs"] for row in json.loads(capsys.readouterr().out)}

    assert runs("wait[mean]=90 %") == {30}
    # Half-widths of 1e-9 of the mean would need more runs by far than the maximum.
    with pytest.raises(PrecisionMissed, match="wait"):
        runs("wait[mean]=0.0000001 %")
    with pytest.raises(ScenarioError, match="shares"):
        runs("shares=5 %")


def test_files_for_flent(penstock, tmp_path):
    words = ("reproduce", "rrul", "--runs", "1", "--set", "duration=30 s", "--out", tmp_path / "first")
    assert penstock(*words)[0] == 0
    files = sorted((tmp_path / "first").glob("*.flent.gz"))
    assert len(files) == 14
    content = json.loads(gzip.decompress(files[0].read_bytes()))
    assert (content["version"], content["metadata"]["NAME"]) == (4, "rrul_be")
    times, results = content["x_values"], content["results"]
    assert times == [round(step * STEP, 1) for step in range(len(times))]
    assert all(len(column) == len(times) for column in results.values())
    # The line has 31.2 ms of delay there and back, and transfers begin after 5 s.
    idle = [trip for time, trip in zip(times, results["Ping (ms) UDP BE1"], strict=True) if 1 < time < 4.5]
    assert idle == pytest.approx([31.2] * len(idle), abs=1.0)
    # Headers take 40 of 1500 bytes of the 50 Mbit/s; the queue is never empty once the line is full.
    full = [
        rate for time, rate in zip(times, results["TCP download sum"], strict=True) if time > 15 and rate is not None
    ]
    assert 35 < np.mean(full) < 48.7
    assert penstock(*words[:-1], tmp_path / "second")[0] == 0
    assert (tmp_path / "second" / files[0].name).read_bytes() == files[0].read_bytes()


def test_a_folder_of_results_holds_whole_files(penstock, tmp_path, monkeypatch):
    whole = []
    for module in (command, flent, outputs):

        def write(file, content, own=module.write_whole, **how):
            whole.append(file)
            own(file, content, **how)

        monkeypatch.setattr(module, "write_whole", write)
    code, _, said = penstock("reproduce", "rrul", "--runs", "1", "--set", "duration=12 s", "--out", tmp_path / "out")
    assert code == 0, said
    assert sorted(whole) == sorted((tmp_path / "out").iterdir())


def tiny(folder):
    """A study of a short and a long queue in a folder."""
    study = """
scenario = "page.toml"
runs = 3
[grid]
a-b.queue.tail-drop.limit = ["5 packets", "50 packets"]
"""
    page = """
duration = "1 s"
nodes = { a = {}, b = {} }
links = [{ from = "a", to = "b", rate = "1 Mbit/s", delay = "1 ms" }]
flows = [{ name = "f", from = "a", to = "b", source.poisson = { rate = "2 Mbit/s", packet = "500 bytes" } }]
measure = [{ metric = "wait", of = "a-b" }, { metric = "throughput", of = "f" }]
"""
    (folder / "page.toml").write_text(page)
    (folder / "study.toml").write_text(study)
    return folder / "study.toml"


def test_delay_grows_to_the_left(tmp_path):
    plan = plan_of(tiny(tmp_path), ())
    result = make(plan, plan.read(), Runner())
    figure = ellipses.figure_of(result, {"x": "wait[mean]", "y": "throughput", "by": "a-b.queue.tail-drop.limit"})
    [axes] = figure.axes
    assert axes.xaxis_inverted()
    assert [line.get_label() for line in axes.lines] == ["5 packets", "50 packets"]
    short, long = (np.mean(line.get_xdata()) for line in axes.lines)
    assert short < long


def test_the_ellipse_of_a_cloud():
    rng = np.random.default_rng(1)
    xs, ys = rng.multivariate_normal([3.0, -1.0], [[4.0, 3.0], [3.0, 9.0]], 200_000).T
    x, y = ellipse(xs, ys)
    # One standard deviation around the mean, known to 0.16 % from 200,000 points; 1 % is six times that.
    assert (max(x) - min(x)) / 2 == pytest.approx(2.0, rel=0.01)
    assert (max(y) - min(y)) / 2 == pytest.approx(3.0, rel=0.01)
    assert (max(x) + min(x)) / 2 == pytest.approx(3.0, abs=0.03)
    assert ellipse([2.0], [5.0])[0] == pytest.approx([2.0] * 73)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("l4s", "--claims"), "l4s is a suite and has no printed numbers"),
        (("l4s", "--cross-validate"), "l4s is a suite and has no printed numbers"),
        (("l4s", "--fresh"), "l4s is a suite and has no printed numbers"),
        (("l4s", "--out", __file__), "no folder: File exists"),
        (("l4s", "--table", "coexistense"), "has no part 'coexistense'; did you mean 'coexistence'"),
        (("l4s", "--dry-run", "--stored"), "--dry-run makes no runs"),
        (("af", "--out", "there"), "--set, --precision and --out are for suites"),
        (("l4s", "--precision", "share=5 %", "--runs", "2"), "--precision determines the number of runs"),
        (("l4s", "--precision", "5 %"), "is not of the form METRIC=HALF-WIDTH"),
        (("l4s", "--precision", "share=0 %"), "is not above zero"),
        (("l4s", "--set", "no.such=1"), "no.such"),
        (("L4S",), "no published study or suite 'L4S'; did you mean 'l4s'? The studies are af, "),
        (("rul",), "no published study or suite 'rul'; did you mean 'rrul'?"),
        (("zz",), "no published study or suite 'zz'; the studies are af, bcn, ef, md1k, pcn, ubr, and the suites"),
    ],
)
def test_mistakes_are_told(words, told, penstock):
    code, _, said = penstock("reproduce", *words)
    assert (code, told in " ".join(said.split())) == (2, True), said


def test_a_dry_run_and_an_empty_store(penstock):
    code, told, _ = penstock("reproduce", "controllers", "--dry-run")
    assert (code, "205 points" in told) == (0, True), told
    code, _, said = penstock("reproduce", "controllers", "--stored")
    assert (code, "is in the store yet" in said) == (1, True)


def test_a_mistake_in_the_last_part_costs_no_run(penstock, tmp_path):
    # The second part has no such number.
    parts = ("--table", "two-way", "--table", "two-bottlenecks", "--precision", "goodput[back]=90 %")
    short = ("--set", "duration=8 s", "--set", "warm-up=7 s")
    for more in (("--dry-run",), ()):
        code, out, err = penstock("reproduce", "rfc7928", *parts, *short, "--store", tmp_path / "store", *more)
        assert (code, out) == (2, "")
        assert "precision.metric: 'goodput[back]' means no number; there are goodput[" in err
        assert not (tmp_path / "store").exists()
