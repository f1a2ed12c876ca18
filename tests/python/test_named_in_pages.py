"""Names of files and of items that pages show in backticks exist in the sources."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if not {"_build", "generated"} & {*page.parts}]
FENCED = re.compile(r"^(```|~~~).*?^\1`*$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
FILE = re.compile(r"[\w./-]+\.(rs|py|toml|md)")
NAME = re.compile(r"[A-Za-z_]\w*((::|\.)[A-Za-z_]\w*)*(\(\))?")
ELSEWHERE = {
    "doc/specs/thrift-compact-protocol.md": "of Apache Thrift",
    "two.toml": "the page writes it",
    "share.toml": "the page writes it",
    "core::arch": "of Rust",
    "rand_distr": "a crate that is not used",
    "differential_evolution": "of SciPy",
    "sobol_indices": "of SciPy",
    "lessCareful_": "of ns-2",
    "packetSize_": "of ns-2",
    "useHeaders_": "of ns-2",
    "precisionReduce_": "of ns-2",
    "bictcp_update": "of Linux",
    "tcp_cong_avoid": "of Linux",
    "acked_sacked": "of Linux",
    "tcp_tso_should_defer": "of Linux",
}
"""Names that are not ours, and whose they are."""


@cache
def tracked():
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    # A source distribution has no repository.
    return listed.split() or [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]


@cache
def words():
    sources = [ROOT / path for path in tracked() if Path(path).suffix in {".rs", ".py", ".pyi", ".toml"}]
    return {word for path in sources if path.is_file() for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))}


def vanished(text):
    """The names in backticks of a page that nothing in the sources has."""
    spans = {span for span in SPAN.findall(FENCED.sub("", text)) if span not in ELSEWHERE}
    files = {span for span in spans if FILE.fullmatch(span)}
    missing = {file for file in files if not any(path == file or path.endswith("/" + file) for path in tracked())}
    for span in spans - files:
        if NAME.fullmatch(span) and ("::" in span or re.search(r"[a-z][A-Z]|_", span)):
            parts = re.split(r"::|\.|\(\)", span)
            missing |= {span for part in parts if part and part not in words() and part not in {"pyi"}}
    return missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_names_exists(page):
    assert vanished(page.read_text(encoding="utf-8")) == set()


def test_what_has_gone_is_noticed():
    gone = "Seat" + "ing"
    text = f"`port/{gone.lower()}.rs`, `{gone}::new`, `port/mod.rs`, `EventDriven`, `run_{gone.lower()}`"
    assert vanished(text) == {f"port/{gone.lower()}.rs", f"{gone}::new", f"run_{gone.lower()}"}


def test_no_exception_is_left_over():
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in ELSEWHERE if f"`{name}`" not in text] == []
