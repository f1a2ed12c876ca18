"""The results of a study that ship with the package: counts and verdicts without a run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.reproductions.claims import Judgement
from penstock.reproductions.fits import Stored
from penstock.reproductions.study import text_beside
from penstock.reproductions.summary import AGREED, PILOT, Score, Summary, TableSummary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.document import Document

__all__ = ["ORIGIN", "SUMMARY", "VERDICTS", "Origin", "judgements_of", "shipped", "summary_of"]

VERDICTS = "verdicts.json"
"""What ``penstock reproduce DOC --claims --fresh --format json`` printed when the results were renewed."""
SUMMARY = "summary.json"
"""What ``penstock reproduce DOC --summary --fresh --format json`` printed when the results were renewed."""
ORIGIN = "origin.json"
"""The model version and the date of the renewal."""


@dataclass(frozen=True)
class Origin:
    """Where stored results come from."""

    model_version: str  # version of the model that made the runs
    date: str  # day of the renewal, such as `2026-11-27`

    @classmethod
    def of_this_core(cls) -> Origin:
        """The installed core, on the present day."""
        return cls(_core.MODEL_VERSION, datetime.now(UTC).date().isoformat())

    @classmethod
    def of_json(cls, data: dict[str, Any]) -> Origin:
        """The origin that a JSON object has."""
        return cls(data["model_version"], data["date"])

    def as_json(self) -> dict[str, str]:
        """The origin as a JSON object."""
        return {"model_version": self.model_version, "date": self.date}

    @property
    def is_current(self) -> bool:
        """Whether the installed core is of the same model version."""
        return self.model_version == _core.MODEL_VERSION

    def told(self) -> str:
        """A line that says where the results come from, and how to get others."""
        made = f"Shipped with Penstock: results of {self.date}, model {self.model_version[:12]}"
        if self.is_current:
            return f"{made}, that of the installed core. Nothing was run; --fresh runs the study."
        return (
            f"{made}. The installed core is of another version, model {_core.MODEL_VERSION[:12]}, and may give other "
            "numbers. Nothing was run; --fresh runs the study."
        )


def shipped(document: Document, file: str) -> tuple[Any, Origin] | None:
    """The contents of :data:`VERDICTS` or :data:`SUMMARY` with their origin; None if the study ships without them."""
    text, origin = text_beside(document, file), text_beside(document, ORIGIN)
    if document.folder is not None or text is None or origin is None:
        return None
    return json.loads(text), Origin.of_json(json.loads(origin))


def judgements_of(document: Document, verdicts: list[dict[str, Any]]) -> list[Judgement]:
    """The judgements that :data:`VERDICTS` holds."""
    as_printed = Stored.load(document).as_printed
    return [Judgement.of_json(verdict, as_printed.get(verdict["claim"])) for verdict in verdicts]


def summary_of(document: Document, data: Mapping[str, Any]) -> Summary:
    """The summary that :data:`SUMMARY` holds."""
    tables = tuple(_table_of(document, table) for table in data["tables"])
    return Summary(document, data["runs"], tables, data.get("printed_runs", data["runs"]))


def _table_of(document: Document, data: Mapping[str, Any]) -> TableSummary:
    scores = {AGREED: Score.of_json(data)} | ({PILOT: Score.of_json(data[PILOT])} if PILOT in data else {})
    contrasts = {kind: Score.of_json(score) for kind, score in data.get("contrasts", {}).items()}
    return TableSummary(document.table(data["table"]), data["numbers"], scores, contrasts)
