"""The study of a cell switch as an M/D/1/k queue: its data, scenarios, measurements and claims."""

import json
import math
import tomllib

import pytest

from penstock.errors import InputError
from penstock.records import Metric, RunRequest, RunResult
from penstock.reproductions.claims import judge
from penstock.reproductions.comparison import compare
from penstock.reproductions.loading import load
from penstock.reproductions.md1k import exponential_service
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import reproduce
from penstock.reproductions.study import text_beside
from penstock.running import run_all
from penstock.store import Store
from renew import Renewal, main
from stored_files import runs_text

STUDY = load("md1k")
DOCUMENT = STUDY.document


def exact_loss(load, capacity):
    """Loss in percent of an M/D/1 queue that holds n packets, the one in service included.

    From the chain of what departing packets leave behind, with a_i the probability of i arrivals in a service time:
    v_0 = 1 and v_(j+1) a_0 = v_j - v_0 a_j - sum over i in 1..j of v_i a_(j-i+1), up to a common factor. A packet
    leaves every 1 + pi_0 / rho service times, pi_0 being the share of departures that leave nothing, and rho arrive in
    each: so the share 1 / (pi_0 + rho) of those that arrive is served.
    """
    arrivals = [math.exp(-load) * load**i / math.factorial(i) for i in range(capacity + 1)]
    left = [1.0]
    for j in range(capacity - 1):
        earlier = math.fsum(left[i] * arrivals[j - i + 1] for i in range(1, j + 1))
        left.append((left[j] - arrivals[j] - earlier) / arrivals[0])
    return 100 * (1 - 1 / (left[0] / math.fsum(left) + load))


def scenario(table, row, readings=()):
    (text,) = STUDY.build(
        Readings(DOCUMENT, dict(each.split("=") for each in readings)).settings(), table, row
    ).values()
    return tomllib.loads(text)


class TestData:
    def test_counts(self):
        assert [len(table.numbers()) for table in DOCUMENT.tables] == [6, 3]
        assert (len(DOCUMENT.claims), len(DOCUMENT.questions)) == (4, 2)
        assert [question.id for question in DOCUMENT.questions if question.fitted] == ["md1k-a01"]

    @pytest.mark.parametrize("row", DOCUMENT.table("1").rows, ids=lambda row: row.name)
    def test_losses_are_those_of_theory_with_one_more_in_service(self, row):
        assert f"{exact_loss(row.key['load'], row.key['buffers'] + 1):.2f}" == f"{row.values['loss']:.2f}"

    @pytest.mark.parametrize("row", DOCUMENT.table("2").rows, ids=lambda row: row.name)
    def test_means_are_those_of_the_formula(self, row):
        load = row.key["load"]
        assert f"{load + load**2 / (2 * (1 - load)):.3f}" == f"{row.values['packets']:.3f}"

    def test_memory_is_that_of_the_claims(self):
        for claim, buffers in zip(DOCUMENT.claims, (4, 6, 9), strict=False):
            assert f"{buffers} buffers, {buffers * DOCUMENT.stated['packet.bytes']} bytes" in claim.claim


def test_the_queue_with_exponential_service_by_hand():
    first, second = DOCUMENT.tables
    settings = Readings(DOCUMENT).settings()
    (loss,) = exponential_service(settings, first, first.rows[0]).values()
    # Four places at a load of 0.7: 0.3 x 0.2401 / (1 - 0.16807).
    assert loss == pytest.approx(8.658, abs=5e-4)
    assert exponential_service(settings, second, second.rows[1]) == {"packets": pytest.approx(4.0)}


class TestScenario:
    def test_a_cell_takes_a_millisecond_and_comes_at_the_load(self):
        for table in DOCUMENT.tables:
            for row in table.rows:
                data = scenario(table, row)
                (link,), (flow,) = data["links"], data["flows"]
                cell = int(flow["source"]["poisson"]["packet"].split()[0]) * 8
                assert link["rate"] == f"{cell * 1000} bit/s"
                assert flow["source"]["poisson"]["rate"] == f"{round(cell * 1000 * row.key['load'])} bit/s"

    def test_buffers(self):
        first, second = DOCUMENT.tables
        queue = scenario(first, first.rows[0])["links"][0]["queue"]["tail-drop"]
        assert queue == {"limit": "3 packets", "counts": "waiting"}
        queue = scenario(first, first.rows[0], ["md1k-a01=in-system"])["links"][0]["queue"]["tail-drop"]
        assert queue["counts"] == "in-system"
        assert scenario(second, second.rows[0])["links"][0]["queue"]["tail-drop"]["limit"] == "1000000 packets"
        assert scenario(second, second.rows[0], ["md1k-a02=counted"])["warm-up"] == "0 s"


def run(loss, packets):
    labels = {"of": "hosts-output"}
    metrics = [Metric("loss", labels, "1", loss), Metric("in-system", labels, "packets", packets)]
    return RunResult(RunRequest(""), metrics, "digest", 0)


def test_loss_is_in_percent():
    table = DOCUMENT.table("1")
    numbers = STUDY.measure(Readings(DOCUMENT).settings(), table, table.rows[0], {"": run(0.0341, 1.3)})
    assert numbers == {"loss": pytest.approx(3.41), "packets": 1.3}


def printed_outcome(factor=1.0):
    """An outcome whose runs are `factor` times the printed numbers but for a little noise."""
    outcome = Outcome(DOCUMENT, Readings(DOCUMENT), list(DOCUMENT.tables), 4)
    for table in DOCUMENT.tables:
        for row in table.rows:
            for noise in (-0.001, 0.0005, -0.0005, 0.001):
                numbers = {column.name: row.values[column.name] * factor * (1 + noise) for column in table.compared}
                outcome.add(table, row, numbers, {"": run(0, 0)})
    return outcome


class TestClaims:
    @pytest.mark.parametrize(("factor", "verdict"), [(1.0, "confirmed"), (1.5, "refuted"), (0.5, "refuted")])
    def test_verdicts_follow_the_numbers(self, factor, verdict):
        assert {judgement.finding.verdict for judgement in judge(STUDY, printed_outcome(factor))} == {verdict}


def test_a_reduced_run_has_the_loss_of_theory():
    settings, table = Readings(DOCUMENT).settings(), DOCUMENT.table("1")
    requests = [
        RunRequest(text, (("duration", "210 s"),), replication=i)
        for i in range(4)
        for text in STUDY.build(settings, table, table.rows[0]).values()
    ]
    losses = [STUDY.measure(settings, table, table.rows[0], {"": result})["loss"] for result in run_all(requests)]
    # 560,000 arrivals; the 14,000,000 of the ten runs have a standard error of 0.0106 points, which is five times less.
    assert sum(losses) / 4 == pytest.approx(exact_loss(0.7, 4), abs=4 * 5 * 0.0106)


def test_the_findings_are_current():
    # The packaged runs and verdicts and the number in the findings are what ten runs give now; if not:
    # python tools/renew/renew.py md1k
    outcome = reproduce(STUDY, [], Readings(DOCUMENT), STUDY.runs, claims=True)
    verdicts = json.loads(text_beside(load("md1k").document, "verdicts.json"))
    assert [judgement.as_json() for judgement in judge(STUDY, outcome)] == verdicts
    assert runs_text(STUDY, outcome) == text_beside(load("md1k").document, "runs.json")
    agree = sum(comparison.agrees for comparison in compare(DOCUMENT, outcome))
    findings = " ".join(text_beside(load("md1k").document, "findings.md").split())
    assert f" {agree} of the 9 numbers lie within" in findings


class TestRenewalOfOneTable:
    def test_it_gives_the_file_that_all_runs_give(self, tmp_path):
        outcome, digests = Renewal(STUDY, STUDY.runs, 1, Store(tmp_path)).partly(["2"])
        assert runs_text(STUDY, outcome, digests) == text_beside(load("md1k").document, "runs.json")

    def test_another_number_of_runs_than_stored_is_refused(self, tmp_path):
        with pytest.raises(InputError, match=r"runs.json has 10 runs of each row, not 3"):
            Renewal(STUDY, 3, 1, Store(tmp_path)).partly(["2"])

    def test_a_study_with_other_answers_in_the_text_is_refused(self, tmp_path):
        with pytest.raises(InputError, match="the text's own answers are not stored; leave --only out"):
            main(["md1k", "--only", "2", "--store", str(tmp_path)])
