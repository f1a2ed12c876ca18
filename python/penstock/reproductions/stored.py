"""What ships with a study, so that nothing has to run: numbers, counts and verdicts, and where they come from.

The file ``runs.json`` has the numbers of all runs, and the digest of the first run of every scenario: tests repeat some
of these runs and compare.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Self

from penstock import _core
from penstock.reproductions.document import Document
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.study import Study, text_beside


@dataclass(frozen=True)
class Origin:
    """Where stored results come from."""

    model_version: str  # version of the model that made the runs
    date: str  # day of the renewal, such as `2026-11-27`

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Self:
        """The origin that a JSON object has."""
        return cls(data["model_version"], data["date"])

    def short(self) -> str:
        """In few words.

        Examples
        --------
        >>> Origin("0123456789abcdef", "2026-11-27").short()
        '2026-11-27, model 0123456789ab'
        """
        return f"{self.date}, model {self.model_version[:12]}"

    def told(self) -> str:
        """A line that says where the results come from, and how to get others."""
        made = f"Shipped with Penstock: results of {self.short()}"
        if self.model_version == _core.MODEL_VERSION:
            return f"{made}, that of the installed core. Nothing was run; --fresh runs the study."
        return (
            f"{made}. The installed core is of another version, model {_core.MODEL_VERSION[:12]}, and may give other "
            "numbers. Nothing was run; --fresh runs the study."
        )


FILE = "runs.json"
VERDICTS = "verdicts.json"
"""What ``penstock reproduce DOC --claims --fresh --format json`` printed when the results were renewed."""
SUMMARY = "summary.json"
"""What ``penstock reproduce DOC --summary --fresh --format json`` printed when the results were renewed."""
ORIGIN = "origin.json"
"""The model version and the date of the renewal."""


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


def shipped(document: Document, file: str) -> tuple[Any, Origin] | None:
    """The contents of :data:`VERDICTS` or :data:`SUMMARY` with their origin; None if the study ships without them."""
    text, origin = text_beside(document, file), text_beside(document, ORIGIN)
    if document.folder is not None or text is None or origin is None:
        return None
    return json.loads(text), Origin.of_json(json.loads(origin))
