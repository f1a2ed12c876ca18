"""What a published study consists of, and where the studies are found.

A study is a package below this one with a data file ``document.toml`` and a module that defines ``STUDY``. Nothing
else here knows any of them by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import import_module, resources
from typing import TYPE_CHECKING

from penstock.reproductions.suggestions import unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from penstock.reproductions.document import Document
    from penstock.reproductions.finding import ClaimTest
    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table
    from penstock.running import RunResult

    Parts = Mapping[str, str]
    """The scenarios that a row needs, under names of the study's choice."""

    Build = Callable[[Settings, Table, Row], Parts]
    """Makes the scenarios of a row."""

    Measure = Callable[[Settings, Table, Row, Mapping[str, RunResult]], Mapping[str, float]]
    """Makes the row's numbers, and others that claims need, from one run of each of its scenarios."""

    Gather = Callable[[Settings, Table, Row, Mapping[str, Sequence[float]]], Mapping[str, Sequence[float]]]
    """Makes numbers that need all runs of a row, each by replication, from what every run gave."""

    Experiments = Callable[[Settings], Parts]
    """Makes the scenarios that only the claims need."""

    PartOf = Callable[[str, str], str | None]
    """Of which scenario of a row a number is, by table and column; None if of several."""

    NullNumbers = Callable[[Settings, Table, Row], Mapping[str, float]]
    """The numbers of a null model for a row, by column."""

    Effort = Callable[[Settings, Table, Row, str], float]
    """About how many packet-hops one run of a row's scenario takes."""

__all__ = ["Study", "load", "names", "packaged_text"]

_DATA = "document.toml"


@dataclass(frozen=True)
class Study:
    """A published study that can be run again.

    Parameters
    ----------
    document : Document
        What was published.
    build : callable
        ``build(settings, table, row)`` gives the scenarios of a row, by name.
    measure : callable
        ``measure(settings, table, row, results)`` gives the row's numbers from one run of each scenario: all columns
        that are compared, and whatever else the claims need.
    claims : mapping of str to callable
        How each claim is tested.
    runs : int
        How many runs to make unless told otherwise.
    gather : callable, optional
        ``gather(settings, table, row, values)`` gives numbers that need all runs of the row, such as the greatest of
        several means; `values` has what ``measure`` gave, by name and replication.
    experiments : callable, optional
        ``experiments(settings)`` gives the scenarios that claims need beyond those of the tables, by name.
    effort : callable, optional
        ``effort(settings, table, row, part)`` estimates the packet-hops of one run, so that long runs go first and the
        time to go is told.
    nulls : mapping of str to callable
        Null models that need a formula, by their names in the document's data.
    part_of : callable, optional
        ``part_of(table, column)`` names the scenario of a row that a number comes from; None if it needs several.
    measured : mapping
        Columns whose measuring depends on a setting, by the setting's name; what scenarios depend on is found out.
    """

    document: Document
    build: Build
    measure: Measure
    claims: Mapping[str, ClaimTest]
    runs: int = 10
    gather: Gather | None = None
    experiments: Experiments | None = None
    effort: Effort | None = None
    nulls: Mapping[str, NullNumbers] = field(default_factory=dict)
    part_of: PartOf | None = None
    measured: Mapping[str, Collection[str]] = field(default_factory=dict)


def names() -> list[str]:
    """The studies that there are, by name."""
    here = resources.files(__package__)
    return sorted(entry.name for entry in here.iterdir() if entry.is_dir() and entry.joinpath(_DATA).is_file())


def load(name: str) -> Study:
    """The study of this name; an :class:`~penstock.errors.InputError` if there is none."""
    if name not in names():
        raise unknown("published study", name, names())
    study: Study = import_module(f"{__package__}.{name}").STUDY
    return study


def packaged_text(name: str, file: str) -> str | None:
    """A file that stands beside a study; None if there is none."""
    path = resources.files(__package__).joinpath(name, file)
    return path.read_text(encoding="utf-8") if path.is_file() else None
