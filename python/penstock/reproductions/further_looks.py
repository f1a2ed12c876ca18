"""More runs for claims that the usual number leaves undecided.

With a limit, each look has as many runs again. Looking several times gives chance several occasions, so each look has
its share of the error that a verdict may carry: with K looks planned, each is made at 5 % / K.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.reproductions.claims import judge
from penstock.reproductions.evidence import LEVEL
from penstock.reproductions.finding import UNDECIDED
from penstock.reproductions.fits import Looked
from penstock.reproductions.reproduce import Plan

if TYPE_CHECKING:
    from penstock.reproductions.claims import Judgement
    from penstock.reproductions.outcome import Outcome
    from penstock.reproductions.reading import Readings
    from penstock.reproductions.study import Study
    from penstock.studies.runner import Runner


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
        more = reproduce_looked_at(study, looked, first.readings, runs, runner)
        for judgement in judge(study, more, level=level, before=known, only=open_claims):
            known[judgement.claim] = judgement
    return [known[claim.id] for claim in study.document.claims]


def hops_looked_at(study: Study, looked: Looked, readings: Readings) -> float:
    """About how many packet-hops one run of the rows takes that a claim looks at; 0 if the study cannot tell."""
    if study.effort is None:
        return 0.0
    settings, total = readings.settings(), 0.0
    for table, row in {(table, row) for table, row, _ in looked.numbers}:
        where = study.document.table(table)
        (found,) = (each for each in where.rows if each.id == row)
        total += sum(study.effort(settings, where, found, part) for part in study.build(settings, where, found))
    return total


def reproduce_looked_at(
    study: Study, looked: Looked, readings: Readings, runs: int, runner: Runner | None = None
) -> Outcome:
    """Runs the rows and experiments that some claims look at, and nothing else."""
    plan, outcome = plan_looked_at(study, looked, readings, runs)
    plan.run(runner)
    return outcome


def plan_looked_at(study: Study, looked: Looked, readings: Readings, runs: int) -> tuple[Plan, Outcome]:
    """What :func:`reproduce_looked_at` runs, and what it fills."""
    rows = {(table, row) for table, row, _ in looked.numbers}
    plan = Plan(study, dict.fromkeys(table for table, _ in sorted(rows, key=str)), runs)
    outcome = plan.add(readings, rows)
    plan.add_experiments(outcome, looked.experiments)
    return plan, outcome
