"""Tests the claims of a document on the runs of a study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from penstock.reproductions.reproduce import Outcome
    from penstock.reproductions.study import Study

    ClaimTest = Callable[[Outcome, Mapping[str, "Finding"]], "Finding"]
    """Tests one claim on the outcome; the findings of the claims before it may be used."""

__all__ = ["CONFIRMED", "REFUTED", "UNDECIDED", "Finding", "Judgement", "check_tables", "judge"]

CONFIRMED = "confirmed"
REFUTED = "refuted"
UNDECIDED = "undecided"


@dataclass(frozen=True)
class Finding:
    """What the runs say about a claim.

    Parameters
    ----------
    verdict : str
        ``confirmed``, ``refuted`` or ``undecided``.
    evidence : str
        A sentence with the numbers that the verdict rests on.
    note : str
        What should be known beside it; may be empty.
    """

    verdict: str
    evidence: str
    note: str = ""


@dataclass(frozen=True)
class Judgement:
    """A claim of a document and what the runs say about it."""

    document: str
    claim: str
    finding: Finding

    def as_json(self) -> dict[str, str]:
        """The judgement as a JSON object."""
        return {
            "document": self.document,
            "claim": self.claim,
            "verdict": self.finding.verdict,
            "evidence": self.finding.evidence,
            "note": self.finding.note,
        }


def check_tables(study: Study, tables: Collection[str]) -> None:
    """Refuses to test claims on some of the tables only; none named means all."""
    document = study.document
    needed = {table for claim in document.claims for table in claim.tables if document.table(table).numbers()}
    missing = sorted(needed - set(tables))
    if tables and missing:
        raise InputError(f"the claims need tables {', '.join(missing)} too; leave --table out")


def judge(study: Study, outcome: Outcome) -> list[Judgement]:
    """Tests every claim of the study's document, in the document's order, on runs of all its tables."""
    findings: dict[str, Finding] = {}
    for claim in study.document.claims:
        findings[claim.id] = study.claims[claim.id](outcome, findings)
    return [Judgement(study.document.id, claim, finding) for claim, finding in findings.items()]
