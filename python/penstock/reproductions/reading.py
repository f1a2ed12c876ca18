"""One answer to every open question of a document, and the settings that follow."""

from collections import UserDict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Self

from penstock.errors import InputError
from penstock.reproductions.document import Document, Question, contradictory


class Settings(UserDict[str, Any]):
    """What a study is built from, under dotted names: what the document states and what the readings add."""

    def having(self, changed: Mapping[str, Any]) -> "Settings":
        """These settings with some of them changed."""
        return Settings({**self.data, **changed})

    def text(self, name: str) -> str:
        """A setting that is a text, such as a quantity with its unit."""
        return str(self[name])


class Readings:
    """One answer to every open question of a document.

    Raises InputError if two of the answers contradict each other.

    `keys`: answers that differ from the chosen ones, by question.
    """

    def __init__(self, document: Document, keys: Mapping[str, str] | None = None) -> None:
        self._document = document
        self._keys = {question.id: question.chosen for question in document.questions}
        for identifier, key in (keys or {}).items():
            self._keys[document.question(identifier).id] = document.question(identifier).option(key).key
        for _, told in contradictory(document.contradictions, self._keys):
            raise InputError(f"{told}; answer one of the two otherwise")

    @classmethod
    def as_printed(cls, document: Document) -> Self:
        """Every answer that of the text as it is printed, wherever it has any, and nothing fitted."""
        return cls(document, {question.id: question.as_printed for question in document.questions})

    def with_answers(self, keys: Mapping[str, str]) -> "Readings":
        """These readings with other answers to some questions."""
        return Readings(self._document, {**self._keys, **keys})

    def others(self, questions: Iterable[Question] | None = None) -> dict[tuple[str, str], "Readings"]:
        """These with one other answer, to each of some questions or of all; none that contradicts another answer."""
        found = {}
        for question in self._document.questions if questions is None else questions:
            for option in question.options:
                if option.key != self._keys[question.id]:
                    with suppress(InputError):
                        found[question.id, option.key] = self.with_answers({question.id: option.key})
        return found

    def key(self, question: str) -> str:
        """The key of the answer to `question`."""
        return self._keys[question]

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of all answers, in the order of the questions."""
        return tuple(self._keys.values())

    @property
    def changed(self) -> dict[str, str]:
        """The answers that differ from the chosen ones."""
        chosen = {question.id: question.chosen for question in self._document.questions}
        return {question: key for question, key in self._keys.items() if key != chosen[question]}

    @property
    def is_as_printed(self) -> bool:
        """Whether every answer is that of the text as it is printed."""
        return all(self._keys[question.id] == question.as_printed for question in self._document.questions)

    @property
    def fitted(self) -> list[Question]:
        """The questions whose answer here was found by fitting the printed numbers."""
        return [q for q in self._document.questions if q.fitted and self._keys[q.id] == q.chosen]

    def settings(self) -> Settings:
        """What the document states and what these answers add to it."""
        values = dict(self._document.stated)
        for question in self._document.questions:
            values.update(question.option(self._keys[question.id]).settings)
        return Settings(values)
