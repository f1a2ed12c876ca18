"""Count lines of code: no comments, no blank lines, no docstrings, no inline tests.

`make lines` prints the count of each crate, of each folder of the engine and of the Python package. A line counts if
it holds a token that is neither white space nor part of a comment or a docstring. Items behind `#[cfg(test)]` are
inline tests.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from pygments.lexers import PythonLexer, RustLexer
from pygments.token import Comment, String, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parent.parent
ITEMS = {"const", "enum", "fn", "impl", "macro_rules", "mod", "static", "struct", "trait", "type", "union", "use"}
CLOSES = {"(": ")", "[": "]", "{": "}"}


def code_tokens(text: str, lexer: RustLexer | PythonLexer) -> Iterator[tuple[int, str]]:
    """Line numbers, from 1, and texts of all tokens that are code; a token of several lines comes once for each line.

    Literals come as quotes, so that no bracket in them counts.
    """
    line = 1
    for kind, value in lexer.get_tokens(text):
        is_code = kind in Comment.Preproc or kind not in Comment
        if is_code and kind not in String.Doc and kind not in Text:
            for offset, part in enumerate(value.split("\n")):
                if part.strip():
                    yield line + offset, '"' if kind in String else part.strip()
        line += value.count("\n")


def end_of_group(tokens: list[tuple[int, str]], opening: int) -> int:
    """Index of the token that closes the bracket at `opening`."""
    depth = 0
    for index in range(opening, len(tokens)):
        for character in tokens[index][1]:
            if character in CLOSES:
                depth += 1
            elif character in CLOSES.values():
                depth -= 1
                if depth == 0:
                    return index
    return len(tokens) - 1


def end_of_item(tokens: list[tuple[int, str]], start: int) -> int:
    """Index of the last token of the Rust item at `start`: its block, or the semicolon before; the comma of a field."""
    index, is_item = start, False
    while index < len(tokens):
        text = tokens[index][1]
        is_item = is_item or text.split()[0] in ITEMS
        if "{" in text:
            return end_of_group(tokens, index)
        if ";" in text or ("," in text and not is_item):
            return index
        index = end_of_group(tokens, index) + 1 if text in {"(", "["} else index + 1
    return len(tokens) - 1


def code_lines(path: Path) -> int:
    """Lines of code of a Rust or Python file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return len({line for line, _ in code_tokens(text, PythonLexer(ensurenl=False, stripnl=False))})
    tokens = list(code_tokens(text, RustLexer(ensurenl=False, stripnl=False)))
    lines = Counter(line for line, _ in tokens)
    index = 0
    while index < len(tokens):
        if tokens[index][1] == "#[":
            closing = end_of_group(tokens, index)
            attribute = "".join(part for _, part in tokens[index : closing + 1])
            if attribute == "#[cfg(test)]":
                last = end_of_item(tokens, closing + 1)
                lines.subtract(line for line, _ in tokens[index : last + 1])
                closing = last
            index = closing
        index += 1
    return sum(count > 0 for count in lines.values())


def rust_files(folder: Path) -> list[Path]:
    """The Rust files below a folder, except modules named `tests`."""
    return [
        path for path in sorted(folder.rglob("*.rs")) if "tests" not in path.relative_to(folder).with_suffix("").parts
    ]


def count(root: Path) -> dict[str, int]:
    """Lines of code of each part, by its path below `root`."""
    parts = {str(crate.relative_to(root)): crate / "src" for crate in sorted(root.glob("crates/*"))}
    engine = root / "crates/penstock-engine/src"
    parts |= {str(folder.relative_to(root)): folder for folder in sorted(engine.iterdir()) if folder.is_dir()}
    counts = {name: sum(map(code_lines, rust_files(folder))) for name, folder in parts.items()}
    package = root / "python/penstock"
    files = sorted(package.rglob("*.py"))
    generated = [path for path in files if path.name == "components.py"]
    studies = [path for path in files if "reproductions" in path.parts]
    counts["python/penstock"] = sum(map(code_lines, set(files) - {*generated, *studies}))
    counts["python/penstock/reproductions"] = sum(map(code_lines, studies))
    counts["python/penstock (generated)"] = sum(map(code_lines, generated))
    return counts


def main() -> None:
    """Print the counts as a table or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--format", choices=["table", "json"], default="table")
    counts = count(ROOT)
    if parser.parse_args().format == "json":
        json.dump(counts, sys.stdout, indent=2)
        print()
        return
    width = max(map(len, counts))
    for name, lines in counts.items():
        print(f"{name:{width}}  {lines:7,}")


if __name__ == "__main__":
    main()
