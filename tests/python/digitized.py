"""The documents as they were digitized, and whether a study's data are faithful to them."""

import json
import tomllib
from pathlib import Path

from penstock.reproductions.loading import load
from penstock.reproductions.study import text_beside

SEEDS = Path(__file__).parent / "seeds"
OURS = ("label", "compared")
"""What a study adds to a column."""
KINDS = {
    "claim": ("id", "where", "kind", "basis", "tables", "printed_support"),
    "ambiguity": ("id", "where", "kind", "impact"),
}


def digitized(name):
    return json.loads((SEEDS / f"{name}.json").read_text(encoding="utf-8"))


def check_faithful(name):
    """The settings and tables equal the digitized document's, and its claims and open questions are all there."""
    seed, ours = digitized(name), tomllib.loads(text_beside(load(name).document, "document.toml"))
    assert ours["setup"] == seed["setup"]
    for table, printed in zip(ours["table"], seed["table"], strict=True):
        columns = [{key: it for key, it in column.items() if key not in OURS} for column in table["columns"]]
        assert {key: it for key, it in {**table, "columns": columns}.items() if key != "not-computed"} == printed
    for kind, names in KINDS.items():
        known = {item["id"] for item in seed[kind]}
        # The digitized document lacks questions that came up later.
        found = [{key: item[key] for key in names} for item in ours[kind] if item["id"] in known]
        assert found == seed[kind]
