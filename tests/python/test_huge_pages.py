"""Large runs have their memory in huge pages, for which the command restarts once."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from penstock import _core, bench, huge_pages

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the setting is that of Linux's C library")

PROGRAM = """
import os, sys
from penstock.huge_pages import allow_restart, restart_for
if {allowed}:
    allow_restart()
print("begun", flush=True)
restart_for([1000, {size}])
print(sys.argv[1:], os.environ.get("GLIBC_TUNABLES"))
"""
WANTED = "glibc.malloc.hugetlb=1:glibc.malloc.arena_max=1"


def lines(*, size, allowed=True, **environment):
    kept = {name: value for name, value in os.environ.items() if name != "GLIBC_TUNABLES"}
    program = [sys.executable, "-c", PROGRAM.format(size=size, allowed=allowed), "a b", "--x=1"]
    ended = subprocess.run(program, env={**kept, **environment}, capture_output=True, text=True, check=True)
    return ended.stdout.splitlines()


def test_a_large_run_begins_once_more_with_the_same_words():
    assert lines(size=huge_pages.LARGE) == ["begun", "begun", f"['a b', '--x=1'] {WANTED}"]


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"size": huge_pages.LARGE - 1}, None),
        ({"size": huge_pages.LARGE, "allowed": False}, None),
        ({"size": huge_pages.LARGE, "GLIBC_TUNABLES": "glibc.malloc.hugetlb=0"}, "glibc.malloc.hugetlb=0"),
    ],
    ids=["small", "part of another program", "the user has said"],
)
def test_others_go_on(how, said):
    assert lines(**how) == ["begun", f"['a b', '--x=1'] {said}"]


@pytest.mark.parametrize("file", ["large.toml", "/dev/stdin"], ids=["file", "pipe"])
def test_a_command_shows_the_same_numbers_either_way(tmp_path, file):
    text = bench.cbr(flows=150_000)
    assert _core.Scenario(text, "large.toml", [("duration", "10 ms")], None).memory >= huge_pages.LARGE
    (tmp_path / "large.toml").write_text(text)
    words = ["run", file, "--set", "duration=10 ms", "--runs", "1", "--format", "json"]
    command = [sys.executable, "-m", "penstock", *words]

    def told(**environment):
        kept = {name: value for name, value in os.environ.items() if name != "GLIBC_TUNABLES"}
        store = {"PENSTOCK_STORE": str(tmp_path / f"store{len(environment)}")}
        ended = subprocess.run(
            command,
            cwd=tmp_path,
            env={**kept, **store, **environment},
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
        return ended.stdout, ended.stderr

    out, err = told()
    assert (out, err) == told(GLIBC_TUNABLES="glibc.malloc.hugetlb=0")
    assert json.loads(out)["metrics"]
