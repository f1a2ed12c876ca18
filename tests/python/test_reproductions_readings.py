"""Answers to open questions: their settings, the answers of the text as printed, and contradictory answers."""

from __future__ import annotations

import pytest
from test_reproductions import TINY

from penstock import reproductions
from penstock.errors import InputError
from penstock.reproductions import command
from penstock.reproductions.command import Asked
from penstock.reproductions.document import Document
from penstock.reproductions.loading import load
from penstock.reproductions.reading import Readings


class TestReadings:
    def test_settings_are_what_is_stated_and_what_is_answered(self):
        document = Document.parse(TINY)
        assert dict(Readings(document).settings()) == {"link.rate_bps": 1000, "run.duration": "10 s"}
        assert Readings(document, {"tiny-a01": "long"}).settings()["run.duration"] == "20 s"

    def test_only_other_answers_count_as_changed(self):
        document = Document.parse(TINY)
        assert Readings(document, {"tiny-a01": "short"}).changed == {}
        assert Readings(document, {"tiny-a01": "long"}).changed == {"tiny-a01": "long"}

    @pytest.mark.parametrize(
        ("argument", "message"),
        [
            ("tiny-a1=long", r"no reading 'tiny-a1' in tiny; did you mean 'tiny-a01'\? Its only reading is tiny-a01\."),
            ("tiny-a01=lonk", r"no answer 'lonk' to tiny-a01; did you mean 'long'\? Its answers are short and long\."),
        ],
    )
    def test_unknown_answers_are_refused(self, argument, message):
        with pytest.raises(InputError, match=message):
            Readings(Document.parse(TINY), dict([argument.split("=")]))


class TestAsPrinted:
    FITTED = TINY.replace('reason = "It says so', 'fitted = "To the rates."\nreason = "It says so')

    def test_a_fitted_answer_needs_what_the_document_has_instead(self):
        with pytest.raises(ValueError, match="tiny-a01: is fitted, so `printed` has to say"):
            Document.parse(self.FITTED)

    def test_the_texts_answers_are_taken_where_there_are_any(self):
        document = Document.parse(self.FITTED.replace("fitted =", 'printed = "long"\nwords = "2: 20 s."\nfitted ='))
        assert Readings.as_printed(document).changed == {"tiny-a01": "long"}
        assert Readings.as_printed(document).fitted == []
        (question,) = document.questions
        assert question.against_the_text
        silent = Document.parse(self.FITTED.replace("fitted =", 'printed = "long"\nfitted ='))
        assert not silent.questions[0].against_the_text
        assert Readings.as_printed(Document.parse(TINY)).changed == {}

    def test_an_unknown_answer_of_the_text_is_refused(self):
        with pytest.raises(ValueError, match="no answer 'lonk' to tiny-a01"):
            Document.parse(self.FITTED.replace("fitted =", 'printed = "lonk"\nfitted ='))

    @pytest.mark.parametrize("name", reproductions.names())
    def test_nothing_is_fitted_in_it(self, name):
        document = load(name).document
        printed = Readings.as_printed(document)
        assert all(question.words for question in printed.fitted), "the document states the remaining answers"

    def test_what_contradicts_the_text_in_the_study_of_single_threshold_marking(self):
        against = {question.id for question in load("pcn").document.questions if question.against_the_text}
        assert {"pcn-a04", "pcn-a21", "pcn-a31"} <= against

    def test_it_is_refused_with_other_answers(self):
        with pytest.raises(InputError, match="--as-printed answers every question; leave --reading out"):
            command.reproduce("af", Asked(readings={"af-a07": "min-1s"}, as_printed=True))


class TestContradictions:
    @pytest.mark.parametrize(
        ("name", "answers"),
        [(name, pair) for name in reproductions.names() for pair in load(name).document.contradictions],
    )
    def test_answers_that_cannot_hold_together_are_refused_with_the_pair(self, name, answers):
        given = ["=".join(answers.one), "=".join(answers.other)]
        with pytest.raises(InputError, match=f"{given[0]} and {given[1]} contradict each other: .*; answer one of"):
            Readings(load(name).document, dict(each.split("=") for each in given))

    def test_the_large_studies_know_some(self):
        assert all(load(name).document.contradictions for name in ("af", "ef", "pcn"))

    def test_no_answer_may_contradict_a_chosen_one(self):
        text = f'{TINY}\n[[contradiction]]\nanswers = ["tiny-a01=short", "tiny-a01=long"]\nreason = "both"\n'
        with pytest.raises(ValueError, match="tiny-a01=short is chosen and said to contradict another answer"):
            Document.parse(text)
