"""Agreement with a print that the answers to a document's open questions were not chosen on.

Answers that are chosen with a print in sight agree with it more often than they should. Here they are chosen on all
tables but one, and the one that is left out is scored; the counts of all tables add up to a cross-validated count
[Stone74]. The choice begins at the answers of the text as it is printed, which nothing was fitted for, and goes to the
answers under which the other tables' print is most likely (:mod:`penstock.reproductions.answer_search`).

For each question there is the posterior probability of each answer too, if all are as likely beforehand and all other
questions have the document's chosen answers: it says what the whole print can tell, and is bagged over its rows, so
that it is not surer than they agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.printable import things
from penstock.reproductions.answer_search import Search, search_all
from penstock.reproductions.likelihood import FEWEST_RUNS, Evaluated, bagged_posterior
from penstock.reproductions.reading import Readings
from penstock.reproductions.summary import AGREED, Score, granted, summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from penstock.reproductions.document import Document, Question
    from penstock.reproductions.study import Study
    from penstock.reproductions.tables import Table
    from penstock.studies.runner import Runner

RUNS = 3
"""Runs a row unless told otherwise: answers are compared on shared random numbers."""

DECIDES, LEANS = 0.95, 0.75
"""Lowest posterior probabilities of an answer for which the print decides a question, or leans to the answer.

Of two answers, they are 19 and 3 times as likely as the other, about where [Kass95] puts strong and positive evidence.
"""


@dataclass(frozen=True)
class TableScore:
    """The score of a table under answers that were chosen without it."""

    table: Table  # the table that was left out
    score: Score  # how its numbers agree
    chosen: Score  # how they agree under the document's chosen answers, on as many runs
    answers: dict[str, str]  # the answers that were chosen without it, by question
    unread: tuple[str, ...] = ()  # the questions that no other table reads; they keep the text's answer

    def as_json(self) -> dict[str, Any]:
        """The table's object."""
        return {
            "table": self.table.id,
            "numbers": len(self.table.numbers()),
            **_counts([self.score]),
            "chosen": _counts([self.chosen]),
            "answers": self.answers,
            "unread": list(self.unread),
        }


@dataclass(frozen=True)
class Posterior:
    """The posterior probabilities of the answers to a question, by key."""

    question: str
    probabilities: dict[str, float]

    @property
    def likeliest(self) -> str:
        """The answer with the highest probability."""
        return max(self.probabilities, key=self.probabilities.__getitem__)

    @property
    def says(self) -> str:
        """What the print can tell: see :func:`says`."""
        return says(self.probabilities.values())

    def as_json(self) -> dict[str, Any]:
        """The question's object."""
        shares = [{"reading": key, "probability": round(share, 4)} for key, share in self.probabilities.items()]
        return {"question": self.question, "posterior": shares, "says": self.says}


@dataclass(frozen=True)
class CrossValidation:
    """The cross-validated agreement of a study."""

    document: Document  # what was reproduced
    runs: int  # runs of each row
    budget: int | None  # the most runs allowed; None for any number
    used: int  # how many runs were needed
    is_complete: bool  # whether every search ended before the budget did
    fixed: dict[str, str]  # answers that were given and not chosen
    tables: tuple[TableScore, ...]  # the tables, each left out in turn
    questions: tuple[Posterior, ...]  # what the print tells about each question

    def as_json(self) -> dict[str, Any]:
        """The result as a JSON object."""
        return {
            "document": self.document.id,
            "runs": self.runs,
            "budget": self.budget,
            "used": self.used,
            "complete": self.is_complete,
            "fixed": self.fixed,
            "tables": [table.as_json() for table in self.tables],
            "cross_validated": _counts([table.score for table in self.tables]),
            "chosen": _counts([table.chosen for table in self.tables]),
            "questions": [question.as_json() for question in self.questions],
        }


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
) -> CrossValidation:
    """Chooses answers on all tables but one, scores the one left out, and so for every table.

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
    return CrossValidation(
        document=document,
        runs=runs,
        budget=budget,
        used=evaluated.used,
        is_complete=is_complete,
        fixed=given,
        tables=tuple(
            TableScore(
                table=table,
                score=_score(evaluated, search.at, table),
                chosen=_score(evaluated, chosen, table),
                answers={question.id: search.at.key(question.id) for question in read},
                unread=tuple(question.id for question in read if not is_read(question, search.tables)),
            )
            for search, table in zip(searches, printed, strict=True)
        ),
        questions=tuple(_posterior(evaluated, chosen, question) for question in read),
    )


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


def _posterior(evaluated: Evaluated, chosen: Readings, question: Question) -> Posterior:
    points = {key: point for (_, key), point in chosen.others([question]).items()}
    points[chosen.key(question.id)] = chosen
    keys = [option.key for option in question.options if option.key in points]
    shares = bagged_posterior([evaluated.by_row(points[key]) for key in keys])
    return Posterior(question.id, dict(zip(keys, shares, strict=True)))


def _score(evaluated: Evaluated, readings: Readings, table: Table) -> Score:
    (found,) = summarise(evaluated.study, evaluated.ran(readings, table).outcome, None).tables
    return found.scores[AGREED]


def _counts(scores: Sequence[Score]) -> dict[str, Any]:
    return {
        "computed": sum(score.computed for score in scores),
        "agree": sum(score.agree for score in scores),
        "discrimination": round(granted(scores)[1], 3),
    }
