"""The count of lines of code: which lines count."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
import lines  # noqa: E402

RUST = """\
//! A comment.

/// Another one.
#[inline]
pub fn half(whole: u32) -> u32 { // behind code
    /* over
       two lines */
    let text = "
    #[cfg(test)]";
    whole / 2
}

#[cfg(test)]
use std::fmt;

#[cfg(test)]
mod tests {
    #[test]
    fn a_brace_in_a_text_closes_nothing() {
        assert_eq!("}", "}");
    }
}

pub struct Last;
"""
PYTHON = '''"""A docstring."""

# A comment.
def half(whole):
    """Half of `whole`."""
    return whole / 2  # behind code
'''


@pytest.mark.parametrize(("name", "text", "expected"), [("a.rs", RUST, 7), ("a.py", PYTHON, 2)])
def test_only_code_counts(tmp_path, name, text, expected):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert lines.code_lines(path) == expected


def test_a_module_of_tests_does_not_count(tmp_path):
    for name in ["port.rs", "port/tests.rs", "tests/support.rs"]:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("struct Port;\n", encoding="utf-8")
    assert lines.rust_files(tmp_path) == [tmp_path / "port.rs"]
