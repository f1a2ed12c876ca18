"""Contents of a report before it is laid out: facts, drawings, tables and plots."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


def word(text: str) -> str:
    """A text as an id in the page: letters, digits and hyphens."""
    return "".join(letter if letter.isalnum() else "-" for letter in text.lower())


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table."""

    text: str  # its text
    key: float | None = None  # sort key; its text if left out
    mark: str = ""  # `good`, `bad` or `open`, for a colour that repeats the text
    note: str = ""  # text below it in small type; may be empty


@dataclass(frozen=True, slots=True)
class Heading:
    """The heading of a column: whether it holds numbers, and whether a list selects one of its values."""

    text: str
    is_number: bool = False
    has_choices: bool = False


def numbers(*texts: str) -> list[Heading]:
    """Headings of columns of numbers."""
    return [Heading(text, is_number=True) for text in texts]


def choices(*texts: str) -> list[Heading]:
    """Headings of columns that a reader can filter by a list of their values."""
    return [Heading(text, has_choices=True) for text in texts]


@dataclass(frozen=True)
class Grid:
    """A table that can be sorted and filtered."""

    id: str
    title: str
    head: Sequence[Heading]
    rows: Sequence[Sequence[Cell]]

    def choices(self, column: int) -> list[str]:
        """The distinct values of a column, in order."""
        return list(dict.fromkeys(row[column].text for row in self.rows))


@dataclass(frozen=True)
class Plot:
    """A plot, drawn as SVG first and by Plotly when it is used."""

    id: str  # its id in the page
    title: str
    text: str  # a description, also for screen readers
    traces: list[dict[str, Any]]  # traces of Plotly
    layout: dict[str, Any]  # axes and legend; colours of text and lines are the page's
    views: Sequence[dict[str, Any]] = ()
    """The contents to choose from, empty if there is only one: name, indexes of traces, and the title of the x axis."""


@dataclass(frozen=True)
class Block:
    """A passage with a heading: Markdown, facts or a table."""

    title: str
    markdown: str = ""
    facts: Sequence[tuple[str, str]] = ()
    grid: Grid | None = None


@dataclass(frozen=True)
class Part:
    """Results of one metric or printed table: a sentence of finding (`text`), plots and the table."""

    id: str
    title: str
    text: str
    grid: Grid
    plots: Sequence[Plot] = ()
    note: str = ""


@dataclass(frozen=True)
class Report:
    """A whole report."""

    title: str  # name of the study, or title of the document
    subtitle: str  # description of the study, or authors of the document
    kind: str  # `Study`, or `Reproduction` with its question
    summary: list[tuple[str, str]] = field(default_factory=list)  # key facts, shown below the title
    warnings: list[str] = field(default_factory=list)  # sentences that a reader must know before the results
    parts: list[Part] = field(default_factory=list)
    """The results: a sentence, a plot and a folded table for each metric or printed table."""
    findings: list[Block] = field(default_factory=list)  # verdicts, comparisons and ranges
    asked: list[Block] = field(default_factory=list)  # the settings
    drawings: list[tuple[str, str]] = field(default_factory=list)  # the topologies: captions and SVG
    provenance: list[tuple[str, str]] = field(default_factory=list)  # model version, seeds, digests
    commands: list[tuple[str, str]] = field(default_factory=list)  # commands that repeat the runs and the page
    listings: list[tuple[str, str]] = field(default_factory=list)  # titles and folded texts, such as the scenario
