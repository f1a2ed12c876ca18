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
        ["report", "--help"],
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
