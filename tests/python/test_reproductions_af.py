"""The study of drop precedences: its data, scenarios, measurements and claims."""

import json
import tomllib
from itertools import count

import pytest
from digitized import check_faithful

from penstock.records import Metric, RunRequest, RunResult
from penstock.reproductions.claims import judge
from penstock.reproductions.comparison import compare
from penstock.reproductions.loading import load
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.reproduce import reproduce
from penstock.reproductions.study import text_beside
from penstock.running import run_all
from stored_files import runs_text

STUDY = load("af")
DOCUMENT = STUDY.document


def row(table, **key):
    (found,) = (row for row in DOCUMENT.table(table).rows if row.matches(key))
    return found


def scenario(table, readings=(), **key):
    settings = Readings(DOCUMENT, dict(each.split("=") for each in readings)).settings()
    return tomllib.loads(STUDY.build(settings, DOCUMENT.table(table), row(table, **key))[""])


def link(data, start, end):
    (found,) = (link for link in data["links"] if (link["from"], link["to"]) == (start, end))
    return found


def flow(data, name):
    (found,) = (flow for flow in data["flows"] if flow["name"] == name)
    return found


class TestData:
    def test_counts(self):
        assert sum(len(table.numbers()) for table in DOCUMENT.tables) == 120
        assert len(DOCUMENT.claims) == 11
        assert len(DOCUMENT.questions) == 16

    def test_extremes_are_whole_packets_over_100_1_seconds(self):
        quantum = 576 * 8 / 100.1 / 1000
        extremes = [
            value
            for table in DOCUMENT.tables
            for _, column, value in table.numbers()
            if column.name[:3] in ("max", "min")
        ]
        assert len(extremes) == 80
        assert all(abs(round(value / quantum) * quantum - value) <= 0.005 + 1e-9 for value in extremes)

    def test_tolerances_as_agreed(self):
        def allowed(name, **key):
            table = DOCUMENT.table("2")
            (column,) = (column for column in table.columns if column.name == name)
            return DOCUMENT.tolerance(table, row("2", **key), column).allows(row("2", **key).values[name])

        usual = {"udp_rate": "128k", "drop_precedences": "2", "cir_kbps": "192"}
        starved = {"udp_rate": "1.28M", "drop_precedences": "none"}
        assert [allowed(name, **usual) for name in ("avg_tcp", "max_udp", "min_udp")] == pytest.approx(
            [2.504, 7.462, 7.342]
        )
        assert [allowed(name, **usual) for name in ("max_tcp", "min_tcp", "fairness")] == pytest.approx(
            [4.764, 9.0, 0.05]
        )
        assert [allowed(name, **starved) for name in ("max_tcp", "min_tcp", "avg_tcp")] == [0.6, 0.1, 0.1]
        assert [allowed(name, **starved) for name in ("max_udp", "fairness")] == pytest.approx([29.94, 0.05])

    def test_facts_are_those_of_the_digitized_document(self):
        check_faithful("af")


class TestScenario:
    def test_topology(self):
        data = scenario("2", udp_rate="1.28M", drop_precedences="none")
        assert sum(node.get("count", 1) for node in data["nodes"].values()) == 50 + 5 + 2 + 50
        # Each source and each sink has a link both ways, and so have the five access routers and the core.
        assert len(data["links"]) == 2 * (10 + 5 + 1 + 10)
        assert link(data, "tcp1", "ar1")["rate"] == "10 Mbit/s"
        assert link(data, "tcp1", "ar1")["delay"] == "1 us"
        assert link(data, "ar3", "r1")["rate"] == "1.5 Mbit/s"
        assert link(data, "r1", "ar3")["delay"] == "5 us"
        assert link(data, "r1", "r2")["delay"] == "30 ms"
        queues = [link["queue"] for link in data["links"] if (link["from"], link["to"]) != ("r1", "r2")]
        assert all(queue == {"tail-drop": {"limit": "60 packets"}} for queue in queues)

    def test_without_precedences_there_is_one_red_and_no_marker(self):
        data = scenario("2", udp_rate="128k", drop_precedences="none")
        red = link(data, "r1", "r2")["queue"]["red"]
        assert (red["min-threshold"], red["max-threshold"], red["max-probability"]) == (
            "20 packets",
            "40 packets",
            "1/30",
        )
        assert not any("marker" in link for link in data["links"])
        assert flow(data, "udp1")["precedence"] == 0

    def test_rows_without_precedences_are_the_same_scenario_in_both_tables(self):
        for udp in ("1.28M", "128k"):
            key = {"udp_rate": udp, "drop_precedences": "none"}
            assert scenario("2", **key) == scenario("3", **key)

    def test_two_precedences(self):
        key = {"udp_rate": "1.28M", "drop_precedences": "2"}
        tcm = link(scenario("2", **key, cir_kbps="192"), "ar1", "r1")["marker"]
        assert tcm["tcm"] == {
            "committed-rate": "192 kbit/s",
            "committed-burst": "8000 bytes",
            "mode": "colour-aware",
            "start": "full",
        }
        data = scenario("3", **key, tgr_kbps="256")
        assert link(data, "ar5", "r1")["marker"]["rbm"]["committed-rate"] == "256 kbit/s"
        assert flow(data, "udp5")["precedence"] == 1
        assert flow(data, "tcp5").get("precedence", 0) == 0
        assert link(data, "r1", "r2")["queue"]["red-n"]["max-probabilities"] == ["1/30", "1/20"]

    def test_three_precedences_split_the_rate_of_the_rbm_only(self):
        key = {"udp_rate": "128k", "drop_precedences": "3"}
        rbm = link(scenario("3", **key, tgr_kbps="192"), "ar1", "r1")["marker"]["rbm"]
        assert (rbm["committed-rate"], rbm["excess-rate"]) == ("64 kbit/s", "128 kbit/s")
        assert (rbm["committed-burst"], rbm["excess-burst"]) == ("4000 bytes", "4000 bytes")
        tcm = link(scenario("2", **key, cir_kbps="256"), "ar1", "r1")["marker"]["tcm"]
        assert tcm["committed-rate"] == "256 kbit/s"
        assert "excess-rate" not in tcm
        assert flow(scenario("2", **key, cir_kbps="256"), "udp2")["precedence"] == 2

    def test_rates_with_k_1024(self):
        data = scenario("3", ["af-a09=1024"], udp_rate="1.28M", drop_precedences="3", tgr_kbps="192")
        # 1.28 * 1024^2 = 1342177.28; 64 * 1024 and 128 * 1024.
        assert flow(data, "udp1")["source"]["cbr"]["rate"] == "1342177 bit/s"
        rbm = link(data, "ar1", "r1")["marker"]["rbm"]
        assert (rbm["committed-rate"], rbm["excess-rate"]) == ("65536 bit/s", "131072 bit/s")

    @pytest.mark.parametrize(
        ("question", "option"),
        [(question.id, option.key) for question in DOCUMENT.questions for option in question.alternatives],
    )
    def test_every_alternative_changes_something(self, question, option):
        chosen = Readings(DOCUMENT)
        other = chosen.with_answers({question: option})
        changed = any(
            STUDY.build(chosen.settings(), table, row) != STUDY.build(other.settings(), table, row)
            for table in DOCUMENT.tables
            for row in table.rows
        )
        measured = {name for name in STUDY.measured if chosen.settings()[name] != other.settings()[name]}
        assert changed != bool(measured)


class TestMeasure:
    def flows(self, name, tcp, udp):
        groups = [(f"tcp{g}", tcp, 9) for g in range(1, 6)] + [(f"udp{g}", udp, 1) for g in range(1, 6)]
        return [
            Metric(name, {"of": group, "flow": f"{group}[{i}]"}, "bit/s", rate)
            for group, rate, n in groups
            for i in range(n)
        ]

    def measured(self, metrics, readings=()):
        settings = Readings(DOCUMENT, dict(each.split("=") for each in readings)).settings()
        table = DOCUMENT.table("2")
        run = RunResult(RunRequest(""), metrics, "d", 0)
        return STUDY.measure(settings, table, table.rows[0], {"": run})

    def test_the_starved_row_by_hand(self):
        numbers = self.measured(self.flows("throughput", 210.0, 298_000.0))
        # (45 * 0.21 + 5 * 298)^2 / (50 * (45 * 0.21^2 + 5 * 298^2))
        assert numbers["fairness"] == pytest.approx(1499.45**2 / (50 * (45 * 0.0441 + 5 * 88804)))
        assert (numbers["max_tcp"], numbers["avg_udp"]) == (0.21, 298.0)
        assert numbers["total"] == pytest.approx(1499.45)

    def test_fairness_over_tcp_only(self):
        assert self.measured(self.flows("throughput", 210.0, 298_000.0), ["af-a16=tcp"])["fairness"] == pytest.approx(
            1.0
        )

    def test_goodput_is_counted_as_whole_packets(self):
        metrics = self.flows("throughput", 25_000.0, 75_000.0) + self.flows("goodput", 20_000.0, 0.0)
        numbers = self.measured(metrics, ["af-a05=goodput"])
        assert numbers["avg_tcp"] == pytest.approx(20 * 576 / 536)
        assert numbers["max_udp"] == 75.0

    def test_a_run_without_the_metric_is_our_bug(self):
        with pytest.raises(ValueError, match="the run has no throughput of udp1"):
            self.measured([])


def printed_outcome(**changes):
    """An outcome whose runs are the printed numbers but for a little noise, with cells changed by `changes`."""
    outcome = Outcome(DOCUMENT, Readings(DOCUMENT), list(DOCUMENT.tables), 4)
    for table in DOCUMENT.tables:
        for printed, n in zip(table.rows, count()):
            for noise in (-0.001, 0.0005, -0.0005, 0.001):
                numbers = {
                    column.name: printed.values[column.name] * (1 + noise * (1 + n / 100)) for column in table.compared
                }
                numbers |= {"avg_udp": (numbers["max_udp"] + numbers["min_udp"]) / 2, "total": 1500.0 * (1 + noise)}
                numbers |= {name: value for name, value in changes.items() if name in numbers}
                digest = (
                    f"{printed.key['udp_rate']} {noise}"
                    if printed.key["drop_precedences"] == "none"
                    else f"{table.id} {n} {noise}"
                )
                outcome.add(table, printed, numbers, {"": RunResult(RunRequest(""), [], digest, 0)})
    return outcome


class TestClaims:
    def test_verdicts_on_the_printed_numbers(self):
        verdicts = {judgement.claim: judgement.finding.verdict for judgement in judge(STUDY, printed_outcome())}
        # The print itself breaks two of its claims: the row RBM, 1.28M, 3 DP, 192 lies 0.062 in fairness below its
        # neighbour with 2 DP and 0.076 below the TCM's, beyond the margin of 0.05.
        assert verdicts == {
            "af-c01": "confirmed",
            "af-c02": "confirmed",
            "af-c03": "confirmed",
            "af-c04": "refuted",
            "af-c05": "confirmed",
            "af-c06": "confirmed",
            "af-c07": "refuted",
            "af-c08": "confirmed",
            "af-c09": "confirmed",
            "af-c10": "refuted",
            "af-c11": "confirmed",
        }

    @pytest.mark.parametrize(
        ("changes", "claim"),
        [
            ({"avg_tcp": 20.0}, "af-c01"),
            ({"avg_tcp": 20.0}, "af-c02"),
            ({"max_udp": 100.0}, "af-c06"),
            ({"total": 1400.0}, "af-c09"),
            ({"min_udp": 25.0}, "af-c11"),
        ],
    )
    def test_numbers_that_contradict_a_claim_refute_it(self, changes, claim):
        findings = {judgement.claim: judgement.finding for judgement in judge(STUDY, printed_outcome(**changes))}
        assert findings[claim].verdict == "refuted"

    def test_a_third_precedence_that_helps_leaves_the_hypothesis_open(self):
        outcome = printed_outcome()
        for table in ("2", "3"):
            for printed in outcome.rows(table):
                if printed.key["drop_precedences"] == "3":
                    values = outcome.values(table, "avg_tcp", printed.key)
                    values[:] = [value + 5.0 for value in values]
        findings = {judgement.claim: judgement.finding.verdict for judgement in judge(STUDY, outcome)}
        assert (findings["af-c03"], findings["af-c10"]) == ("refuted", "undecided")

    def test_different_digests_refute_that_the_marker_has_no_influence(self):
        outcome = printed_outcome()
        outcome.digests("3", {"udp_rate": "128k", "drop_precedences": "none"})[0] = ("other",)
        findings = {judgement.claim: judgement.finding for judgement in judge(STUDY, outcome)}
        assert findings["af-c08"].verdict == "refuted"
        assert findings["af-c08"].evidence.startswith("7 of 8 pairs")


def test_a_reduced_run_is_near_the_print():
    settings = Readings(DOCUMENT).settings()
    table = DOCUMENT.table("2")
    rows = [
        row("2", udp_rate="128k", drop_precedences="none"),
        row("2", udp_rate="1.28M", drop_precedences="2", cir_kbps="256"),
    ]
    # What a run of 20 s scatters by, from six of them. Extremes of flows lie further apart than in 100 s.
    deviations = [
        {"avg_tcp": 0.17, "avg_udp": 1.6, "fairness": 0.0095},
        {"avg_tcp": 0.41, "avg_udp": 3.4, "fairness": 0.024},
    ]
    requests = [RunRequest(STUDY.build(settings, table, r)[""], (("duration", "20 s"),), name=r.name) for r in rows]
    for printed, scatter, result in zip(rows, deviations, run_all(requests), strict=True):
        numbers = STUDY.measure(settings, table, printed, {"": result})
        # From the first packet on, 31 ms after the start, the bottleneck is hardly ever idle.
        assert 1495 < numbers["total"] <= 1500 * (20 - 0.031) / 20
        middle = (printed.values["max_udp"] + printed.values["min_udp"]) / 2
        for name, deviation in scatter.items():
            expected = {**printed.values, "avg_udp": middle}[name]
            assert numbers[name] == pytest.approx(expected, abs=4 * deviation), name


def test_the_findings_are_current():
    # The packaged runs and verdicts and the number in the findings are what ten runs give now; if not:
    # python tools/renew/renew.py af
    outcome = reproduce(STUDY, [], Readings(DOCUMENT), STUDY.runs, claims=True)
    verdicts = json.loads(text_beside(load("af").document, "verdicts.json"))
    assert [judgement.as_json() for judgement in judge(STUDY, outcome)] == verdicts
    assert runs_text(STUDY, outcome) == text_beside(load("af").document, "runs.json")
    agree = sum(comparison.agrees for comparison in compare(DOCUMENT, outcome))
    findings = " ".join(text_beside(load("af").document, "findings.md").split())
    assert f" {agree} of the 120 numbers lie within" in findings
