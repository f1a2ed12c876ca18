"""Claims of a folder's document, tested by the conditions that its file gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from penstock.printable import quoted
from penstock.reproductions.document import Claim, Document
from penstock.reproductions.evidence import UNDECIDED, ClaimTest, Estimate, Finding, Test, above, below, decide
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.tables import Cell, Row, Table
from penstock.reproductions.telling import failures, held, unsettled
from penstock.studies.expression import Expression, ExpressionError, parse
from penstock.studies.quantity import Quantity
from penstock.studies.toml_text import Mistakes


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
        evidence = f"{held(decision)} comparison{'s' * (count != 1)} hold.{failures(decision.failed)}"
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
