"""What a table says by differences: which number is greater, how far schemes are apart, how far settings move one.

A contrast is two numbers of a table that differ in one respect, or of two tables if each scheme has its own. It counts
where the print itself is clear: where its difference exceeds what the pilot's spread and the rounding leave open. Wrong
models without differences, or with the other scheme's, fail here even where every single number is within its
tolerance.

The power of the print to tell two schemes apart is that of a test on a pair of their numbers: the probability that it
rejects equality at 5 %, if the schemes differ as in our runs and the print's runs have the spread of ours.
"""

import math
import statistics
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from penstock.reproductions.comparison import Pilot
from penstock.reproductions.document import Document
from penstock.reproductions.evidence import deviation
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.stored import stored_outcome
from penstock.reproductions.study import Study
from penstock.reproductions.tables import Cell, Column, Row, Table, is_number

Place = tuple[str, tuple[Cell, ...], str]
Number = tuple[Table, Row, Column]

ORDERING = "ordering"
"""Which of two numbers is the greater: of two rows that differ in one setting, or of two columns of one quantity."""
DIFFERENCE = "difference"
"""How far the two schemes are apart."""
SLOPE = "slope"
"""How far a number moves from the first to the last value of a setting, or from the first to the last of a row of
columns that hold one quantity."""
KINDS = (ORDERING, DIFFERENCE, SLOPE)


@dataclass(frozen=True)
class Contrast:
    """Two printed numbers, how far apart they are, and how closely that is to be compared."""

    kind: str  # one of KINDS
    left: Place  # place of the first number: table, key cells of the row, column
    right: Place  # place of the second number
    printed: float  # `left` less `right`
    allowed: float  # by how much another difference may miss it and still agree; orderings only need its sign

    def agrees(self, numbers: Mapping[Place, float]) -> bool:
        """Whether `numbers` have this contrast; not if they lack one of the two."""
        if self.left not in numbers or self.right not in numbers:
            return False
        difference = numbers[self.left] - numbers[self.right]
        if self.kind == ORDERING:
            return difference * self.printed > 0
        return abs(difference - self.printed) <= self.allowed


def clear_contrasts(
    document: Document,
    table: Table,
    pilot: Pilot,
    allowed: Callable[[Table, Row, Column], float],
    tables: Collection[Table] = (),
) -> list[Contrast]:
    """The contrasts of a table that the print shows clearly, with ``allowed(table, row, column)`` for tolerance.

    `tables` are all that were run. Schemes with a table each are compared if both are among them; the contrast belongs
    to the table that comes first in the document.
    """
    found = []
    for kind, left, right in _pairs(document, table, tables):
        ends = (left, right)
        printed = _printed(*ends)
        ranges = [pilot.range(document, *end) for end in ends]
        if printed is None or None in ranges:
            continue
        if abs(printed) > math.hypot(*(each or 0.0 for each in ranges)):
            margin = math.hypot(*(allowed(*end) for end in ends))
            one, other = ((where.id, row.id, column.name) for where, row, column in ends)
            found.append(Contrast(kind, one, other, printed, margin))
    return found


def _printed(*ends: Number) -> float | None:
    """How far apart two numbers are in print; None where text is printed."""
    left, right = (row.values[column.name] for _, row, column in ends)
    return None if isinstance(left, str) or isinstance(right, str) else left - right


def _pairs(document: Document, table: Table, tables: Collection[Table]) -> Iterable[tuple[str, Number, Number]]:
    for column in table.compared:
        for row, other in combinations(table.rows, 2):
            if _varied(table, row, other) is not None:
                yield ORDERING, (table, row, column), (table, other, column)
        for first, last in _ends(document, table):
            yield SLOPE, (table, first, column), (table, last, column)
    for names in document.quantities:
        series = [column for column in table.compared if column.name in names]
        if len(series) >= 3:
            yield from ((SLOPE, (table, row, series[0]), (table, row, series[-1])) for row in table.rows)
    for one, other_column in combinations(table.compared, 2):
        if any({one.name, other_column.name} <= set(names) for names in document.quantities):
            for row in table.rows:
                yield ORDERING, (table, row, one), (table, row, other_column)
    yield from ((DIFFERENCE, *pair) for pair in scheme_pairs(document, table, tables))


def scheme_pairs(document: Document, table: Table, tables: Collection[Table]) -> Iterable[tuple[Number, Number]]:
    """Every number and that of the other scheme, once: in this table, or in another of `tables`."""
    seen = set()
    order = [each.id for each in document.tables]
    for null in (null for null in document.nulls if null.schemes):
        named = {each.id: each for each in (*tables, table)}
        where = named.get(null.tables.get(table.id, table.id))
        if where is None or (null.tables.get(where.id) == table.id and order.index(where.id) < order.index(table.id)):
            continue
        columns = {column.name: column for column in where.compared}
        for row in table.rows:
            for column in table.compared:
                other_row = null.row(table, row, where)
                other = columns.get(null.columns.get(column.name, column.name))
                if other_row is None or other is None:
                    continue
                pair = frozenset([(table.id, row.id, column.name), (where.id, other_row.id, other.name)])
                if len(pair) == 2 and pair not in seen:
                    seen.add(pair)
                    yield (table, row, column), (where, other_row, other)


def _varied(table: Table, row: Row, other: Row) -> str | None:
    """The one setting in which two rows differ; None if they differ in none or several. N/A is like anything."""
    different = [
        name
        for name in table.factors
        if row.key[name] != other.key[name] and "N/A" not in (row.key[name], other.key[name])
    ]
    return different[0] if len(different) == 1 else None


def _ends(document: Document, table: Table) -> Iterable[tuple[Row, Row]]:
    """The first and the last row of each row of settings in which one is varied.

    From first to last there is a way where the settings are numbers, printed as such or as text, or where the table has
    two of them. Schemes are no settings: how far those are apart is a difference.
    """
    schemes = {name for null in document.nulls if null.schemes for name in null.rows}
    for name in table.factors:
        if name in schemes:
            continue
        groups: dict[tuple[Cell, ...], list[Row]] = {}
        for row in table.rows:
            if row.key[name] != "N/A":
                rest = tuple(row.key[factor] for factor in table.factors if factor != name)
                groups.setdefault(rest, []).append(row)
        are_two = len({row.key[name] for rows in groups.values() for row in rows}) == 2
        for rows in groups.values():
            if len(rows) >= 2 and (are_two or all(is_number(row.key[name]) for row in rows)):
                yield rows[0], rows[-1]


NORMAL = statistics.NormalDist()
CRITICAL = NORMAL.inv_cdf(0.975)
CLASSES = ((0.0, 0.2), (0.2, 0.8), (0.8, 1.0))


@dataclass(frozen=True)
class PairPower:
    """A pair of printed numbers, one of each scheme."""

    left: Place  # place of the first number: table, key cells of the row, column
    right: Place  # place of the second number
    printed: float  # `left` less `right` in print
    difference: float  # the same between the means of our runs
    deviation: float  # standard deviation of the printed difference, from the spread of our runs
    identical: bool  # whether both schemes have the same numbers in every run of ours

    @property
    def power(self) -> float:
        """Probability that a test of the print at 5 % tells the schemes apart."""
        return power(self.difference, self.deviation)

    @property
    def is_clear(self) -> bool:
        """Whether the printed difference is significant at 5 %."""
        return abs(self.printed) > CRITICAL * self.deviation


def power(difference: float, deviation: float) -> float:
    """Power of a two-sided test at 5 % for a normal difference.

    Examples
    --------
    >>> round(power(0.0, 1.0), 3), round(power(2.8, 1.0), 2), power(1.0, 0.0)
    (0.05, 0.8, 1.0)
    """
    if deviation == 0:
        return 1.0 if difference else 0.0
    effect = abs(difference) / deviation
    return NORMAL.cdf(effect - CRITICAL) + NORMAL.cdf(-effect - CRITICAL)


def scheme_powers(outcome: Outcome) -> list[PairPower]:
    """Every pair of numbers of the two schemes that was run and printed; needs at least two runs."""
    found = []
    document = outcome.document
    for table in outcome.tables:
        for ends in scheme_pairs(document, table, outcome.tables):
            printed = _printed(*ends)
            if printed is None:
                continue
            one, other = (outcome.values(where.id, column.name, row.key) for where, row, column in ends)
            spread = math.hypot(deviation(one), deviation(other))
            left, right = ((where.id, row.id, column.name) for where, row, column in ends)
            ours = 0.0 if one == other else statistics.fmean(one) - statistics.fmean(other)
            found.append(PairPower(left, right, printed, ours, spread / math.sqrt(document.print_runs), one == other))
    return found


def power_section(study: Study) -> list[str]:
    """The section of a study's page, from its stored runs; nothing without a print of two schemes."""
    outcome = stored_outcome(study) if study.document.has_print else None
    pairs = [] if outcome is None else scheme_powers(outcome)
    if not pairs:
        return []
    groups = [("the same in our runs", [pair for pair in pairs if pair.identical])]
    for low, high in CLASSES:
        name = f"power {low:g} to {high:g}"
        own = [pair for pair in pairs if low <= pair.power < high or pair.power == high == 1.0]
        groups.append((name, [pair for pair in own if not pair.identical]))
    return [
        "## What the print can tell of the two schemes",
        "",
        "Pairs of numbers of the two schemes, by the power of a test at 5 % on their difference in print. The power "
        "assumes the difference and the spread of our runs.",
        "",
        "| pairs | number | significant in print | of these with our sign |",
        "|---|---:|---:|---:|",
        *(_line(name, group) for name, group in groups),
        "",
    ]


def _line(name: str, group: Sequence[PairPower]) -> str:
    clear = [pair for pair in group if pair.is_clear]
    same = sum(pair.printed * pair.difference > 0 for pair in clear)
    return f"| {name} | {len(group)} | {len(clear)} | {same} |"
