"""The page of every item of the five documents: each place that it names exists, and nothing of a study is left out."""

import re
from pathlib import Path

import pytest

from penstock.reference import catalogue
from penstock.reproductions.loading import load

STUDIES = Path(__file__).parents[2] / "docs" / "studies"
NAMES = ("af", "ef", "bcn", "pcn", "ubr")
KNOWN = catalogue()


def rows():
    """Of each study the rows of its table: item, where, place, and remark."""
    text = (STUDIES / "items.md").read_text(encoding="utf-8")
    found = {}
    for part in text.split("\n## ")[1:]:
        lines = [line for line in part.splitlines() if line.startswith("| ")][1:]
        found[part.partition(":")[0]] = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return found


ROWS = rows()


def exists(document, place):
    """Whether a study, or a scenario, has what this names."""
    kind, _, name = place.partition(" ")
    if kind == "table":
        return name in [table.id for table in document.tables]
    if kind == "setting":
        return any(key == name or key.startswith(f"{name}.") for key in document.stated)
    if re.fullmatch(r"\w+-[ac]\d+(\.\w)?", place):
        return place in [item.id for item in (*document.claims, *document.questions)]
    kind, _, name = place.rpartition(".")
    if kind in ("metric", "section"):
        return name in [each["name"] for each in KNOWN[f"{kind}s"]]
    return name in [each["name"] for each in KNOWN["components"].get(kind, ())]


def places(name):
    return [place for row in ROWS[name] for place in re.findall(r"`([^`]+)`", row[2])]


def test_every_document_has_a_table():
    assert tuple(ROWS) == NAMES


@pytest.mark.parametrize("name", NAMES)
class TestPlaces:
    def test_every_place_exists(self, name):
        document = load(name).document
        assert [place for place in places(name) if not exists(document, place)] == []

    def test_linked_pages_exist(self, name):
        linked = [page for row in ROWS[name] for page in re.findall(r"\]\(([^)#]+)", " ".join(row))]
        assert [page for page in linked if not (STUDIES / page).is_file()] == []

    def test_an_item_has_a_place_or_a_reason(self, name):
        assert [row[0] for row in ROWS[name] if len(row) != 4 or not (row[2] or row[3])] == []

    def test_all_of_the_study_is_named(self, name):
        document = load(name).document
        known = {item.id for item in (*document.claims, *document.questions)}
        known |= {f"table {table.id}" for table in document.tables if table.numbers()}
        assert sorted(known - set(places(name))) == []


def test_what_does_not_exist_is_found():
    document = load("af").document
    assert not any(exists(document, place) for place in ("table 9", "setting rad", "af-c99", "discipline.none", "x"))
