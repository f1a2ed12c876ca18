"""Second looks at claims that the usual number of runs leaves undecided."""

from __future__ import annotations

import json

import pytest
from test_reproductions_alternatives import A01, A02, CLEAR, replaced
from test_reproductions_fits import outcome, study

import renew
from penstock import reproductions
from penstock.errors import InputError
from penstock.reproductions.claims import judge
from penstock.reproductions.evidence import UNDECIDED
from penstock.reproductions.fits import OtherVerdicts, Stored
from penstock.reproductions.loading import load
from penstock.reproductions.stored import Origin, stored_outcome
from penstock.reproductions.study import text_beside
from second_looks import FILE, SECOND, SecondLook, as_text, judged_again, look_again, stored_looks
from stored_files import reopened

SHIPPED = [name for name in reproductions.names() if text_beside(load(name).document, FILE)]
ORIGIN = Origin("0" * 32, "2026-11-29")
# On both sides of 15, where the rate of the first claim has to be above.
OPEN = [14.0, 16.1]


class AskedError(Exception):
    """Replaces running; has the points."""


class Asks:
    def make(self, points):
        raise AskedError([(point.replications, point.point.parameters) for point in points])


@pytest.mark.parametrize("name", SHIPPED)
class TestShipped:
    def test_verdicts_follow_from_the_runs_of_both_looks(self, name):
        own, first, looks = load(name), stored_outcome(load(name)), stored_looks(load(name))
        kept = {item["claim"]: item for item in json.loads(text_beside(own.document, "verdicts.json"))}
        assert looks
        for claim in looks:
            (judgement,) = judge(own, first, only=[claim])
            assert judgement.finding.verdict == UNDECIDED
            (again,) = judged_again(own, [judgement], {claim: looks[claim]})
            assert again.as_json() == kept[claim]
            assert again.finding.note.startswith(f"Second look, with {again.runs} runs at 2.5 %.")
            assert ("There is no third" in again.finding.note) == (again.finding.verdict == UNDECIDED)

    def test_the_first_look_fixed_the_number_of_runs(self, name):
        own, first = load(name), stored_outcome(load(name))
        for claim, look in stored_looks(own).items():
            (judgement,) = judge(own, first, level=SECOND, only=[claim])
            assert judgement.finding.runs_to_decide == look.outcome.runs
            for table, row, values in look.outcome.measured():
                for column, before in first.all_values(table, row).items():
                    assert values[column][: first.runs] == before
                    assert len(values[column]) == look.outcome.runs

    def test_the_file_is_written_as_it_was_read(self, name):
        own = load(name)
        assert as_text(stored_outcome(own), stored_looks(own)) == text_beside(own.document, FILE)


class TestRuns:
    def test_only_later_runs_of_what_the_claim_looks_at_are_made(self):
        own = load("ubr")
        with pytest.raises(AskedError) as asked:
            look_again(own, stored_outcome(own), "ubr-c42", Asks())
        points = asked.value.args[0]
        assert {replications for replications, _ in points} == {(5, 6, 7)}
        # One row for each circuit; all are of one scenario.
        assert {(parameters["table"], parameters["slide"]) for _, parameters in points} == {("53-59-results", 59)}
        assert len(points) == 5

    @pytest.mark.parametrize(
        ("name", "claim", "why"),
        [
            ("ubr", "ubr-c01", "ubr-c01 is decided by 5 runs"),
            ("ubr", "ubr-c36", "ubr-c36 needs more than numbers of tables"),
            ("pcn", "pcn-c06", "5 runs do not tell how many more would decide it"),
            ("bcn", "bcn-c05", "5 runs do not tell"),
            ("ubr", "ubr-c99", "ubr-c99"),
        ],
    )
    def test_claims_that_more_runs_do_not_help_are_refused(self, name, claim, why):
        with pytest.raises(InputError, match=why):
            look_again(load(name), stored_outcome(load(name)), claim, Asks())


def test_what_fewer_runs_left_undecided_under_another_answer_is_not_tested():
    verdicts = {A01: {"tiny-c01": UNDECIDED, "tiny-c03": UNDECIDED}, A02: {"tiny-c01": "refuted"}}
    found = reopened(OtherVerdicts(verdicts, {"tiny-c01": ("x=y",)}), ["tiny-c01"])
    assert found.verdicts == {A01: {"tiny-c03": UNDECIDED}, A02: {"tiny-c01": "refuted"}}
    assert found.not_tested == {"tiny-c01": ["x=y", A01]}
    assert reopened(OtherVerdicts(verdicts), ["tiny-c01"]).not_tested is None


class TestJudgedAgain:
    def test_a_claim_that_the_first_look_decides_keeps_its_verdict(self):
        judgements = judge(study(), outcome(CLEAR))
        look = SecondLook(outcome([10.0, 10.1] * 10), ORIGIN)
        assert judged_again(study(), judgements, {"tiny-c01": look}) == judgements

    def test_both_looks_count_and_have_half_the_error(self):
        judgements = judge(study(), outcome(OPEN))
        # On 19 degrees of freedom t = 2.0 is 3 %, one-sided: enough for 5 %, not for 2.5 %.
        close = outcome([15.46 + 1.0 * (-1) ** n for n in range(20)])
        (at_once, *_), (first, *others) = (
            judge(study(), close),
            judged_again(study(), judgements, {"tiny-c01": SecondLook(close, ORIGIN)}),
        )
        assert (at_once.finding.verdict, first.finding.verdict) == ("confirmed", UNDECIDED)
        assert first.runs == 20
        assert others == judgements[1:]

    def test_other_answers_are_tested_on_as_many_runs(self, monkeypatch):
        made = replaced(monkeypatch)
        earlier = OtherVerdicts({A01: {"tiny-c01": UNDECIDED, "tiny-c03": UNDECIDED}})
        stored = Stored({}, earlier, Origin(renew._core.MODEL_VERSION, "2026-11-27"))
        monkeypatch.setattr(Stored, "load", classmethod(lambda *_: stored))
        made.rates[A01] = OPEN * 10
        first, look = outcome(OPEN * 2), SecondLook(outcome(CLEAR * 2), ORIGIN)
        judgements = judged_again(study(), judge(study(), first), {"tiny-c01": look})
        renewal = renew.Renewal(study(), 4)
        found = renewal.others(first, judgements, None, ["tiny-a01"], {"tiny-c01": look})
        assert {runs for answer, runs in made.runs if answer == A01} == {3, 4, 6, 12, 20}
        assert found.verdicts[A01] == {"tiny-c01": UNDECIDED, "tiny-c03": UNDECIDED}
        # What fewer runs left open does not stay where no run may be made.
        monkeypatch.setattr(made, "stored", set())
        none = renewal.others(first, judgements, 0, [], {"tiny-c01": look})
        assert none.verdicts == {A01: {"tiny-c03": UNDECIDED}}
        assert A01 in none.not_tested["tiny-c01"]
