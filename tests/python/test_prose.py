"""The checker of habits of writing: what it finds, which files it reads, and how allowances shrink."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "tools" / "prose"))
import prose  # noqa: E402

LIST = """\
# Habits.

["so many"]
pattern = '\\bso many\\b'
instead = "write n"
allowed = { "docs" = 3, "python" = 1 }

["anew"]
pattern = '\\banew\\b'
instead = "write again"
"""


@pytest.mark.parametrize(
    ("habit", "sentence"),
    [
        ("so many", "The first so many entries are sorted."),
        ("what is", "Reads what is there."),
        ("beside", "A mean stands beside it."),
        ("least", "The least of the delays."),
        ("have made", "The runs that have been made."),
        ("is told", "The source is told the rate."),
        ("history", "As before, it is dropped."),
    ],
)
def test_a_habit_is_found(habit: str, sentence: str) -> None:
    """Whatever the case of its letters."""
    assert habit in {it.habit for it in prose.search([("docs/a.md", sentence)], prose.habits())}


@pytest.mark.parametrize(
    "sentence",
    [
        "At least three packets wait.",
        "A least squares fit.",
        "ECT stands for ECN-capable transport.",
        "What is a PHB?",
        "least_spacing",
    ],
)
def test_plain_english_is_left_alone(sentence: str) -> None:
    """Uses of the same words that everybody writes."""
    assert list(prose.search([("docs/a.md", sentence)], prose.habits())) == []


def test_a_line_that_would_be_a_comment_is_found_outside_code() -> None:
    """Markdown alone has such lines."""
    text = "With 5\n% of it.\n\n- Or\n  % of\n\n````text\n% a\n```\n% b\n````\n50 % are left.\n"
    found = [it.place for it in prose.search([("docs/a.md", text), ("docs/a.py", text)], prose.habits())]
    assert found == ["docs/a.md:2", "docs/a.md:5"]


def test_allowances_shrink_and_never_grow(tmp_path: Path) -> None:
    """A part without an allowance gets none, and one with less than its allowance keeps the count."""
    file = tmp_path / "habits.toml"
    file.write_text(LIST, encoding="utf-8")
    counts = Counter({("so many", "docs"): 1, ("so many", "python"): 5, ("so many", "crates"): 2, ("anew", "docs"): 4})
    prose.lower(prose.habits(file), counts, file)
    so_many, anew = prose.habits(file)
    assert so_many.allowed == {"docs": 1, "python": 1}
    assert anew.allowed == {"docs": 4}
    assert file.read_text(encoding="utf-8").startswith("# Habits.\n\n[")
