"""What a published study consists of, and where its files are.

A study is a package below this one with a data file ``document.toml`` and a module that defines ``STUDY``, or a folder
of somebody's own with such a file and scenarios. Nothing else here knows any of them by name.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path

from penstock.reproductions.document import Document
from penstock.reproductions.evidence import ClaimTest
from penstock.reproductions.reading import Settings
from penstock.reproductions.tables import Row, Table
from penstock.running import RunResult


@dataclass(frozen=True, slots=True)
class Page:
    """The text of a scenario, the settings to change after reading it (path and value), and its file, if known."""

    text: str
    sets: tuple[tuple[str, str], ...] = ()
    file: str = ""

    def shown(self) -> str:
        """For people: the text, and the settings below it."""
        changed = [f"# with {path} = {value}" for path, value in self.sets]
        return "\n".join([self.text.rstrip("\n"), *([""] if changed else []), *changed]) + "\n"


def page_of(part: str | Page) -> Page:
    """A scenario of a row with its settings; a plain text has none."""
    return part if isinstance(part, Page) else Page(part)


Parts = Mapping[str, str | Page]
"The scenarios that a row needs, under names of the study's choice: whole texts, or pages with settings."
Build = Callable[[Settings, Table, Row], Parts]
Measure = Callable[[Settings, Table, Row, Mapping[str, RunResult]], Mapping[str, float]]
Gather = Callable[[Settings, Table, Row, Mapping[str, Sequence[float]]], Mapping[str, Sequence[float]]]
Experiments = Callable[[Settings], Parts]
PartOf = Callable[[str, str], str | None]
NullNumbers = Callable[[Settings, Table, Row], Mapping[str, float]]
Effort = Callable[[Settings, Table, Row, str], float]


@dataclass(frozen=True)
class Study:
    """A published study that can be run again."""

    document: Document
    build: Build  # ``build(settings, table, row)`` gives the scenarios of a row, by name
    measure: Measure
    """``measure(settings, table, row, results)`` gives the row's numbers from one run of each scenario: all columns
    that are compared, and whatever else the claims need."""
    claims: Mapping[str, ClaimTest]  # how each claim is tested
    runs: int = 10  # how many runs to make unless told otherwise
    gather: Gather = lambda *_: {}
    """``gather(settings, table, row, values)`` gives numbers that need all runs of the row, such as the largest of
    several means; `values` has what ``measure`` gave, by name and replication."""
    experiments: Experiments = lambda _: {}
    """``experiments(settings)`` gives the scenarios that claims need in addition to the tables', by name."""
    effort: Effort | None = None
    """``effort(settings, table, row, part)`` estimates the packet-hops of one run, so that long runs go first and the
    remaining time can be shown."""
    nulls: Mapping[str, NullNumbers] = field(default_factory=dict)
    """Null models that need a formula, by their names in the document's data: their numbers of a row, by column."""
    part_of: PartOf | None = None
    """``part_of(table, column)`` names the scenario of a row that a number comes from; None if it needs several."""
    measured: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Columns whose measuring depends on a setting, by the setting's name; what scenarios depend on is found out."""
    sensitive: tuple[str, ...] = ()
    """The tables that a sensitivity study varies unless told otherwise; all of them if empty."""


def folder_of(document: Document) -> Path:
    """Where the files of a study are."""
    return document.folder or Path(str(resources.files(__package__))) / document.id


def text_beside(document: Document, file: str) -> str | None:
    """The text of a file in a study's folder; None if there is none."""
    path = folder_of(document) / file
    return path.read_text(encoding="utf-8") if path.is_file() else None
