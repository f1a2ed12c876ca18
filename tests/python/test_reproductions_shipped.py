"""Counts and verdicts that ship with the package are shown without a run, and say where they come from."""

from __future__ import annotations

import json

import pytest

from penstock import MODEL_VERSION, reproductions
from penstock.reproductions import worth
from penstock.reproductions.claims import Judgement, judgements_of
from penstock.reproductions.loading import load
from penstock.reproductions.stored import SUMMARY, VERDICTS, Origin, shipped
from penstock.reproductions.study import text_beside
from penstock.reproductions.summary import Summary
from penstock.studies import runner

NAMES = reproductions.names()


@pytest.fixture(autouse=True)
def no_runs(monkeypatch):
    """Whoever runs anything fails."""

    def refused(*_given):
        raise AssertionError("something is run")

    monkeypatch.setattr(runner.Runner, "make", refused)


@pytest.fixture
def origin(monkeypatch):
    """Sets the model version of what ships."""

    def of(version):
        monkeypatch.setattr(Origin, "of_json", classmethod(lambda cls, _: cls(version, "2026-11-27")))

    of(MODEL_VERSION)
    return of


@pytest.mark.usefixtures("origin")
@pytest.mark.parametrize("name", NAMES)
class TestShipped:
    def test_claims_are_those_of_the_file(self, name, penstock):
        code, out, error = penstock("reproduce", name, "--claims", "--format", "json")
        assert (code, json.loads(out)) == (0, json.loads(text_beside(load(name).document, VERDICTS)))
        assert {"document", "claim", "verdict", "evidence", "note", "changes"} <= set(json.loads(out)[0])
        assert error.startswith("Shipped with Penstock: results of 2026-11-27, model ")

    def test_counts_are_those_of_the_file(self, name, penstock):
        code, out, error = penstock("reproduce", name, "--summary", "--format", "json")
        shown, stored = json.loads(out), json.loads(text_beside(load(name).document, SUMMARY))
        assert all("cross_validated" in table for table in shown["tables"])
        for table in (*shown["tables"], *stored["tables"]):
            table.pop("cross_validated", None)
        assert (code, shown) == (0, stored)
        assert error.startswith("Shipped with Penstock")

    def test_tables_close_with_where_they_come_from(self, name, penstock):
        for option in ("--claims", "--summary"):
            code, out, error = penstock("reproduce", name, option)
            assert (code, error) == (0, "")
            assert out.splitlines()[-1].endswith("Nothing was run; --fresh runs the study.")
            assert "that of the installed core" in out

    def test_verdicts_and_counts_survive_the_way_to_objects_and_back(self, name):
        document = load(name).document
        verdicts, summary = (json.loads(text_beside(document, file)) for file in (VERDICTS, SUMMARY))
        assert [judgement.as_json() for judgement in judgements_of(document, verdicts)] == verdicts
        again = Summary.of_json(document, summary).as_json()
        for table in summary["tables"]:
            table.pop("cross_validated", None)
        assert again == summary

    def test_the_origin_ships(self, name):
        found = shipped(load(name).document, VERDICTS)
        assert found is not None
        assert len(found[1].model_version) == 32
        assert len(found[1].date) == len("2026-11-27")


@pytest.mark.usefixtures("origin")
def test_all_that_the_console_shows_of_claims_is_shown(penstock):
    out = penstock("reproduce", "bcn", "--claims")[1]
    assert all(claim.id in out for claim in load("bcn").document.claims)
    assert "printed numbers agree" in out


@pytest.mark.parametrize(("name", "stopped"), [("ef", True), ("af", False)])
def test_counts_say_whether_a_budget_stopped_the_search(name, stopped, penstock):
    result = worth.cross_validated(load(name).document)
    assert result["complete"] is not stopped
    out = " ".join(penstock("reproduce", name, "--summary")[1].split())
    assert out.count("Cross-validated, ") == 1
    assert out.count(f"The search stopped at its budget of {result['budget']} runs.") == stopped


@pytest.mark.parametrize("option", ["--claims", "--summary"])
def test_another_core_is_told(option, penstock, origin):
    origin("0123456789abcdef0123456789abcdef")
    out = " ".join(penstock("reproduce", "af", option)[1].split())
    assert "model 0123456789ab. The installed core is of another version" in out
    assert f"model {MODEL_VERSION[:12]}, and may give other numbers" in out
    assert "of another version" in penstock("reproduce", "af", option, "--format", "json")[2]


@pytest.mark.parametrize("option", ["--claims", "--summary"])
@pytest.mark.parametrize(
    "more",
    [
        ["--fresh"],
        ["--runs", "2"],
        ["--reading", "af-a07=min-1s"],
        ["--table", "2", "--table", "3"],
    ],
)
def test_options_that_need_runs_run(option, more, penstock):
    code, out, error = penstock("reproduce", "af", option, *more)
    assert (code, out) == (1, "")
    assert "something is run" in error


def test_a_limit_runs(penstock):
    assert "something is run" in penstock("reproduce", "af", "--claims", "--limit", "40")[2]
    assert "something is run" in penstock("reproduce", "af", "--claims", "--as-printed")[2]


def test_a_study_without_an_origin_runs(penstock, monkeypatch):
    monkeypatch.setattr("penstock.reproductions.stored.ORIGIN", "nothing.json")
    assert "something is run" in penstock("reproduce", "md1k", "--summary")[2]
    assert "something is run" in penstock("reproduce", "md1k", "--claims")[2]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--fresh"], "is for --claims and --summary"),
        (["--fresh", "--claims", "--dry-run"], "--dry-run makes no runs, and --fresh asks for them"),
    ],
)
def test_fresh_that_changes_nothing_is_refused(options, why, penstock):
    code, _, error = penstock("reproduce", "af", *options)
    assert code == 2
    assert why in " ".join(error.split())


def test_an_undecided_claim_keeps_the_number_of_runs_that_would_decide():
    data = Judgement("x", "x-c01", Judgement.of_json(_verdict("undecided")).finding, 5).as_json()
    assert data["runs_to_decide"] == 17
    assert Judgement.of_json(_verdict("confirmed")).as_json()["runs_to_decide"] is None


def _verdict(verdict):
    return {
        **{"document": "x", "claim": "x-c01", "verdict": verdict, "evidence": "", "note": "", "runs": 5},
        **{"runs_to_decide": 17, "fitted": [], "changes": [], "alternatives": None, "null": {}},
    }
