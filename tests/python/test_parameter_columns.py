"""The columns of a study's table, and their cells."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import penstock as ps
from penstock.parameter_columns import parameter_columns
from penstock.short_values import short_values

SCENARIO = """
duration = "1 s"
[nodes]
a = {}
s = {}
b = {}
[[links]]
from = "a"
to = "s"
rate = "10 Mbit/s"
delay = "1 ms"
[[links]]
from = "s"
to = "b"
rate = "1 Mbit/s"
delay = "1 ms"
[[flows]]
name = "f"
from = "a"
to = "b"
source.cbr = { rate = "2 Mbit/s", packet = "1000 bytes" }
[[measure]]
metric = "drops"
of = "s-b"
by = ["cause"]
[[measure]]
metric = "delay"
of = "f"
"""
QUEUES = """
scenario = "net.toml"
runs = 2
[grid]
s-b.queue = [{ tail-drop = {} }, { codel = {} }]
"""
ZIP = """
scenario = "net.toml"
runs = 2
[[zip]]
scheme = ["deep", "shallow", "managed"]
s-b.queue = [
  { tail-drop = { limit = "100 packets" } }, { tail-drop = { limit = "9 packets" } },
  { red = { limit = "50 packets", min-threshold = "5 packets", max-threshold = "15 packets", max-probability = 0.1 } },
]
a-s.queue = [{ tail-drop = {} }, { tail-drop = {} }, { codel = {} }]
s-b.rate = ["1 Mbit/s", "1 Mbit/s", "2 Mbit/s"]
[grid]
a-s.delay = ["2 ms"]
[compare]
parameter = "scheme"
baseline = "deep"
metrics = ["delay[f, mean]"]
"""


def write(study):
    Path("net.toml").write_text(SCENARIO)
    Path("it.toml").write_text(study)


def test_component_tables_are_values_in_every_form(penstock):
    write(QUEUES)
    shown = penstock("run", "it.toml")[1].splitlines()
    assert [line.split()[:4] for line in shown if line.startswith(("metric", "drops"))] == [
        ["metric", "of", "queue", "mean"],
        ["drops", "s-b", "cause=all", "tail-drop"],
        ["drops", "s-b", "cause=early", "codel"],
        ["drops", "s-b", "cause=all-others", "codel"],
    ]
    data = json.loads(penstock("run", "it.toml", "--format", "json")[1])
    assert [each["parameters"] for each in data["points"]] == [
        {"s-b.queue": {"tail-drop": {}}},
        {"s-b.queue": {"codel": {}}},
    ]
    frame = pl.read_csv(penstock("run", "it.toml", "--format", "csv")[1].encode())
    assert frame["s-b.queue"].unique(maintain_order=True).to_list() == ["{ tail-drop = {} }", "{ codel = {} }"]
    assert penstock("report", "it.toml", "--out", "it.html")[0] == 0
    page = Path("it.html").read_text()
    assert "<span>codel</span>" in page
    for kind in ("line", "bar", "box"):
        assert penstock("plot", "it.toml", "--kind", kind, "--y", "delay", "--out", "it.svg")[0] == 0


def test_a_label_hides_the_columns_that_it_names(penstock):
    write(ZIP)
    shown = penstock("run", "it.toml")[1].splitlines()
    assert shown[1].split() == ["metric", "of", "scheme", "mean", "unit", "runs"]
    assert "scheme names the values of s-b.queue, s-b.rate, a-s.queue." in shown
    assert "a-s.delay = 2 ms at every point." in shown
    assert not any("max-threshold" in line for line in shown)
    compared = shown[next(i for i, line in enumerate(shown) if line.startswith("Differences from")) :]
    assert compared[0] == "Differences from scheme = deep"
    assert [line.split()[2] for line in compared[2:4]] == ["shallow", "managed"]
    for verb in (("run", "it.toml", "--dry-run"), ("status", "it.toml")):
        assert penstock(*verb)[1].splitlines()[1].split()[:3] == ["point", "scheme", "runs"]


def test_without_a_label_a_component_stands_for_others_and_a_legend_says_what_it_is():
    red = {"red": {"limit": "50 packets", "gentle": True}}
    points = [
        {"a.queue": red, "b.queue": red, "c.rate": "1 Mbit/s"},
        {"a.queue": {"codel": {}}, "b.queue": {"codel": {}}, "c.rate": "2 Mbit/s"},
    ]
    found = parameter_columns(points, ["a.queue", "b.queue", "c.rate"])
    assert found.heads == ["queue", "rate"]
    assert [found.cells(point) for point in points] == [("red", "1 Mbit/s"), ("codel", "2 Mbit/s")]
    assert found.notes == [
        "a.queue varies together with b.queue.",
        'queue red: { red = { limit = "50 packets", gentle = true } }',
    ]
    # In a grid one says nothing of the other.
    grid = [{"a.queue": one, "b.queue": other} for one in (red, {"pie": {}}) for other in (red, {"pie": {}})]
    assert parameter_columns(grid, ["a.queue", "b.queue"]).heads == ["a.queue", "b.queue"]


def test_different_values_have_different_names():
    long = [f"{{ weights = [{', '.join(map(str, range(20)))}, {end}] }}" for end in (1, 2)]
    values = ["tail-drop", "{ tail-drop = {} }", *long, "x" * 99, "x" * 98 + "y", "[1, 2]", "{", "[[[", ""]
    names = short_values(values)
    assert list(names) == values
    assert len(set(names.values())) == len(values)
    assert max(map(len, names.values())) <= 45


ODD = r"""
scenario = "net.toml"
[[zip]]
level = [nan, inf, -1.5]
when = [2020-01-31, 2021-01-31T10:00:00, 07:32:00]
label = ["", "a\nb\u202E", "{"]
levels = [[], [0.5, [1]], [{ a = 1 }]]
s-b.queue = [{ tail-drop = {} }, { codel = {} }, { codel = { ecn = true } }]
"""


@pytest.mark.parametrize("runs", [1, 2])
def test_values_that_are_no_numbers_or_texts_are_shown_everywhere(penstock, runs):
    write(ODD)
    data = json.loads(penstock("run", "it.toml", "-n", runs, "--format", "json")[1])
    assert data["points"][1]["parameters"]["level"] == "inf"
    assert data["points"][0]["parameters"]["when"] == "2020-01-31"
    shown = penstock("run", "it.toml", "-n", runs)[1]
    assert "\u202e" not in shown
    assert "a\\u000Ab" in shown
    for words in (
        ("run", "it.toml", "--values", "-o", "it.csv"),
        ("run", "it.toml", "-o", "it.parquet"),
        ("run", "it.toml", "-o", "it.json"),
        ("run", "it.toml", "--dry-run"),
        ("run", "it.toml", "--dry-run", "--format", "json"),
        ("status", "it.toml"),
        ("status", "it.toml", "--format", "json"),
        ("report", "it.toml", "-o", "it.html"),
        ("plot", "it.toml", "--kind", "box", "-o", "it.svg"),
        ("plot", "it.toml", "--kind", "heatmap", "--x", "level", "--by", "when", "--log", "y", "-o", "it.svg"),
    ):
        code, out, err = penstock(*words, "-n", runs)
        assert code == (2 if "heatmap" in words else 0), (words, out, err)
    for file, kind in (("it.csv", "cdf"), ("it.parquet", "bar"), ("it.json", "cdf")):  # of Parquet only the means
        assert penstock("plot", file, "--y", "delay", "--kind", kind, "-o", "it.svg")[0] == 0


def test_a_notebook_shows_component_tables(tmp_path):
    net = ps.Network()
    a, b = net.node("a"), net.node("b")
    net.link(a, b, rate="1 Mbit/s", delay="1 ms", queue=ps.TailDrop())
    net.flows("f", a, b, source=ps.Cbr(rate="2 Mbit/s", packet="1000 bytes"))
    study = ps.Study(net, duration="1 s").vary("a-b.queue", [{"tail-drop": {}}, {"codel": {}}]).runs(6)
    result = study.result(store=ps.Store(tmp_path))
    assert "<td>codel</td>" in result._repr_html_()
    assert result.frame()["a-b.queue"].unique().sort().to_list() == ["{ codel = {} }", "{ tail-drop = {} }"]
    assert set(result.quantiles("delay[f, mean]", [0.5])["a-b.queue"]) == {"{ codel = {} }", "{ tail-drop = {} }"}
    assert result.plot("box", y="delay").axes
