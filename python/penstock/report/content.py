"""What a report says, before it is laid out: facts, drawings, tables and plots."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Block", "Cell", "Command", "Drawing", "Grid", "Heading", "Listing", "Part", "Plot", "Report", "View"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table.

    Parameters
    ----------
    text : str
        What it says.
    key : float, optional
        By what it is sorted; by its text if left out.
    mark : str
        ``good``, ``bad`` or ``open``, for a colour that says nothing the text does not say.
    note : str
        What is said below it in small type; may be empty.
    """

    text: str
    key: float | None = None
    mark: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """The head of a column: whether it holds numbers, and whether one of its values can be chosen from a list."""

    text: str
    is_number: bool = False
    has_choices: bool = False


@dataclass(frozen=True)
class Grid:
    """A table that can be sorted and filtered."""

    id: str
    title: str
    head: Sequence[Heading]
    rows: Sequence[Sequence[Cell]]

    def choices(self, column: int) -> list[str]:
        """The values of a column, each once, in their order."""
        return list(dict.fromkeys(row[column].text for row in self.rows))


@dataclass(frozen=True, slots=True)
class View:
    """One of several things that a plot can show: its name, which traces, and the title of the axis across."""

    name: str
    traces: Sequence[int]
    across: str


@dataclass(frozen=True)
class Plot:
    """An interactive plot.

    Parameters
    ----------
    id, title : str
        Its name in the page, and for people.
    text : str
        What is seen, for those who do not see it.
    traces : list of dict
        What Plotly draws.
    layout : dict
        Axes and legend; colours of text and lines are the page's.
    views : sequence of View
        What can be chosen to be shown; empty if there is only one thing.
    """

    id: str
    title: str
    text: str
    traces: list[dict[str, Any]]
    layout: dict[str, Any]
    views: Sequence[View] = ()


@dataclass(frozen=True, slots=True)
class Drawing:
    """A topology as SVG, and of what it is."""

    caption: str
    svg: str


@dataclass(frozen=True)
class Block:
    """A passage with a heading: Markdown, facts, a table, or a list of them."""

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


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the shell, and what it does."""

    text: str
    does: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A text that is shown on request, such as a scenario."""

    title: str
    text: str


@dataclass(frozen=True)
class Report:
    """A whole report.

    Parameters
    ----------
    title, subtitle : str
        Of what it is.
    kind : str
        ``Study`` or ``Reproduction``.
    summary : list of (str, str)
        Key facts, shown below the title.
    warnings : list of str
        Sentences that a reader must know before the results.
    parts : list of Part
        The results: a sentence, a plot and a folded table for each metric or printed table.
    findings : list of Block
        Verdicts, comparisons and ranges.
    asked : list of Block
        The settings.
    drawings : list of Drawing
        The topologies.
    provenance : list of (str, str)
        What they were made from.
    commands : list of Command
        How to make them again.
    listings : list of Listing
        What those commands read, or what else shall be in the page without being in the way.
    """

    title: str
    subtitle: str
    kind: str
    summary: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    findings: list[Block] = field(default_factory=list)
    asked: list[Block] = field(default_factory=list)
    drawings: list[Drawing] = field(default_factory=list)
    provenance: list[tuple[str, str]] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)
