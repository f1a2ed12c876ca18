"""Published studies: documents as data, readings, comparison, evidence and the commands' output."""

import json
import math

import pytest
from digitized import digitized

from penstock import _core, reproductions
from penstock.errors import InputError
from penstock.records import Metric, RunRequest, RunResult
from penstock.reproductions import command
from penstock.reproductions.command import Asked
from penstock.reproductions.comparison import Comparison, compare, note, prediction_interval
from penstock.reproductions.document import Document
from penstock.reproductions.evidence import Estimate, above, below, decide, difference, within
from penstock.reproductions.loading import load
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import Plan
from penstock.reproductions.study import Study
from penstock.reproductions.tables import Tolerance

TINY = """
[document]
id = "tiny"
title = "A tiny document"
authors = ["A. Author"]
year = 1999

[setup.link]
rate_bps = 1000

[[table]]
id = "1"
where = "4"
caption = "Rates"
columns = [
  { name = "load", unit = "1", role = "key" },
  { name = "rate", unit = "kbps", role = "value", decimals = 1 },
  { name = "loss", unit = "1", role = "value" },
]
rows = [
  { load = "low", rate = 10.0, loss = "N/A" },
  { load = "high", rate = 20.0, loss = 0.5 },
]

[[tolerance]]
columns = ["rate", "loss"]
relative = 0.1
reason = "a tenth"

[[tolerance]]
columns = ["rate"]
rows = { load = "high" }
absolute = 0.5
reason = "known well"

[[ambiguity]]
id = "tiny-a01"
where = "2"
kind = "unstated"
impact = "high"
question = "How long?"
evidence = "None."
chosen = "short"
reason = "It says so elsewhere."
options = [
  { key = "short", text = "10 s", set = { "run.duration" = "10 s" } },
  { key = "long", text = "20 s", set = { "run.duration" = "20 s" } },
]
"""


def result(digest="d", replication=0):
    return RunResult(
        RunRequest("", name="row", replication=replication), [Metric("throughput", {}, "bit/s", 1.0)], digest, 7
    )


def outcome_of(document, values):
    """An outcome with `values[row key][column]` a list over replications."""
    outcome = Outcome(document, Readings(document), list(document.tables), 2)
    for table in document.tables:
        for row in table.rows:
            columns = values[row.key["load"]]
            for n in range(len(next(iter(columns.values())))):
                outcome.add(table, row, {name: column[n] for name, column in columns.items()}, {"": result()})
    return outcome


class TestDocument:
    def test_cells_printed_as_text_are_no_numbers(self):
        table = Document.parse(TINY).table("1")
        assert [(row.key["load"], column.name, value) for row, column, value in table.numbers()] == [
            ("low", "rate", 10.0),
            ("high", "rate", 20.0),
            ("high", "loss", 0.5),
        ]

    def test_the_last_tolerance_that_covers_a_number_counts(self):
        document = Document.parse(TINY)
        table = document.table("1")
        rate = table.compared[0]
        allowed = [document.tolerance(table, row, rate).allows(20.0) for row in table.rows]
        assert allowed == [2.0, 0.5]

    def test_a_number_without_tolerance_is_our_bug(self):
        document = Document.parse(TINY.replace('columns = ["rate", "loss"]', 'columns = ["rate"]'))
        table = document.table("1")
        with pytest.raises(ValueError, match="no tolerance for loss"):
            document.tolerance(table, table.rows[1], table.compared[1])

    def test_answers_must_give_the_same_settings(self):
        with pytest.raises(ValueError, match="tiny-a01: the answers give different settings"):
            Document.parse(TINY.replace('set = { "run.duration" = "20 s" }', 'set = { "run.length" = "20 s" }'))

    def test_an_answer_may_not_contradict_the_document(self):
        with pytest.raises(ValueError, match=r"link\.rate_bps is given by the document too"):
            Document.parse(TINY.replace("run.duration", "link.rate_bps"))

    def test_unknown_names_are_told_with_what_there_is(self):
        document = Document.parse(TINY)
        with pytest.raises(InputError, match=r"no table '2' in tiny; its only table is 1\."):
            document.table("2")

    @pytest.mark.parametrize("name", ["af", "pcn", "ef", "ubr", "bcn"])
    def test_all_digitized_documents_have_this_layout(self, name):
        data = digitized(name)
        document = Document.of({kind: data[kind] for kind in ("document", "setup", "table")})
        assert [table.id for table in document.tables] == [table["id"] for table in data["table"]]
        for table, printed in zip(document.tables, data["table"], strict=True):
            assert [{**row.key, **row.values} for row in table.rows] == printed["rows"]


class TestComparison:
    def test_the_larger_of_both_tolerances_counts(self):
        assert Tolerance(("rate",), absolute=0.3, relative=0.1).allows(1.0) == 0.3
        assert Tolerance(("rate",), absolute=0.3, relative=0.1).allows(-10.0) == 1.0

    def test_verdicts_by_hand(self):
        document = Document.parse(TINY)
        # low: mean 11.0, exactly the 10 % allowed; high: mean 20.75 against 20 with 0.5 allowed.
        outcome = outcome_of(
            document,
            {"low": {"rate": [10.0, 12.0], "loss": [0, 0]}, "high": {"rate": [20.5, 21.0], "loss": [0.5, 0.5]}},
        )
        low, high, loss = compare(document, outcome)
        assert (low.mean, low.verdict) == (11.0, "agrees")
        assert (high.mean, high.verdict) == (20.75, "differs")
        assert high.note.startswith("+0.75 (+3.8%) from the print; 0.5 is allowed")
        # Two runs: mean +- 12.7062 * sqrt(2) / sqrt(2).
        assert low.low == pytest.approx(11.0 - 12.7062, abs=1e-3)
        assert (loss.low, loss.high, loss.note) == (0.5, 0.5, "")
        assert high.as_json() == {
            "document": "tiny",
            "table": "1",
            "row": {"load": "high"},
            "column": "rate",
            "unit": "kbps",
            "published": 20.0,
            "mean": 20.75,
            "ci_low": high.low,
            "ci_high": high.high,
            "runs": 2,
            "verdict": "differs",
            "note": high.note,
        }

    def test_a_mean_below_the_print_differs_as_one_above_does(self):
        document = Document.parse(TINY)
        outcome = outcome_of(
            document, {"low": {"rate": [8.9, 8.9], "loss": [0, 0]}, "high": {"rate": [19.4, 19.4], "loss": [0.5, 0.5]}}
        )
        low, high, _ = compare(document, outcome)
        assert (low.verdict, high.verdict) == ("differs", "differs")
        assert high.note.startswith("-0.6 (-3.0%) from the print; 0.5 is allowed")

    def test_the_range_of_one_more_run(self):
        # 2, 4, 6: mean 4, s = 2, t(0.975, 2) = 4.302653, half = 4.302653 * 2 * sqrt(4/3).
        low, high = prediction_interval([2.0, 4.0, 6.0])
        half = 4.302653 * 2 * math.sqrt(4 / 3)
        assert (low, high) == pytest.approx((4 - half, 4 + half), abs=1e-5)
        assert prediction_interval([2.0]) is None

    def test_runs_without_a_value_are_told(self):
        """The load never falls to the supportable rate."""
        assert note(1.2, [1.0, math.nan, math.nan], math.nan, 0.1, agrees=False) == "2 of 3 runs have no value"
        unknown = Comparison("pcn", "C.4", {}, "time", "s", 1.2, math.nan, None, None, 3, agrees=False)
        assert unknown.as_json()["mean"] is None


class TestEvidence:
    # 1, 2, 3: mean 2, standard error 0.57735; t = 2 / 0.57735 = 3.4641 on 2 degrees, upper tail 0.037.
    estimate = Estimate.of([1.0, 2.0, 3.0])

    def test_tails_by_hand(self):
        assert self.estimate.p_above(0.0) == pytest.approx(0.0371, abs=1e-4)
        assert self.estimate.p_below(0.0) == pytest.approx(1 - 0.0371, abs=1e-4)

    def test_one_run_proves_nothing(self):
        one = Estimate.of([5.0])
        assert (one.p_above(0.0), one.low) == (1.0, None)
        assert decide([above("x", one, 0.0)]).verdict == "undecided"

    def test_runs_that_never_differ_are_certain(self):
        same = Estimate.of([5.0, 5.0])
        assert (same.p_above(4.9), same.p_above(5.0), same.p_below(5.0)) == (0.0, 1.0, 1.0)

    @pytest.mark.parametrize("values", [[math.nan], [1.0, math.nan], [1.0, math.inf, 2.0]])
    def test_a_run_without_a_number_leaves_no_estimate(self, values):
        with pytest.raises(ArithmeticError, match="no mean of"):
            Estimate.of(values)

    def test_differences_are_taken_run_by_run(self):
        assert difference([1.0, 2.0], [0.5, 1.5]).error == 0.0

    def test_equivalence_needs_both_sides(self):
        assert within("x", self.estimate, -10.0, 14.0).p_if_false == pytest.approx(self.estimate.p_above(-10.0))
        assert decide([within("x", Estimate.of([0.1, 0.0, -0.1]), -1.0, 1.0)]).verdict == "confirmed"
        assert decide([within("x", Estimate.of([5.0, 5.1, 4.9]), -1.0, 1.0)]).verdict == "refuted"
        assert decide([within("x", self.estimate, -1.0, 2.5)]).verdict == "undecided"

    def test_several_tests_are_corrected_together(self):
        # Alone p = 0.037 is below 0.05; as the smaller of two it counts 0.074.
        alone = above("x", self.estimate, 0.0)
        assert decide([alone]).verdict == "confirmed"
        assert decide([alone, alone]).verdict == "undecided"

    def test_a_part_that_holds_does_not_confirm_the_whole(self):
        clear = below("clear", Estimate.of([0.0, 0.1, 0.2]), 1.0)
        unsettled = above("unsettled", Estimate.of([-1.0, 1.0]), 0.0)
        decision = decide([clear, unsettled])
        assert (decision.verdict, decision.held, decision.open) == ("undecided", (clear,), (unsettled,))

    def test_one_clear_failure_refutes_the_whole(self):
        clear = below("clear", Estimate.of([0.0, 0.1, 0.2]), 1.0)
        against = below("against", Estimate.of([9.0, 9.1, 9.2]), 1.0)
        decision = decide([clear, against])
        assert (decision.verdict, decision.failed) == ("refuted", (against,))


class TestPlan:
    def test_every_row_runs_with_common_random_numbers(self):
        study = load("af")
        plan = Plan(study, ["2"], 2)
        plan.add(Readings(study.document))
        points = plan.points()
        assert len(points) == 10
        assert {(point.seed, point.replications) for point in points} == {(1, (0, 1))}

    def test_numbers_of_all_runs_and_experiments_come_with_the_outcome(self):
        document = Document.parse(TINY)

        def measure(_settings, _table, _row, results):
            return {"rate": float(results["only"].digest), "loss": 0.0}

        def gather(_settings, _table, _row, values):
            return {"loss": [max(values["rate"])]}

        study = Study(
            document,
            build=lambda _settings, _table, row: {"only": row.key["load"]},
            measure=measure,
            claims={},
            gather=gather,
            experiments=lambda settings: {"alone": settings["run.duration"]},
            effort=lambda *_: 7e6,
        )
        plan = Plan(study, [], 2)
        outcome = plan.add(Readings(document))
        plan.add_experiments(outcome)
        assert [(part.page.text, part.name, part.parameters) for part in plan.parts] == [
            ("low", "table-1-low-only", {"table": "1", "load": "low", "part": "only"}),
            ("high", "table-1-high-only", {"table": "1", "load": "high", "part": "only"}),
            ("10 s", "alone", {"experiment": "alone"}),
        ]
        assert [part.hops for part in plan.parts][:2] == [7e6] * 2
        plan.finish([[result(str(2 * part + n), n) for n in range(2)] for part in range(3)])
        assert outcome.values("1", "rate", {"load": "high"}) == [2.0, 3.0]
        assert outcome.values("1", "loss", {"load": "low"}) == [1.0]
        assert [run.digest for run in outcome.experiments["alone"]] == ["4", "5"]
        assert outcome.packet_hops == 6 * 7

    def test_no_runs_are_refused(self):
        with pytest.raises(InputError, match="0 runs are too few"):
            Plan(load("af"), [], 0)


class TestCommands:
    def test_unknown_studies_are_told_with_what_there_is(self):
        with pytest.raises(InputError, match=r"no published study 'zz'; the (only )?published stud.* af"):
            command.reproduce("zz", Asked(as_json=True))

    def test_claims_need_all_their_tables(self, tmp_path):
        with pytest.raises(InputError, match="the claims need tables 3 too; leave --table out"):
            run_reduced(["2"], tmp_path, claims=True)


def run_reduced(tables, folder, **options):
    from penstock.store import Store

    command.reproduce("af", Asked(tuple(tables), runs=1, store=Store(folder), as_json=True), **options)


@pytest.mark.parametrize("name", reproductions.names())
def test_every_study_answers_for_itself(name):
    study = load(name)
    assert study.document.id == name
    assert list(study.claims) == [claim.id for claim in study.document.claims]
    for table in study.document.tables:
        for row, column, _ in table.numbers():
            assert study.document.tolerance(table, row, column).reason
    pages = [name, *(claim.id for claim in study.document.claims), *(q.id for q in study.document.questions)]
    for page in pages:
        text = reproductions.explain(page)
        assert text is not None
        assert text.startswith(f"# {page}")


@pytest.mark.parametrize("name", reproductions.names())
def test_every_answer_of_every_question_can_be_run(name):
    study = load(name)
    chosen = Readings(study.document)
    checked = set()
    for question in study.document.questions:
        for option in question.options:
            settings = chosen.with_answers({question.id: option.key}).settings()
            texts = {
                text
                for table in study.document.tables
                for row in table.rows
                for text in study.build(settings, table, row).values()
            }
            texts.update(study.experiments(settings).values())
            for text in texts - checked:
                assert _core.check(text, f"{question.id}={option.key}", []) == []
            checked |= texts


def test_pages_tell_of_tests_that_were_changed():
    document = load("ubr").document
    changed = [claim for claim in document.claims if claim.test_changed]
    page = reproductions.explain("ubr")
    assert {"ubr-c37", "ubr-c38", "ubr-c41"} <= {claim.id for claim in changed}
    for claim in changed:
        assert f"- Test of `{claim.id}`: {claim.test_changed}" in page.partition("## Tests changed")[2]
        assert f"**Test changed.** {claim.test_changed}" in reproductions.explain(claim.id)
    assert "Tests changed" not in reproductions.explain("md1k")


def test_nothing_else_is_explained():
    assert reproductions.explain("red") is None
    assert reproductions.explain("af-x99") is None


def test_json_has_one_object_per_printed_number(tmp_path, capsys):
    run_reduced(["2"], tmp_path)
    objects = json.loads(capsys.readouterr().out)
    printed = load("af").document.table("2").numbers()
    assert len(objects) == 60
    assert [(item["row"], item["column"], item["published"]) for item in objects] == [
        (dict(row.key), column.name, value) for row, column, value in printed
    ]
    assert {frozenset(item) for item in objects} == {
        frozenset(
            [
                "document",
                "table",
                "row",
                "column",
                "unit",
                "published",
                "mean",
                "ci_low",
                "ci_high",
                "runs",
                "verdict",
                "note",
            ]
        )
    }
    assert {item["verdict"] for item in objects} <= {"agrees", "differs"}
    assert {item["ci_low"] for item in objects} == {None}
