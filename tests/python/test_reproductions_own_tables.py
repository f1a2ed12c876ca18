"""Tables of our own in a published study: in the place of figures that are lost, without a print."""

import json
import runpy
from pathlib import Path

import pytest
from rich.console import Console

from penstock.records import RunRequest, RunResult
from penstock.reproductions import layout
from penstock.reproductions.claims import judge
from penstock.reproductions.comparison import compare
from penstock.reproductions.document import Document
from penstock.reproductions.evidence import Finding, above, decide, difference
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.study import Study
from penstock.reproductions.summary import null_outcomes, summarise
from penstock.reproductions.worth import board

MODULE = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "table_page.py"))
table_page, table_picture = MODULE["table_page"], MODULE["table_picture"]

LOST = """
[document]
id = "lost"
title = "A document without its figures"
authors = ["A. Author"]
year = 1998

[[table]]
id = "7"
where = "7"
caption = "Shares"
own = true
columns = [
  { name = "load", unit = "1", role = "key" },
  { name = "policy", unit = "text", role = "key" },
  { name = "share", unit = "1", role = "value" },
]
grids = [{ load = [1, 2], policy = ["plain", "fair"] }, { load = [3], policy = ["plain", "fair"] }]

[[null]]
id = "swapped"
text = "the policies exchanged"
rows = { policy = { plain = "fair", fair = "plain" } }

[[claim]]
id = "lost-c01"
where = "7"
kind = "qualitative"
basis = "prose"
claim = "Fair is better."
test = "Its share is greater at each load."
tables = ["7"]
printed_support = "none"

[[ambiguity]]
id = "lost-a01"
where = "7"
kind = "unstated"
impact = "high"
question = "How long?"
evidence = "None."
chosen = "short"
reason = "It is cheaper."
options = [
  { key = "short", text = "10 s", set = { "run.duration" = "10 s" } },
  { key = "long", text = "20 s", set = { "run.duration" = "20 s" } },
]

[[ambiguity]]
id = "lost-a02"
where = "7"
kind = "unstated"
impact = "low"
question = "Which unit?"
evidence = "None."
chosen = "one"
reason = "There is no other."
options = [{ key = "one", text = "none" }, { key = "other", text = "another", set = {} }]
"""


def fair_is_better(outcome, _findings):
    tests = []
    for load in (1, 2, 3):
        both = (outcome.values("7", "share", {"load": load, "policy": policy}) for policy in ("fair", "plain"))
        tests.append(above(str(load), difference(*both), 0.0))
    decision = decide(tests)
    return Finding.of(decision, "Shares.")


@pytest.fixture
def study():
    return Study(
        Document.parse(LOST),
        build=lambda settings, _table, row: {"": f"{settings['run.duration']} {row.name}"},
        measure=lambda *_: {},
        claims={"lost-c01": fair_is_better},
        runs=2,
    )


@pytest.fixture
def outcome(study):
    document = study.document
    outcome = Outcome(document, Readings(document), list(document.tables), 2)
    for table in document.tables:
        for row in table.rows:
            share = 0.5 + 0.1 * (row.key["policy"] == "fair")
            for noise in (-0.001, 0.002):
                run = RunResult(RunRequest("", name="row"), [], "digest", 7)
                outcome.add(table, row, {"share": share + noise * row.key["load"]}, {"": run})
    return outcome


def shown(*parts):
    console = Console(width=120, record=True, file=None, quiet=False)
    with console.capture() as captured:
        for part in parts:
            console.print(part)
    return captured.get()


class TestData:
    def test_rows_are_all_combinations_of_each_grid(self, study):
        (table,) = study.document.tables
        assert [row.id for row in table.rows] == [(n, policy) for n in (1, 2, 3) for policy in ("plain", "fair")]
        assert (table.numbers(), len(table.results()), study.document.has_print) == ([], 6, False)
        assert study.document.chosen_tables([]) == [table]

    def test_a_number_without_print_has_no_verdict(self, study, outcome):
        first = compare(study.document, outcome)[0].as_json()
        assert (first["published"], first["verdict"], first["note"]) == (None, None, "")
        assert first["mean"] == pytest.approx(0.5005)
        assert first["ci_low"] < first["mean"] < first["ci_high"]
        assert json.loads(json.dumps(first))["row"] == {"load": 1, "policy": "plain"}


class TestLooks:
    def test_tables_and_conclusion_do_not_speak_of_agreement(self, study, outcome):
        comparisons = compare(study.document, outcome)
        summary = summarise(study, outcome, outcome)
        text = shown(
            layout.beside(outcome.tables[0], comparisons),
            layout.conclusion(outcome, comparisons, None, summary),
            board(summary),
        )
        assert "0.500 ±0.019" in text
        assert "6 numbers, none of them printed" in text
        assert "by table: 7 6" in text
        assert not {"verdict", "agree ", "differs", "print\n"} & set(text.split(" "))

    def test_the_summary_counts_own_numbers_apart(self, study, outcome):
        (table,) = summarise(study, outcome, outcome).as_json()["tables"]
        assert (table["numbers"], table["computed"], table["own"]) == (0, 0, 6)

    def test_pages_and_pictures_have_our_numbers_alone(self, study, outcome):
        (table,) = study.document.tables
        comparisons = compare(study.document, outcome)
        page = table_page(study.document, table, comparisons, "it.svg")
        assert "| load | policy | share |" in page
        assert "nothing to compare them with" in page
        (legend,) = table_picture(study.document, table, comparisons).legends
        assert [text.get_text() for text in legend.get_texts()] == ["here"]


class TestClaims:
    def test_null_models_have_our_numbers_of_other_rows(self, study, outcome):
        found = null_outcomes(study, outcome)
        plain, fair = {"load": 2, "policy": "plain"}, {"load": 2, "policy": "fair"}
        assert found["swapped"].values("7", "share", plain) == outcome.values("7", "share", fair)
        # Six rows of 0.5 and 0.6 in turn, with 0.0005 times the load on top: 0.55 and 0.001.
        assert found["constant"].values("7", "share", plain) == pytest.approx([0.551, 0.551])

    def test_verdicts_name_null_models_and_the_answers_they_depend_on(self, study, outcome):
        (judgement,) = judge(study, outcome)
        assert judgement.finding.verdict == "confirmed"
        assert judgement.null == {"swapped": "refuted", "constant": "undecided"}
        assert judgement.as_json()["readings"] == ["lost-a01"]
