"""The numbers of a study's runs as a file, ``runs.json``, from which verdicts and counts follow without a run.

It also has the digest of the first run of every scenario: tests repeat some of these runs and compare.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.study import text_beside

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from penstock.reproductions.study import Study

FILE = "runs.json"


def as_text(study: Study, outcome: Outcome, digests: Mapping[str, str] | None = None) -> str:
    """The file: a line a row, with its numbers by name and replication, and then the digests by scenario.

    Without `digests`, writes the digests of the outcome's own first runs.
    """
    if digests is None:
        digests = first_digests(study, outcome)
    parts = []
    for table in outcome.tables:
        rows = ",\n".join(f"   {json.dumps(_plain(outcome.all_values(table, row)))}" for row in table.rows)
        parts.append(f"  {json.dumps(table.id)}: [\n{rows}\n  ]")
    body = ",\n".join(parts)
    firsts = ",\n".join(f"  {json.dumps(name)}: {json.dumps(digest)}" for name, digest in digests.items())
    return f'{{\n "runs": {outcome.runs},\n "tables": {{\n{body}\n }},\n "digests": {{\n{firsts}\n }}\n}}\n'


def stored_outcome(study: Study, without: Collection[str] = ()) -> Outcome | None:
    """The stored outcome of a study without digests, experiments and some tables; None if there is none."""
    text = text_beside(study.document, FILE)
    if text is None:
        return None
    data = json.loads(text)
    tables = [study.document.table(identifier) for identifier in data["tables"] if identifier not in without]
    outcome = Outcome(study.document, Readings(study.document), tables, data["runs"])
    for table in tables:
        for row, values in zip(table.rows, data["tables"][table.id], strict=True):
            outcome.put(table, row, values)
    return outcome


def digests(study: Study) -> dict[str, str]:
    """The stored digests of the first run of every scenario, by :func:`scenario_name`."""
    text = text_beside(study.document, FILE)
    found: dict[str, str] = json.loads(text)["digests"] if text else {}
    return found


def scenario_name(table: str, row: str, part: str) -> str:
    """The name of a row's scenario among the digests."""
    return " ".join(filter(None, ("table", table, row, part)))


def first_digests(study: Study, outcome: Outcome) -> dict[str, str]:
    """The digests of the first run of every scenario of an outcome, by :func:`scenario_name`."""
    settings = outcome.readings.settings()
    found: dict[str, str] = {}
    for table in outcome.tables:
        for row in table.rows:
            made = zip(study.build(settings, table, row), outcome.digests(table.id, row.key)[0], strict=True)
            found |= {scenario_name(table.id, row.name, part): digest for part, digest in made}
    return found | {f"experiment {name}": runs[0].digest for name, runs in outcome.experiments.items()}


def _plain(values: Mapping[str, Any]) -> dict[str, list[float]]:
    return {name: list(numbers) for name, numbers in values.items()}
