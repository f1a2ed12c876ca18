"""The study of backward congestion notification: its data, scenarios, measurements and claims."""

import json
import runpy
import tomllib
from pathlib import Path

import pytest
from digitized import check_faithful

from penstock.records import Metric, RunRequest, RunResult
from penstock.reproductions.bcn.scenario import HOT, OURS, SCALED, UNSCALED, build, transfer_bytes
from penstock.reproductions.claims import judge
from penstock.reproductions.comparison import compare, quoted
from penstock.reproductions.loading import load
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.reading import Readings
from penstock.reproductions.stored import digests, scenario_name, stored_outcome
from penstock.reproductions.study import text_beside
from penstock.reproductions.summary import null_numbers
from penstock.running import run_all
from penstock.statistics import mean

STUDY = load("bcn")
QUEUE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "studies" / "bcn_queue.py"))
DOCUMENT = STUDY.document
WAIT = {1: 16, 2: 1}


def settings(*readings):
    return Readings(DOCUMENT, dict(each.split("=") for each in readings)).settings()


def text(cm, *readings):
    table = DOCUMENT.table("bulk-ours-v2")
    (row,) = [row for row in table.rows if row.key["cm"] == cm]
    return build(settings(*readings), table, row)[""]


def printed(table):
    return [*DOCUMENT.table(table).rows, *DOCUMENT.table(table).quoted]


class TestData:
    def test_facts_are_those_of_the_digitized_document(self):
        check_faithful("bcn")

    def test_counts(self):
        assert [len(table.numbers()) for table in DOCUMENT.tables] == [6, 2, 12, 4]
        assert [len(table.quoted_numbers()) for table in DOCUMENT.tables] == [6, 2, 0, 0]
        assert (len(DOCUMENT.claims), len(DOCUMENT.questions)) == (13, 19)
        assert [question.id for question in DOCUMENT.questions if question.fitted] == [
            "bcn-a02",
            "bcn-a07",
            "bcn-a11",
            "bcn-a19",
        ]

    @pytest.mark.parametrize("name", ["reference-ours-v2", "reference-cisco-v1"])
    def test_transactions_are_one_over_latency_and_wait(self, name):
        for row in printed(name):
            product = row.values["throughput_tps"] * (row.values["latency_us"] + WAIT[row.key["reference_flow"]])
            assert product == pytest.approx(1e6, rel=2e-3)

    def test_what_cisco_counts_of_a_transaction_is_seven_frames_on_the_wire(self):
        for row in printed("reference-cisco-v1"):
            counted = row.values["throughput_gbps"] * 1e9 / 8 / row.values["throughput_tps"]
            # The rates are printed with 4 to 6 digits, the transactions with 3 to 5.
            assert counted == pytest.approx(7 * 1538, rel=1e-3)

    def test_cisco_fills_the_link_and_the_authors_more_than_that(self):
        for print_, least, most in (("cisco-v1", 9.99, 10.0), ("ours-v2", 10.2, 10.3)):
            bulk = printed(f"bulk-{print_}")[0].values["average_source_throughput"]
            assert least < 4 * bulk + printed(f"reference-{print_}")[0].values["throughput_gbps"] < most

    def test_what_cannot_be_computed_is_told_with_the_reason(self):
        quoted_ = [number.as_json() for number in quoted(DOCUMENT)]
        assert [number["verdict"] for number in quoted_] == ["not-computed"] * 8
        assert quoted_[0] == {
            "document": "bcn",
            "table": "reference-cisco-v1",
            "row": {"cm": "BCN", "reference_flow": 1},
            "column": "throughput_tps",
            "unit": "transactions/s",
            "published": 4491.0,
            "mean": None,
            "ci_low": None,
            "ci_high": None,
            "runs": 0,
            "verdict": "not-computed",
            "note": "the rules of BCN 1.0 are not in the document",
        }
        assert [number.table for number in quoted(DOCUMENT, ["bulk-cisco-v1"])] == ["bulk-cisco-v1"] * 2
        assert quoted(DOCUMENT, ["bulk-ours-v2"]) == []

    def test_the_equilibrium_is_that_of_the_printed_range(self):
        weight = DOCUMENT.stated["bcn.aimd_ours.w_derivative_weight"]
        assert DOCUMENT.stated["bcn.aimd_ours.fb_max"] == 16 * (1 + 2 * weight)


class TestScenario:
    def test_only_one_row_is_managed(self):
        for cm, kind in (("None", {"buffer"}), ("BCN", {"buffer", "congestion-point"})):
            page = tomllib.loads(text(cm))
            assert set(page["nodes"]["core"]) == kind
            assert ("reaction-point" in page["nodes"]["sr1"]) == (cm == "BCN")

    def test_a_switch_adds_its_latency_before_its_outputs(self):
        delays = {(link["from"], link["to"]): link["delay"] for link in tomllib.loads(text("None"))["links"]}
        assert (delays["st1", "e1"], delays["e1", "core"], delays["e0", "dt"]) == ("1500 ns", "1500 ns", "500 ns")

    def test_readings_move_the_second_reference_flow(self):
        places = {}
        for key in ("edge", "hot", "behind"):
            page = tomllib.loads(text("None", f"bcn-a01={key}"))
            (flow,) = [flow for flow in page["flows"] if flow["name"] == "rf2"]
            (edge,) = [link["to"] for link in page["links"] if link["from"] == "sr2"]
            places[key] = (edge, flow["to"])
        assert places == {"edge": ("e1", "dr2"), "hot": ("e1", "dt"), "behind": ("e0", "dr2")}

    def test_switches_share_their_memory_among_ports_in_one_reading(self):
        for reading, pool in (("shared", {"pool": {"size": "250 packets"}}), ("per-port", None)):
            nodes = tomllib.loads(text("None", f"bcn-a19={reading}"))["nodes"]
            assert {nodes[name].get("buffer") == pool for name in ("core", "e0", "e6")} == {True}
            assert "buffer" not in nodes["st1"]

    def test_slower_links_have_longer_times(self):
        page = tomllib.loads(STUDY.experiments(settings())[SCALED])
        point = page["nodes"]["st1"]["reaction-point"]["bcn"]
        assert (page["links"][0]["rate"], page["links"][0]["delay"]) == ("1000000000 bit/s", "15000 ns")
        assert (page["duration"], point["rate-unit"], point["floor"]) == ("6000 ms", "800000 bit/s", "800000 bit/s")

    def test_the_published_gain_has_a_floor_in_every_reading(self):
        page = tomllib.loads(QUEUE["published_gain"](settings("bcn-a04=no-floor")))
        point = page["nodes"]["st1"]["reaction-point"]["bcn"]
        assert (point["decrease-gain"], point["floor"]) == ("1/64", "8000000 bit/s")


def result(values):
    metrics = [Metric(name, {"of": of, **more}, "", value) for name, of, more, value in values]
    return RunResult(RunRequest(""), metrics, "digest", 0)


def test_rows_are_measured():
    mean = {"statistic": "mean"}
    numbers = [("queue", HOT, {}, 20.0), ("loss", HOT, {}, 0.01)]
    flow = [("goodput", "rf1", {}, 81_760_000), ("throughput", "rf1", {}, 86e6), ("page-time", "rf1", mean, 984e-6)]
    bulk = [
        ("throughput", f"bulk{i}", {"flow": str(j)}, rate)
        for i, rate in enumerate((1e9, 2e9, 2e9, 3e9), 1)
        for j in (0, 1)
    ]
    reference, whole = DOCUMENT.table("reference-ours-v2"), DOCUMENT.table("bulk-ours-v2")
    assert transfer_bytes(settings()) == 7 * 1460
    found = STUDY.measure(settings(), reference, reference.rows[0], {"": result(numbers + flow)})
    assert found == pytest.approx(
        {"throughput_tps": 1000, "throughput_gbps": 0.086, "latency_us": 984, "queue": 20, "loss": 0.01}
    )
    found = STUDY.measure(settings(), whole, whole.rows[0], {"": result(numbers + bulk)})
    # 2, 4, 4 and 6 Gbit/s: a standard deviation of sqrt(2).
    assert found == pytest.approx(
        {"average_source_throughput": 4, "stddev_over_average": 100 * 2**0.5 / 4, "queue": 20, "loss": 0.01}
    )


def printed_outcome(factor):
    """An outcome whose runs are the printed numbers but for a little noise, with BCN `factor` times as fast."""
    outcome = Outcome(DOCUMENT, Readings(DOCUMENT), DOCUMENT.chosen_tables([]), 4)
    for table in outcome.tables:
        for row in table.rows:
            times = factor if row.key["cm"] == "BCN" else 1.0
            for noise in (-0.001, 0.0005, -0.0005, 0.001):
                numbers = {column.name: row.values[column.name] * (1 + noise) for column in table.compared}
                if "throughput_tps" in numbers:
                    numbers |= {
                        "throughput_tps": numbers["throughput_tps"] * times,
                        "latency_us": numbers["latency_us"] / times,
                    }
                outcome.add(table, row, numbers, {"": result([])})
    return outcome


class TestClaims:
    def test_verdicts_follow_the_numbers(self):
        verdicts = {each.claim: each.finding.verdict for each in judge(STUDY, printed_outcome(1.0))}
        confirmed = {"bcn-c01", "bcn-c03", "bcn-c04", "bcn-c08", "bcn-c11", "bcn-c12", "bcn-c13"}
        assert {name for name, verdict in verdicts.items() if verdict == "confirmed"} == confirmed
        # Twice the rate is true of the first reference flow alone.
        assert {name for name, verdict in verdicts.items() if verdict == "refuted"} == {"bcn-c02"}

    def test_flows_that_gain_nothing_refute(self):
        verdicts = {each.claim: each.finding.verdict for each in judge(STUDY, printed_outcome(0.05))}
        assert {verdicts[name] for name in ("bcn-c01", "bcn-c02", "bcn-c11", "bcn-c13")} == {"refuted"}

    @pytest.mark.parametrize(("throughput", "verdict"), [(0.86, "confirmed"), (0.8, "refuted"), (1.05, "refuted")])
    def test_a_little_has_bounds(self, throughput, verdict):
        outcome, table = printed_outcome(1.0), DOCUMENT.table("bulk-ours-v2")
        without, with_ = table.rows
        name = "average_source_throughput"
        spread = outcome.values(table.id, "stddev_over_average", with_.key)
        rates = [throughput * rate for rate in outcome.values(table.id, name, without.key)]
        outcome.put(table, with_, {name: rates, "stddev_over_average": spread})
        (found,) = judge(STUDY, outcome, only=["bcn-c12"])
        assert found.finding.verdict == verdict

    @pytest.mark.parametrize(
        ("unscaled", "scaled", "verdict"),
        [(0.9, 1.0, "confirmed"), (1.1, 1.0, "confirmed"), (1.0, 1.0, "undecided"), (0.9, 0.7, "refuted")],
    )
    def test_gains_depend_on_the_rate_by_any_certain_difference(self, unscaled, scaled, verdict):
        outcome = printed_outcome(1.0)
        for name, length in ((OURS, 20.0), (SCALED, 20 * scaled), (UNSCALED, 20 * unscaled)):
            runs = (result([("queue", HOT, {}, length + noise)]) for noise in (-0.2, 0.1, -0.1, 0.2))
            outcome.experiments[name] = list(runs if name == OURS else reversed(list(runs)))
        (found,) = judge(STUDY, outcome, only=["bcn-c09"])
        assert found.finding.verdict == verdict


class TestWithoutFeedback:
    def test_the_control_has_our_runs_without_management_in_both_rows(self):
        outcome = stored_outcome(STUDY)
        numbers = null_numbers(STUDY, outcome)["feedback-off"]
        assert {place[0] for place in numbers} == {"reference-ours-v2", "bulk-ours-v2"}
        for table in ("reference-ours-v2", "bulk-ours-v2"):
            for row in DOCUMENT.table(table).rows:
                column = DOCUMENT.table(table).compared[0].name
                without = mean(outcome.values(table, column, {**row.key, "cm": "None"}))
                assert numbers[table, row.id, column] == without

    def test_only_what_no_feedback_enters_holds_without_it(self):
        judged = judge(STUDY, stored_outcome(STUDY))
        assert {each.claim for each in judged if each.null.get("feedback-off") == "confirmed"} == {"bcn-c08", "bcn-c13"}

    def test_what_compares_with_rules_that_are_not_there_is_not_tested(self):
        found = {each.claim: each.finding for each in judge(STUDY, printed_outcome(1.0))}
        for claim in ("bcn-c05", "bcn-c06"):
            assert "Not testable" in found[claim].evidence
            assert found[claim].runs_to_decide is None


def test_a_reduced_run_shows_what_management_does():
    pages = [RunRequest(text(cm), (("duration", "40 ms"), ("warm-up", "10 ms"))) for cm in ("None", "BCN")]
    values = []
    for run_ in run_all(pages):
        (row, *_) = DOCUMENT.table("reference-ours-v2").rows
        values.append(STUDY.measure(settings(), DOCUMENT.table("reference-ours-v2"), row, {"": run_}))
    without, with_ = values
    # 30 ms show orders of magnitude: a queue that is much shorter, and a reference flow that is much faster.
    assert with_["latency_us"] < 0.5 * without["latency_us"]
    assert with_["queue"] < 0.5 * without["queue"]
    assert with_["throughput_tps"] > 2 * without["throughput_tps"]


class TestStored:
    def test_the_first_run_is_the_stored_one(self):
        table = DOCUMENT.table("bulk-ours-v2")
        for row in table.rows:
            (page,) = STUDY.build(settings(), table, row).values()
            (first,) = run_all([RunRequest(page)])
            assert first.digest == digests(STUDY)[scenario_name(table.id, row.name, "")]

    def test_the_findings_are_current(self):
        # If not: python tools/renew/renew.py bcn
        outcome = stored_outcome(STUDY)
        agree = sum(comparison.agrees for comparison in compare(DOCUMENT, outcome))
        findings = " ".join(text_beside(load("bcn").document, "findings.md").split())
        assert f"Under the chosen answers {agree} of the 24 printed numbers agree." in findings
        verdicts = json.loads(text_beside(load("bcn").document, "verdicts.json"))
        assert [each["claim"] for each in verdicts] == [claim.id for claim in DOCUMENT.claims]
