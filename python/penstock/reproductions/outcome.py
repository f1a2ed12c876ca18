"""The numbers that runs of a study gave, and picking numbers of one run by metric and labels."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from penstock.reproductions.document import Document
from penstock.reproductions.reading import Readings
from penstock.reproductions.tables import Cell, Row, Table
from penstock.running import RunResult


@dataclass
class RowRuns:
    """What the runs of a row gave: its numbers and its parts' digests, by replication."""

    values: dict[str, list[float]] = field(default_factory=dict)
    digests: list[tuple[str, ...]] = field(default_factory=list)


@dataclass
class Outcome:
    """The numbers of a study under one choice of readings."""

    document: Document  # what was reproduced
    readings: Readings  # under which answers
    tables: list[Table]  # which tables were run
    runs: int  # how often each row was run
    packet_hops: int = 0
    experiments: dict[str, list[RunResult]] = field(default_factory=dict)
    _rows: dict[tuple[str, tuple[Cell, ...]], RowRuns] = field(default_factory=dict)

    def values(self, table: str, column: str, key: Mapping[str, Cell]) -> list[float]:
        """A number of one row, by replication; `key` may name only as many key cells as tell the row from others."""
        return self._row(table, key).values[column]

    def digests(self, table: str, key: Mapping[str, Cell]) -> list[tuple[str, ...]]:
        """The digests of one row's runs, by replication; a KeyError if its numbers are not from runs."""
        found = self._row(table, key).digests
        if not found:
            raise KeyError(f"row {dict(key)} of table {table} was not run")
        return found

    def rows(self, table: str) -> tuple[Row, ...]:
        """The rows of a table that was run."""
        return self.document.table(table).rows

    def add(self, table: Table, row: Row, numbers: Mapping[str, float], results: Mapping[str, RunResult]) -> None:
        """Takes in the next replication of a row."""
        runs = self._rows.setdefault((table.id, row.id), RowRuns())
        for name, value in numbers.items():
            runs.values.setdefault(name, []).append(value)
        runs.digests.append(tuple(result.digest for result in results.values()))
        self.packet_hops += sum(result.packet_hops for result in results.values())

    def put(self, table: Table, row: Row, values: Mapping[str, Sequence[float]]) -> None:
        """Takes in a row's numbers by replication that come from elsewhere than from runs made now."""
        self._rows[table.id, row.id] = RowRuns({name: list(numbers) for name, numbers in values.items()})

    def all_values(self, table: Table, row: Row) -> Mapping[str, Sequence[float]]:
        """All numbers of a row, by name and replication."""
        return self._rows[table.id, row.id].values

    def measured(self) -> list[tuple[Table, Row, dict[str, list[float]]]]:
        """Every row that was run, with its numbers by name and replication, to which others may be added."""
        each = ((table, row, self._rows.get((table.id, row.id))) for table in self.tables for row in table.rows)
        return [(table, row, runs.values) for table, row, runs in each if runs is not None]

    def has(self, table: Table, row: Row) -> bool:
        """Whether there is any run of a row."""
        return (table.id, row.id) in self._rows

    def made(self) -> "Outcome":
        """The same without the rows that there is no run of, and without tables of such rows only."""
        tables = [
            replace(table, rows=tuple(row for row in table.rows if self.has(table, row))) for table in self.tables
        ]
        return replace(self, tables=[table for table in tables if table.rows])

    def row_id(self, table: str, key: Mapping[str, Cell]) -> tuple[Cell, ...]:
        """All key cells of the row that these, or some of these, tell from others; a KeyError if there is not one."""
        where = self.document.table(table)
        whole = tuple(key.values())
        if (table, whole) in self._rows and list(key) == [column.name for column in where.keys]:
            return whole
        found = [row.id for row in where.rows if row.matches(key)]
        if len(found) != 1:
            raise KeyError(f"{len(found)} rows of table {table} match {dict(key)}")
        return found[0]

    def _row(self, table: str, key: Mapping[str, Cell]) -> RowRuns:
        return self._rows[table, self.row_id(table, key)]


def numbers(result: RunResult, metric: str, **labels: str) -> list[float]:
    """All numbers of a metric that have these labels, in the run's order; ValueError if there are none."""
    found = [m.value for m in result.metrics if m.name == metric and labels.items() <= m.labels.items()]
    if not found:
        raise ValueError(f"the run has no {' of '.join([metric, *labels.values()])}")
    return found


def total(result: RunResult, metric: str, **labels: str) -> float:
    """The sum of all numbers of a metric that have these labels; ValueError if there are none."""
    return math.fsum(numbers(result, metric, **labels))


def one(result: RunResult, metric: str, of: str) -> float:
    """The one number of a metric of a flow or a link; its mean or its sum where it has several statistics.

    Raises ValueError if there is not exactly one without regard to those by precedence or circuit.
    """
    found = [
        m.value
        for m in result.metrics
        if m.name == metric
        and m.labels["of"] == of
        and m.labels.get("statistic") in (None, "mean", "sum")
        and not m.labels.keys() & {"precedence", "circuit"}
    ]
    if len(found) != 1:
        raise ValueError(f"the run has {len(found)} numbers for {metric} of {of}")
    return found[0]
