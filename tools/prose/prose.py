"""Look for habits of writing that make texts hard to read (part of `make lint`).

`habits.toml` lists them, what to write instead, and how often each part of the tree may still have it. The allowances
only shrink: a text that is rewritten lowers them (`--lower`), and a new occurrence fails.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
HABITS = HERE / "habits.toml"
OWN = {"tools/prose/habits.toml", "tools/prose/prose.py", "tests/python/test_prose.py"}
"""Files that name the habits."""
READ = {".md", ".py", ".rs", ".toml", ".txt", ".j2", ".yml", ""}


class Habit(NamedTuple):
    """A pattern, and what to write instead."""

    name: str
    pattern: re.Pattern[str]
    instead: str
    allowed: dict[str, int]


COMMENT = Habit(
    "line that vanishes",
    re.compile(r"^[ >]*%"),
    "MyST takes a line that begins with % for a comment; break the line elsewhere",
    {},
)
"""Searched in Markdown outside code blocks; no part may have it."""
FENCE = re.compile(r"[ >]*(`{3,}|~{3,})(.*)")


class Found(NamedTuple):
    """An occurrence."""

    habit: str
    part: str
    place: str
    line: str


def habits(file: Path = HABITS) -> list[Habit]:
    """All habits of the list."""
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return [
        Habit(name, re.compile(it["pattern"], re.IGNORECASE), it["instead"], it.get("allowed", {}))
        for name, it in table.items()
    ]


def texts(root: Path = ROOT) -> Iterator[tuple[str, str]]:
    """Paths and contents of all files under version control that people read, except this list."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    for path in filter(None, listed.split("\0")):
        file = root / path
        if file.suffix in READ and path not in OWN and file.is_file():
            yield path, file.read_text(encoding="utf-8", errors="replace")


def part_of(path: str) -> str:
    """The part of the tree that has an allowance: the first folder, or `.` for files at the root."""
    return path.partition("/")[0] if "/" in path else "."


def search(files: Iterable[tuple[str, str]], listed: list[Habit]) -> Iterator[Found]:
    """All occurrences."""
    for path, text in files:
        fence = "" if path.endswith(".md") else "no Markdown"
        for number, line in enumerate(text.splitlines(), start=1):
            for habit in listed if fence else (*listed, COMMENT):
                for _ in habit.pattern.finditer(line):
                    yield Found(habit.name, part_of(path), f"{path}:{number}", line.strip())
            if path.endswith(".md") and (marks := FENCE.match(line)):
                if not fence:
                    fence = marks[1]
                elif marks[1].startswith(fence) and not marks[2].strip():
                    fence = ""


def lower(listed: list[Habit], counts: Counter[tuple[str, str]], file: Path = HABITS) -> None:
    """Writes the counts as allowances if they are lower, or if there was no allowance."""
    head, *_ = file.read_text(encoding="utf-8").partition("\n[")
    tables = []
    for habit in listed:
        now = {part: count for (name, part), count in sorted(counts.items()) if name == habit.name}
        kept = {part: min(count, habit.allowed.get(part, 0)) for part, count in now.items()} if habit.allowed else now
        allowed = ", ".join(f'"{part}" = {count}' for part, count in kept.items() if count)
        lines = [f'["{habit.name}"]', f"pattern = '{habit.pattern.pattern}'", f'instead = "{habit.instead}"']
        tables.append("\n".join([*lines, f"allowed = {{ {allowed} }}"] if allowed else lines))
    file.write_text(head.rstrip() + "\n\n" + "\n\n".join(tables) + "\n", encoding="utf-8")


def main() -> None:
    """Lists occurrences above their allowance, or those that match the given names."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", help="list all occurrences in files that begin with one of these")
    parser.add_argument("--lower", action="store_true", help="lower the allowances to what is there")
    options = parser.parse_args()
    listed = habits()
    found = list(search(texts(), listed))
    if options.paths:
        for it in found:
            if it.place.startswith(tuple(options.paths)):
                print(f"{it.place}: {it.habit}: {it.line}")
        return
    counts = Counter((it.habit, it.part) for it in found)
    if options.lower:
        lower(listed, counts)
        return
    instead = {habit.name: habit.instead for habit in (*listed, COMMENT)}
    allowed = {(habit.name, part): count for habit in listed for part, count in habit.allowed.items()}
    above = {key: count for key, count in counts.items() if count > allowed.get(key, 0)}
    for (name, part), count in above.items():
        limit = allowed.get((name, part), 0)
        print(f"'{name}' occurs {count} times under {part}, and {limit} are allowed; {instead[name]}")
    if above:
        sys.exit("list them with: python tools/prose/prose.py PATH...")
    print(f"prose: {sum(counts.values())} occurrences of {len(listed)} habits left, none above its allowance")


if __name__ == "__main__":
    main()
