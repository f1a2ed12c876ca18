"""Contrasts: orderings, slopes and differences that the print shows clearly, and how many of them a study has right."""

from __future__ import annotations

import json

import pytest
from test_reproductions_worth import outcome, pilot_of, two

from penstock.reproductions import summary as summaries
from penstock.reproductions.contrasts import DIFFERENCE, ORDERING, SLOPE, clear_contrasts
from penstock.reproductions.document import Document
from penstock.reproductions.loading import load
from penstock.reproductions.stored import SUMMARY, stored_outcome
from penstock.reproductions.study import Study, text_beside
from penstock.reproductions.summary import summarise


class TestContrasts:
    def contrasts(self, deviation=0.0):
        document = two()
        return clear_contrasts(document, document.table("1"), pilot_of(document, deviation), lambda *_: 1.0)

    def test_pairs_that_differ_in_one_respect(self):
        found = [
            (each.kind, each.left[1][0], each.left[2], each.right[1][0], each.right[2]) for each in self.contrasts()
        ]
        assert found == [
            # The column `twice` follows from `load`, so rows differ in one setting. b has two rows.
            (ORDERING, 1, "a", 2, "a"),
            (ORDERING, 1, "a", 3, "a"),
            (ORDERING, 2, "a", 3, "a"),
            (SLOPE, 1, "a", 3, "a"),
            (ORDERING, 1, "b", 2, "b"),
            (DIFFERENCE, 1, "a", 1, "b"),
            (DIFFERENCE, 2, "a", 2, "b"),
        ]

    def test_only_what_the_print_shows_clearly_counts(self):
        # Two ranges of t(0.975, 3) sqrt(1/2) s and the rounding: s = 1 makes 3.25, s = 4 makes 12.8.
        assert len(self.contrasts(1.0)) == 6
        assert [each.printed for each in self.contrasts(4.0)] == [-20.0, -20.0, -19.0]

    def test_orderings_need_the_sign_and_the_others_the_size(self):
        ordering, *_, difference = self.contrasts()
        places = ordering.left, ordering.right
        assert ordering.agrees(dict(zip(places, (5.0, 5.1), strict=True)))
        assert not ordering.agrees(dict(zip(places, (5.0, 5.0), strict=True)))
        places = difference.left, difference.right
        # -10 printed, and sqrt(2) allowed.
        assert difference.agrees(dict(zip(places, (0.0, 11.4), strict=True)))
        assert not difference.agrees(dict(zip(places, (0.0, 11.5), strict=True)))
        assert not difference.agrees({difference.left: 0.0})

    def test_a_constant_has_none_and_swapped_schemes_have_them_reversed(self, monkeypatch):
        document = two()
        monkeypatch.setattr(summaries, "load_pilot", lambda _: pilot_of(document, 0.0))
        study = Study(document, build=None, measure=None, claims={})
        (table,) = summarise(study, outcome(document, lambda cell: cell), None).tables
        ordering, difference = table.contrasts[ORDERING], table.contrasts[DIFFERENCE]
        assert (ordering.agree, ordering.null["constant"]) == (4, 0)
        assert (difference.agree, difference.null["swapped"]) == (2, 0)
        # One constant a column has one difference: that of the row which it is right in.
        assert (difference.null["constant"], difference.discrimination) == (1, 0.5)

    FIRST = ("1.28M", "192", "x", "p")
    OTHERS = ("128k", "256", "y", "q")

    def ends(self, kind):
        """The contrasts of one kind of a table that varies a rate, a token rate, a kind of three, and the scheme."""
        names = ("rate", "token", "kind", "by")
        settings = [self.FIRST, ("1.28M", "192", "z", "p")]
        settings += [(*self.FIRST[:n], other, *self.FIRST[n + 1 :]) for n, other in enumerate(self.OTHERS)]
        columns = [{"name": name, "unit": "1", "role": "key"} for name in names]
        columns += [{"name": "a", "unit": "kbps", "role": "value", "decimals": 1}]
        rows = [dict(zip(names, keys, strict=True), a=10.0 * n) for n, keys in enumerate(settings)]
        about = {"id": "kinds", "title": "Kinds", "authors": ["A. Author"], "year": 1999}
        table = {"id": "1", "where": "4", "caption": "Rates", "columns": columns, "rows": rows}
        swapped = {"id": "swapped", "text": "the other's", "rows": {"by": {"p": "q", "q": "p"}}, "schemes": True}
        document = Document.of({"document": about, "table": [table], "null": [swapped]})
        found = clear_contrasts(document, document.table("1"), pilot_of(document, 0.0), lambda *_: 1.0)
        return {(each.left[1], each.right[1]) for each in found if each.kind == kind}

    def test_two_values_make_a_slope_and_three_only_if_they_are_numbers(self):
        # Three kinds have no first and last, and the schemes are a difference and not a slope as well.
        assert self.ends(SLOPE) == {
            (self.FIRST, ("128k", "192", "x", "p")),
            (self.FIRST, ("1.28M", "256", "x", "p")),
        }
        assert (self.FIRST, ("1.28M", "192", "x", "q")) in self.ends(DIFFERENCE)

    OF_TWO_TABLES = """
[document]
id = "tables"
title = "A table for each scheme"
authors = ["A. Author"]
year = 1999

[[table]]
id = "1"
where = "4"
caption = "One"
columns = [{ name = "cir", unit = "1", role = "key" }, { name = "a", unit = "kbps", role = "value", decimals = 1 }]
rows = [{ cir = 1, a = 10.0 }, { cir = 2, a = 20.0 }]

[[table]]
id = "2"
where = "4"
caption = "Other"
columns = [{ name = "cir", unit = "1", role = "key" }, { name = "a", unit = "kbps", role = "value", decimals = 1 }]
rows = [{ cir = 1, a = 13.0 }, { cir = 2, a = 20.0 }]

[[tolerance]]
columns = ["a"]
absolute = 1.0
reason = "one"

[[null]]
id = "swapped"
text = "the other scheme's table"
tables = { "1" = "2", "2" = "1" }
schemes = true
"""

    @pytest.mark.parametrize("mapped", ['{ "1" = "2", "2" = "1" }', '{ "1" = "2" }', '{ "2" = "1" }'])
    def test_schemes_in_two_tables_are_apart_once(self, mapped):
        document = Document.parse(self.OF_TWO_TABLES.replace('{ "1" = "2", "2" = "1" }', mapped))
        pilot = pilot_of(document, 0.0)
        found = [
            (table.id, frozenset([each.left, each.right]), abs(each.printed))
            for table in document.tables
            for each in clear_contrasts(document, table, pilot, lambda *_: 1.0, document.tables)
            if each.kind == DIFFERENCE
        ]
        # The second rows are printed alike.
        where = "2" if mapped == '{ "2" = "1" }' else "1"
        assert found == [(where, frozenset([("1", (1,), "a"), ("2", (1,), "a")]), 3.0)]
        for table in document.tables:
            alone = clear_contrasts(document, table, pilot, lambda *_: 1.0, [table])
            assert DIFFERENCE not in {each.kind for each in alone}

    def test_schemes_in_two_tables_are_scored(self, monkeypatch):
        document = Document.parse(self.OF_TWO_TABLES)
        monkeypatch.setattr(summaries, "load_pilot", lambda _: pilot_of(document, 0.0))
        study = Study(document, build=None, measure=None, claims={})
        first, second = summarise(study, outcome(document, lambda cell: cell), None).tables
        assert (first.contrasts[DIFFERENCE].agree, first.contrasts[DIFFERENCE].null["swapped"]) == (1, 0)
        assert second.contrasts[DIFFERENCE].computed == 0

    def test_what_tells_the_markers_of_assured_forwarding_apart(self):
        study = load("af")
        made = summarise(study, stored_outcome(study), None)
        differences = made.total(DIFFERENCE)[0]
        assert (differences.computed, differences.agree, differences.best) == (4, 1, 0)
        known = json.loads(text_beside(study.document, SUMMARY))["tables"]
        for table, then in zip(made.as_json()["tables"], known, strict=True):
            for kind, now in table["contrasts"].items():
                assert now | {"as_printed": None} == then["contrasts"][kind] | {"as_printed": None}
