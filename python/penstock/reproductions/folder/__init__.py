"""A study of one's own: a folder with ``document.toml`` and the scenarios that its tables are made with.

The file has what a packaged study's has, and says in expressions what packaged studies say in Python: which settings
of the scenario a row makes, how a column's numbers come from a run, and when a claim holds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from penstock.cli.files import read_text
from penstock.errors import InputError, ScenarioError
from penstock.printable import path_text, quoted
from penstock.records import RunResult
from penstock.reproductions.document import Claim, Document
from penstock.reproductions.evidence import (
    UNDECIDED,
    ClaimTest,
    Estimate,
    Finding,
    Test,
    above,
    below,
    decide,
    failures,
    held,
    unsettled,
)
from penstock.reproductions.folder.content import complete, mistakes_in
from penstock.reproductions.folder.references import check_used
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Settings
from penstock.reproductions.study import Page, Study
from penstock.reproductions.tables import Cell, Row, Table
from penstock.studies.definition import is_path, value_text
from penstock.studies.derived import Derived
from penstock.studies.expression import Expression, parse
from penstock.studies.file import flat, toml_mistake
from penstock.studies.plan import document_of
from penstock.studies.quantity import ExpressionError, Quantity, dimension_of
from penstock.studies.select import DerivedMetrics
from penstock.studies.toml_text import Lines, Mistakes, TomlError, parsed

RUNS = 5
"""How many runs of each row, unless the document's file says so."""
SCENARIO = "scenario.toml"
"""The scenario of a table that names none."""


def read_folder(path: Path) -> Study:
    """The study of a data file and the scenarios next to it.

    Raises ScenarioError with all mistakes of the file and their lines, or InputError if it, or a scenario that it
    names, cannot be read, or it contradicts itself.
    """
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
    document = replace(Document.of(complete(data), mistakes), folder=path.parent)
    refuse()
    for number, table in enumerate(document.tables):
        for row, column, _ in table.numbers():
            try:
                document.tolerance(table, row, column)
            except ValueError as error:
                mistakes.add(("table", number, "columns"), f"{error}; each value column needs a [[tolerance]]")
    rows = _Rows(document, data, path.parent, mistakes)
    claims = {
        claim.id: claim_test(document, claim, stated.get("holds", []), ("claim", number, "holds"), mistakes)
        for number, (claim, stated) in enumerate(zip(document.claims, data.get("claim", ()), strict=True))
    }
    refuse()
    check_used(data, rows.used, mistakes)
    refuse()
    runs = data["document"].get("runs", RUNS)
    return Study(document, rows.build, rows.measure, claims, runs=runs)


class _Rows:
    """How the tables of a folder are made. Raises InputError if a scenario cannot be read."""

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
                    tell(("derived", name), "is no setting of a scenario, which has dots or is a top-level key")
            self._derived[table.id] = Derived(settings, (), document_of(text), tell)
            columns = self._columns[table.id] = {}
            for column in stated["columns"]:
                if "from" not in column:
                    continue
                try:
                    columns[column["name"]] = DerivedMetrics({column["name"]: column["from"]})
                except ExpressionError as error:
                    mistakes.add(("table", number, "columns"), f"from of {column['name']}: {error}")

    @property
    def used(self) -> set[str]:
        """The names in the expressions of all tables."""
        of_columns = (column.names for columns in self._columns.values() for column in columns.values())
        return set().union(*(derived.used for derived in self._derived.values()), *of_columns)

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
            except ExpressionError as error:
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


@dataclass(frozen=True)
class _Cell:
    """A number of a table: its column, and the key cells by which its row is named."""

    table: Table
    column: str
    key: Mapping[str, str]

    def rows(self, free: Mapping[str, Cell]) -> list[Row]:
        """The rows that it may mean where the cells that it leaves open are these."""
        return [
            row
            for row in self.table.rows
            if all(
                str(cell) == self.key[name] if name in self.key else cell == free.get(name, cell)
                for name, cell in row.key.items()
            )
        ]


@dataclass(frozen=True)
class _Condition:
    """One comparison of two values, for all rows that its cells leave open."""

    text: str
    sign: str
    sides: tuple[Expression, Expression]
    cells: Mapping[str, _Cell]

    def tests(self, outcome: Outcome) -> Iterator[Test]:
        """A test for each choice of rows, on differences run by run."""
        for chosen, label in _choices(self.cells):
            values = {
                name: outcome.values(cell.table.id, cell.column, chosen[name].key) for name, cell in self.cells.items()
            }
            runs = min(len(each) for each in values.values())
            differences = [self._difference({name: each[run] for name, each in values.items()}) for run in range(runs)]
            test = above if self.sign in (">", ">=") else below
            yield test(f"{self.text}{label}", Estimate.of(differences), 0.0)

    def _difference(self, values: Mapping[str, float]) -> float:
        def look_up(name: str) -> Quantity:
            return Quantity(Fraction(values[name]))

        left, right = (side.evaluate_number(look_up) for side in self.sides)
        return float(left.value - right.value)


def claim_test(
    document: Document, claim: Claim, texts: Sequence[str], place: tuple[str | int, ...], mistakes: Mistakes
) -> ClaimTest:
    """How a claim is tested: all its conditions together, with probabilities corrected for their number (Holm).

    Columns are looked for in the tables of the claim, in their order. `texts` are conditions such as
    ``"utilisation[flows=100, buffer=2] > 99"``; cells that brackets leave open stand for all. `mistakes` receives
    conditions that cannot be read or name something unknown.
    """
    tables = [document.table(name) for name in claim.tables if any(table.id == name for table in document.tables)]
    conditions: list[_Condition] = []
    for text in texts:
        try:
            conditions += _conditions(parse(text), text, tables)
        except ExpressionError as error:
            mistakes.add(place, f"{quoted(text)}: {error}")

    def test(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
        if not conditions:
            return Finding(UNDECIDED, "Not tested: the study's file has no condition for it.")
        decision = decide([each for condition in conditions for each in condition.tests(outcome)])
        count = len(decision.tests)
        what = "comparison holds" if count == 1 else "comparisons hold"
        evidence = f"{held(decision)} {what}.{failures(decision.failed)}"
        return Finding.of(decision, evidence, unsettled(decision.open))

    return test


def _conditions(found: Expression, text: str, tables: Sequence[Table]) -> list[_Condition]:
    if found.kind == "operator" and found.what == "and":
        return [each for part in found.operands for each in _conditions(part, text, tables)]
    if found.kind != "relation" or found.what not in ("<", "<=", ">", ">="):
        raise ExpressionError("is no comparison with <, <=, > or >= (several may be joined by 'and')")
    cells = {name: _cell(name, tables) for name in dict.fromkeys(found.names())}
    if not cells:
        raise ExpressionError("names no column")
    condition = _Condition(text, found.what, (found.operands[0], found.operands[1]), cells)
    if not any(True for _ in _choices(cells)):
        raise ExpressionError("is about no row")
    return [condition]


def _cell(name: str, tables: Sequence[Table]) -> _Cell:
    column, bracket, rest = name.partition("[")
    table = next((each for each in tables if any(own.name == column for own in each.compared)), None)
    if table is None:
        known = ", ".join(dict.fromkeys(own.name for each in tables for own in each.compared)) or "none"
        raise ExpressionError(f"there is no column {quoted(column)} in its tables; there are {known}")
    key: dict[str, str] = {}
    for part in rest.removesuffix("]").split(",") if bracket else []:
        own, equals, cell = (each.strip() for each in part.partition("="))
        cells = [str(row.key[own]) for row in table.rows if own in row.key]
        if not equals or not cells:
            names = ", ".join(each.name for each in table.keys)
            raise ExpressionError(f"{quoted(part.strip())} names no row of table {table.id}; write {names} = CELL")
        if cell not in cells:
            known = ", ".join(dict.fromkeys(cells))
            raise ExpressionError(f"no row of table {table.id} has {own} = {cell}; there are {known}")
        key[own] = cell
    return _Cell(table, column, key)


def _choices(cells: Mapping[str, _Cell]) -> Iterator[tuple[dict[str, Row], str]]:
    """Rows for all cells that agree in what their brackets leave open, and how the choice is named."""
    first = next(iter(cells.values()))
    seen: set[tuple[tuple[str, Cell], ...]] = set()
    for each in sorted(cells.values(), key=lambda cell: len(cell.key)):
        open_keys = [own.name for own in each.table.keys if own.name not in each.key]
        if each.table is first.table and open_keys:
            first = each
            break
    for row in first.rows({}):
        free = {name: cell for name, cell in row.key.items() if name not in first.key}
        chosen = {name: cell.rows(free) for name, cell in cells.items()}
        if all(len(rows) == 1 for rows in chosen.values()) and tuple(free.items()) not in seen:
            seen.add(tuple(free.items()))
            told = ", ".join(f"{name} = {cell}" for name, cell in free.items())
            yield {name: rows[0] for name, rows in chosen.items()}, f" ({told})" if told else ""
