"""What programs read: nothing but JSON on standard output, and the same bytes however it came about."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import polars as pl
import pytest

from penstock.template import TEMPLATE

COMMAND = [sys.executable, "-m", "penstock.cli"]


@pytest.fixture
def called(tmp_path):
    """Calls the command with JSON as its format in a folder and with a store of the caller's choice."""
    (tmp_path / "a.toml").write_text(TEMPLATE)
    (tmp_path / "bad.toml").write_text(TEMPLATE.replace("tail-drop", "tial-drop"))

    def call(arguments, folder="here", store="store", code=0, written="json"):
        (tmp_path / folder).mkdir(exist_ok=True)
        given = [str(tmp_path / word) if word.endswith(".toml") else word for word in arguments]
        ended = subprocess.run(
            [*COMMAND, *given, "--format", written],
            cwd=tmp_path / folder,
            env={**os.environ, "PENSTOCK_STORE": str(tmp_path / store)},
            capture_output=True,
            check=False,
        )
        assert ended.returncode == code, ended.stderr.decode()
        if written == "json":
            json.loads(ended.stdout)
        return ended.stdout

    return call


@pytest.mark.parametrize(
    "arguments",
    [
        ["run", "a.toml", "--runs", "4"],
        ["run", "a.toml", "--replication", "2", "--set", "duration=10 s"],
        ["reproduce", "af", "--table", "2", "--runs", "1"],
        ["reproduce", "af", "--runs", "1", "--claims"],
    ],
    ids=" ".join,
)
def test_runs_give_the_same_bytes(called, tmp_path, arguments):
    one = called([*arguments, "--jobs", "1"])
    assert called([*arguments, "--jobs", "2"], store="empty") == one
    assert called([*arguments, "--jobs", "2"]) == one  # from the store
    assert called(arguments, folder="elsewhere") == one
    assert str(tmp_path).encode() not in one


@pytest.mark.parametrize("written", ["csv", "parquet"])
@pytest.mark.parametrize("more", [[], ["--values"]], ids=["means", "values"])
def test_frames_have_the_same_bytes(called, tmp_path, written, more):
    arguments = ["run", "a.toml", "--runs", "3", "--set", "seed=1,2", *more]
    one = called([*arguments, "--jobs", "1"], written=written)
    assert called([*arguments, "--jobs", "2"], folder="elsewhere", store="empty", written=written) == one
    assert str(tmp_path).encode() not in one
    frame = (pl.read_csv if written == "csv" else pl.read_parquet)(io.BytesIO(one))
    assert set(frame["seed"]) == {1, 2}
    assert len(frame) == len(frame.unique(["metric", "of", "statistic", "seed"])) * (3 if more else 1)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", "a.toml"], 0),
        (["check", "bad.toml"], 2),
        (["list"], 0),
        (["list", "sections"], 0),
        (["list", "studies"], 0),
        (["explain", "red"], 0),
        (["explain", "af"], 0),
    ],
    ids=str,
)
def test_what_is_known_gives_the_same_bytes(called, arguments, code):
    assert called(arguments, code=code) == called(arguments, code=code, folder="elsewhere")


def test_speed_is_json_alone(called):
    [measured] = json.loads(called(["bench", "cbr", "--flows", "10"]))
    assert (measured["workload"], measured["packet_hops"] > 0) == ("cbr", True)


def test_a_mistake_leaves_standard_output_empty(tmp_path):
    (tmp_path / "bad.toml").write_text("duration = 5\n")
    for arguments in (["run", "bad.toml"], ["reproduce", "aff"], ["list", "x"], ["bench", "x"], ["run", "none.toml"]):
        ended = subprocess.run(
            [*COMMAND, *arguments, "--format", "json"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert (ended.returncode, ended.stdout) == (2, ""), arguments
        assert "Traceback" not in ended.stderr
