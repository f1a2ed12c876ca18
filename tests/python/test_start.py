"""Commands start quickly: libraries that take long to import are imported by those that need them."""

from __future__ import annotations

import subprocess
import sys

import pytest

from penstock.template import TEMPLATE

SLOW = ("pydantic", "numpy", "polars", "scipy", "matplotlib", "rich")


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["--version"],
        ["run", "--help"],
        ["check", "a.toml"],
        ["check", "a.toml", "--set", "seed=2"],
        ["schema"],
    ],
    ids=" ".join,
)
def test_no_slow_library_is_imported(words, tmp_path):
    (tmp_path / "a.toml").write_text(TEMPLATE)
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "penstock", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "penstock.cli" in imported
    assert imported.isdisjoint(SLOW)
    assert done.stdout


def test_values_are_those_of_the_usual_way(monkeypatch, penstock, tmp_path):
    """What is read plainly is what the library reads."""
    from penstock.cli import values

    (tmp_path / "a.toml").write_text(TEMPLATE)
    options = ["--runs", "2", "--jobs", "1", "--seed", "3", "--set", "duration=15 s", "--set", "warm-up=1 s"]
    command = ["run", "a.toml", *options, "--memory", "1 GB", "--store", "runs", "--format", "csv", "--values"]
    plain = penstock(*command)
    assert plain[0] == 0
    monkeypatch.setattr(values, "_plain", lambda *_: values._OTHER)
    assert penstock(*command) == plain
