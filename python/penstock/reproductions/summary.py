"""What an agreement is worth: counts of agreement of Penstock and of null models within the same tolerances.

The *discrimination* of a table is (agree - best null) / computed: by how many of its numbers our agreement exceeds that
of the null model that agrees with most of them. It is 0 where a wrong model does as well, and may be negative. That of
a document is the sum of these leads over all tables, over all its numbers.
"""

import math
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from penstock.reproductions.comparison import Pilot, load_pilot
from penstock.reproductions.contrasts import KINDS, Contrast, Place, clear_contrasts
from penstock.reproductions.document import Document
from penstock.reproductions.nulls import CONSTANT, Numbers, best_constants, numbers_of, swapped_rows
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.study import Study
from penstock.reproductions.tables import Column, Row, Table
from penstock.statistics import mean

Allowed = Callable[[Row, Column], float]

AGREED, PILOT = "agreed", "pilot"
"""Which tolerances: the agreed ones of the study's data, or the tighter ones of the pilot."""


@dataclass(frozen=True)
class Score:
    """How many of some numbers, or contrasts, agree: of ours, under the text as printed, and of each null model."""

    computed: int  # how many were computed
    agree: int  # how many of them agree under the chosen readings
    as_printed: int | None  # the same under the text as printed; None if that was not run
    null: Mapping[str, int]  # the same of each null model
    expected: float | None = None
    """How many are to be expected of a model that differs from the print by chance only; None if not known."""

    @property
    def best(self) -> int:
        """Count of the best null model."""
        return max(self.null.values(), default=0)

    @property
    def best_name(self) -> str:
        """Name of the best null model; empty if there is none."""
        return max(self.null, key=self.null.__getitem__, default="")

    @property
    def lead(self) -> int:
        """Our count less that of the best null model."""
        return self.agree - self.best

    @property
    def discrimination(self) -> float:
        """The lead as a share of what was computed."""
        return self.lead / self.computed if self.computed else 0.0

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Self:
        """The score that a JSON object has, such as that of a table."""
        return cls(data["computed"], data["agree"], data["as_printed"], data["null"], data.get("expected"))

    def as_json(self) -> dict[str, Any]:
        """The score as a JSON object."""
        more = {} if self.expected is None else {"expected": round(self.expected, 1)}
        return {
            "computed": self.computed,
            "agree": self.agree,
            "as_printed": self.as_printed,
            "discrimination": round(self.discrimination, 3),
            "null": dict(self.null),
            **more,
        }


@dataclass(frozen=True)
class TableSummary:
    """The scores of a table: within the agreed tolerances, within the pilot's, and of its contrasts by kind."""

    table: Table
    numbers: int
    scores: Mapping[str, Score]
    contrasts: Mapping[str, Score] = field(default_factory=dict)

    @classmethod
    def of_json(cls, document: Document, data: Mapping[str, Any]) -> Self:
        """The scores that a JSON object has."""
        scores = {AGREED: Score.of_json(data)} | ({PILOT: Score.of_json(data[PILOT])} if PILOT in data else {})
        contrasts = {kind: Score.of_json(score) for kind, score in data.get("contrasts", {}).items()}
        return cls(document.table(data["table"]), data["numbers"], scores, contrasts)

    def as_json(self) -> dict[str, Any]:
        """The table's object: the score within the agreed tolerances, and the others under names of their own."""
        found: dict[str, Any] = {"table": self.table.id, "numbers": self.numbers, **self.scores[AGREED].as_json()}
        if self.table.is_own:
            found["own"] = len(self.table.results())
        if PILOT in self.scores:
            found[PILOT] = self.scores[PILOT].as_json()
            found["contrasts"] = {kind: score.as_json() for kind, score in self.contrasts.items()}
        return found


@dataclass(frozen=True)
class Summary:
    """The summaries of all tables that were run."""

    document: Document
    runs: int
    tables: tuple[TableSummary, ...]
    printed_runs: int | None = None
    """Under the text as printed; None if that was not run."""

    @classmethod
    def of_json(cls, document: Document, data: Mapping[str, Any]) -> Self:
        """The summary that a JSON object has."""
        tables = tuple(TableSummary.of_json(document, table) for table in data["tables"])
        return cls(document, data["runs"], tables, data.get("printed_runs", data["runs"]))

    @property
    def agreed(self) -> list[Score]:
        """The scores within the agreed tolerances, of the tables that have a print."""
        return [table.scores[AGREED] for table in self.tables if not table.table.is_own]

    def total(self, which: str) -> tuple[Score, float]:
        """The sum of the tables' scores, and the discrimination of all of them: the sum of leads over all numbers.

        `which` is one of :data:`AGREED` and :data:`PILOT`, or a kind of contrast.
        """
        scores = [{**table.scores, **table.contrasts}[which] for table in self.tables]
        names = dict.fromkeys(name for score in scores for name in score.null)
        printed = [score.as_printed for score in scores]
        expected = [score.expected for score in scores]
        computed = sum(score.computed for score in scores)
        total = Score(
            computed,
            sum(score.agree for score in scores),
            None if None in printed else sum(each or 0 for each in printed),
            {name: sum(score.null.get(name, 0) for score in scores) for name in names},
            None if None in expected else math.fsum(each or 0.0 for each in expected),
        )
        return total, granted(scores)[1]

    def as_json(self) -> dict[str, Any]:
        """The summary as a JSON object."""
        return {
            "document": self.document.id,
            "runs": self.runs,
            **({"printed_runs": self.printed_runs} if self.printed_runs not in (None, self.runs) else {}),
            "tables": [table.as_json() for table in self.tables],
        }


def summarise(study: Study, chosen: Outcome, printed: Outcome | None) -> Summary:
    """Scores of every table of an outcome; `printed` is that under the text as printed."""
    document, pilot = study.document, load_pilot(study.document)
    ours = means_of(chosen)
    theirs = None if printed is None else means_of(printed)
    nulls = null_numbers(study, chosen)
    tolerances = {table.id: _tolerances(document, table, pilot) for table in chosen.tables}

    def tight(table: Table, row: Row, column: Column) -> float:
        return tolerances[table.id][PILOT](row, column)

    which = PILOT if pilot else AGREED
    constants = ChainMap(*(_constants(table, tolerances[table.id][which]) for table in chosen.tables))
    tables = []
    for table in chosen.tables:
        allowed = tolerances[table.id]
        scores = {
            which: _score(table, ours, theirs, nulls, one, _perfect(document, table, pilot, chosen.runs, one))
            for which, one in allowed.items()
        }
        contrasts = {}
        if pilot is not None:
            clear = clear_contrasts(document, table, pilot, tight, chosen.tables)
            contrasts = {
                kind: _score_contrasts([each for each in clear if each.kind == kind], ours, theirs, nulls, constants)
                for kind in KINDS
            }
        tables.append(TableSummary(table, len(table.numbers()), scores, contrasts))
    return Summary(document, chosen.runs, tuple(tables), None if printed is None else printed.runs)


def scores_of(study: Study, tables: Sequence[Table], ours: Numbers) -> list[Score]:
    """The score of each printed table within the agreed tolerances, of numbers of ours under the chosen answers."""
    document = study.document
    nulls = null_numbers(study, Outcome(document, Readings(document), list(tables), 0))
    return [
        _score(table, ours, None, nulls, partial(document.allowed, table), None) for table in tables if table.numbers()
    ]


def granted(scores: Sequence[Score]) -> tuple[int, float]:
    """What the best null model of each table has, and the discrimination: the sum of the leads over all numbers."""
    computed = sum(score.computed for score in scores)
    return sum(score.best for score in scores), sum(score.lead for score in scores) / computed if computed else 0.0


def against_nulls(scores: Sequence[Score]) -> str:
    """The best null model's count and the discrimination, to show next to a count of agreement.

    Examples
    --------
    >>> against_nulls([Score(20, 15, None, {"swapped": 11, "constant": 4})])
    'best null model 11 (swapped), discrimination +0.20'
    """
    best, discrimination = granted(scores)
    told = f"best null model {best} ({scores[0].best_name})"
    if len(scores) > 1:
        told = f"each table's best null model {best}"
    return f"{told}, discrimination {discrimination:+.2f}"


def means_of(outcome: Outcome) -> dict[Place, float]:
    """The means of all compared numbers of an outcome."""
    return {
        (table.id, row.id, column.name): mean(outcome.values(table.id, column.name, row.key))
        for table in outcome.tables
        for row, column, _ in table.results()
    }


def null_numbers(study: Study, outcome: Outcome) -> dict[str, Numbers]:
    """The numbers of every null model but the constants, which depend on the tolerances."""
    found: dict[str, Numbers] = {}
    settings = outcome.readings.settings()
    for null in study.document.nulls:
        if null.id in study.nulls:
            found[null.id] = {
                (table.id, row.id, name): number
                for table in outcome.tables
                for row in table.rows
                for name, number in study.nulls[null.id](settings, table, row).items()
            }
        else:
            own = {
                (table.id, row.id, column.name): mean(outcome.all_values(table, other)[column.name])
                for table in outcome.tables
                if table.is_own or null.ours
                for row, other in swapped_rows(null, table)
                if outcome.has(table, other)
                for column in table.compared
            }
            found[null.id] = own if null.ours else numbers_of(study.document.tables, null) | own
    return found


def null_outcomes(study: Study, outcome: Outcome) -> dict[str, Outcome]:
    """What as many runs of each null model would give, scattering as the pilot's do, for the tests of the claims.

    Of an own table, which has no print, a null model has our numbers: of the other row where it exchanges rows, and
    the mean over all rows if it is the constant answer.
    """
    document, pilot = study.document, load_pilot(study.document)
    scatter = _scatter(outcome.runs)
    constants = [_constants(table, partial(document.allowed, table)) for table in outcome.tables]
    models: dict[str, Numbers] = {**null_numbers(study, outcome), CONSTANT: ChainMap(*constants)}
    found = {}
    for name, numbers in models.items():
        found[name] = Outcome(document, outcome.readings, outcome.tables, outcome.runs)
        for table in outcome.tables:
            for turn, row in enumerate(table.rows):
                values = {}
                for step, column in enumerate(table.compared):
                    deviation = pilot.deviation(table, row, column) if pilot is not None else None
                    first = (7 * turn + step) % len(scatter)
                    turned = scatter[first:] + scatter[:first]
                    place = table.id, row.id, column.name
                    if place in numbers:
                        values[column.name] = [numbers[place] + (deviation or 0.0) * each for each in turned]
                if values or not table.is_own:
                    found[name].put(table, row, values)
    for table in outcome.tables:
        _put_own(found, document, outcome, table)
    return found


def _put_own(found: Mapping[str, Outcome], document: Document, outcome: Outcome, table: Table) -> None:
    for null in (null for null in document.nulls if table.is_own or null.ours):
        for row, other in swapped_rows(null, table):
            if not outcome.has(table, other):
                continue  # fewer rows were run for the claims that are still open
            found[null.id].put(table, row, outcome.all_values(table, other))
    if not table.is_own:
        return
    rows = [row for row in table.rows if outcome.has(table, row)]
    every = [outcome.all_values(table, row) for row in rows]
    for row, own in zip(rows, every, strict=True):
        # A number that other rows lack, or that some run has none for, is averaged over those that have it.
        known = {name: [each for other in every for each in other.get(name, ()) if math.isfinite(each)] for name in own}
        constant = {name: [mean(numbers)] * outcome.runs for name, numbers in known.items() if numbers}
        found[CONSTANT].put(table, row, constant)


def _scatter(runs: int) -> list[float]:
    """As many numbers of mean 0 and standard deviation 1 as there are runs, evenly spaced."""
    if runs == 1:
        return [0.0]
    middle = (runs - 1) / 2
    spread = math.sqrt(math.fsum((n - middle) ** 2 for n in range(runs)) / (runs - 1))
    return [(n - middle) / spread for n in range(runs)]


def _tolerances(document: Document, table: Table, pilot: Pilot | None) -> dict[str, Allowed]:
    agreed = partial(document.allowed, table)

    def tight(row: Row, column: Column) -> float:
        reach = pilot.range(document, table, row, column) if pilot is not None else None
        return agreed(row, column) if reach is None else min(agreed(row, column), reach)

    return {AGREED: agreed} if pilot is None else {AGREED: agreed, PILOT: tight}


def _score(
    table: Table,
    ours: Numbers,
    theirs: Numbers | None,
    nulls: Mapping[str, Numbers],
    allowed: Allowed,
    expected: float | None,
) -> Score:
    cells = [
        ((table.id, row.id, column.name), printed, allowed(row, column)) for row, column, printed in table.numbers()
    ]

    def agree(numbers: Numbers) -> int:
        return sum(place in numbers and abs(numbers[place] - printed) <= most for place, printed, most in cells)

    known = {name: numbers for name, numbers in nulls.items() if any(place in numbers for place, *_ in cells)}
    counts = {name: agree(numbers) for name, numbers in {**known, CONSTANT: _constants(table, allowed)}.items()}
    return Score(len(cells), agree(ours), None if theirs is None else agree(theirs), counts, expected)


def _score_contrasts(
    clear: Sequence[Contrast], ours: Numbers, theirs: Numbers | None, nulls: Mapping[str, Numbers], constants: Numbers
) -> Score:
    def agree(numbers: Numbers) -> int:
        return sum(contrast.agrees(numbers) for contrast in clear)

    ends = {place for contrast in clear for place in (contrast.left, contrast.right)}
    known = {name: numbers for name, numbers in nulls.items() if any(place in numbers for place in ends)}
    counts = {name: agree(numbers) for name, numbers in {**known, CONSTANT: constants}.items()}
    return Score(len(clear), agree(ours), None if theirs is None else agree(theirs), counts)


def _constants(table: Table, allowed: Allowed) -> dict[Place, float]:
    best = best_constants(table, allowed)
    return {(table.id, row.id, column.name): best[column.name] for row, column, _ in table.numbers()}


def _perfect(document: Document, table: Table, pilot: Pilot | None, runs: int, allowed: Allowed) -> float | None:
    """How many numbers a model agrees in that differs from the print by chance only, if runs are normal."""
    if pilot is None:
        return None
    total = 0.0
    for row, column, _ in table.numbers():
        deviation = pilot.deviation(table, row, column)
        if deviation is None:
            return None
        error = deviation * math.sqrt(1 / document.print_runs + 1 / runs)
        total += math.erf(allowed(row, column) / error / math.sqrt(2)) if error else 1.0
    return total
