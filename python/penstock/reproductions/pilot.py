"""Tolerances from the run-to-run spread of a stored pilot and the precision of the print.

The pilot is a file of the study (``pilot.json``): the standard deviation of every number from run to run, in runs of
ours when the file was made. It does not depend on the runs that are judged, so a model that scatters more is not judged
more mildly; and it never allows more than the agreed tolerance.

``tools/renew/renew.py`` makes it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass

from penstock.reproductions.document import Document
from penstock.reproductions.study import text_beside
from penstock.reproductions.tables import Cell, Column, Row, Table
from penstock.statistics import t_quantile

FILE = "pilot.json"
CONFIDENCE = 0.95
"""How often a mean of the print's runs falls within the tolerance if the print comes from the pilot's model."""


@dataclass(frozen=True)
class Pilot:
    """The standard deviations of a pilot's numbers, and how many runs it had."""

    runs: int  # runs of each row
    deviations: Mapping[tuple[str, tuple[Cell, ...], str], float]
    """Standard deviation from run to run, by table, key cells of the row, and column."""

    @classmethod
    def parse(cls, document: Document, text: str) -> Pilot:
        """Reads the file: a line for each row of a table, with a number for each column that is compared."""
        data = json.loads(text)
        deviations = {}
        for identifier, rows in data["tables"].items():
            table = document.table(identifier)
            for row, line in zip(table.rows, rows, strict=True):
                for column, number in zip(table.compared, line, strict=True):
                    if number is not None:
                        deviations[identifier, row.id, column.name] = float(number)
        return cls(data["runs"], deviations)

    def deviation(self, table: Table, row: Row, column: Column) -> float | None:
        """The standard deviation of a number from run to run; None if the pilot does not have it."""
        return self.deviations.get((table.id, row.id, column.name))

    def range(self, document: Document, table: Table, row: Row, column: Column) -> float | None:
        """How far a mean of the print's runs falls from the pilot's mean, with its rounding; None if not known.

        Half a 95 % prediction interval: t s sqrt(1/m + 1/n) with n runs of the pilot and m of the print.
        """
        spread = self.deviation(table, row, column)
        if spread is None:
            return None
        rounding = 0.0 if column.decimals is None else 0.5 * 10.0**-column.decimals
        share = math.sqrt(1 / document.print_runs + 1 / self.runs)
        return t_quantile((1 + CONFIDENCE) / 2, self.runs - 1) * spread * share + rounding


def load_pilot(document: Document) -> Pilot | None:
    """The stored pilot of a study; None if there is none."""
    text = text_beside(document, FILE)
    return None if text is None else Pilot.parse(document, text)
