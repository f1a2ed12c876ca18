"""A study of one's own: a folder with ``document.toml`` and the scenarios that its tables are made with.

The file has what a packaged study's has, and says in expressions what packaged studies say in Python: which settings
of the scenario a row makes, how a column's numbers come from a run, and when a claim holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from penstock.cli.files import read_text
from penstock.errors import InputError, ScenarioError
from penstock.printable import path_text
from penstock.records import RunResult
from penstock.reproductions.document import Document, flat
from penstock.reproductions.folder.claims import claim_test
from penstock.reproductions.folder.content import complete, mistakes_in
from penstock.reproductions.reading import Settings
from penstock.reproductions.study import DATA, Page, Study
from penstock.reproductions.tables import Cell, Row, Table
from penstock.studies.definition import is_path, value_text
from penstock.studies.derived import Derived
from penstock.studies.expression import ExpressionError
from penstock.studies.file import toml_mistake
from penstock.studies.quantity import dimension_of
from penstock.studies.select import DerivedMetrics, SelectionError
from penstock.studies.toml_text import Lines, Mistakes, TomlError, parsed

__all__ = ["read_folder"]

RUNS = 5
"""How many runs of each row, unless the document's file says so."""
SCENARIO = "scenario.toml"
"""The scenario of a table that names none."""


def read_folder(folder: Path) -> Study:
    """The study in a folder.

    Raises ScenarioError with all mistakes of the file and their lines, or InputError if it, or a scenario that it
    names, cannot be read, or it contradicts itself.
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
    rows = _Rows(document, data, folder, mistakes)
    claims = {
        claim.id: claim_test(document, claim, stated.get("holds", []), ("claim", number, "holds"), mistakes)
        for number, (claim, stated) in enumerate(zip(document.claims, data.get("claim", ()), strict=True))
    }
    refuse()
    runs = data["document"].get("runs", RUNS)
    return Study(document, rows.build, rows.measure, claims, runs=runs)


class _Rows:
    """How the tables of a folder are made.

    Raises InputError if a scenario cannot be read.
    """

    def __init__(self, document: Document, data: Mapping[str, Any], folder: Path, mistakes: Mistakes) -> None:
        self._place = path_text(folder)
        self._texts: dict[str, str] = {}
        self._files: dict[str, str] = {}
        self._derived: dict[str, Derived] = {}
        self._columns: dict[str, dict[str, DerivedMetrics]] = {}
        self._told = Mistakes()
        for number, (table, stated) in enumerate(zip(document.tables, data["table"], strict=True)):
            file = folder / stated.get("scenario", SCENARIO)
            text = read_text(file)
            self._files[table.id] = str(file)
            self._texts[table.id] = text
            settings = flat(stated.get("set", {}))

            def tell(place: tuple[str | int, ...], message: str, number: int = number) -> None:
                self._told.add(place, message)
                mistakes.add(("table", number, "set", *place[1:]), message)

            for name in settings:
                if not is_path(name):
                    tell(("derived", name), "is no setting of a scenario, which has dots or stands at its top")
            self._derived[table.id] = Derived(settings, (), _content(text), tell)
            columns = self._columns[table.id] = {}
            for column in stated["columns"]:
                if "from" not in column:
                    continue
                try:
                    columns[column["name"]] = DerivedMetrics({column["name"]: column["from"]})
                except ExpressionError as error:
                    mistakes.add(("table", number, "columns"), f"from of {column['name']}: {error}")

    def build(self, settings: Settings, table: Table, row: Row) -> Mapping[str, Page]:
        """The scenario of a row, with the settings that its cells and the readings make.

        Raises InputError if an expression has no value for this row.
        """
        values = self._derived[table.id].values(row.key, {**settings, **_cells(table, row)})
        if values is None:
            [(where, message)] = list(self._told.found.items())[-1:]
            raise InputError(f"{self._place}, table {table.id}, set {where[-1]}: {message}.")
        sets = tuple((path, value_text(value)) for path, value in values.items())
        return {"": Page(self._texts[table.id], sets, self._files[table.id])}

    def measure(
        self, settings: Settings, table: Table, row: Row, results: Mapping[str, RunResult]
    ) -> Mapping[str, float]:
        """The row's numbers from one run, each in its column's unit.

        Raises InputError if a column asks for what the scenario does not measure, or its unit is another.
        """
        known = {**settings, **_cells(table, row)}
        (run,) = results.values()
        numbers = {}
        for column in table.columns:
            expression = self._columns[table.id].get(column.name)
            if expression is None:
                continue
            try:
                [metric] = expression.of(run.metrics, known)
            except (ExpressionError, SelectionError) as error:
                what = f"{self._place}, table {table.id}, from of {column.name}"
                raise InputError(f"{what}: {error}.") from None
            scale, dimension = dimension_of(column.unit)
            own, other = dimension_of(metric.unit)
            if other != dimension:
                what = f"has the unit {column.unit}, and its from gives {metric.unit}"
                raise InputError(f"{self._place}, table {table.id}: column {column.name} {what}.")
            numbers[column.name] = metric.value * float(own / scale)
        return numbers


def _cells(table: Table, row: Row) -> dict[str, Cell]:
    """What was varied, and what was printed that is no result."""
    printed = {column.name for column in table.columns if not column.compared}
    return {**row.key, **{name: cell for name, cell in row.values.items() if name in printed}}


def _content(text: str) -> dict[str, Any]:
    try:
        return parsed(text)
    except TomlError:
        return {}  # the scenario's own reader says so better
