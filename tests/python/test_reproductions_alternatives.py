"""Verdicts under every other answer to the open questions."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from types import SimpleNamespace

import pytest
from test_reproductions_fits import CLAIMED, outcome, study

import renew
from penstock import reproductions
from penstock.errors import InputError
from penstock.reproductions import alternatives
from penstock.reproductions.alternatives import Alternatives, Budget
from penstock.reproductions.claims import Judgement, judge
from penstock.reproductions.document import Document
from penstock.reproductions.fits import Coverage, OtherVerdicts, Stored
from penstock.reproductions.layout import remarks
from penstock.reproductions.loading import load
from penstock.reproductions.reading import Readings
from penstock.reproductions.stored import Origin, stored_outcome
from penstock.reproductions.study import text_beside
from penstock.store import Store
from stored_files import fits_json, known_to

A01, A02 = "tiny-a01=long", "tiny-a02=bytes"
# Ten runs around 20 with a standard deviation of 1: the rate is above 15 at 0.1 % with three of them already.
CLEAR = [19.9, 20.1, 20.0, 19.9, 20.1, 20.0, 19.9, 20.1, 20.0, 20.0]


@dataclass
class Made:
    """Replaces plans; records the runs and the store."""

    rates: dict[str, list[float]]
    runs: list[tuple[str, int]]
    stored: set[str]

    def plan(self, study_, looked, readings, count):
        changed = " ".join(f"{question}={key}" for question, key in readings.changed.items())
        names = sorted({column for *_, column in looked.numbers}) + sorted(looked.experiments)
        parts = [SimpleNamespace(page=f"{name} {changed}", hops=7.0) for name in names]
        points = [SimpleNamespace(keys=lambda page=part.page: [f"{page} {n}" for n in range(count)]) for part in parts]
        found = outcome(self.rates.get(changed, CLEAR)[:count], study_.document)
        found.readings = readings

        def run(_):
            self.runs.append((changed, count))
            self.stored |= {key for point in points for key in point.keys()}  # noqa: SIM118

        return SimpleNamespace(parts=parts, points=lambda: points, run=run), found

    def there(self, points, _):
        return [dict.fromkeys(self.stored & {*point.keys()}) for point in points]


def replaced(monkeypatch):
    """Replaces plans: runs under the first question's other answer have a rate of 10, where 15 is claimed."""
    found = Made({A01: [rate - 10 for rate in CLEAR]}, [], set())
    monkeypatch.setattr(alternatives, "plan_looked_at", found.plan)
    monkeypatch.setattr(alternatives, "there", found.there)
    return found


@pytest.fixture
def made(monkeypatch):
    return replaced(monkeypatch)


def verdicts_of(budget=None, rates=CLEAR, **more):
    chosen = outcome(rates)
    return Alternatives(study(), chosen, "store").run(judge(study(), chosen), Budget(budget), **more)


@pytest.mark.usefixtures("made")
class TestAlternatives:
    def test_only_answers_that_change_a_claims_runs_are_tested(self):
        found = verdicts_of()
        assert found.verdicts == {
            A01: {"tiny-c01": "refuted", "tiny-c03": "undecided"},
            A02: {"tiny-c02": "confirmed", "tiny-c03": "confirmed", "tiny-c04": "confirmed"},
        }
        assert found.not_tested == {}
        assert found.runs == 0

    def test_the_first_look_that_decides_is_the_last(self, made):
        verdicts_of()
        # All are clear after three runs but the claim that builds on an open one, which stays open to the end.
        assert [looks for looks in made.runs if looks[1] > 3] == [(A01, 6), (A01, 10)]
        assert {answer for answer, count in made.runs if count == 3} == {A01, A02}

    def test_claims_that_need_little_and_those_without_a_verdict_come_first(self, made):
        whole = verdicts_of()
        order = [answer for answer, _ in made.runs]
        made.runs.clear()
        known = OtherVerdicts({A01: whole.verdicts[A01]})
        verdicts_of(known=known)
        assert order[0] == A02
        assert [answer for answer, _ in made.runs] == [A02] * 3 + [A01] * 4

    def test_looks_before_the_last_need_a_clear_result(self, made):
        # Three runs: t = 5.1 / (2 / sqrt 3), 4.4 on 2 degrees: 2.4 %. Ten: 0.002 %.
        made.rates[A01] = [18.1, 20.1, 22.1] * 3 + [20.1]
        found = verdicts_of()
        assert found.verdicts[A01]["tiny-c01"] == "confirmed"
        assert (A01, 6) in made.runs

    def test_the_last_look_has_the_error_of_the_verdict(self, made):
        # The same runs as under the chosen answers give the same verdicts.
        close = [14.0, 16.0, 15.8, 15.9, 15.1, 16.2, 15.3, 15.9, 15.2, 15.6]
        made.rates[A01] = close
        verdicts = {each.claim: each.finding.verdict for each in judge(study(), outcome(close))}
        assert verdicts["tiny-c01"] == "confirmed"
        assert verdicts_of(rates=close).verdicts[A01]["tiny-c01"] == "confirmed"

    def test_a_budget_leaves_out_what_it_does_not_suffice_for_and_says_so(self, made):
        nothing = verdicts_of(budget=0)
        assert (nothing.verdicts, made.runs) == ({}, [])
        assert nothing.not_tested["tiny-c03"] == (A01, A02)
        # Pages of rate and loss under the first answer; of loss and the experiment under the second: ten runs each.
        assert (nothing.runs, nothing.packet_hops) == (50, 350.0)
        # Three runs of the rate are enough for the first claim, and three of the losses for the second.
        some = verdicts_of(budget=6)
        assert some.verdicts[A01] == {"tiny-c01": "refuted"}
        assert "tiny-c01" not in some.not_tested
        assert some.not_tested["tiny-c03"] == (A01, A02) or some.not_tested["tiny-c03"] == (A01,)

    def test_an_interrupted_test_continues_from_the_store(self, made):
        whole = verdicts_of()
        made.runs.clear()
        assert verdicts_of(budget=0).verdicts == whole.verdicts

    def test_only_the_questions_asked_for(self):
        found = verdicts_of(questions=["tiny-a02"])
        assert set(found.verdicts) == {A02}
        assert found.not_tested == {"tiny-c01": (A01,), "tiny-c03": (A01,)}

    def test_earlier_verdicts_stay_where_nothing_is_tested_and_where_they_still_matter(self):
        known = OtherVerdicts({A01: {"tiny-c01": "undecided", "tiny-c02": "refuted"}, A02: {"tiny-c02": "refuted"}})
        found = verdicts_of(budget=0, known=known)
        # The second claim does not look at what the first answer changes.
        assert found.verdicts == {A01: {"tiny-c01": "undecided"}, A02: {"tiny-c02": "refuted"}}
        assert verdicts_of(known=known).verdicts[A02]["tiny-c02"] == "confirmed"

    def test_verdicts_of_another_model_stay_with_its_name_until_they_are_tested(self):
        verdicts = {A01: {"tiny-c01": "undecided", "tiny-c02": "refuted"}, A02: {"tiny-c02": "refuted"}}
        stored = Stored({}, OtherVerdicts(verdicts), Origin("old", "2026-11-27"))
        assert known_to(stored, "old").older == {}
        kept = verdicts_of(budget=0, known=known_to(stored, "new"))
        older = Origin("old", "2026-11-27")
        # The first answer does not move the second claim.
        assert kept.older == {(A01, "tiny-c01"): older, (A02, "tiny-c02"): older}
        assert kept.verdicts == {A01: {"tiny-c01": "undecided"}, A02: {"tiny-c02": "refuted"}}
        # A model later, they are still the first one's, and a tested one is nobody else's.
        again = Stored({}, kept, Origin("new", "2026-11-28"))
        assert known_to(again, "newer").older == kept.older
        assert verdicts_of(known=known_to(again, "newer"), questions=["tiny-a02"]).older == {(A01, "tiny-c01"): older}

    def test_a_test_that_fails_under_an_answer_is_not_tested(self):
        def missing(outcome_, _):
            if outcome_.readings.changed:
                raise KeyError("no such row")
            return own.claims["tiny-c01"](outcome_, {})

        own = study()
        broken = replace(own, claims={**own.claims, "tiny-c01": missing})
        found = Alternatives(broken, outcome(CLEAR), "store").run(judge(broken, outcome(CLEAR)), Budget())
        assert found.not_tested["tiny-c01"] == (A01,)

    def test_other_answers_are_held_against_the_chosen_ones(self):
        with pytest.raises(InputError, match="leave --reading and --as-printed out"):
            Alternatives(study(), outcome(CLEAR, readings=[A02]))

    def test_answers_that_contradict_a_chosen_one_are_left_out(self):
        document = Document.parse(CLAIMED)
        assert ["=".join(answer) for answer in Readings(document).others()] == [A01, A02]
        pair = document.question("tiny-a01").chosen
        other = '[[contradiction]]\nanswers = ["tiny-a01=long", "tiny-a02=bytes"]\nreason = "So."\n'
        twice = Document.parse(CLAIMED.replace('printed = "bytes"\n', 'printed = "bits"\n') + other)
        assert pair == twice.question("tiny-a01").chosen
        changed = Readings(twice, {"tiny-a02": "bytes"})
        assert list(changed.others()) == [("tiny-a02", "bits")]


class TestTold:
    changed = OtherVerdicts({A01: {"tiny-c01": "refuted", "tiny-c03": "confirmed"}}, {"tiny-c01": (A02,)}, 30, 2e9)

    def test_changes_are_the_answers_with_another_verdict(self):
        first, *_, last = (each.under(self.changed) for each in judge(study(), outcome(CLEAR)))
        data = first.as_json()
        assert data["changes"] == [{"reading": A01, "verdict": "refuted"}]
        assert data["alternatives"] == {"tested": 1, "not_tested": [A02]}
        assert Judgement.of_json(data).as_json() == data
        assert f"Turns to refuted under {A01}." in remarks(first)
        assert "Not tested under 1 other answer." in remarks(first)
        assert (last.as_json()["changes"], last.coverage) == ([], Coverage(0, []))
        assert replace(self.changed, not_tested=None).coverage("tiny-c01") is None

    def test_what_is_stored_is_read_as_it_was_written(self, monkeypatch):
        from penstock.reproductions import fits

        origin = Origin("0" * 32, "2026-11-27")
        older = Origin("1" * 32, "2026-11-26")
        stored = Stored({"tiny-c01": "refuted"}, replace(self.changed, older={(A01, "tiny-c03"): older}), origin)
        monkeypatch.setattr(fits, "text_beside", lambda *_: json.dumps(fits_json(stored)))
        again = Stored.load(Document.parse(CLAIMED))
        assert fits_json(again) == fits_json(stored)
        assert (again.origin, again.tested.older) == (origin, {(A01, "tiny-c03"): older})
        assert fits_json(Stored()) == {"as_printed": {}}

    @pytest.mark.parametrize("name", reproductions.names())
    def test_what_ships_is_told(self, name):
        document = load(name).document
        stored = Stored.load(document)
        page = reproductions.explain(name)
        assert stored.tested is not None
        for item in json.loads(text_beside(document, "verdicts.json")):
            changes = {each["reading"]: each["verdict"] for each in item["changes"]}
            assert changes == stored.tested.changes(item["claim"], item["verdict"])
            coverage = stored.tested.coverage(item["claim"])
            assert item["alternatives"] == (None if coverage is None else asdict(coverage))
            (line,) = (line for line in page.splitlines() if line.startswith(f"- `{item['claim']}`"))
            assert ("turns to" in line) == bool(changes)
            own = reproductions.explain(item["claim"])
            assert all(f"`{answer}`" in line and f"`{answer}`" in own for answer in changes)
            left = () if coverage is None else coverage.not_tested
            assert all(f"`{answer}`" in own.partition("not tested: ")[2] for answer in left)
        if stored.tested.not_tested is None:
            assert "Not tested: all others." in page
            return
        left = sum(map(len, stored.tested.not_tested.values()))
        assert (f"The {left} others are named on the claims' pages" in page) == bool(left)
        assert (stored.tested.runs > 0) == bool(left)

    def test_pages_name_the_models_of_verdicts_that_were_kept(self, monkeypatch):
        stored = Stored.load(load("md1k").document)
        (answer, verdicts), *_ = stored.tested.verdicts.items()
        claim = next(iter(verdicts))
        older = Origin("0123456789abcdef" * 2, "2026-01-02")
        kept = replace(stored, tested=replace(stored.tested, older={(answer, claim): older}))
        monkeypatch.setattr(Stored, "load", classmethod(lambda *_: kept))
        told = "2026-01-02, model 0123456789ab"
        assert f"; 1 of them {told})" in reproductions.explain("md1k")
        assert f" Tested {told}: `{answer}`." in reproductions.explain(claim)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--alternatives"], "is for claims; give --claims too"),
        (["--claims", "--budget", "3"], "give --alternatives or --cross-validate too"),
        (["--claims", "--alternatives", "--as-printed"], "--alternatives varies the chosen answers"),
        (["--claims", "--alternatives", "--dry-run"], "--alternatives needs verdicts"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, why, penstock):
    code, _, error = penstock("reproduce", "af", *options)
    assert code == 2
    assert why in " ".join(error.replace("│", " ").split())


def test_the_budget_is_handed_on(penstock, monkeypatch):
    from penstock.reproductions import command

    seen = []
    monkeypatch.setattr(command, "reproduce", lambda *_, **given: seen.append(given["others"]))
    assert penstock("reproduce", "md1k", "--claims", "--alternatives", "--budget", "3")[0] == 0
    assert penstock("reproduce", "md1k", "--claims", "--alternatives")[0] == 0
    assert penstock("reproduce", "md1k", "--claims", "--fresh")[0] == 0
    assert seen == [Budget(3), Budget(None), None]


def test_stored_runs_without_the_digests_of_a_claim_are_told(tmp_path):
    with pytest.raises(InputError, match=r"was not run\); leave --alternatives out"):
        renew.main(["af", "--alternatives", "--budget", "0", "--store", str(tmp_path)])


def test_a_renewal_keeps_what_another_model_gave(tmp_path, monkeypatch):
    study_, stored = load("md1k"), Stored.load(load("md1k").document)
    chosen = stored_outcome(study_)
    monkeypatch.setattr(renew._core, "MODEL_VERSION", "f" * 32)
    found = renew.Renewal(study_, chosen.runs, store=Store(tmp_path)).others(chosen, judge(study_, chosen), 0, [])
    assert found.verdicts == stored.tested.verdicts
    assert len(found.older) == sum(map(len, found.verdicts.values()))
    assert set(found.older.values()) == {stored.origin}
