"""The results of a study that ship with the package: counts and verdicts without a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from penstock.reproductions.claims import Judgement
from penstock.reproductions.fits import Stored
from penstock.reproductions.origin import Origin
from penstock.reproductions.study import text_beside
from penstock.reproductions.summary import AGREED, PILOT, Score, Summary, TableSummary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.document import Document

VERDICTS = "verdicts.json"
"""What ``penstock reproduce DOC --claims --fresh --format json`` printed when the results were renewed."""
SUMMARY = "summary.json"
"""What ``penstock reproduce DOC --summary --fresh --format json`` printed when the results were renewed."""
ORIGIN = "origin.json"
"""The model version and the date of the renewal."""


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
