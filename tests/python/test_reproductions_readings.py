"""Answers to open questions: those of the text as printed, and those that contradict each other."""

from __future__ import annotations

import pytest
from test_reproductions import TINY

from penstock import reproductions
from penstock.errors import InputError
from penstock.reproductions.document import Document
from penstock.reproductions.loading import load
from penstock.reproductions.reading import Readings


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
        with pytest.raises(InputError, match="no answer 'lonk' to tiny-a01"):
            Document.parse(self.FITTED.replace("fitted =", 'printed = "lonk"\nfitted ='))

    @pytest.mark.parametrize("name", reproductions.names())
    def test_nothing_is_fitted_in_it(self, name):
        document = load(name).document
        printed = Readings.as_printed(document)
        assert all(question.words for question in printed.fitted), "what is kept of the fitted answers is in the text"

    def test_what_contradicts_the_text_in_the_study_of_single_threshold_marking(self):
        against = {question.id for question in load("pcn").document.questions if question.against_the_text}
        assert {"pcn-a04", "pcn-a21", "pcn-a31"} <= against

    def test_it_is_refused_with_other_answers(self):
        with pytest.raises(InputError, match="--as-printed answers every question; leave --reading out"):
            reproductions.cli_reproduce("af", readings=["af-a07=min-1s"], as_printed=True)


class TestContradictions:
    @pytest.mark.parametrize(
        ("name", "answers"),
        [(name, pair) for name in reproductions.names() for pair in load(name).document.contradictions],
    )
    def test_answers_that_cannot_hold_together_are_refused_with_the_pair(self, name, answers):
        given = ["=".join(answers.one), "=".join(answers.other)]
        with pytest.raises(InputError, match=f"{given[0]} and {given[1]} contradict each other: .*; answer one of"):
            Readings.parse(load(name).document, given)

    def test_the_large_studies_know_some(self):
        assert all(load(name).document.contradictions for name in ("af", "ef", "pcn"))

    def test_no_answer_may_contradict_a_chosen_one(self):
        text = f'{TINY}\n[[contradiction]]\nanswers = ["tiny-a01=short", "tiny-a01=long"]\nreason = "both"\n'
        with pytest.raises(ValueError, match="tiny-a01=short is chosen and said to contradict another answer"):
            Document.parse(text)
