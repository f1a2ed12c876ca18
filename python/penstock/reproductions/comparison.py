"""Compares our numbers with the printed ones.

A number agrees if our mean lies within an agreed tolerance of the print; the tolerance and its reason are data of the
study. How sure our mean is, and whether a single further run could have given the print, is reported with the
verdict and does not change it.

Tighter tolerances follow from the run-to-run spread of a stored pilot and the precision of the print. The pilot is a
file of the study, which ``tools/renew/renew.py`` makes: the standard deviation of every number from run to run, in runs
of ours when the file was made. It does not depend on the runs that are judged, so a model that scatters more is not
judged more mildly; and it never allows more than the agreed tolerance.
"""

import json
import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from penstock.reproductions.document import Document
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.study import text_beside
from penstock.reproductions.tables import Cell, Column, Row, Table
from penstock.statistics import Interval, interval, t_quantile
from penstock.unit_scale import plus_minus

PILOT = "pilot.json"
CONFIDENCE = 0.95
"""How often a mean of the print's runs falls within the tolerance if the print comes from the pilot's model."""


@dataclass(frozen=True)
class Comparison:
    """A printed number and ours, or a printed number alone that cannot be computed."""

    document: str
    table: str
    row: Mapping[str, Any]  # its key cells
    column: str
    unit: str
    published: float | None  # the print; None in an own table, which has no print
    mean: float = math.nan
    """The mean of our runs; NaN, and null in JSON, if a run has no value, as where a rate never falls to its limit."""
    low: float | None = None  # bounds of the 95 % confidence interval of our mean; None with a single run
    high: float | None = None
    runs: int = 0  # how many runs; 0 if the number cannot be computed
    agrees: bool | None = None  # whether the mean lies within the tolerance; None without a print
    note: str = ""  # a remark; may be empty
    allowed: float = 0.0  # how far from the print still agrees

    @property
    def shown(self) -> str:
        """Our mean with half its interval."""
        return plus_minus(Interval(self.mean, self.low, self.high, self.runs))

    @property
    def verdict(self) -> str | None:
        """``agrees`` or ``differs``; ``not-computed`` without runs; None without a print."""
        if self.agrees is None:
            return None if self.runs else "not-computed"
        return "agrees" if self.agrees else "differs"

    def place(self) -> dict[str, Any]:
        """Which number it is, in a JSON object."""
        names = ("document", "table", "row", "column", "unit")
        return {name: getattr(self, name) for name in names}

    def as_json(self) -> dict[str, Any]:
        """The number as a JSON object."""
        return {
            **self.place(),
            "published": self.published,
            "mean": None if math.isnan(self.mean) else self.mean,
            "ci_low": self.low,
            "ci_high": self.high,
            "runs": self.runs,
            "verdict": self.verdict,
            "note": self.note,
        }


def quoted(document: Document, tables: Sequence[str] = ()) -> list[Comparison]:
    """Printed numbers that cannot be computed, of these tables or all, in the document's order; `note` says why."""
    chosen = [document.table(table) for table in tables] or document.tables
    return [
        Comparison(document.id, table.id, row.key, column.name, column.unit, published, note=table.not_computed)
        for table in chosen
        for row, column, published in table.quoted_numbers()
    ]


def compare(document: Document, outcome: Outcome, *, is_partial: bool = False) -> list[Comparison]:
    """Every result of the outcome's tables, with the print if there is one, in the document's order.

    Rows without runs are left out if the outcome `is_partial`, and else a KeyError.
    """
    comparisons = []
    for table in outcome.tables:
        for row, column, published in table.results():
            if is_partial and not outcome.has(table, row):
                continue
            values = outcome.values(table.id, column.name, row.key)
            ours = interval(values)
            agrees, remark, allowed = None, "", 0.0
            if published is not None:
                allowed = document.allowed(table, row, column)
                agrees = abs(ours.mean - published) <= allowed
                remark = note(published, values, ours.mean, allowed, agrees)
            place = (document.id, table.id, row.key, column.name, column.unit, published)
            comparisons.append(Comparison(*place, ours.mean, ours.low, ours.high, ours.runs, agrees, remark, allowed))
    return comparisons


def note(published: float, values: Sequence[float], mean: float, allowed: float, agrees: bool) -> str:
    """How far a differing number is off, and whether one more run of ours could have given the print."""
    if math.isnan(mean):
        missing = sum(not math.isfinite(value) for value in values)
        return f"{missing} of {len(values)} runs have no value"
    remarks = []
    if not agrees:
        share = f" ({(mean - published) / published:+.1%})" if published else ""
        remarks.append(f"{mean - published:+.4g}{share} from the print; {allowed:.3g} is allowed")
    one_more = prediction_interval(values)
    if one_more is not None and not one_more[0] <= published <= one_more[1]:
        remarks.append(f"the print lies outside the 95 % range of one more run, {one_more[0]:.4g} to {one_more[1]:.4g}")
    return "; ".join(remarks)


def prediction_interval(values: Sequence[float], confidence: float = 0.95) -> tuple[float, float] | None:
    """Where one more run falls with this confidence, if runs are normal; None with fewer than two runs."""
    n = len(values)
    if n < 2:
        return None
    centre = statistics.fmean(values)
    half = t_quantile((1 + confidence) / 2, n - 1) * statistics.stdev(values) * math.sqrt(1 + 1 / n)
    return centre - half, centre + half


@dataclass(frozen=True)
class Pilot:
    """The standard deviations of a pilot's numbers, and how many runs it had."""

    runs: int  # runs of each row
    deviations: Mapping[tuple[str, tuple[Cell, ...], str], float]
    """Standard deviation from run to run, by table, key cells of the row, and column."""

    @classmethod
    def parse(cls, document: Document, text: str) -> Self:
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
    text = text_beside(document, PILOT)
    return None if text is None else Pilot.parse(document, text)
