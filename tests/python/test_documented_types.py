"""What the documentation shows as Python is what an editor accepts: pyright has no complaint, and sees mistakes."""

from __future__ import annotations

import doctest
import importlib
import json
import subprocess
import sys

import pytest
from test_docs import DOCS, ROOT, outputs

PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("*/*.md"))]
MODULES = ["component", "network", "output_analysis", "results", "statistics", "study", "topologies"]
UNRESOLVED = {"quic.py"}
"""Needs a package of the user's own."""
WRONG = {
    "ps.Cbr(rate='1 Mbit/s', pakcet='160 bytes')": 'No parameter named "pakcet"',
    "ps.TailDrop(counts='wating')": "Literal['wating']",
    "ps.Taildrop()": '"Taildrop" is not a known attribute of module "penstock"',
    "ps.Study(ps.Network(), duraton='1 s')": 'No parameter named "duraton"',
    "ps.Network().node('a', bufer=None)": 'No parameter named "bufer"',
}


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """The complaints of all programs, by the names of their files."""
    folder = tmp_path_factory.mktemp("typed")
    for page in PAGES:
        # A block that is not run may be a part of a program.
        found = [block for block in outputs.FENCE.finditer(page.read_text(encoding="utf-8")) if not block["skip"]]
        if text := "\n".join(block["body"] for block in found if block["kind"] == "python"):
            (folder / f"page_{page.stem}.py").write_text(text)
    for example in sorted((ROOT / "examples").rglob("*.py")):
        if example.name in UNRESOLVED:
            continue
        (folder / example.name).write_text(example.read_text(encoding="utf-8"))
    for name in MODULES:
        for test in doctest.DocTestFinder().find(importlib.import_module(f"penstock.{name}")):
            if test.examples:
                lines = [f"from penstock.{name} import *", *(example.source for example in test.examples)]
                (folder / f"docstring_{test.name.replace('.', '_')}.py").write_text("\n".join(lines))
    for number, text in enumerate(WRONG):
        (folder / f"wrong_{number}.py").write_text(f"import penstock as ps\n{text}\n")
    # Results that are shown, in a docstring, are expressions that nobody uses.
    settings = {"typeCheckingMode": "standard", "reportUnusedExpression": False, "extraPaths": [str(ROOT / "python")]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    answer = json.loads(done.stdout)
    assert answer["summary"]["filesAnalyzed"] == len(list(folder.glob("*.py"))) > len(WRONG) + 10
    told: dict[str, list[str]] = {}
    for each in answer["generalDiagnostics"]:
        where = f"line {each['range']['start']['line'] + 1}: {each['message']}"
        told.setdefault(each["file"].rpartition("/")[2], []).append(where)
    return told


def test_documented_programs_have_no_complaint(complaints):
    assert {name: told for name, told in complaints.items() if not name.startswith("wrong_")} == {}


@pytest.mark.parametrize(("number", "said"), list(enumerate(WRONG.values())), ids=list(WRONG))
def test_a_mistake_is_underlined(complaints, number, said):
    assert any(said in each for each in complaints[f"wrong_{number}.py"]), complaints[f"wrong_{number}.py"]
