"""Searches the answers to open questions under which a print is most likely.

A coordinate search: all other answers are run one at a time, and the search moves to a better point until there is
none. Next to the single changes, it tries changes of several questions, which it takes from the runs at hand as if
effects added up: the answers to all questions that a coordinate search would then end at, and the pairs that would
then gain most over their parts, such as two changes that help only together. All proposals are run, so a wrong
prediction costs runs only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations, groupby, islice
from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.reproductions.likelihood import joint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.reproductions.document import Question
    from penstock.reproductions.likelihood import Evaluated, Floats
    from penstock.reproductions.reading import Readings
    from penstock.reproductions.tables import Table

    Change = tuple[str, str]
    """A question, and an answer to it."""

PAIRS = 6
"""How many pairs of changes are tried at each point."""

SMALLEST_GAIN = 1e-6
"""By how much a log-likelihood has to exceed another to be better; less is rounding."""

SWEEPS = 20
"""The most sweeps of the coordinate search over sums of effects, which is free."""


@dataclass
class Search:
    """The search on some tables."""

    evaluated: Evaluated  # the runs so far
    questions: Sequence[Question]  # the questions to answer
    tables: Sequence[Table]  # the tables whose print is looked at
    at: Readings  # where the search is; at first where it begins
    has_ended: bool = False  # whether no point that was tried is better
    _proposed: dict[tuple[str, ...], list[Readings]] = field(default_factory=dict)

    def singles(self) -> dict[Change, Readings]:
        """All answers that differ from those at hand in one question."""
        return self.at.others(self.questions)

    def proposals(self) -> list[Readings]:
        """Answers that differ in several questions and look good if the effects of single changes add up."""
        if self.at.keys not in self._proposed:
            singles = self.singles()
            effects = _Effects(self.evaluated, self.tables, self.at, singles)
            self._proposed[self.at.keys] = [*self._together(effects), *self._pairs(effects)]
        return self._proposed[self.at.keys]

    def best(self) -> Readings:
        """The best of all points that were run around this one; this one if none is better."""
        points = [*self.singles().values(), *self.proposals()]
        points = [point for point in points if self.evaluated.known(point, self.tables)]
        found, most = self.at, self._likelihood(self.at) + SMALLEST_GAIN
        for point in points:
            likelihood = self._likelihood(point)
            if likelihood > most:
                found, most = point, likelihood
        return found

    def _likelihood(self, readings: Readings) -> float:
        return self.evaluated.log_likelihood(readings, self.tables)

    def _together(self, effects: _Effects) -> Iterator[Readings]:
        """Where a coordinate search over sums of effects ends, if that is further than one change away."""
        taken: dict[str, str] = {}
        most = effects.predicted([])
        for _ in range(SWEEPS):
            before = dict(taken)
            for question, changes in groupby(effects.changes, key=lambda change: change[0]):
                others = [(name, key) for name, key in taken.items() if name != question]
                for tried in (others, *([*others, change] for change in changes)):
                    predicted = effects.predicted(tried)
                    if predicted > most + SMALLEST_GAIN and _answered(self.at, tried) is not None:
                        taken, most = dict(tried), predicted
            if taken == before:
                break
        point = _answered(self.at, list(taken.items()))
        if len(taken) > 1 and point is not None:
            yield point

    def _pairs(self, effects: _Effects) -> list[Readings]:
        """The pairs of changes that gain most over either of them and over none, if their effects add up."""

        def gain(pair: Sequence[Change]) -> float:
            return effects.predicted(pair) - max(effects.predicted(part) for part in ([], pair[:1], pair[1:]))

        pairs = [pair for pair in combinations(effects.changes, 2) if pair[0][0] != pair[1][0]]
        points = (_answered(self.at, pair) for pair in sorted(pairs, key=gain, reverse=True))
        return list(islice(filter(None, points), PAIRS))


class _Effects:
    """Sums of the effects of single changes on all numbers, run by run; `changes` are those that have any."""

    def __init__(
        self, evaluated: Evaluated, tables: Sequence[Table], at: Readings, singles: Mapping[Change, Readings]
    ) -> None:
        self._evaluated = evaluated
        self._tables = tables
        self._base = {table.id: evaluated.ran(at, table).values for table in tables}
        self._added = {}
        for change, point in singles.items():
            added = {table.id: evaluated.ran(point, table).values - self._base[table.id] for table in tables}
            if any(effect.any() for effect in added.values()):
                self._added[change] = added
        self.changes = list(self._added)
        self._known: dict[frozenset[Change], float] = {}

    def predicted(self, changes: Sequence[Change]) -> float:
        """Log-likelihood of the print if these changes together do what each does alone."""
        which = frozenset(changes)
        if which not in self._known:
            self._known[which] = float(joint(self._of(table, changes) for table in self._tables))
        return self._known[which]

    def _of(self, table: Table, changes: Sequence[Change]) -> Floats:
        values = self._base[table.id]
        for change in changes:
            values = values + self._added[change][table.id]
        return self._evaluated.predicted(values, table)


def search_all(searches: Sequence[Search], left_out: Sequence[Table]) -> bool:
    """Makes all searches side by side, and runs the table that each leaves out under every point that it moves to.

    False if the budget stopped them where they are.
    """
    while True:
        active = [(search, table) for search, table in zip(searches, left_out, strict=True) if not search.has_ended]
        if not active:
            return True
        evaluated = active[0][0].evaluated
        singles = [
            (point, table) for search, _ in active for point in search.singles().values() for table in search.tables
        ]
        if not evaluated.run(singles):
            return False
        proposed = [(point, table) for search, _ in active for point in search.proposals() for table in search.tables]
        affordable = evaluated.run(proposed)
        better = [search.best() for search, _ in active]
        if not evaluated.run((point, table) for point, (_, table) in zip(better, active, strict=True)):
            return False
        for (search, _), point in zip(active, better, strict=True):
            search.has_ended = affordable and point.keys == search.at.keys
            search.at = point
        if not affordable:
            return False


def _answered(at: Readings, changes: Sequence[tuple[str, str]]) -> Readings | None:
    """The answers with these changes; None if they contradict each other."""
    try:
        return at.with_answers(dict(changes))
    except InputError:
        return None
