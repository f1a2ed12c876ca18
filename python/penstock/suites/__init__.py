"""Suites: comparisons of mechanisms that come with the package, each a folder with studies, figures and findings."""

import tomllib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from penstock.errors import InputError
from penstock.printable import quoted, suggestion

__all__ = ["Suite", "explain", "load", "names", "summaries"]

DATA = "suite.toml"
_FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Figure:
    """A figure of a part."""

    name: str  # name of its file without suffix
    caption: str  # what it shows
    asked: dict[str, Any]  # what to draw, as for request_of; with the kind `ellipse`, see ellipses


@dataclass(frozen=True)
class Part:
    """A study of a suite."""

    name: str  # name of the part, and of its study file without suffix
    what: str  # what it compares
    source: str  # clause or paper that describes it; may be empty
    file: Path  # the study file
    numbers: list[str]  # numbers of its table, such as `goodput[one]`
    figures: list[Figure] = field(default_factory=list)  # its figures


@dataclass(frozen=True)
class Suite:
    """A comparison of mechanisms."""

    name: str  # name for the command line
    title: str
    question: str  # the question in one sentence
    folder: Path  # its files
    parts: list[Part]  # its studies
    flent: str = ""  # name of the part whose runs are also written in flent's format; empty for none

    def chosen(self, wanted: tuple[str, ...]) -> list[Part]:
        """Returns the parts of these names, or all. Raises InputError if there is no part of a name."""
        there = {part.name: part for part in self.parts}
        for name in wanted:
            if name not in there:
                hint = suggestion(name, there, ".")
                raise InputError(f"{self.name} has no part {quoted(name)}{hint} Its parts are {', '.join(there)}.")
        return [there[name] for name in dict.fromkeys(wanted)] or self.parts

    def page(self) -> str:
        """Returns a page about it, in Markdown."""
        lines = [f"# {self.title}", "", self.question, "", f"Run it: `penstock reproduce {self.name}`", ""]
        lines += ["| part | what it compares | source |", "|---|---|---|"]
        lines += [f"| `{part.name}` | {part.what} | {part.source} |" for part in self.parts]
        findings = self.folder / "findings.md"
        return "\n".join([*lines, "", findings.read_text(encoding="utf-8")])


def names() -> list[str]:
    """Returns the names of all suites."""
    return sorted(entry.name for entry in _FOLDER.iterdir() if (entry / DATA).is_file())


@cache
def load(name: str) -> Suite:
    """Returns the suite of a name, one of :func:`names`."""
    folder = _FOLDER / name
    content = tomllib.loads((folder / DATA).read_text(encoding="utf-8"))
    parts = []
    for entry in content["part"]:
        figures = [Figure(asked.pop("name"), asked.pop("caption"), asked) for asked in entry.get("figure", [])]
        file = folder / f"{entry['name']}.toml"
        parts.append(Part(entry["name"], entry["what"], entry.get("source", ""), file, entry["numbers"], figures))
    return Suite(name, content["title"], content["question"], folder, parts, content.get("flent", ""))


def summaries() -> dict[str, str]:
    """Returns the question of each suite by its name."""
    return {name: load(name).question for name in names()}


def explain(name: str) -> str | None:
    """Returns a page in Markdown about a suite; None if there is none of this name."""
    return load(name).page() if name in names() else None
