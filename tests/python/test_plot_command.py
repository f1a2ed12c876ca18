"""``penstock plot``: what it draws, and what it refuses before it runs anything."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from one_link import one_link
from test_plots import point

SCENARIO = one_link(
    {"f": 'poisson = { rate = "500 kbit/s", packet = "500 bytes" }'},
    [("goodput", 'of = "f"')],
    duration="2 s",
    rate="1 Mbit/s",
    limit=None,
)


def test_the_command_draws_a_sweep_and_the_file_of_its_results_alike(penstock, tmp_path):
    (tmp_path / "it.toml").write_text(SCENARIO)
    sweep = ["--set", "a-b.rate=300 kbit/s,600 kbit/s", "--runs", "2"]
    assert penstock("plot", "it.toml", *sweep, "--out", "one.svg", "--out", "one.pdf")[:2] == (
        0,
        "one.svg: written.\none.pdf: written.\n",
    )
    (tmp_path / "it.json").write_text(penstock("run", "it.toml", *sweep, "--format", "json")[1])
    assert penstock("plot", "it.json")[:2] == (0, "it.svg: written.\n")
    assert (tmp_path / "it.svg").read_bytes() == (tmp_path / "one.svg").read_bytes()
    assert not list(tmp_path.glob(".*.part"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["it.json", "--out", "a.jpg"], "a.jpg: ends with '.jpg'; pictures end with .svg, .pdf, .png."),
        (["it.json", "--out", "a"], "a: has no ending; pictures end with .svg, .pdf, .png."),
        (["it.json", "--out", "no/a.svg"], "no/a.svg: there is no folder no; make it first."),
        (["it.json", "--runs", "3"], "it.json has results, so --runs changes nothing; leave it out."),
        (["it.json", "--series"], "it.json has results, so --series changes nothing; leave it out."),
        (["none.json"], "none.json: there is no such file."),
        (["empty.csv"], "empty.csv: is empty, so there is nothing to plot."),
        (["broken.json"], "broken.json: is no JSON"),
        (["other.json"], "other.json: is no JSON of 'penstock run --format json'"),
        (["texts.json"], "texts.json: is no JSON of 'penstock run --format json'"),
        (["texts.csv"], "texts.csv: a mean, value or bound of an interval is not a number"),
        (["other.parquet"], "other.parquet: is no parquet file that can be read"),
        (["it.json", "--where", "rate"], "is not of the form NAME=VALUE"),
        (["it.json", "--x", "colour"], "there is no column 'colour' in it.json"),
        (["it.json", "--kind", "pie"], "there is no kind of plot 'pie'"),
    ],
)
def test_mistakes_of_the_command_end_with_2_and_write_nothing(penstock, tmp_path, words, message):
    it = point({})
    (tmp_path / "it.json").write_text(json.dumps({"scenario": "it", **it}))
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "other.json").write_text('{"points": [{"a": 1}]}')
    texts = {**it, "metrics": [{**each, "ci_low": "low"} for each in it["metrics"]]}
    (tmp_path / "texts.json").write_text(json.dumps({"scenario": "it", **texts}))
    (tmp_path / "texts.csv").write_text("metric,mean\ngoodput,much\n")
    (tmp_path / "other.parquet").write_text("none")
    code, out, err = penstock("plot", *words)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert not [*tmp_path.glob("*.svg"), *tmp_path.glob("*.jpg")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--x", "colour"], "there is no column 'colour' in it.toml. The columns are a-b.rate, of"),
        (["--y", "godput"], "there is no number 'godput' in it.toml; did you mean 'goodput'?"),
        (["--where", "rate=1 Mbit/s"], "nothing has rate = '1 Mbit/s'"),
    ],
)
def test_what_cannot_be_drawn_is_told_before_anything_is_run(penstock, tmp_path, words, message):
    (tmp_path / "it.toml").write_text(SCENARIO)
    sweep = ["--set", "a-b.rate=300 kbit/s,600 kbit/s", "--runs", "2"]
    code, out, err = penstock("plot", "it.toml", *sweep, *words)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert not list(tmp_path.glob("**/runs/*/*.json"))


def test_what_only_one_point_measures_can_be_drawn(penstock, tmp_path):
    (tmp_path / "it.toml").write_text(SCENARIO)
    both = ",".join(f'[{{ metric = "{metric}", of = "f" }}]' for metric in ("goodput", "throughput"))
    sweep = ["--set", f"measure={both}", "--runs", "2"]
    assert penstock("plot", "it.toml", *sweep, "--y", "throughput")[:2] == (0, "it.svg: written.\n")


def test_a_picture_that_cannot_be_written_is_told(penstock, tmp_path):
    (tmp_path / "it.json").write_text(json.dumps({"scenario": "it", **point({})}))
    (tmp_path / "a.svg").mkdir()
    assert penstock("plot", "it.json", "--out", "a.svg")[0] == 2


def test_matplotlib_is_imported_only_to_draw():
    program = (
        "import sys, penstock, penstock.cli.app, penstock.plots, penstock.plots.chart, penstock.studies.result\n"
        "assert not [name for name in sys.modules if name.startswith('matplotlib')]"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
