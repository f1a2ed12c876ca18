"""Checks a study under every answer to its open questions, before anything long is run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.errors import InputError, ScenarioError
from penstock.printable import utf8
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import planned
from penstock.reproductions.study import DATA, folder_of
from penstock.studies.request import distinct, warnings_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock import _core
    from penstock.reproductions.study import Study
    from penstock.studies.request import PointRequest


@dataclass(frozen=True, slots=True)
class Checked:
    """What a sound study has."""

    scenarios: int  # how many scenarios its rows make under the chosen answers
    answers: int  # how many other answers were tried, one at a time
    warnings: list[str]  # what should be known of the scenarios


def check_answers(study: Study) -> Checked:
    """Reads every scenario under every answer, and runs the beginning of the first row of each table.

    Raises ScenarioError with all mistakes, each once and with the answer under which it occurs.
    """
    mistakes: list[_core.Mistake] = []
    asked: list[PointRequest] = []
    tried = 0
    for readings, which in _readings(study):
        tried += 1
        plan, _ = planned(study, [], readings, 1)
        try:
            points = plan.points()
            asked += points if tried == 1 else []
            plan.verify(points)
        except (ScenarioError, InputError) as error:
            known = {(mistake["path"], mistake["message"]) for mistake in mistakes}
            mistakes += [
                {**each, "message": f"{each['message']}{which}"}
                for each in _mistakes(study, error)
                if (each["path"], each["message"]) not in known
            ]
    if mistakes:
        raise ScenarioError(distinct(mistakes))
    return Checked(len(asked), tried - 1, warnings_of(asked))


def _readings(study: Study) -> Iterator[tuple[Readings, str]]:
    """The chosen answers, then each other one with its name for messages."""
    chosen = Readings(study.document)
    yield chosen, ""
    for question in study.document.questions:
        for option in question.alternatives:
            try:
                yield chosen.with_answer(question.id, option.key), f" (with {question.id}={option.key})"
            except InputError:  # it contradicts a chosen one, so nobody can ask for it alone
                continue


def _mistakes(study: Study, error: ScenarioError | InputError) -> list[_core.Mistake]:
    if isinstance(error, ScenarioError):
        return error.mistakes
    file = utf8(str(folder_of(study.document) / DATA))
    return [{"file": file, "line": None, "path": "", "message": str(error).rstrip(".")}]
