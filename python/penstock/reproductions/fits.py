"""Which fitted answers a claim rests on.

An answer counts as fitted if it was chosen with the printed numbers in sight. A claim rests on it if another answer
changes a scenario whose runs the claim's test looks at, or how its numbers are measured. What the claim looks at is
recorded while it is tested, so nobody has to keep a list.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from penstock.reproductions.document import Document, Question
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings, Settings
from penstock.reproductions.stored import Origin
from penstock.reproductions.study import Parts, Study, text_beside
from penstock.reproductions.tables import Cell, Row, Table
from penstock.running import RunResult

FILE = "fits.json"
"""What becomes of the claims under other answers, as the last renewal found."""


@dataclass
class Looked:
    """What a claim's test has looked at: numbers, experiments, and settings."""

    numbers: set[tuple[str, tuple[Cell, ...], str | None]] = field(default_factory=set)
    experiments: set[str] = field(default_factory=set)
    settings: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, several: Iterable["Looked"]) -> Self:
        """What several tests have looked at."""
        looked = cls()
        for each in several:
            looked.update(each)
        return looked

    def update(self, other: "Looked") -> None:
        """Adds what another test has read, whose finding this one uses."""
        self.numbers |= other.numbers
        self.experiments |= other.experiments
        self.settings |= other.settings


class Watched(Outcome):
    """An outcome that records in :attr:`looked` everything read from it."""

    def __init__(self, outcome: Outcome) -> None:
        self.__dict__.update(outcome.__dict__)
        self.looked = Looked()

    def values(self, table: str, column: str, key: Mapping[str, Cell]) -> list[float]:
        """See :meth:`Outcome.values`."""
        found = super().values(table, column, key)
        self.looked.numbers.add((table, self.row_id(table, key), column))
        return found

    def digests(self, table: str, key: Mapping[str, Cell]) -> list[tuple[str, ...]]:
        """See :meth:`Outcome.digests`."""
        self.looked.numbers.add((table, self.row_id(table, key), None))
        return super().digests(table, key)

    @property
    def experiments(self) -> Mapping[str, list[RunResult]]:  # type: ignore[override]  # a field there, recorded when it is read here
        """See :class:`Outcome`."""
        return Recording(self.__dict__["experiments"], self.looked.experiments)

    @property
    def readings(self) -> Readings:  # type: ignore[override]  # a field there, recorded when it is read here
        """See :class:`Outcome`."""
        return _WatchedReadings(self.__dict__["readings"], self.looked.settings)


class Fits:
    """The answers of some readings to some questions, the fitted ones if none are named, and what depends on them.

    One other answer to each question is tried; `others` may name settings to try instead.
    """

    def __init__(
        self,
        study: Study,
        readings: Readings,
        questions: Sequence[Question] | None = None,
        others: Mapping[str, Settings] | None = None,
    ) -> None:
        self._study = study
        self._readings = readings
        self._settings = readings.settings()
        if others is None:
            others = {question.id: self._other(question) for question in questions or readings.fitted}
        self._others = others
        self._moved: dict[tuple[str, str, tuple[Cell, ...]], frozenset[str]] = {}
        self._experiments: dict[str, frozenset[str]] = {}
        self._built: dict[tuple[str, tuple[Cell, ...]], tuple[Parts, set[str]]] = {}

    def rests_on(self, looked: Looked) -> tuple[str, ...]:
        """The questions, or the names of other settings, that something rests on whose test has looked at this."""
        return tuple(question for question in self._others if self._depends(question, looked))

    def _other(self, question: Question) -> Settings:
        """The settings under the document's own answer, or another one if that is the chosen one."""
        given = self._readings.key(question.id)
        others = [question.as_printed, *(option.key for option in question.options)]
        key = next(other for other in others if other != given)
        return self._readings.with_answers({question.id: key}).settings()

    def _depends(self, question: str, looked: Looked) -> bool:
        other = self._others[question]
        changed = {name for name in self._settings if self._settings[name] != other[name]}
        measured = {column for name in changed for column in self._study.measured.get(name, ())}
        return (
            bool(changed & looked.settings)
            or any(column in measured for *_, column in looked.numbers)
            or any(name in self._changed_experiments(question) for name in looked.experiments)
            or any(self._moves(question, *place) for place in looked.numbers)
        )

    def _moves(self, question: str, table: str, row: tuple[Cell, ...], column: str | None) -> bool:
        parts = self._changed_parts(question, table, row)
        part = None if column is None or self._study.part_of is None else self._study.part_of(table, column)
        return bool(parts) if part is None else part in parts

    def _changed_parts(self, question: str, table: str, row: tuple[Cell, ...]) -> frozenset[str]:
        place = question, table, row
        if place not in self._moved:
            where = self._study.document.table(table)
            (found,) = (each for each in where.rows if each.id == row)
            ours, read = self._build(where, found)
            other = self._others[question]
            # What it does not read cannot move it.
            theirs = (
                self._study.build(other, where, found) if any(other[n] != self._settings[n] for n in read) else ours
            )
            self._moved[place] = frozenset(name for name in {**ours, **theirs} if ours.get(name) != theirs.get(name))
        return self._moved[place]

    def _build(self, table: Table, row: Row) -> tuple[Parts, set[str]]:
        """The scenarios of a row, and the names of the settings that they were made from."""
        place = table.id, row.id
        if place not in self._built:
            read: set[str] = set()
            self._built[place] = self._study.build(Recording(self._settings, read), table, row), read
        return self._built[place]

    def _changed_experiments(self, question: str) -> frozenset[str]:
        if question not in self._experiments:
            ours, theirs = (self._study.experiments(it) for it in (self._settings, self._others[question]))
            self._experiments[question] = frozenset(name for name in ours if ours[name] != theirs.get(name))
        return self._experiments[question]


@dataclass(frozen=True)
class OtherVerdicts:
    """What became of the claims under other answers, one answer at a time."""

    verdicts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by answer (`QUESTION=KEY`) and claim
    not_tested: Mapping[str, Sequence[str]] | None = None
    """The answers that change a claim's runs and were not tested, by claim; None if that was not looked at."""
    runs: int = 0  # at most how many runs these would take
    packet_hops: float = 0.0
    """About how many packet-hops these would take, if every look is needed; 0 if the study cannot tell."""
    older: Mapping[tuple[str, str], Origin] = field(default_factory=dict)
    """Where verdicts come from that were kept from another model, by answer and claim."""

    def changes(self, claim: str, verdict: str) -> dict[str, str]:
        """The answers under which a claim with this verdict has another one, and that verdict."""
        found = {answer: verdicts[claim] for answer, verdicts in self.verdicts.items() if claim in verdicts}
        return {answer: other for answer, other in found.items() if other != verdict}

    def coverage(self, claim: str) -> "Coverage | None":
        """How many answers were tested for a claim, and which were not."""
        if self.not_tested is None:
            return None
        tested = sum(claim in verdicts for verdicts in self.verdicts.values())
        return Coverage(tested, list(self.not_tested.get(claim, ())))


@dataclass(frozen=True)
class Coverage:
    """How many other answers that change a claim's runs were tested, and which were not."""

    tested: int
    not_tested: list[str]


@dataclass(frozen=True)
class Stored:
    """Verdicts of a study under other answers, as they were found at the last renewal."""

    as_printed: Mapping[str, str] = field(default_factory=dict)  # verdicts with all answers as printed, by claim
    tested: OtherVerdicts | None = None
    """Verdicts under other answers, one at a time; None if no other answer was looked at."""
    origin: Origin | None = None  # where the latter come from

    @classmethod
    def load(cls, document: Document) -> Self:
        """The stored verdicts of a study; none without the file."""
        text = text_beside(document, FILE)
        data: dict[str, Any] = json.loads(text) if text else {}
        tested = None
        if "answers" in data:
            older = {
                (answer, claim): Origin.of_json(each)
                for each in data.get("older", ())
                for answer, claims in each["answers"].items()
                for claim in claims
            }
            tested = OtherVerdicts(data["answers"], data["not_tested"], data["runs"], data["packet_hops"], older)
        return cls(data.get("as_printed", {}), tested, Origin.of_json(data) if tested else None)


class Recording(Settings):
    """Settings, experiments or findings that record in `names` which of them were read."""

    def __init__(self, values: Mapping[str, Any], names: set[str]) -> None:
        self._names = names
        super().__init__(values)

    def __getitem__(self, name: str) -> Any:
        self._names.add(name)
        return super().__getitem__(name)

    def having(self, changed: Mapping[str, Any]) -> Settings:
        """See :meth:`Settings.having`."""
        return Recording({**self.data, **changed}, self._names)


class _WatchedReadings(Readings):
    def __init__(self, readings: Readings, names: set[str]) -> None:
        self.__dict__.update(readings.__dict__)
        self._names = names

    def settings(self) -> Settings:
        return Recording(super().settings(), self._names)
