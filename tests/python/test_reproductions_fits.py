"""Which fitted answers a claim rests on, verdicts under the text's own answers, and more runs for open claims."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from test_reproductions import TINY, result

from penstock import reproductions
from penstock.errors import InputError
from penstock.reproductions import claims
from penstock.reproductions.claims import decide_sequentially, judge, looks
from penstock.reproductions.document import Document
from penstock.reproductions.evidence import Estimate, Finding, above, below, decide, runs_told, within
from penstock.reproductions.fits import Looked, OtherVerdicts, Stored, Watched
from penstock.reproductions.layout import remarks
from penstock.reproductions.loading import load
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.study import Study, text_beside

CLAIMED = (
    TINY.replace('reason = "It says so', 'printed = "long"\nwords = "2"\nfitted = "To it."\nreason = "It says so')
    + """
[[ambiguity]]
id = "tiny-a02"
where = "3"
kind = "unstated"
impact = "low"
question = "In what unit?"
evidence = "None."
chosen = "bits"
reason = "So it fits."
fitted = "To the losses."
printed = "bytes"
options = [
  { key = "bits", text = "bits", set = { "unit" = "bits" } },
  { key = "bytes", text = "bytes", set = { "unit" = "bytes" } },
]
"""
    + "".join(
        f"""
[[claim]]
id = "tiny-c{n:02}"
where = "4"
kind = "quantitative"
basis = "prose"
claim = "{claim}"
test = "As it says."
tables = ["1"]
printed_support = "yes"
"""
        for n, claim in enumerate(("The rate is high.", "Nothing is lost.", "Both.", "It lasts."), 1)
    )
)


def study(**more):
    """The rate's scenario depends on the first question, losses are measured by the second, an experiment on both."""
    document = Document.parse(CLAIMED)

    def rate_is_high(outcome, _):
        return Finding.of(decide([above("rate", Estimate.of(outcome.values("1", "rate", {"load": "high"})), 15)]), "")

    def nothing_is_lost(outcome, _):
        return Finding.of(decide([below("loss", Estimate.of(outcome.values("1", "loss", {"load": "high"})), 9)]), "")

    def both(_, findings):
        verdicts = {findings[claim].verdict for claim in ("tiny-c01", "tiny-c02")}
        return Finding("confirmed" if verdicts == {"confirmed"} else "undecided", "")

    def it_lasts(outcome, _):
        unit = outcome.readings.settings().having({"other": 1})["unit"]
        return Finding("confirmed", f"{len(outcome.experiments['alone'])} {unit}")

    tests = {"tiny-c01": rate_is_high, "tiny-c02": nothing_is_lost, "tiny-c03": both, "tiny-c04": it_lasts}
    usual = {
        "build": lambda settings, _table, _row: {"rate": settings["run.duration"], "loss": "the same"},
        "measure": lambda *_: {},
        "claims": tests,
        "experiments": lambda _: {"alone": "the same"},
        "part_of": lambda _table, column: column,
        "measured": {"unit": ("loss",)},
    }
    return Study(document, **{**usual, **more})


def outcome(rates, document=None, readings=()):
    document = document or Document.parse(CLAIMED)
    found = Outcome(
        document, Readings(document, dict(each.split("=") for each in readings)), list(document.tables), len(rates)
    )
    for table in document.tables:
        for row in table.rows:
            found.put(table, row, {"rate": rates, "loss": [0.5] * len(rates)})
    found.experiments["alone"] = [result()]
    return found


class TestFits:
    def test_a_claim_rests_on_the_fitted_answers_that_move_what_it_looks_at(self):
        fitted = {it.claim: it.fitted for it in judge(study(), outcome([20.0, 20.1]))}
        assert fitted == {
            # By its scenario; by its measuring; by the claims that it builds on; by a setting that the test reads.
            "tiny-c01": ("tiny-a01",),
            "tiny-c02": ("tiny-a02",),
            "tiny-c03": ("tiny-a01", "tiny-a02"),
            "tiny-c04": ("tiny-a02",),
        }

    def test_without_parts_a_row_is_one(self):
        fitted = {it.claim: it.fitted for it in judge(study(part_of=None), outcome([20.0, 20.1]))}
        assert fitted["tiny-c02"] == ("tiny-a01", "tiny-a02")

    def test_answers_that_are_not_the_fitted_ones_do_not_count(self):
        found = judge(study(), outcome([20.0, 20.1], readings=["tiny-a01=long"]))
        assert [it.fitted for it in found] == [(), ("tiny-a02",), ("tiny-a02",), ("tiny-a02",)]

    def test_what_was_looked_at_is_kept(self):
        watched = Watched(outcome([1.0, 2.0]))
        watched.values("1", "rate", {"load": "low"})
        assert watched.experiments["alone"]
        assert watched.looked == Looked({("1", ("low",), "rate")}, {"alone"}, set())
        with pytest.raises(KeyError, match="was not run"):
            watched.digests("1", {"load": "low"})

    def test_a_verdict_that_is_another_under_another_answer_says_so(self, monkeypatch):
        verdicts = {"tiny-a01=long": {"tiny-c01": "refuted"}, "tiny-a02=bytes": {"tiny-c02": "confirmed"}}
        stored = Stored({}, OtherVerdicts(verdicts))
        monkeypatch.setattr(Stored, "load", classmethod(lambda *_: stored))
        first, second, *_ = judge(study(), outcome([20.0, 20.1]))
        assert (first.changes, second.changes) == ({"tiny-a01=long": "refuted"}, {})
        assert "Turns to refuted under tiny-a01=long." in remarks(first)
        assert "Rests on fitted answers: tiny-a01." in remarks(first)
        # The stored results are about the chosen answers.
        assert not judge(study(), outcome([20.0, 20.1], readings=["tiny-a02=bytes"]))[0].changes

    def test_a_verdict_that_is_another_under_all_the_texts_answers_says_so(self, monkeypatch):
        stored = Stored({"tiny-c01": "refuted", "tiny-c02": "confirmed"})
        monkeypatch.setattr(Stored, "load", classmethod(lambda *_: stored))
        first, second, third, _ = judge(study(), outcome([20.0, 20.1]))
        assert "With every answer as the text has it: refuted." in remarks(first)
        # The second stays confirmed, and of the third nothing is stored.
        assert "With every answer" not in " ".join([*remarks(second), *remarks(third)])
        assert "as_printed" not in first.as_json()
        # The stored counts are next to the chosen answers.
        other = judge(study(), outcome([20.0, 20.1], readings=["tiny-a02=bytes"]))[0]
        assert "With every answer" not in " ".join(remarks(other))

    def test_the_page_of_a_study_says_so_too(self):
        document = load("pcn").document
        known = Stored.load(document).as_printed
        lines = [line for line in reproductions.explain("pcn").splitlines() if line.startswith("- `pcn-c")]
        told = [line for line in lines if "with every answer as the text has it: " in line]
        # Four claims have no stored verdict under the text's answers.
        assert len(told) == 16
        for item in json.loads(text_beside(document, "verdicts.json")):
            (line,) = (line for line in lines if line.startswith(f"- `{item['claim']}`"))
            other = known.get(item["claim"])
            is_told = f"with every answer as the text has it: {other})" in line
            assert is_told == (other not in (None, item["verdict"]))

    def test_fitted_answers_that_are_the_texts_own_say_so_where_all_are(self):
        (first, *_) = judge(study(), outcome([20.0, 20.1]))
        assert "Rests on fitted answers that are also the text's own: tiny-a01." in remarks(first, of_the_text=True)

    def test_null_models_have_verdicts_where_they_have_numbers(self, monkeypatch):
        document = Document.parse(CLAIMED)
        null = Outcome(document, Readings(document), list(document.tables), 2)
        (table,) = document.tables
        null.put(table, table.rows[1], {"rate": [30.0, 30.1]})
        monkeypatch.setattr(claims, "null_outcomes", lambda *_: {"other": null})
        found = {it.claim: it.null for it in judge(study(), outcome([20.0, 20.1]))}
        assert found == {"tiny-c01": {"other": "confirmed"}, "tiny-c02": {}, "tiny-c03": {}, "tiny-c04": {}}

    def test_times_on_a_single_link_rest_on_seven_fitted_answers(self):
        pcn = {item["claim"]: item for item in json.loads(text_beside(load("pcn").document, "verdicts.json"))}
        assert pcn["pcn-c38"]["fitted"] == [
            *("pcn-a03", "pcn-a04", "pcn-a17", "pcn-a18", "pcn-a19", "pcn-a20", "pcn-a31")
        ]
        assert "pcn-a31" in pcn["pcn-c01"]["fitted"]

    @pytest.mark.parametrize(
        "name", [name for name in reproductions.names() if text_beside(load(name).document, "fits.json")]
    )
    def test_the_page_names_the_fitted_answers_of_each_claim(self, name):
        page, verdicts = reproductions.explain(name), json.loads(text_beside(load(name).document, "verdicts.json"))
        for item in verdicts:
            lines = [line for line in page.splitlines() if line.startswith(f"- `{item['claim']}`")]
            (line,) = (line for line in lines if f"**{item['verdict']}**" in line)
            assert all(f"`{question}`" in line for question in item["fitted"])
            own = reproductions.explain(item["claim"])
            assert all(f"`{question}`" in own for question in item["fitted"])


class TestRunsToDecide:
    # 1, 2, 3: mean 2, standard deviation 1.
    estimate = Estimate.of([1.0, 2.0, 3.0])

    def test_the_least_number_that_would_settle_a_statement(self):
        # A lead of one standard deviation: t = sqrt(n). P(t > 2) is 0.0697 on 3 degrees, P(t > 2.236) 0.0445 on 4.
        assert above("x", self.estimate, 1.0).runs_to_settle(0.05) == 5
        assert below("x", self.estimate, 3.0).runs_to_settle(0.05) == 5
        assert below("x", self.estimate, 1.0).runs_to_settle(0.05) == 5
        assert within("x", self.estimate, 1.0, 9.0).runs_to_settle(0.05) == 5
        assert above("x", self.estimate, 2.0).runs_to_settle(0.05) is None
        assert above("x", Estimate.of([1.0]), 0.0).runs_to_settle(0.05) is None
        assert above("x", Estimate.of([1.0, 1.0]), 0.5).runs_to_settle(0.05) == 2

    def test_of_several_the_slowest_counts_unless_one_fails(self):
        quick, slow = above("quick", self.estimate, 0.0), above("slow", self.estimate, 1.5)
        wrong = above("wrong", self.estimate, 3.0)
        alone = decide([slow], 0.05 / 2).runs_to_decide
        assert decide([quick, slow]).runs_to_decide == alone
        assert decide([slow, wrong]).runs_to_decide < alone
        assert Finding.of(decide([slow]), "").runs_to_decide == slow.runs_to_settle(0.05)
        assert Finding("undecided", "").runs_to_decide is None
        assert Finding.of(decide([above("sure", self.estimate, -99.0)]), "").runs_to_decide is None

    def test_it_is_told(self):
        # 16, 20, 24: mean 20, lead 5 at 15, standard deviation 4; one statement at 5 %.
        open_claim, *_ = judge(study(), outcome([10.0, 20.0, 30.0]))
        assert open_claim.as_json()["runs_to_decide"] == 13
        assert "About 13 runs would decide it." in remarks(open_claim)

    def test_it_is_not_told_of_means_too_close_to_the_margin(self):
        assert runs_told(200, 10) == "About 200 runs would decide it."
        close = "More than 200 runs would decide it, or it is too close to the margin to tell."
        assert runs_told(201, 10) == runs_told(1152, 10) == close
        assert runs_told(None, 10) == "No number of runs would decide it."
        assert runs_told(None, 1) == "One run does not tell how many would decide it."
        # 5.1, 15.1, 25.1: mean 15.1, a lead of 0.1 with a standard deviation of 10.
        open_claim, *_ = judge(study(), outcome([5.1, 15.1, 25.1]))
        assert open_claim.as_json()["runs_to_decide"] > 10_000
        assert "More than 60 runs would decide it, or it is too close to the margin to tell." in remarks(open_claim)
        assert "About 1024" not in reproductions.explain("pcn-c06")
        assert close.replace("200", "100") in reproductions.explain("pcn-c06")


class TestSequential:
    def test_a_limit_below_the_first_runs_is_refused(self):
        with pytest.raises(InputError, match="a limit of 3 runs is below the 5 that are made at first"):
            looks(5, 3)

    def test_open_claims_get_more_runs_and_only_of_what_they_look_at(self, monkeypatch):
        made = []

        def more(_study, looked, _readings, runs):
            made.append((runs, {column for *_, column in looked.numbers}))
            return SimpleNamespace(run=lambda _: None), outcome([10.0, 20.0, 30.0] * (runs // 3))

        monkeypatch.setattr(claims, "plan_looked_at", more)
        found = {it.claim: it for it in decide_sequentially(study(), outcome([10.0, 20.0, 30.0]), 24)}
        # A lead of 5 with a standard deviation of 10, 9 and 8.5: four looks at 1.25 % need 24 runs.
        assert [runs for runs, _ in made] == [6, 12, 24]
        assert all(columns == {"rate", "loss"} for _, columns in made)
        assert (found["tiny-c01"].finding.verdict, found["tiny-c01"].runs) == ("confirmed", 24)
        assert (found["tiny-c02"].finding.verdict, found["tiny-c02"].runs) == ("confirmed", 3)
        assert found["tiny-c03"].fitted == ("tiny-a01", "tiny-a02")

    def test_every_look_has_its_share_of_the_error(self):
        # t = 5 / (10 / sqrt(3)) ... on 2 degrees; confirmed at 20 % alone, open where four looks share 5 %.
        run = outcome([14.0, 18.0, 19.5])
        assert judge(study(), run)[0].finding.verdict == "undecided"
        run = outcome([17.0, 18.0, 19.5])
        assert judge(study(), run)[0].finding.verdict == "confirmed"
        assert judge(study(), run, level=0.05 / 4)[0].finding.verdict == "undecided"
        assert judge(study(), run, level=0.05 / 4)[0].finding.decision.level == 0.0125
