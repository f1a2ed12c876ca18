"""Tests the claims of a document on the runs of a study, and on more runs if the usual number leaves some undecided.

With a limit, each look has as many runs again. Looking several times gives chance several occasions, so each look has
its share of the error that a verdict may carry: with K looks planned, each is made at 5 % / K.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Self

from penstock.errors import InputError
from penstock.reproductions.document import Document
from penstock.reproductions.evidence import LEVEL, UNDECIDED, Finding
from penstock.reproductions.fits import Coverage, Fits, Looked, OtherVerdicts, Recording, Stored, Watched
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import Plan
from penstock.reproductions.study import Study
from penstock.reproductions.summary import null_outcomes
from penstock.studies.runner import Runner


@dataclass(frozen=True)
class Judgement:
    """A claim of a document and what the runs say about it."""

    document: str
    claim: str
    finding: Finding  # what the runs say
    runs: int = 0  # how many runs it was tested on
    fitted: tuple[str, ...] = ()  # the fitted questions that the verdict rests on
    changes: Mapping[str, str] = field(default_factory=dict)
    """The other answers (``QUESTION=KEY``) under which the verdict is another, and which."""
    null: Mapping[str, str] = field(default_factory=dict)
    """What the same test says of each null model that has the numbers for it."""
    looked: Looked = field(default_factory=Looked, repr=False, compare=False)  # what its test has looked at
    readings: tuple[str, ...] | None = None
    """The open questions whose answers move what its test has looked at; told of documents without a print only."""
    as_printed: str | None = None
    """The verdict with every answer as the text has it, as last renewed; None if it is not known."""
    coverage: Coverage | None = None
    """How many other answers were tested, and which were not; None if that is not known."""

    @classmethod
    def of_json(cls, data: Mapping[str, Any], as_printed: str | None = None) -> Self:
        """The judgement that a JSON object has, with the verdict under the text as printed, which it lacks."""
        return cls(
            document=data["document"],
            claim=data["claim"],
            finding=Finding(data["verdict"], data["evidence"], data["note"], needed=data["runs_to_decide"]),
            runs=data["runs"],
            fitted=tuple(data["fitted"]),
            changes={change["reading"]: change["verdict"] for change in data["changes"]},
            null=data["null"],
            readings=tuple(data["readings"]) if "readings" in data else None,
            as_printed=as_printed,
            coverage=data["alternatives"] and Coverage(**data["alternatives"]),
        )

    def under(self, tested: OtherVerdicts) -> Self:
        """The same with what became of it under other answers."""
        changes = tested.changes(self.claim, self.finding.verdict)
        return replace(self, changes=changes, coverage=tested.coverage(self.claim))

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
            "changes": [{"reading": answer, "verdict": verdict} for answer, verdict in self.changes.items()],
            "alternatives": None if self.coverage is None else asdict(self.coverage),
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
    """Tests every claim of the study's document, or `only` some, in the document's order, on runs of all its tables.

    `level` is the probability of error that each verdict may carry. Tests may use the findings of claims that have
    been judged `before`.
    """
    known = {name: judgement.finding for name, judgement in (before or {}).items()}
    looked = {name: judgement.looked for name, judgement in (before or {}).items()}
    fits = Fits(study, outcome.readings)
    # The stored results are about the chosen answers.
    stored = Stored() if outcome.readings.changed else Stored.load(study.document)
    several = [question for question in study.document.questions if question.alternatives]
    answers = None if study.document.has_print else Fits(study, outcome.readings, several)
    asked = [claim.id for claim in study.document.claims if only is None or claim.id in only]
    nulls = null_outcomes(study, outcome) if asked else {}
    theirs = {name: _of_null(study, null, level, asked) for name, null in nulls.items()}
    judgements = []
    for claim in asked:
        watched, consulted = Watched(outcome), set[str]()
        known[claim] = study.claims[claim](watched, Recording(known, consulted)).at(level)
        looked[claim] = watched.looked
        for other in consulted:
            watched.looked.update(looked[other])
        judgement = Judgement(
            document=study.document.id,
            claim=claim,
            finding=known[claim],
            runs=outcome.runs,
            fitted=fits.rests_on(watched.looked),
            null={name: verdicts[claim] for name, verdicts in theirs.items() if claim in verdicts},
            looked=watched.looked,
            readings=None if answers is None else answers.rests_on(watched.looked),
            as_printed=stored.as_printed.get(claim),
        )
        judgements.append(judgement if stored.tested is None else judgement.under(stored.tested))
    return judgements


def _of_null(study: Study, outcome: Outcome, level: float, asked: Sequence[str]) -> dict[str, str]:
    """The verdicts about a null model, of the claims that it has the numbers for."""
    findings: dict[str, Finding] = {}
    for claim in asked:
        # It may have no number for something that the test needs, or a share of nothing.
        with suppress(KeyError, ArithmeticError):
            findings[claim] = study.claims[claim](outcome, findings).at(level)
    return {name: finding.verdict for name, finding in findings.items()}


def judgements_of(document: Document, verdicts: list[dict[str, Any]]) -> list[Judgement]:
    """The judgements that the stored verdicts of a study hold."""
    as_printed = Stored.load(document).as_printed
    return [Judgement.of_json(verdict, as_printed.get(verdict["claim"])) for verdict in verdicts]


def looks(runs: int, limit: int) -> list[int]:
    """After how many runs to look: doubling from `runs` to `limit`.

    Examples
    --------
    >>> looks(5, 40), looks(5, 50), looks(5, 5)
    ([5, 10, 20, 40], [5, 10, 20, 40, 50], [5])
    """
    if limit < runs:
        raise InputError(f"a limit of {limit} runs is below the {runs} that are made at first")
    planned = [runs]
    while planned[-1] < limit:
        planned.append(min(2 * planned[-1], limit))
    return planned


def decide_sequentially(study: Study, first: Outcome, limit: int, runner: Runner | None = None) -> list[Judgement]:
    """Judges all claims on the usual runs, and those that stay undecided on more and more of what they need.

    `first` has all tables and experiments; `limit` is the most runs to make of anything.
    """
    planned = looks(first.runs, limit)
    level = LEVEL / len(planned)
    known = {judgement.claim: judgement for judgement in judge(study, first, level=level)}
    for runs in planned[1:]:
        open_claims = [name for name, judgement in known.items() if judgement.finding.verdict == UNDECIDED]
        if not open_claims:
            break
        looked = Looked.of(known[name].looked for name in open_claims)
        plan, more = plan_looked_at(study, looked, first.readings, runs)
        plan.run(runner)
        for judgement in judge(study, more, level=level, before=known, only=open_claims):
            known[judgement.claim] = judgement
    return [known[claim.id] for claim in study.document.claims]


def plan_looked_at(study: Study, looked: Looked, readings: Readings, runs: int) -> tuple[Plan, Outcome]:
    """A plan of the rows and experiments that some claims look at, and what it fills."""
    rows = {(table, row) for table, row, _ in looked.numbers}
    plan = Plan(study, dict.fromkeys(table for table, _ in sorted(rows, key=str)), runs)
    outcome = plan.add(readings, rows)
    plan.add_experiments(outcome, looked.experiments)
    return plan, outcome
