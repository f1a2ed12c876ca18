"""What runs say about a claim."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from penstock.reproductions.evidence import decide

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.reproductions.evidence import Decision
    from penstock.reproductions.outcome import Outcome

    ClaimTest = Callable[[Outcome, Mapping[str, "Finding"]], "Finding"]
    """Tests one claim on the outcome; the findings of the claims before it may be used."""

CONFIRMED = "confirmed"
REFUTED = "refuted"
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Finding:
    """What the runs say about a claim."""

    verdict: str  # `confirmed`, `refuted` or `undecided`
    evidence: str  # a sentence with the numbers that the verdict rests on
    note: str = ""  # a remark; may be empty
    decision: Decision | None = field(default=None, repr=False)  # the statistical tests that the verdict comes from
    needed: int | None = None  # about how many runs would decide it, of a stored finding, which has no decision

    @classmethod
    def of(cls, decision: Decision, evidence: str, note: str = "") -> Finding:
        """The finding that a decision about several tests makes."""
        return cls(decision.verdict, evidence, note, decision)

    def at(self, level: float) -> Finding:
        """The same with its tests at another probability of error."""
        if self.decision is None or level == self.decision.level:
            return self
        decision = decide(self.decision.tests, level, is_any=self.decision.is_any)
        return replace(self, verdict=decision.verdict, decision=decision)

    @property
    def runs_to_decide(self) -> int | None:
        """About how many runs would decide an undecided claim; None if it is decided or no number would."""
        if self.verdict != UNDECIDED:
            return None
        return self.needed if self.decision is None else self.decision.runs_to_decide
