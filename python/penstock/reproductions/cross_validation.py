"""Agreement with a print that the answers to a document's open questions were not chosen on.

Answers that are chosen with a print in sight agree with it more often than they should. Here they are chosen on all
tables but one, and the one that is left out is scored; the counts of all tables add up to a cross-validated count
[Stone74]. The choice begins at the answers of the text as it is printed, which nothing was fitted for, and goes to the
answers under which the other tables' print is most likely.

That is a coordinate search: all other answers are run one at a time, and the search moves to a better point until there
is none. Next to the single changes, it tries changes of several questions, which it takes from the runs at hand as if
effects added up: the answers to all questions that a coordinate search would then end at, and the pairs that would
then gain most over their parts, such as two changes that help only together. All proposals are run, so a wrong
prediction costs runs only.

For each question there is the posterior probability of each answer too, if all are as likely beforehand and all other
questions have the document's chosen answers: it says what the whole print can tell, and is bagged over its rows, so
that it is not surer than they agree.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby, islice
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.printable import things
from penstock.reproductions.document import Document, Question
from penstock.reproductions.likelihood import FEWEST_RUNS, Evaluated, bagged_posterior, joint
from penstock.reproductions.reading import Readings
from penstock.reproductions.study import Study
from penstock.reproductions.summary import AGREED, Score, granted, summarise
from penstock.reproductions.tables import Table
from penstock.studies.runner import Runner

if TYPE_CHECKING:
    from penstock.reproductions.likelihood import Floats

Change = tuple[str, str]
"A question, and an answer to it."

RUNS = 3
"""Runs a row unless told otherwise: answers are compared on shared random numbers."""

DECIDES, LEANS = 0.95, 0.75
"""Lowest posterior probabilities of an answer for which the print decides a question, or leans to the answer.

Of two answers, they are 19 and 3 times as likely as the other, about where [Kass95] puts strong and positive evidence.
"""

PAIRS = 6
"""How many pairs of changes are tried at each point."""

SMALLEST_GAIN = 1e-6
"""By how much a log-likelihood has to exceed another to be better; less is rounding."""

SWEEPS = 20
"""The most sweeps of the coordinate search over sums of effects, which is free."""


def says(probabilities: Iterable[float]) -> str:
    """What a print can tell about a question, by the highest posterior probability of an answer.

    Examples
    --------
    >>> says([0.96, 0.04]), says([0.1, 0.1, 0.8]), says([0.6, 0.4])
    ('decides', 'leans to', 'cannot tell')
    """
    most = max(probabilities)
    return "decides" if most >= DECIDES else "leans to" if most >= LEANS else "cannot tell"


def cross_validate(
    study: Study,
    tables: Sequence[str] = (),
    fixed: Mapping[str, str] | None = None,
    runs: int = RUNS,
    budget: int | None = None,
    runner: Runner | None = None,
    tell: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Chooses answers on all tables but one, scores the one left out, and so for every table; a JSON object.

    `tables` are ids; empty means all that are printed. `fixed` has answers that are given, by question. `budget` is the
    maximum number of runs, stored ones included. `tell` is called with a sentence about the runs that follow.

    Raises InputError if there are fewer than two tables with printed numbers, too few runs, no question to answer, or
    too small a budget to try every answer once.
    """
    document = study.document
    printed = _printed(document, tables)
    if runs < FEWEST_RUNS:
        raise InputError(f"{runs} run has no spread to judge answers by; at least {FEWEST_RUNS}")
    given = dict(fixed or {})
    chosen, begin = Readings(document, given), _begin(document, given)
    questions = [question for question in document.questions if question.alternatives and question.id not in given]
    evaluated = Evaluated(study, printed, runs, budget, runner)
    points = [point for at in (begin, chosen) for point in (at, *at.others(questions).values())]
    asked = [(point, table) for point in points for table in printed]
    needed = evaluated.needs(asked)
    if budget is not None and needed > budget:
        raise InputError(
            f"a budget of {budget} runs is too small: the {len(questions)} open questions of {document.id} need "
            f"{needed} to try every answer, {runs} of each scenario"
        )
    if tell is not None:
        tell(f"{needed} runs to try every answer; then more around better ones, up to {budget or 'any number'}")
    evaluated.run(asked)

    def is_read(question: Question, tables: Iterable[Table]) -> bool:
        return any(_reads(evaluated, table, at, question) for at in (chosen, begin) for table in tables)

    read = [question for question in questions if is_read(question, printed)]
    if not read:
        raise InputError(f"no open question of {document.id} changes these tables, so there is nothing to choose")
    searches = [Search(evaluated, read, [each for each in printed if each is not out], begin) for out in printed]
    is_complete = search_all(searches, printed)
    scores = [_score(evaluated, search.at, table) for search, table in zip(searches, printed, strict=True)]
    theirs = [_score(evaluated, chosen, table) for table in printed]
    left_out = [
        {
            "table": table.id,
            "numbers": len(table.numbers()),
            **_counts([score]),
            "chosen": _counts([own]),
            "answers": {question.id: search.at.key(question.id) for question in read},
            # They keep the text's answer.
            "unread": [question.id for question in read if not is_read(question, search.tables)],
        }
        for search, table, score, own in zip(searches, printed, scores, theirs, strict=True)
    ]
    return {
        "document": document.id,
        "runs": runs,
        "budget": budget,
        "used": evaluated.used,
        "complete": is_complete,
        "fixed": given,
        "tables": left_out,
        "cross_validated": _counts(scores),
        "chosen": _counts(theirs),
        "questions": [_posterior(evaluated, chosen, question) for question in read],
    }


def _printed(document: Document, tables: Sequence[str]) -> list[Table]:
    """The tables to leave out in turn: those named, or all that are printed."""
    named = document.chosen_tables(tables)
    own = [table.id for table in named if tables and not table.numbers()]
    if own:
        raise InputError(f"no number of table {', '.join(own)} is printed, so it cannot be left out and scored")
    found = [table for table in named if table.numbers()]
    if len(found) < 2:
        which = "--table names" if tables else f"{document.id} has"
        name = f" ({found[0].id})" if found else ""
        there = f"{which} {things(len(found), 'table')} with printed numbers{name}"
        raise InputError(f"{there}; cross-validation leaves one out and needs at least 2")
    return found


def _begin(document: Document, given: Mapping[str, str]) -> Readings:
    """The answers of the text as it is printed, but for those given, and for those that contradict them."""
    answers = {question.id: question.as_printed for question in document.questions} | dict(given)
    for pair in document.contradictions:
        if all(answers[question] == key for question, key in (pair.one, pair.other)):
            (other,) = (question for question, _ in (pair.one, pair.other) if question not in given)
            answers[other] = document.question(other).chosen
    return Readings(document, answers)


def _reads(evaluated: Evaluated, table: Table, at: Readings, question: Question) -> bool:
    """Whether a table's runs, or their measuring, depend on the answer to a question."""
    return any(evaluated.differ(at, other, table) for other in at.others([question]).values())


def _posterior(evaluated: Evaluated, chosen: Readings, question: Question) -> dict[str, Any]:
    """What the print tells about a question."""
    points = {key: point for (_, key), point in chosen.others([question]).items()}
    points[chosen.key(question.id)] = chosen
    keys = [option.key for option in question.options if option.key in points]
    shares = bagged_posterior([evaluated.by_row(points[key]) for key in keys])
    posterior = [{"reading": key, "probability": round(share, 4)} for key, share in zip(keys, shares, strict=True)]
    return {"question": question.id, "posterior": posterior, "says": says(shares)}


def _score(evaluated: Evaluated, readings: Readings, table: Table) -> Score:
    (found,) = summarise(evaluated.study, evaluated.ran(readings, table).outcome, None).tables
    return found.scores[AGREED]


def _counts(scores: Sequence[Score]) -> dict[str, Any]:
    return {
        "computed": sum(score.computed for score in scores),
        "agree": sum(score.agree for score in scores),
        "discrimination": round(granted(scores)[1], 3),
    }


@dataclass
class Search:
    """The search on some tables."""

    evaluated: Evaluated  # the runs so far
    questions: Sequence[Question]  # the questions to answer
    tables: Sequence[Table]  # the tables whose print is looked at
    at: Readings  # where the search is; at first where it begins
    has_ended: bool = False  # whether no point that was tried is better
    _proposed: dict[tuple[str, ...], list[Readings]] = field(default_factory=dict)

    def proposals(self) -> list[Readings]:
        """Answers that differ in several questions and look good if the effects of single changes add up."""
        if self.at.keys not in self._proposed:
            singles = self.at.others(self.questions)
            effects = _Effects(self.evaluated, self.tables, self.at, singles)
            self._proposed[self.at.keys] = [*self._together(effects), *self._pairs(effects)]
        return self._proposed[self.at.keys]

    def best(self) -> Readings:
        """The best of all points that were run around this one; this one if none is better."""
        points = [*self.at.others(self.questions).values(), *self.proposals()]
        points = [point for point in points if self.evaluated.known(point, self.tables)]
        found, most = self.at, self._likelihood(self.at) + SMALLEST_GAIN
        for point in points:
            likelihood = self._likelihood(point)
            if likelihood > most:
                found, most = point, likelihood
        return found

    def _likelihood(self, readings: Readings) -> float:
        return self.evaluated.log_likelihood(readings, self.tables)

    def _together(self, effects: "_Effects") -> Iterator[Readings]:
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

    def _pairs(self, effects: "_Effects") -> list[Readings]:
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

    def _of(self, table: Table, changes: Sequence[Change]) -> "Floats":
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
            (point, table)
            for search, _ in active
            for point in search.at.others(search.questions).values()
            for table in search.tables
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
