"""The pages: shown output is the printed one, links exist, and cited works are listed."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

from penstock import _core

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))
import outputs  # noqa: E402

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.glob("*.md"))]
FOLDERS = ("contributing", "design", "own", "python", "studies", "suites")
WRITTEN = [*PAGES, *(page for folder in FOLDERS for page in sorted((DOCS / folder).glob("*.md")))]


def name(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize(
    "page",
    [
        ROOT / "README.md",
        DOCS / "python" / "index.md",
        DOCS / "tutorial.md",
        DOCS / "schedulers.md",
        DOCS / "study.md",
        DOCS / "sensitivity.md",
        DOCS / "trace.md",
        DOCS / "series.md",
    ],
    ids=name,
)
def test_a_page_shows_what_is_printed(page):
    outcomes = outputs.run_page(page)
    assert outcomes
    untrue = [outcome for outcome in outcomes if not outcome.is_true]
    first = untrue[0] if untrue else None
    assert first is None, (
        f"{name(page)}:{first.line}: {first.what}\nprinted\n{first.printed}\n"
        f"renew the outputs with: python docs/outputs.py {name(page)}"
    )


def blocks(page, kind):
    return [
        block["body"] for block in outputs.FENCE.finditer(page.read_text(encoding="utf-8")) if block["kind"] == kind
    ]


@pytest.mark.parametrize("page", WRITTEN, ids=name)
def test_toml_and_python_blocks_are_at_least_well_formed(page):
    for block in blocks(page, "toml"):
        tomllib.loads(block)
    for block in blocks(page, "python"):
        compile(block, name(page), "exec")


@pytest.mark.parametrize("page", WRITTEN, ids=name)
def test_whole_scenarios_in_pages_are_sound(page):
    for block in blocks(page, "toml"):
        if "[[flows]]" in block and "[nodes]" in block:
            assert _core.check(block, name(page), []) == []


@pytest.mark.parametrize("page", WRITTEN, ids=name)
def test_links_between_files_resolve(page):
    """Also in README and CONTRIBUTING, which Sphinx does not check in their folder."""
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)", page.read_text(encoding="utf-8")):
        if not re.match(r"https?:", target):
            assert (page.parent / target).exists(), f"{name(page)} links to {target}"


@pytest.mark.parametrize("record", sorted((DOCS / "design").glob("*.md")), ids=name)
def test_a_design_record_has_at_most_80_lines(record):
    lines = len(record.read_text(encoding="utf-8").splitlines())
    assert lines <= 80


def test_the_record_of_the_store_has_the_sizes_of_its_modules():
    record = (DOCS / "design" / "0006-store-and-results.md").read_text(encoding="utf-8")
    package = ROOT / "python" / "penstock"
    stated = {}
    for names, lines in re.findall(r"^\| [^|]*\((`\w+`(?:, `\w+`)*)\) \|[^|]*\| (\d+) \|$", record, re.MULTILINE):
        stated[tuple(re.findall(r"\w+", names))] = int(lines)
    files = {path.stem: path for path in [*(package / "store").glob("[!_]*.py"), package / "whole_file.py"]}
    assert sorted(module for row in stated for module in row) == sorted(files)
    counted = {row: sum(len(files[module].read_text().splitlines()) for module in row) for row in stated}
    # A tenth either way: the table shows what a mechanism costs, and need not follow each edit.
    assert {row: lines for row, lines in stated.items() if abs(counted[row] - lines) > 0.1 * lines} == {}


def test_every_citation_is_in_the_bibliography():
    listed = set(re.findall(r"^\[(\w+)\]$", (DOCS / "bibliography.md").read_text(encoding="utf-8"), re.MULTILINE))
    sources = [*ROOT.glob("crates/**/*.rs"), *ROOT.glob("python/**/*.py"), *ROOT.glob("python/**/*.toml"), *WRITTEN]
    cited: dict[str, str] = {}
    for file in sources:
        for key in re.findall(r"\[([A-Z][A-Za-z]+\d\d)\b[^\]]*\]", file.read_text(encoding="utf-8")):
            cited.setdefault(key, name(file))
    assert {key: file for key, file in cited.items() if key not in listed and not key.startswith("RFC")} == {}


@pytest.mark.parametrize(
    ("shown", "printed", "is_true"),
    [
        ("a 1\n", "a 1\n", True),
        ("a 1\n", "a 2\n", False),
        ("a ...\n...\nc\n", "a 2\nb\nc\n", True),
        ("a ...\n...\nc\n", "a 2\nb\nd\n", False),
        ("a\n", "a\nb\n", False),
    ],
)
def test_dots_stand_for_anything_and_nothing_else_does(shown, printed, is_true):
    assert outputs.Shown(1, "it", shown, printed).is_true is is_true


def test_a_failure_is_not_hidden_by_dots():
    assert not outputs.Shown(1, "it", "...\n", "error: no\n", failed=True).is_true


def test_renewing_keeps_what_was_left_out():
    outcome = outputs.Shown(1, "it", "...\nb 2 ±1\n...\n", "a 1\nb 3 ±0.5\nc 4\n")
    assert outputs.renewed("x\n...\nb 2 ±1\n...\ny\n", [outcome]) == "x\n...\nb 3 ±0.5\n...\ny\n"
