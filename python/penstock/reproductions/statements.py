"""Statements of a claim: from the document's data to tests on runs, and to evidence in words.

A statement is a text such as ``"over WRR: p50[scheduler=PQ] / p50 < 0.5"``: a label, and a number above (``>``) or
below (``<``) a bound, or between two (``-1 < stm - cl < 1``). It is alone or in a table with loops::

    { for = [{ rows = { scheduler = "WRR" } }, { column = ["p50", "p90"] }], holds = ["{row}: {column} < 50"] }

A claim is confirmed if all of its statements hold, or with ``any = true`` if one does.

A number is arithmetic on columns of the claim's tables, run by run. Brackets name cells of the row; cells that they
leave out come from the row of the loop; ``table=`` names another table. A prefix says how to use a column:

=============================================  ===================================================================
``mean.X[...]``                                the mean of all runs, a single number
``printed.X[...]``                             the printed number
``average.X``, ``deviation.X``, ``total.X``    of all rows that the brackets name, run by run
``range.X[..., over=KEY]``                     how far X moves over KEY, averaged over all else, run by run
``run.METRIC[experiment=E, LABEL=...]``        a metric of an experiment's runs
=============================================  ===================================================================

A study may add names of its own.
"""

import math
import operator
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Self

from penstock.reproductions.document import Claim, Document
from penstock.reproductions.evidence import (
    UNDECIDED,
    Decision,
    Estimate,
    Finding,
    Test,
    about,
    above,
    below,
    between,
    decide,
    failures,
    held,
    listed,
    signed,
    unsettled,
    within,
)
from penstock.reproductions.outcome import Outcome, total
from penstock.reproductions.tables import Cell, Row
from penstock.studies.expression import ARITHMETIC, Expression, parse

Value = float | Sequence[float]
"One number, or one for each run."
Numbers = Mapping[str, Callable[[Outcome, Mapping[str, str]], Value]]
"A study's own names: ``function(outcome, brackets)``."
Facts = Callable[[Outcome], Mapping[str, str]]
"Words for evidence that no expression gives."
Shown = tuple[Test, Sequence[float]]

EVIDENCE = "{what}: {listed}. {held} statements hold.{failures}"
"""The evidence of a claim that has no text of its own."""

_RELATION = re.compile(r" ([<>]) ")
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **ARITHMETIC,
    "minus": operator.neg,
    "abs": abs,
    "min": min,
    "max": max,
    "sqrt": math.sqrt,
}


@dataclass(frozen=True)
class Scope:
    """Where a statement is read: the outcome, and what the loops around it have chosen."""

    outcome: Outcome  # the runs
    claim: Claim  # a column is looked for in its tables, in their order
    numbers: Numbers  # the study's own names
    loops: Mapping[str, Any]  # loops that the document names, for several claims
    variables: Mapping[str, Any]  # what stands for names in braces
    row: Row | None = None  # the row of the innermost loop over rows

    def tests(self, entries: Sequence[Any]) -> Iterator[Shown]:
        """A test for each statement, in their order, with the numbers that it is about."""
        for entry in entries:
            if isinstance(entry, str):
                yield self.test(entry)
            elif entry.get("experiment", "") in {"", *self.outcome.experiments}:
                for scope in self.each(entry.get("for", ())):
                    yield from scope.tests(entry["holds"])

    def test(self, text: str) -> Shown:
        """The test of one statement."""
        label, _, stated = text.format(**self.variables).rpartition(": ")
        first, sign, second, *third = _RELATION.split(stated)
        if third:
            runs = self.runs(second)
            return within(label, Estimate.of(runs), self.bound(first), self.bound(third[1])), runs
        runs = self.runs(first)
        return (above if sign == ">" else below)(label, Estimate.of(runs), self.bound(second)), runs

    def each(self, loops: Sequence[Any]) -> Iterator[Self]:
        """The same in every turn of some loops, outermost first."""
        if not loops:
            yield self
            return
        loop = self.loops[loops[0]] if isinstance(loops[0], str) else loops[0]
        for inner in self._turns(loop):
            yield from inner.each(loops[1:])

    def _turns(self, loop: Any) -> Iterator[Self]:
        if isinstance(loop, list):
            for chosen in loop:
                yield replace(self, variables={**self.variables, **chosen})
            return
        [(name, values)] = loop.items()
        if name != "rows":
            for value in values:
                yield replace(self, variables={**self.variables, name: value})
            return
        wanted = {key.format(**self.variables): cells for key, cells in values.items() if key != "table"}
        table = str(values.get("table") or self.variables.get("table") or self.claim.tables[0])
        for row in self.outcome.rows(table):
            if all(_is(row.key[key], cells) for key, cells in wanted.items()):
                known = {**row.key, "table": table, "row": row.name, "cells": row.id}
                yield replace(self, variables={**self.variables, **known}, row=row)

    def runs(self, text: str) -> Sequence[float]:
        """The numbers of an expression, run by run."""
        value = self.value(_parsed(text.format(**self.variables)))
        return [value] if isinstance(value, int | float) else value

    def bound(self, text: str) -> float:
        """An expression that is the same for all runs."""
        value = self.value(_parsed(text))
        return value if isinstance(value, int | float) else value[0]

    def value(self, node: Expression) -> Value:
        """An expression's value, a list over runs where it names numbers of runs."""
        if node.kind == "name":
            return self.named(node.what)
        if node.kind == "value":
            return float(node.value.value)  # type: ignore[union-attr]  # units are of no use here
        operands = [self.value(operand) for operand in node.operands]
        function = _FUNCTIONS[node.what or node.kind]
        lists = [operand for operand in operands if not isinstance(operand, int | float)]
        if not lists:
            return float(function(*operands))
        columns = [[each] * len(lists[0]) if isinstance(each, int | float) else each for each in operands]
        return [function(*run) for run in zip(*columns, strict=True)]

    def named(self, name: str) -> Value:
        """What a name stands for."""
        path, _, rest = name.removesuffix("]").partition("[")
        cells = dict(part.strip().split("=", 1) for part in rest.split(",")) if rest else {}
        if path.startswith("mean."):
            runs = self.named(name.removeprefix("mean."))
            return runs if isinstance(runs, int | float) else statistics.fmean(runs)
        if path in self.numbers:
            return self.numbers[path](self.outcome, cells)
        head, _, column = path.rpartition(".")
        if head == "run":
            made = self.outcome.experiments[cells.pop("experiment")]
            return [total(run, column, **cells) for run in made]
        table = cells.pop("table", "") or self._table(column)
        if not head:
            return self.outcome.values(table, column, self._key(table, cells))
        if head == "printed":
            printed = self.outcome.document.table(table)
            (row,) = (row for row in (*printed.rows, *printed.quoted) if _matches(row, cells))
            return float(row.values[column])
        over = cells.pop("over", "")
        rows = [row for row in self.outcome.rows(table) if _matches(row, cells)]
        values = [self.outcome.values(table, column, row.key) for row in rows]
        return _range(rows, values, over) if head == "range" else columnwise(_OVER_ROWS[head], values)

    def _table(self, column: str) -> str:
        """The table of the loops if it has the column, else the first of the claim's that has it."""
        document = self.outcome.document
        own = str(self.variables.get("table", ""))
        known = [
            table for table in self.claim.tables if any(each.name == column for each in document.table(table).columns)
        ]
        return own or (known or self.claim.tables)[0]

    def _key(self, table: str, cells: Mapping[str, str]) -> Mapping[str, Cell]:
        """The key of the row that brackets name, together with the row of the loop where they leave cells open."""
        rows = [row for row in self.outcome.rows(table) if _matches(row, cells)]
        if len(rows) > 1 and self.row is not None:
            own = {name: cell for name, cell in self.row.key.items() if name not in cells}
            rows = [row for row in rows if all(row.key.get(name, cell) in (cell, "N/A") for name, cell in own.items())]
        if len(rows) != 1:
            raise ValueError(f"{self.claim.id}: {len(rows)} rows of table {table} have {dict(cells)}")
        return rows[0].key


def columnwise(what: Callable[[Sequence[float]], float], rows: Sequence[Sequence[float]]) -> list[float]:
    """Of all rows together, run by run."""
    return [what(numbers) for numbers in zip(*rows, strict=True)]


_OVER_ROWS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "average": statistics.fmean,
    "deviation": statistics.stdev,
    "total": sum,
}


def _range(rows: Sequence[Row], values: Sequence[Sequence[float]], over: str) -> list[float]:
    """How far a column moves over one key, all others staying, averaged over the others."""
    groups: dict[tuple[Cell, ...], list[Sequence[float]]] = {}
    for row, numbers in zip(rows, values, strict=True):
        groups.setdefault(tuple(cell for name, cell in row.key.items() if name != over), []).append(numbers)
    ranges = [columnwise(lambda run: max(run) - min(run), group) for group in groups.values()]
    return columnwise(statistics.fmean, ranges)


_parsed = cache(parse)


def _matches(row: Row, cells: Mapping[str, str]) -> bool:
    return all(_is(row.key[name], cell.split("|")) for name, cell in cells.items())


def _is(cell: Cell, wanted: Any) -> bool:
    return str(cell) in [str(each) for each in (wanted if isinstance(wanted, list) else [wanted])]


@dataclass(frozen=True)
class StatedTest:
    """The test of a claim whose statements are data."""

    document: Document  # whose claim
    claim: Claim  # which one
    numbers: Numbers  # the study's own names in statements
    facts: Facts | None = None  # more words for its evidence

    @property
    def stated(self) -> Mapping[str, Any]:
        """The claim's data, completed by the claim that it is like."""
        own = self.claim.stated
        return {**self.document.claim(own["like"]).stated, **own} if "like" in own else own

    def decide(self, outcome: Outcome) -> Decision | None:
        """What the statements decide, without the numbers that only the evidence has; None without them."""
        own = self._statements(outcome)
        return None if own is None else decide(own.tests, is_any=self.stated.get("any", False))

    def __call__(self, outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
        """The finding, with its evidence in words."""
        own, stated = self._statements(outcome), self.stated
        if own is None:
            return Finding(UNDECIDED, f"It was not tested. {self.claim.test}")
        scope = self._scope(outcome)
        decision = decide(own.tests, is_any=stated.get("any", False))
        words: dict[str, Any] = {
            "what": stated.get("what", ""),
            "held": held(decision),
            "failures": failures(decision.failed),
            "unsettled": unsettled(decision.open),
            **{name: getattr(own, name) for name in ("all", "listed", "between")},
            "tests": own,
            **{name: _Statements.of(scope, entries) for name, entries in stated.get("also", {}).items()},
            **{name: _shown(scope, entry) for name, entry in stated.get("show", {}).items()},
            **(self.facts(outcome) if self.facts else {}),
        }
        evidence = stated.get("evidence", self.document.testing.get("evidence", EVIDENCE))
        remark = stated.get("remark", "{unsettled}")
        words["what"] = words["what"].format(**words)
        return Finding.of(decision, evidence.format(**words), remark.format(**words).strip())

    def _statements(self, outcome: Outcome) -> "_Statements | None":
        stated = self.stated
        missing = [name for name in stated.get("needs", ()) if name not in outcome.experiments]
        return None if missing or "holds" not in stated else _Statements.of(self._scope(outcome), stated["holds"])

    def _scope(self, outcome: Outcome) -> Scope:
        return Scope(outcome, self.claim, self.numbers, self.document.testing.get("loops", {}), {})


@dataclass(frozen=True)
class _Statements:
    """Some statements with the numbers that each is about; in braces, those whose label begins with a text.

    Its other attributes are the words and numbers of :data:`_WORDS`.
    """

    shown: Sequence[Shown]

    @classmethod
    def of(cls, scope: Scope, entries: Sequence[Any]) -> Self:
        return cls(list(scope.tests(entries)))

    def __getitem__(self, start: str) -> "_Statements":
        return _Statements([pair for pair in self.shown if pair[0].label.startswith(start)])

    def __getattr__(self, name: str) -> Any:
        if name not in _WORDS:
            raise AttributeError(name)
        return _WORDS[name](self)

    @property
    def tests(self) -> list[Test]:
        return [test for test, _ in self.shown]

    @property
    def means(self) -> list[float]:
        return [test.estimate.mean for test in self.tests]


_WORDS: Mapping[str, Callable[[_Statements], str | float]] = {
    "held": lambda own: held(decide(own.tests)),
    "holding": lambda own: _each(decide(own.tests).held) or "none",
    "all": lambda own: _each(own.tests),
    "listed": lambda own: listed(own.tests),
    "mean": lambda own: about(own.tests[0].estimate),
    "between": lambda own: between(own.means),
    "spread": lambda own: f"{min(own.means):+.3g} to {max(own.means):+.3g}",
    "lowest": lambda own: min(own.means),
    "highest": lambda own: max(own.means),
    "lowest_run": lambda own: min(min(runs) for _, runs in own.shown),
}
"""What a text may name of some statements; ranges and extremes are of their means, but for that of single runs."""


class _Number:
    """A mean for templates: with its interval, or as a format such as ``.2f`` or ``signed`` has it."""

    def __init__(self, runs: Sequence[float]) -> None:
        self._estimate = Estimate.of(runs)

    def __format__(self, form: str) -> str:
        if form == "signed":
            return signed(self._estimate)
        return format(self._estimate.mean, form) if form else about(self._estimate)


def _shown(scope: Scope, entry: Any) -> Any:
    """A number, or with ``for`` a text for each turn of the loops."""
    if isinstance(entry, str):
        return _Number(scope.runs(entry))
    turns = [
        entry["text"].format(*(_Number(inner.runs(text)) for text in entry["of"]), **inner.variables)
        for inner in scope.each(entry["for"])
    ]
    return entry.get("join", "; ").join(turns)


def _each(tests: Sequence[Test]) -> str:
    return "; ".join(f"{test.label} {signed(test.estimate)}" for test in tests)
