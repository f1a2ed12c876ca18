"""Tests the claims of a document on the runs of a study."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.reproductions.evidence import LEVEL
from penstock.reproductions.finding import CONFIRMED, REFUTED, UNDECIDED, Finding
from penstock.reproductions.fits import Fits, Looked, Stored, Watched
from penstock.reproductions.summary import null_outcomes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from penstock.reproductions.outcome import Outcome
    from penstock.reproductions.study import Study

__all__ = ["CONFIRMED", "REFUTED", "UNDECIDED", "Finding", "Judgement", "check_tables", "judge"]


@dataclass(frozen=True)
class Judgement:
    """A claim of a document and what the runs say about it.

    Parameters
    ----------
    document, claim : str
        Which claim.
    finding : Finding
        What the runs say.
    runs : int
        How many runs it was tested on.
    fitted : tuple of str
        The fitted questions that the verdict rests on.
    changes : mapping of str to str
        Of those, the ones under whose own answer in the text the verdict is another, and which; as last renewed.
    null : mapping of str to str
        What the same test says of each null model that has the numbers for it.
    looked : Looked
        What its test has looked at.
    readings : tuple of str, optional
        The open questions whose answers move what its test has looked at; told of documents without a print only.
    as_printed : str, optional
        The verdict with every answer as the text has it, as last renewed; None if it is not known.
    """

    document: str
    claim: str
    finding: Finding
    runs: int = 0
    fitted: tuple[str, ...] = ()
    changes: Mapping[str, str] = field(default_factory=dict)
    null: Mapping[str, str] = field(default_factory=dict)
    looked: Looked = field(default_factory=Looked, repr=False, compare=False)
    readings: tuple[str, ...] | None = None
    as_printed: str | None = None

    @classmethod
    def of_json(cls, data: Mapping[str, Any], as_printed: str | None = None) -> Judgement:
        """The judgement that a JSON object has, with the verdict under the text as printed, which it lacks."""
        return cls(
            document=data["document"],
            claim=data["claim"],
            finding=Finding(data["verdict"], data["evidence"], data["note"], needed=data["runs_to_decide"]),
            runs=data["runs"],
            fitted=tuple(data["fitted"]),
            changes=data["changes"],
            null=data["null"],
            readings=tuple(data["readings"]) if "readings" in data else None,
            as_printed=as_printed,
        )

    def as_json(self) -> dict[str, Any]:
        """The judgement as a JSON object."""
        return {
            "document": self.document,
            "claim": self.claim,
            "verdict": self.finding.verdict,
            "evidence": self.finding.evidence,
            "note": self.finding.note,
            "runs": self.runs,
            "runs_to_decide": self.finding.runs_to_decide,
            "fitted": list(self.fitted),
            "changes": dict(self.changes),
            "null": dict(self.null),
            **({} if self.readings is None else {"readings": list(self.readings)}),
        }


def check_tables(study: Study, tables: Collection[str]) -> None:
    """Raises an InputError unless all tables of the claims are among `tables`; none named means all."""
    document = study.document
    needed = {table for claim in document.claims for table in claim.tables if document.table(table).results()}
    missing = sorted(needed - set(tables))
    if tables and missing:
        raise InputError(f"the claims need tables {', '.join(missing)} too; leave --table out")


def judge(
    study: Study,
    outcome: Outcome,
    *,
    level: float = LEVEL,
    before: Mapping[str, Judgement] | None = None,
    only: Collection[str] | None = None,
) -> list[Judgement]:
    """Tests every claim of the study's document, in the document's order, on runs of all its tables.

    Parameters
    ----------
    study : Study
        Whose claims.
    outcome : Outcome
        Its runs.
    level : float
        Probability of error that each verdict may carry.
    before : mapping of str to Judgement, optional
        Judgements of claims that are not tested now; others may use their findings.
    only : collection of str, optional
        The claims to test; all if left out.
    """
    known = {name: judgement.finding for name, judgement in (before or {}).items()}
    looked = {name: judgement.looked for name, judgement in (before or {}).items()}
    fits, stored = Fits(study, outcome.readings), Stored.load(study.document)
    answers = None if study.document.has_print else Fits(study, outcome.readings, outcome.readings.open)
    judgements = []
    for claim in study.document.claims:
        if only is not None and claim.id not in only:
            continue
        watched, findings = Watched(outcome), _Consulted(known)
        finding = study.claims[claim.id](watched, findings).at(level)
        for other in findings.consulted:
            watched.looked.update(looked[other])
        known[claim.id], looked[claim.id] = finding, watched.looked
        fitted = fits.rests_on(watched.looked)
        changes = {} if outcome.readings.changed else stored.changes(claim.id, finding.verdict)
        readings = None if answers is None else answers.rests_on(watched.looked)
        judgements.append(
            Judgement(
                document=study.document.id,
                claim=claim.id,
                finding=finding,
                runs=outcome.runs,
                fitted=fitted,
                changes=changes,
                looked=watched.looked,
                readings=readings,
                as_printed=None if outcome.readings.changed else stored.as_printed.get(claim.id),
            )
        )
    tested = {judgement.claim for judgement in judgements}
    theirs = {
        name: _of_null(study, null, level, tested) for name, null in null_outcomes(study, outcome).items() if tested
    }
    return [
        replace(each, null={name: found[each.claim] for name, found in theirs.items() if each.claim in found})
        for each in judgements
    ]


def _of_null(study: Study, outcome: Outcome, level: float, only: Collection[str]) -> dict[str, str]:
    """The verdicts about a null model, of the claims that it has the numbers for."""
    findings: dict[str, Finding] = {}
    for claim in study.document.claims:
        if claim.id in only:
            try:
                findings[claim.id] = study.claims[claim.id](outcome, findings).at(level)
            except (KeyError, ZeroDivisionError):
                continue  # it has no number for something that the test needs, or a share of nothing
    return {name: finding.verdict for name, finding in findings.items()}


class _Consulted(dict[str, Finding]):
    """Findings, and which of them were asked for."""

    def __init__(self, findings: Mapping[str, Finding]) -> None:
        super().__init__(findings)
        self.consulted: set[str] = set()

    def __getitem__(self, name: str) -> Finding:
        self.consulted.add(name)
        return super().__getitem__(name)
