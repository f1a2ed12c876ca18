"""What an agreement is worth: null models, the pilot's tolerances, and summaries."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from test_reproductions import TINY, outcome_of

from penstock import reproductions
from penstock.reproductions import command, worth
from penstock.reproductions import summary as summaries
from penstock.reproductions.comparison import PILOT as PILOT_FILE
from penstock.reproductions.comparison import Pilot, load_pilot
from penstock.reproductions.document import Document
from penstock.reproductions.loading import load
from penstock.reproductions.nulls import best_constants, numbers_of
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.stored import SUMMARY, stored_outcome
from penstock.reproductions.study import Study, text_beside
from penstock.reproductions.summary import (
    AGREED,
    PILOT,
    Score,
    against_nulls,
    granted,
    means_of,
    null_numbers,
    scores_of,
    summarise,
)
from penstock.store import Store
from stored_files import pilot_of as measured_pilot
from stored_files import pilot_text

TWO_SCHEMES = """
[document]
id = "two"
title = "Two schemes"
authors = ["A. Author"]
year = 1999

[[table]]
id = "1"
where = "4"
caption = "Rates"
columns = [
  { name = "load", unit = "1", role = "key" },
  { name = "twice", unit = "1", role = "key" },
  { name = "a", unit = "kbps", role = "value", decimals = 1 },
  { name = "b", unit = "kbps", role = "value", decimals = 1 },
]
rows = [
  { load = 1, twice = 2, a = 10.0, b = 11.0 },
  { load = 2, twice = 4, a = 20.0, b = 30.0 },
  { load = 3, twice = 6, a = 30.0, b = "N/A" },
]

[[tolerance]]
columns = ["a", "b"]
absolute = 5.0
reason = "five"

[print]
runs = 4
where = "4"

[[null]]
id = "swapped"
text = "the other scheme's numbers"
columns = { a = "b", b = "a" }
schemes = true

[[null]]
id = "nothing"
text = "nothing arrives"
value = 0.0
columns = ["a"]

[[null]]
id = "offered"
text = "offered load"
columns = { a = "twice" }

[[null]]
id = "shifted"
text = "the numbers of the next load"
rows = { load = { "1" = 2, "2" = 3 } }
"""


def two():
    return Document.parse(TWO_SCHEMES)


def pilot_of(document, deviation, runs=4):
    places = [(table, row, column) for table in document.tables for row, column, _ in table.numbers()]
    return Pilot(runs, {(table.id, row.id, column.name): deviation for table, row, column in places})


def cells(table):
    return {(row.key["load"], column.name): (row, column) for row, column, _ in table.numbers()}


class TestNulls:
    def test_numbers_come_from_other_columns_rows_and_keys(self):
        document = two()
        swapped, nothing, offered, shifted = (numbers_of(document.tables, null) for null in document.nulls)
        first, second, third = (row.id for row in document.table("1").rows)
        # The third row has no number for b, and nothing is compared there.
        assert swapped == {
            ("1", first, "a"): 11.0,
            ("1", first, "b"): 10.0,
            ("1", second, "a"): 30.0,
            ("1", second, "b"): 20.0,
        }
        assert nothing == {("1", row, "a"): 0.0 for row in (first, second, third)}
        assert {place: number for place, number in offered.items() if place[2] == "a"} == {
            ("1", row, "a"): number for row, number in ((first, 2.0), (second, 4.0), (third, 6.0))
        }
        assert shifted == {("1", first, "a"): 20.0, ("1", first, "b"): 30.0, ("1", second, "a"): 30.0}

    def test_the_best_constant_is_within_most_tolerances(self):
        table = two().table("1")
        # 10 to 30 in steps of 10: with 5 allowed any two neighbours meet in one point, with 4 none.
        assert best_constants(table, lambda *_: 5.0)["a"] == 15.0
        assert best_constants(table, lambda *_: 4.0)["a"] == 10.0

    @pytest.mark.parametrize(
        ("name", "null", "tables", "agree", "of"),
        [
            # Counted by hand from the printed tables when the null models were thought of.
            ("pcn", "swapped", ("B.3", "B.4", "B.5", "B.6", "B.7"), 60, 64),
            ("pcn", "swapped", ("B.8",), 41, 48),
            ("pcn", "zero", ("B.2", "B.3", "B.4", "B.5", "B.6", "B.7"), 48, 100),
            ("af", "other-marker", ("2", "3"), 113, 120),
            ("af", "other-precedences", ("2", "3"), 92, 120),
        ],
    )
    def test_what_the_agreed_tolerances_grant(self, name, null, tables, agree, of):
        study = load(name)
        document = study.document
        numbers = numbers_of(document.tables, next(each for each in document.nulls if each.id == null))
        within = [
            abs(numbers.get((table.id, row.id, column.name), math.inf) - printed)
            <= document.tolerance(table, row, column).allows(printed)
            for table in document.tables
            if table.id in tables
            for row, column, printed in table.numbers()
        ]
        assert (sum(within), len(within)) == (agree, of)

    def test_a_perfect_counter_is_no_better_than_nothing_for_the_print(self):
        study = load("pcn")
        tables = [study.document.table(name) for name in ("B.3", "C.1")]
        numbers = null_numbers(study, Outcome(study.document, Readings(study.document), tables, 1))["counter"]
        assert numbers["B.3", ("CBR",), "stm"] == numbers["B.3", ("CBR",), "cl"] == pytest.approx(-0.0117, abs=5e-4)
        assert not [place for place in numbers if place[0] == "C.1"]

    def test_without_feedback_the_load_stays(self):
        study = load("pcn")
        tables = [study.document.table(name) for name in ("B.3", "C.1", "C.5")]
        numbers = null_numbers(study, Outcome(study.document, Readings(study.document), tables, 1))["no-feedback"]
        # 2500 and 4000 calls of 64 kbit/s where 2000 are supportable.
        assert numbers["C.1", (1.25, "CBR"), "over_termination_stm"] == pytest.approx(-25)
        assert numbers["C.5", (2.0, "CBR", "CL"), "bottleneck_5"] == pytest.approx(-100)
        assert not [place for place in numbers if place[0] == "B.3" or place[2].startswith("termination_time")]


class TestPilot:
    def test_the_tolerance_by_hand(self):
        document, table = two(), two().table("1")
        pilot = pilot_of(document, 2.0, runs=4)
        row, column = cells(table)[1, "a"]
        # t(0.975, 3) = 3.182446, 2 sqrt(1/4 + 1/4), and half a unit of the first decimal.
        assert pilot.range(document, table, row, column) == pytest.approx(3.182446 * 2 * math.sqrt(0.5) + 0.05)

    def test_it_never_allows_more_than_was_agreed(self):
        document, table = two(), two().table("1")
        row, column = cells(table)[1, "a"]
        wide = summaries._tolerances(document, table, pilot_of(document, 100.0))
        narrow = summaries._tolerances(document, table, pilot_of(document, 0.0))
        assert (wide[PILOT](row, column), narrow[PILOT](row, column)) == (5.0, 0.05)
        assert wide[AGREED](row, column) == narrow[AGREED](row, column) == 5.0

    def test_a_noisier_model_is_not_judged_more_mildly(self, monkeypatch):
        document = two()
        monkeypatch.setattr(summaries, "load_pilot", lambda _: pilot_of(document, 0.0))
        study = Study(document, build=None, measure=None, claims={})
        calm, noisy = (outcome(document, lambda row: row + 0.04, spread) for spread in (0.0, 50.0))
        counts = [summarise(study, each, None).total(PILOT)[0].agree for each in (calm, noisy)]
        assert counts == [5, 5]
        off = outcome(document, lambda row: row + 0.06, 50.0)
        assert summarise(study, off, None).total(PILOT)[0].agree == 0

    def test_its_file_has_what_it_was_made_of(self):
        document = Document.parse(TINY)
        made = measured_pilot(
            outcome_of(
                document, {"low": {"rate": [1.0, 3.0], "loss": [0, 0]}, "high": {"rate": [2, 2], "loss": [1, 2]}}
            )
        )
        assert made.deviations[("1", ("low",), "rate")] == pytest.approx(math.sqrt(2))
        read = Pilot.parse(document, pilot_text(made, document))
        assert read.runs == 2
        assert read.deviations == {place: float(f"{it:.4g}") for place, it in made.deviations.items()}

    @pytest.mark.parametrize(
        "name", [name for name in reproductions.names() if text_beside(load(name).document, PILOT_FILE)]
    )
    def test_every_number_has_one(self, name):
        document = load(name).document
        pilot = load_pilot(document)
        assert pilot is not None
        for table in document.tables:
            for row, column, _ in table.numbers():
                assert pilot.deviation(table, row, column) is not None
        assert json.loads(pilot_text(pilot, document)) == json.loads(text_beside(load(name).document, PILOT_FILE))


def outcome(document, number, spread=0.0):
    """Two runs whose mean is `number` of the print."""
    found = Outcome(document, Readings(document), list(document.tables), 2)
    for table in document.tables:
        for row in table.rows:
            cells = {column.name: row.values[column.name] for column in table.compared}
            found.put(
                table,
                row,
                {
                    name: [0.0, 0.0] if isinstance(cell, str) else [number(cell) - spread, number(cell) + spread]
                    for name, cell in cells.items()
                },
            )
    return found


class TestBeside:
    def test_the_best_null_model_is_named_with_its_count(self):
        score = Score(20, 15, 9, {"a": 4, "b": 11})
        assert against_nulls([score]) == "best null model 11 (b), discrimination +0.20"
        assert against_nulls([Score(6, 6, None, {"swapped": 6})]) == "best null model 6 (swapped), discrimination +0.00"

    def test_of_several_tables_it_is_the_best_of_each(self):
        scores = [Score(10, 9, 5, {"a": 8, "b": 1}), Score(10, 4, 5, {"a": 1, "b": 6})]
        assert granted(scores) == (14, -0.05)
        assert against_nulls(scores) == "each table's best null model 14, discrimination -0.05"

    def test_a_score_is_read_as_it_was_written(self):
        for score in (Score(20, 15, 9, {"a": 4}), Score(20, 15, None, {"a": 4}, 18.5)):
            assert Score.of_json(score.as_json()) == score

    @pytest.mark.parametrize("name", ["af", "md1k", "pcn"])
    def test_scores_without_runs_of_null_models_are_those_of_the_summary(self, name):
        study = load(name)
        made = stored_outcome(study)
        scores = scores_of(study, made.tables, means_of(made))
        known = json.loads(text_beside(study.document, SUMMARY))["tables"]
        assert [(score.agree, dict(score.null)) for score in scores] == [(it["agree"], it["null"]) for it in known]

    def test_of_what_is_there_only_the_rows_that_were_run_count(self):
        study = load("md1k")
        whole, part = stored_outcome(study), stored_outcome(study)
        first, second = whole.tables
        for row in (*first.rows, second.rows[0]):
            del part._rows[first.id if row in first.rows else second.id, row.id]
        (score,) = summarise(study, part.made(), None).agreed
        assert (score.computed, score.agree) == (2, 2)
        assert [len(table.rows) for table in part.made().tables] == [2]
        assert whole.made() == whole


class TestSummary:
    def test_discrimination_is_the_lead_over_the_best_null_model(self):
        score = Score(20, 15, 9, {"a": 4, "b": 11})
        assert (score.best, score.lead, score.discrimination) == (11, 4, 0.2)
        assert Score(20, 5, None, {"a": 11}).discrimination == -0.3

    def test_by_hand(self, monkeypatch):
        document = two()
        monkeypatch.setattr(summaries, "load_pilot", lambda _: None)
        study = Study(document, build=None, measure=None, claims={})
        # 4 more than printed agrees everywhere, 6 more nowhere.
        made = summarise(study, outcome(document, lambda cell: cell + 4), outcome(document, lambda cell: cell + 6))
        assert made.as_json() == {
            "document": "two",
            "runs": 2,
            "tables": [
                {
                    "table": "1",
                    "numbers": 5,
                    "computed": 5,
                    "agree": 5,
                    "as_printed": 0,
                    # A constant of 15 agrees with two of three in a, and one of 11 or 30 with one of two in b.
                    "discrimination": 0.4,
                    "null": {"swapped": 2, "nothing": 0, "offered": 0, "shifted": 0, "constant": 3},
                }
            ],
        }

    def test_fewer_runs_under_the_text_as_printed_are_told(self, monkeypatch):
        document = two()
        monkeypatch.setattr(summaries, "load_pilot", lambda _: None)
        study = Study(document, build=None, measure=None, claims={})
        chosen = outcome(document, lambda cell: cell)
        printed = outcome(document, lambda cell: cell)
        printed.runs = 1
        assert summarise(study, chosen, printed).as_json()["printed_runs"] == 1
        assert "printed_runs" not in summarise(study, chosen, None).as_json()
        data = json.dumps(summarise(study, chosen, printed).as_json())
        monkeypatch.setattr(worth, "text_beside", lambda *_: data)
        section = "\n".join(worth.worth_section(document))
        assert "Of 2 runs, 1 under the text as printed. Next to our count" in section

    def test_leads_of_tables_add_up(self):
        tables = [load("af").document.table(name) for name in ("2", "3")]
        parts = (Score(10, 9, 5, {"a": 8, "b": 1}), Score(10, 4, 5, {"a": 1, "b": 6}))
        made = summaries.Summary(
            load("af").document,
            10,
            tuple(summaries.TableSummary(table, 10, {AGREED: it}) for table, it in zip(tables, parts, strict=True)),
        )
        total, discrimination = made.total(AGREED)
        assert (total.agree, total.as_printed, total.null) == (13, 10, {"a": 9, "b": 7})
        # 9 - 8 and 4 - 6, of 20.
        assert discrimination == pytest.approx(-1 / 20)

    def test_the_command(self, tmp_path, capsys):
        asked = command.Asked(("3",), runs=1, store=Store(tmp_path))
        command.summary("af", replace(asked, as_json=True))
        found = json.loads(capsys.readouterr().out)
        assert (found["document"], found["runs"]) == ("af", 1)
        (table,) = found["tables"]
        assert (table["table"], table["numbers"], table["computed"]) == ("3", 60, 60)
        assert table["null"]["other-marker"] == 57
        assert table["discrimination"] == round((table["agree"] - 57) / 60, 3)
        assert table["as_printed"] < table["agree"]
        assert table["pilot"]["agree"] < table["agree"]
        command.summary("af", asked)
        shown = capsys.readouterr().out
        assert "57 other-marker" in shown
        # Of the fitted answers one is the text's own, and under --as-printed that is said.
        command.reproduce("af", replace(asked, as_printed=True))
        printed = capsys.readouterr().out
        assert "Fitted to these very numbers, but also the text's own: af-a02=count." in printed
        assert "no independent support" not in printed
        assert "Against the words" not in printed
        assert "Fitted to these very numbers, so no independent support: af-a02=count, af-a05=" in shown
        assert "Against the words of the text: af-a05=received-100.1s, af-a07=delayed-acks." in shown
