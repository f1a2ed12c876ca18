"""A study of one's own: a folder with ``document.toml`` and the scenarios that its tables are made with.

The file has what a packaged study's has, and says in expressions what packaged studies say in Python: which settings
of the scenario a row makes, how a column's numbers come from a run, and when a claim holds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.cli.files import read_text
from penstock.errors import InputError, ScenarioError
from penstock.printable import path_text
from penstock.reproductions.document import Document
from penstock.reproductions.folder.claims import claim_test
from penstock.reproductions.folder.content import complete, mistakes_in
from penstock.reproductions.folder.rows import Rows
from penstock.reproductions.study import DATA, Study
from penstock.studies.file import toml_mistake
from penstock.studies.toml_text import Lines, Mistakes, TomlError, parsed

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["read_folder"]

RUNS = 5
"""How many runs of each row, unless the document's file says so."""


def read_folder(folder: Path) -> Study:
    """The study in a folder.

    Raises
    ------
    ScenarioError
        If the file has mistakes; all of them, with their lines.
    InputError
        If it, or a scenario that it names, cannot be read, or it contradicts itself.
    """
    path = folder / DATA
    text = read_text(path)
    try:
        data = parsed(text)
    except TomlError as error:
        raise ScenarioError([toml_mistake(str(path), error)]) from None
    lines, mistakes = Lines(text), Mistakes()

    def refuse() -> None:
        mistakes.raise_any(str(path), lines.of)

    mistakes_in(data, mistakes)
    refuse()
    try:
        document = replace(Document.of(complete(data)), folder=folder)
        for table in document.tables:
            for row, column, _ in table.numbers():
                document.tolerance(table, row, column)
    except ValueError as error:
        raise InputError(f"{path_text(path)}: {error}.") from None
    rows = Rows(document, data, folder, mistakes)
    claims = {
        claim.id: claim_test(document, claim, stated.get("holds", []), ("claim", number, "holds"), mistakes)
        for number, (claim, stated) in enumerate(zip(document.claims, data.get("claim", ()), strict=True))
    }
    refuse()
    runs = data["document"].get("runs", RUNS)
    return Study(document, rows.build, rows.measure, claims, runs=runs)
