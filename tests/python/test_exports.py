"""Names of the package in editors, notebooks and shells."""

from __future__ import annotations

import json
import os
import rlcompleter
import subprocess
import sys

import pytest

import penstock as ps
from penstock import _core, reference, reproductions


def test_everything_public_is_listed_and_there():
    assert {"Network", "Study", "StudyResult", "TailDrop", "run_all", "topologies"} <= set(dir(ps))
    assert len(set(ps.__all__)) == len(ps.__all__)
    for name in ps.__all__:
        assert getattr(ps, name) is not None, name


def test_names_are_completed():
    complete = rlcompleter.Completer({"ps": ps}).complete
    assert (complete("ps.Tail", 0), complete("ps.Netw", 0)) == ("ps.TailDrop(", "ps.Network()")


def test_importing_the_package_imports_no_library():
    program = "import sys, penstock; print([name for name in ('pydantic', 'polars', 'numpy') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_package_is_the_command():
    done = subprocess.run([sys.executable, "-m", "penstock", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"penstock {ps.__version__}, model {ps.MODEL_VERSION}\n"


def test_the_schema_is_that_of_the_core(penstock):
    code, out, err = penstock("schema")
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads(_core.json_schema())
    assert json.loads(out)["$schema"]


def offered(*words):
    environment = {
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
        "_PENSTOCK_COMPLETE": "bash_complete",
    }
    done = subprocess.run(
        [sys.executable, "-m", "penstock"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.partition(",")[2] for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["penstock", "sens"], {"sensitivity"}),
        (["penstock", "run", "--thr"], {"--threads"}),
        (["penstock", "explain", "tail"], {"tail-drop"}),
        (["penstock", "explain", "af-c0"], {name for name in reproductions.names() if name.startswith("af-c0")}),
        (["penstock", "list", "pcn"], {kind for kind in reference.PLACES if kind.startswith("pcn")}),
        (["penstock", "reproduce", "p"], {"pcn"}),
        (["penstock", "run", "--format", "pa"], {"parquet"}),
    ],
    ids=lambda words: " ".join(words) if isinstance(words, list) else "",
)
def test_the_shell_completes(words, expected):
    assert set(offered(*words)) == expected
