"""Short options: the same letter means the same for every verb, and every verb that writes a file has ``-o``."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from test_parameter_columns import SCENARIO

from penstock.cli.app import app

SHORT = {"-o": "--out", "-j": "--jobs", "-n": "--runs"}
WRITES = {"run", "trace", "series", "view", "plot", "report", "new", "screen", "search", "slurm", "export"}


def options():
    """The options of each verb, with all of their names."""
    verbs = app.commands
    return {
        verb: [
            [*each.opts, *each.secondary_opts] for each in command.loaded().params if each.param_type_name == "option"
        ]
        for verb, command in verbs.items()
    }


def test_a_letter_means_the_same_for_every_verb():
    for verb, found in options().items():
        for names in found:
            for letter, name in SHORT.items():
                assert (letter in names) == (name in names), (verb, names)
            assert all(name.startswith("--") or name in SHORT for name in names), (verb, names)


def test_every_verb_that_writes_a_file_has_out():
    found = {verb for verb, own in options().items() if any("--out" in names for names in own)}
    assert found >= WRITES


@pytest.fixture
def scenario(penstock):
    Path("net.toml").write_text(SCENARIO + '[[series]]\nof = "s-b"\nwhat = "queue"\nevery = "10 ms"\n')
    return penstock


def test_results_are_written_into_a_file_in_the_format_of_its_name(scenario):
    for ending in ("csv", "parquet", "json"):
        code, out, err = scenario("run", "net.toml", "-n", 2, "-j", 1, "-o", f"it.{ending}")
        assert (code, out, err.splitlines()[-1]) == (0, "", f"it.{ending}: written.")
    assert Path("it.json").read_text() == scenario("run", "net.toml", "-n", 2, "--format", "json")[1]
    assert pl.read_parquet("it.parquet").height == pl.read_csv("it.csv").height > 2
    assert scenario("run", "net.toml", "-n", 2, "--values", "-o", "values.csv")[0] == 0
    assert "replication" in pl.read_csv("values.csv").columns
    assert not list(Path.cwd().glob(".*.part"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["run", "net.toml", "-o", "it.txt"],
            "it.txt: ends with none of .json, .csv and .parquet; write --format, too.",
        ),
        (["run", "net.toml", "-o", "no/it.csv"], "no/it.csv: there is no folder no; make it first."),
        (["run", "net.toml", "-o", "it.csv", "--dry-run"], "--dry-run gives no results, so --out changes nothing"),
        (["new", "a.toml", "-o", "b.toml"], "the scenario is named twice"),
        (["new"], "the scenario needs a name"),
        (["export"], "the archive needs a name"),
        (["trace", "net.toml", "-o", "it.txt"], "--out is for csv and parquet"),
        (["trace", "net.toml", "-o", "no/it.csv"], "no/it.csv: there is no folder no; make it first."),
        *(
            ([verb, "net.toml", "--format", "csv", "-o", "./net.toml"], "net.toml: is the file that is read; choose")
            for verb in ("run", "trace", "series", "screen", "search")
        ),
    ],
)
def test_what_cannot_be_written_is_refused_first(scenario, words, message):
    text = Path("net.toml").read_text()
    code, out, err = scenario(*words)
    assert (code, out, Path("net.toml").read_text()) == (2, "", text)
    assert message in err
    assert sorted(each.name for each in Path.cwd().iterdir() if each.suffix) == ["net.toml"]


def test_traces_and_others_are_written_alike(scenario):
    for verb in ("trace", "series"):
        for ending, read in (("csv", pl.read_csv), ("parquet", pl.read_parquet)):
            assert scenario(verb, "net.toml", "-o", f"{verb}.{ending}")[0] == 0
            assert read(f"{verb}.{ending}").height > 50
    assert scenario("new", "-o", "new.toml")[0] == 0
    assert "[[links]]" in Path("new.toml").read_text()
    scenario("run", "net.toml", "-n", 2)
    assert scenario("export", "-o", "all.penstock")[0] == 0
    assert Path("all.penstock").stat().st_size > 100
    for words in (("plot", "net.toml", "-n", 2, "-o", "p.svg"), ("report", "net.toml", "-n", 2, "-o", "p.html")):
        assert scenario(*words)[0] == 0
