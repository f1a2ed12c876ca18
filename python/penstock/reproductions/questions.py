"""Open questions of a document, the answers that are possible, and the one that is used.

A document leaves things unsaid. Each of them is a :class:`Question` with answers under short keys; an answer (an
:class:`Option`) says which settings it gives the study.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.reproductions.suggestions import unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


@dataclass(frozen=True)
class Option:
    """A possible answer: its key, what it means, and the settings that it gives the study."""

    key: str
    text: str
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Question:
    """Something that a document leaves open; the texts are those of the document's data file."""

    id: str
    where: str
    kind: str
    impact: str
    question: str
    evidence: str
    options: tuple[Option, ...]  # the possible answers; a single one if nothing else can be run
    chosen: str  # key of the answer that is used unless another is asked for
    reason: str  # why that one
    fitted: str = ""  # not empty if the chosen answer was found by fitting the printed numbers: what was fitted to what
    printed: str = ""
    """Key of the answer that is the document's own, where it is not the chosen one or the chosen one is fitted; if the
    document is silent, an answer that nothing was fitted for."""
    words: str = ""  # where the document says so, and what; empty if it is silent

    def option(self, key: str) -> Option:
        """The answer with this key; an :class:`~penstock.errors.InputError` if there is none."""
        for option in self.options:
            if option.key == key:
                return option
        raise unknown("answer", key, (option.key for option in self.options), f"to {self.id}")

    @property
    def alternatives(self) -> tuple[Option, ...]:
        """The answers that are not chosen."""
        return tuple(option for option in self.options if option.key != self.chosen)

    @property
    def as_printed(self) -> str:
        """Key of the answer that the text as it is printed gives, or that nothing was fitted for."""
        return self.printed or self.chosen

    @property
    def against_the_text(self) -> bool:
        """Whether the chosen answer contradicts what the document says."""
        return bool(self.words) and self.as_printed != self.chosen


@dataclass(frozen=True)
class Contradiction:
    """Two answers, each as (question, key), that cannot hold together, and why."""

    one: tuple[str, str]
    other: tuple[str, str]
    reason: str

    def told(self) -> str:
        """The pair and the reason in one sentence."""
        return f"{'='.join(self.one)} and {'='.join(self.other)} contradict each other: {self.reason}"


def refuse_contradictions(contradictions: Iterable[Contradiction], keys: Mapping[str, str]) -> None:
    """An :class:`~penstock.errors.InputError` if two of these answers, by question, contradict each other."""
    for pair in contradictions:
        if all(keys[question] == key for question, key in (pair.one, pair.other)):
            raise InputError(f"{pair.told()}; answer one of the two otherwise")
