"""The lists of mistakes: the change and place of each, and a check that its text still exists."""

from __future__ import annotations

import tomllib
import zlib
from dataclasses import dataclass
from pathlib import Path

import tree_sitter_rust
from tree_sitter import Language, Parser

ROOT = Path(__file__).parent.parent.parent
LISTS = Path(__file__).parent / "lists"
BEGIN, END = "«»"


@dataclass(frozen=True)
class Mistake:
    """One entry of a list: a text of a source file, and its replacement."""

    area: str
    name: str
    file: str
    text: str
    """Occurs once in the file; the part between « and » is replaced, or all of it without them."""
    mistake: str
    """The replacement."""
    means: str
    asks: tuple[str, ...] = ()
    """Programs in a crate's ``tests`` that are asked before the others, as they look at such things."""
    python: tuple[str, ...] = ()
    """Files of ``tests/python`` that are asked last, or, for Python, alone."""
    survives: str = ""
    """Why no test can tell, if none can."""
    at: int = -1
    """Where the text begins, if it need not be the only one of its file."""

    @property
    def is_rust(self) -> bool:
        """Whether it is compiled into the binaries."""
        return self.file.endswith(".rs")

    @property
    def number(self) -> int:
        """The number that selects it. It follows from the name, so that another entry does not change it."""
        return zlib.crc32(self.name.encode())

    @property
    def context(self) -> str:
        """The text as it is in the file."""
        return self.text.replace(BEGIN, "").replace(END, "")

    @property
    def original(self) -> str:
        """The replaced part."""
        return self.text.partition(BEGIN)[2].partition(END)[0] if BEGIN in self.text else self.text

    def span(self, source: str) -> tuple[int, int]:
        """Positions in the source at which the replaced text begins and ends."""
        begin = self.at if self.at >= 0 else source.index(self.context) + max(self.text.find(BEGIN), 0)
        return begin, begin + len(self.original)

    def applied(self, source: str) -> str:
        """The source with the mistake."""
        begin, end = self.span(source)
        return source[:begin] + self.mistake + source[end:]


def read_lists(folder: Path = LISTS) -> list[Mistake]:
    """All mistakes, by area in the order of the files."""
    found = []
    for path in sorted(folder.glob("*.toml")):
        for entry in tomllib.loads(path.read_text())["mistake"]:
            entry |= {key: tuple(entry.get(key, ())) for key in ("asks", "python")}
            found.append(Mistake(area=path.stem, **entry))
    return found


def wrong(mistakes: list[Mistake], root: Path = ROOT) -> list[str]:
    """Faults of the list itself: one sentence each, which names the entry."""
    said = []
    names: set[int] = set()
    for it in mistakes:
        if it.number in names:
            said.append(
                f"{it.name}: the name occurs twice, or another one has its number {it.number}; names are unique"
            )
        names.add(it.number)
        said += [f"{it.name}: {what}" for what in wrong_with(it, root)]
    return said + overlapping([it for it in mistakes if not wrong_with(it, root)], root)


def wrong_with(it: Mistake, root: Path) -> list[str]:
    """Faults of one entry."""
    if not (root / it.file).is_file():
        return [f"there is no file {it.file}"]
    if it.text.count(BEGIN) != it.text.count(END) or it.text.count(BEGIN) > 1:
        return [f"the text has {BEGIN} and {END} once each, or not at all"]
    said = []
    count = (root / it.file).read_text().count(it.context)
    if count != 1 and it.at < 0:
        said.append(f"its text occurs {count} times in {it.file}; an entry needs one occurrence")
    if it.original.split() == it.mistake.split():
        said.append("the replacement equals the present text")
    said += [
        f"{text!r} is no expression or statement"
        for text in (it.original, it.mistake)
        if it.is_rust and not parses(text)
    ]
    if not it.is_rust and not it.python:
        said.append("a mistake in Python names the files of tests/python that look at it")
    said += [f"no crate has tests/{name}.rs" for name in it.asks if not list(root.glob(f"crates/*/tests/{name}.rs"))]
    said += [f"there is no tests/python/{name}" for name in it.python if not (root / "tests/python" / name).is_file()]
    return said


def parses(text: str) -> bool:
    """Whether a Rust text parses inside a block, where the run-time switch between original and mistake puts it."""
    tree = Parser(Language(tree_sitter_rust.language())).parse(f"fn f() {{ {text} }}".encode())
    return not tree.root_node.has_error


def overlapping(mistakes: list[Mistake], root: Path) -> list[str]:
    """Reports Rust mistakes whose texts overlap: all are compiled together, so texts must be equal or disjoint."""
    said = []
    spans: dict[str, dict[tuple[int, int], str]] = {}
    for it in mistakes:
        if it.is_rust:
            begin, end = it.span((root / it.file).read_text())
            others = spans.setdefault(it.file, {})
            said += [
                f"{it.name}: its text overlaps that of {name}; the same text, or none of it"
                for span, name in others.items()
                if span != (begin, end) and span[0] < end and begin < span[1]
            ]
            others.setdefault((begin, end), it.name)
    return said
