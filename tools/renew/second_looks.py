"""More runs for claims that the usual number leaves undecided, with which a study ships.

A second look, ``second_look.json``, has as many runs as would decide the claim at 2.5 %, if means and spreads of the
first look stay. The verdict is given at 2.5 % on the runs of both looks, and there is no third. With the 5 % of the
first look, the error of a verdict is at most 7.5 %.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from penstock.errors import InputError
from penstock.reproductions.claims import judge, plan_looked_at
from penstock.reproductions.evidence import LEVEL, MOST_TIMES, UNDECIDED
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reproduce import gather
from penstock.reproductions.stored import Origin, stored_outcome
from penstock.reproductions.study import text_beside
from penstock.studies.runner import Runner
from stored_files import this_core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.reproductions.claims import Judgement
    from penstock.reproductions.study import Study
    from penstock.reproductions.tables import Row, Table

FILE = "second_look.json"
"""The runs of second looks, by claim."""
SECOND = LEVEL / 2
"""Probability of error of a second look."""


@dataclass(frozen=True)
class SecondLook:
    """The runs of both looks at a claim, and the origin of the second look."""

    outcome: Outcome
    origin: Origin


def look_again(study: Study, first: Outcome, claim: str, runner: Runner | None = None) -> SecondLook:
    """Makes the runs of a second look.

    Raises InputError if the first look decides the claim, needs more than numbers of tables, or tells no number of
    runs to make.
    """
    study.document.claim(claim)
    try:
        (judgement,) = judge(study, first, level=SECOND, only=[claim])
    except KeyError as missing:
        raise InputError(f"{claim} needs more than numbers of tables ({missing.args[0]})") from None
    needed = judgement.finding.runs_to_decide
    if judge(study, first, only=[claim])[0].finding.verdict != UNDECIDED:
        raise InputError(f"{claim} is decided by {first.runs} runs")
    if judgement.looked.experiments or needed is None or needed > MOST_TIMES * first.runs:
        raise InputError(f"{claim}: {first.runs} runs do not tell how many more would decide it")
    plan, outcome = plan_looked_at(study, judgement.looked, first.readings, needed)
    more = tuple(range(first.runs, needed))
    runs = runner if runner is not None else Runner()
    plan.finish(runs.make([replace(point, replications=more) for point in plan.points()]))
    return SecondLook(_both(study, first, outcome), this_core())


def judged_again(study: Study, judgements: Sequence[Judgement], looks: Mapping[str, SecondLook]) -> list[Judgement]:
    """The judgements; a second look replaces one that the first leaves undecided."""
    known = {judgement.claim: judgement for judgement in judgements}
    for claim, look in looks.items():
        first = known[claim]
        if first.finding.verdict == UNDECIDED:
            (again,) = judge(study, look.outcome, level=SECOND, before=known, only=[claim])
            told = f"Second look, with {look.outcome.runs} runs at {100 * SECOND:g} %."
            if again.finding.verdict == UNDECIDED:
                told += " There is no third, since each look adds to the error of a verdict."
            finding = replace(again.finding, note=f"{told} {again.finding.note}".strip())
            # Null models that exchange rows need some that were not run again.
            known[claim] = replace(again, finding=finding, null={**first.null, **again.null})
    return list(known.values())


def as_text(first: Outcome, looks: Mapping[str, SecondLook]) -> str:
    """The text of the file: for each claim, the runs that the first look does not have, one line per row."""
    parts = []
    for claim, look in sorted(looks.items()):
        head = json.dumps({**asdict(look.origin), "runs": look.outcome.runs})[:-1]
        rows = [
            json.dumps({"table": table.id, "row": row.name, "values": _later(look.outcome, table, row, first.runs)})
            for table in look.outcome.tables
            for row in table.rows
            if look.outcome.has(table, row)
        ]
        body = ",\n".join(f"  {row}" for row in rows)
        parts.append(f' {json.dumps(claim)}: {head}, "rows": [\n{body}\n ]}}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def claims_looked_at_again(study: Study) -> list[str]:
    """The claims for which a study ships second looks."""
    text = text_beside(study.document, FILE)
    return list(json.loads(text)) if text else []


def stored_looks(study: Study) -> dict[str, SecondLook]:
    """The second looks that ship with a study, by claim."""
    text, first = text_beside(study.document, FILE), stored_outcome(study)
    if text is None or first is None:
        return {}
    found = {}
    for claim, data in json.loads(text).items():
        named: dict[tuple[str, str], Any] = {(each["table"], each["row"]): each["values"] for each in data["rows"]}
        tables = [study.document.table(name) for name in dict.fromkeys(name for name, _ in named)]
        outcome = Outcome(study.document, first.readings, tables, data["runs"])
        for table in tables:
            for row in table.rows:
                if (table.id, row.name) in named:
                    outcome.put(table, row, named[table.id, row.name])
        found[claim] = SecondLook(_both(study, first, outcome), Origin.of_json(data))
    return found


def _later(outcome: Outcome, table: Table, row: Row, before: int) -> dict[str, list[float]]:
    """The numbers of a row after the first runs."""
    return {name: list(values[before:]) for name, values in outcome.all_values(table, row).items()}


def _both(study: Study, first: Outcome, more: Outcome) -> Outcome:
    """The runs of the first look, followed by the runs in `more`."""
    for table, row, values in more.measured():
        before = first.all_values(table, row)
        more.put(table, row, {name: [*before[name], *later] for name, later in values.items()})
    gather(study, more)
    return more
