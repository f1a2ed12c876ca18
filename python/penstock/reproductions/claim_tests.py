"""How a claim is tested that the document's data states: its statements together, and the evidence in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.reproductions.document import Claim, Document
from penstock.reproductions.evidence import UNDECIDED, Decision, Estimate, Finding, Test, decide
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.statements import Numbers, Scope
from penstock.reproductions.telling import about, between, failures, held, listed, signed, unsettled

Facts = Callable[[Outcome], Mapping[str, str]]
"Words for evidence that no expression gives."

EVIDENCE = "{what}: {listed}. {held} statements hold.{failures}"
"""The evidence of a claim that has no text of its own."""


@dataclass(frozen=True)
class StatedTest:
    """The test of a claim whose statements are data."""

    document: Document  # whose claim
    claim: Claim  # which one
    numbers: Numbers  # the study's own names in statements
    facts: Facts | None = None  # more words for its evidence

    @property
    def stated(self) -> Mapping[str, Any]:
        """The claim's data, completed by the claim that it is like."""
        own = self.claim.stated
        return {**self.document.claim(own["like"]).stated, **own} if "like" in own else own

    def decide(self, outcome: Outcome) -> Decision | None:
        """What the statements decide, without the numbers that only the evidence has; None without them."""
        own = self._statements(outcome)
        return None if own is None else decide(own.tests, is_any=self.stated.get("any", False))

    def __call__(self, outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
        """The finding, with its evidence in words."""
        own, stated = self._statements(outcome), self.stated
        if own is None:
            return Finding(UNDECIDED, f"It was not tested. {self.claim.test}")
        scope = self._scope(outcome)
        decision = decide(own.tests, is_any=stated.get("any", False))
        words: dict[str, Any] = {
            "what": stated.get("what", ""),
            "held": held(decision),
            "failures": failures(decision.failed),
            "unsettled": unsettled(decision.open),
            **{name: getattr(own, name) for name in ("all", "listed", "between")},
            "tests": own,
            **{name: _Statements.of(scope, entries) for name, entries in stated.get("also", {}).items()},
            **{name: _shown(scope, entry) for name, entry in stated.get("show", {}).items()},
            **(self.facts(outcome) if self.facts else {}),
        }
        evidence = stated.get("evidence", self.document.testing.get("evidence", EVIDENCE))
        remark = stated.get("remark", "{unsettled}")
        words["what"] = words["what"].format(**words)
        return Finding.of(decision, evidence.format(**words), remark.format(**words).strip())

    def _statements(self, outcome: Outcome) -> _Statements | None:
        stated = self.stated
        missing = [name for name in stated.get("needs", ()) if name not in outcome.experiments]
        return None if missing or "holds" not in stated else _Statements.of(self._scope(outcome), stated["holds"])

    def _scope(self, outcome: Outcome) -> Scope:
        return Scope(outcome, self.claim, self.numbers, self.document.testing.get("loops", {}), {})


@dataclass(frozen=True)
class _Statements:
    """Some statements with the numbers that each is about; in braces, those whose label begins with a text.

    Its other attributes are the words and numbers of :data:`_WORDS`.
    """

    shown: Sequence[tuple[Test, Sequence[float]]]

    @classmethod
    def of(cls, scope: Scope, entries: Sequence[Any]) -> _Statements:
        return cls(list(scope.tests(entries)))

    def __getitem__(self, start: str) -> _Statements:
        return _Statements([pair for pair in self.shown if pair[0].label.startswith(start)])

    def __getattr__(self, name: str) -> Any:
        if name not in _WORDS:
            raise AttributeError(name)
        return _WORDS[name](self)

    @property
    def tests(self) -> list[Test]:
        return [test for test, _ in self.shown]

    @property
    def means(self) -> list[float]:
        return [test.estimate.mean for test in self.tests]


_WORDS: Mapping[str, Callable[[_Statements], str | float]] = {
    "held": lambda own: held(decide(own.tests)),
    "holding": lambda own: _each(decide(own.tests).held) or "none",
    "all": lambda own: _each(own.tests),
    "listed": lambda own: listed(own.tests),
    "mean": lambda own: about(own.tests[0].estimate),
    "between": lambda own: between(own.means),
    "spread": lambda own: f"{min(own.means):+.3g} to {max(own.means):+.3g}",
    "lowest": lambda own: min(own.means),
    "highest": lambda own: max(own.means),
    "lowest_run": lambda own: min(min(runs) for _, runs in own.shown),
}
"""What a text may name of some statements; ranges and extremes are of their means, but for that of single runs."""


class _Number:
    """A mean for templates: with its interval, or as a format such as ``.2f`` or ``signed`` has it."""

    def __init__(self, runs: Sequence[float]) -> None:
        self._estimate = Estimate.of(runs)

    def __format__(self, form: str) -> str:
        if form == "signed":
            return signed(self._estimate)
        return format(self._estimate.mean, form) if form else about(self._estimate)


def _shown(scope: Scope, entry: Any) -> Any:
    """A number, or with ``for`` a text for each turn of the loops."""
    if isinstance(entry, str):
        return _Number(scope.runs(entry))
    turns = [
        entry["text"].format(*(_Number(inner.runs(text)) for text in entry["of"]), **inner.variables)
        for inner in scope.each(entry["for"])
    ]
    return entry.get("join", "; ").join(turns)


def _each(tests: Sequence[Test]) -> str:
    return "; ".join(f"{test.label} {signed(test.estimate)}" for test in tests)
