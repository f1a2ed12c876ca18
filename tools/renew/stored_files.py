"""Texts of the files that ship with a study, and what a renewal makes of verdicts under other answers."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.reproductions.comparison import Pilot
from penstock.reproductions.evidence import UNDECIDED, deviation
from penstock.reproductions.fits import OtherVerdicts
from penstock.reproductions.stored import Origin, first_digests

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from penstock.reproductions.document import Document
    from penstock.reproductions.fits import Stored
    from penstock.reproductions.outcome import Outcome
    from penstock.reproductions.study import Study


def this_core() -> Origin:
    """The installed core, on the present day."""
    return Origin(_core.MODEL_VERSION, datetime.now(UTC).date().isoformat())


def runs_text(study: Study, outcome: Outcome, digests: Mapping[str, str] | None = None) -> str:
    """The text of the file: one line per row, with its numbers by name and replication, then the digests by scenario.

    Without `digests`, writes the digests of the outcome's own first runs.
    """
    if digests is None:
        digests = first_digests(study, outcome)
    body = rows_text({table.id: [outcome.all_values(table, row) for row in table.rows] for table in outcome.tables})
    firsts = ",\n".join(f"  {json.dumps(name)}: {json.dumps(digest)}" for name, digest in digests.items())
    return f'{{\n "runs": {outcome.runs},\n "tables": {{\n{body}\n }},\n "digests": {{\n{firsts}\n }}\n}}\n'


def rows_text(rows: Mapping[str, Sequence[Any]]) -> str:
    """Rows of tables in JSON, one line per row."""
    lines = {name: ",\n".join(f"   {json.dumps(row)}" for row in own) for name, own in rows.items()}
    return ",\n".join(f"  {json.dumps(name)}: [\n{own}\n  ]" for name, own in lines.items())


def pilot_of(outcome: Outcome) -> Pilot:
    """The pilot from these runs; each row has at least two."""
    deviations = {}
    for table in outcome.tables:
        for row, column, _ in table.numbers():
            values = outcome.values(table.id, column.name, row.key)
            deviations[table.id, row.id, column.name] = deviation(values)
    return Pilot(outcome.runs, deviations)


def pilot_text(pilot: Pilot, document: Document) -> str:
    """The text of ``pilot.json``, with four digits of each deviation."""
    lines: dict[str, list[Any]] = {}
    for table in document.tables:
        if table.numbers():
            spreads = [[pilot.deviation(table, row, column) for column in table.compared] for row in table.rows]
            lines[table.id] = [[each if each is None else float(f"{each:.4g}") for each in row] for row in spreads]
    return f'{{\n "runs": {pilot.runs},\n "tables": {{\n{rows_text(lines)}\n }}\n}}\n'


def known_to(stored: Stored, model_version: str) -> OtherVerdicts:
    """The verdicts that a renewal with this model may keep, and the origin of verdicts from other models."""
    if stored.tested is None or stored.origin is None:
        return OtherVerdicts()
    pairs = [(answer, claim) for answer, verdicts in stored.tested.verdicts.items() for claim in verdicts]
    origins = {pair: stored.tested.older.get(pair, stored.origin) for pair in pairs}
    older = {pair: origin for pair, origin in origins.items() if origin.model_version != model_version}
    return replace(stored.tested, older=older)


def reopened(tested: OtherVerdicts, claims: Collection[str]) -> OtherVerdicts:
    """The same for claims that were tested on more runs since: what fewer runs left undecided is not tested."""
    kept: dict[str, dict[str, str]] = {answer: {} for answer in tested.verdicts}
    left = {name: list(answers) for name, answers in (tested.not_tested or {}).items()}
    for answer, verdicts in tested.verdicts.items():
        for claim, verdict in verdicts.items():
            if claim in claims and verdict == UNDECIDED:
                left.setdefault(claim, []).append(answer)
            else:
                kept[answer][claim] = verdict
    return replace(tested, verdicts=kept, not_tested=None if tested.not_tested is None else left)


def joined(some: OtherVerdicts, other: OtherVerdicts, answers: Iterable[str]) -> OtherVerdicts:
    """Both sets of verdicts, in the order of `answers` and of the claims' names."""
    both = {name: {**some.verdicts.get(name, {}), **other.verdicts.get(name, {})} for name in answers}
    return OtherVerdicts(
        {name: dict(sorted(verdicts.items())) for name, verdicts in both.items() if verdicts},
        dict(sorted({**(some.not_tested or {}), **(other.not_tested or {})}.items())),
        some.runs + other.runs,
        some.packet_hops + other.packet_hops,
        {**some.older, **other.older},
    )


def fits_json(stored: Stored) -> dict[str, Any]:
    """The contents of ``fits.json``."""
    if stored.tested is None or stored.origin is None:
        return {"as_printed": dict(stored.as_printed)}
    left = stored.tested.not_tested
    return {
        **asdict(stored.origin),
        "as_printed": dict(stored.as_printed),
        "answers": {name: dict(it) for name, it in stored.tested.verdicts.items()},
        "not_tested": None if left is None else {name: list(it) for name, it in left.items()},
        "runs": stored.tested.runs,
        "packet_hops": stored.tested.packet_hops,
        **({"older": _by_model(stored.tested.older)} if stored.tested.older else {}),
    }


def _by_model(older: Mapping[tuple[str, str], Origin]) -> list[dict[str, Any]]:
    """The claims by answer of each model."""
    found: dict[Origin, dict[str, list[str]]] = {}
    for (answer, claim), origin in older.items():
        found.setdefault(origin, {}).setdefault(answer, []).append(claim)
    return [{**asdict(origin), "answers": answers} for origin, answers in found.items()]
