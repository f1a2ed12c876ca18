"""The ATM study: its data, scenarios, measurements and stored runs."""

import json
import math
import tomllib

import pytest
from digitized import digitized

from penstock.records import Metric, RunRequest, RunResult
from penstock.reproductions.claims import judge
from penstock.reproductions.loading import load
from penstock.reproductions.reading import Readings
from penstock.reproductions.sensitivity import work
from penstock.reproductions.stored import digests, scenario_name, stored_outcome
from penstock.reproductions.study import text_beside
from penstock.reproductions.ubr.guarantees import allocated, queues_over_time, stated
from penstock.reproductions.ubr.mechanisms import cells_per_segment, most_goodput
from penstock.reproductions.ubr.networks import left_by_vbr
from penstock.running import run_all
from penstock.statistics import jain

STUDY = load("ubr")
DOCUMENT = STUDY.document
OWN = [table for table in DOCUMENT.tables if table.is_own]


def settings(*readings):
    return Readings(DOCUMENT, dict(each.split("=") for each in readings)).settings()


def page(table, key, *readings):
    where = DOCUMENT.table(table)
    (row,) = [row for row in where.rows if row.matches(key)]
    return tomllib.loads(STUDY.build(settings(*readings), where, row)[""])


def link(text, start, to):
    (found,) = [each for each in text["links"] if (each["from"], each["to"]) == (start, to)]
    return found


class TestData:
    def test_settings_and_their_tables_are_those_of_the_digitized_document(self):
        seed, ours = digitized("ubr"), tomllib.loads(text_beside(DOCUMENT, "document.toml"))
        assert ours["setup"] == seed["setup"]
        for table, printed in zip(ours["table"], seed["table"], strict=False):
            columns = [{key: it for key, it in column.items() if key != "compared"} for column in table["columns"]]
            assert {**table, "columns": columns} == printed
        assert [table.id for table in DOCUMENT.tables if not table.is_own] == [each["id"] for each in seed["table"]]

    def test_every_claim_and_question_is_there_and_split_ones_in_parts(self):
        seed = digitized("ubr")
        ours = [claim.id.partition(".")[0] for claim in DOCUMENT.claims]
        assert list(dict.fromkeys(ours)) == [claim["id"] for claim in seed["claim"]]
        split = {claim.id.partition(".")[0] for claim in DOCUMENT.claims if "." in claim.id}
        assert split == {"ubr-c11", "ubr-c43", "ubr-c44"}
        assert [question.id for question in DOCUMENT.questions] == [each["id"] for each in seed["ambiguity"]]
        assert not [question.id for question in DOCUMENT.questions if question.fitted]

    def test_nothing_is_printed_and_all_own_numbers_are_computed(self):
        assert not DOCUMENT.has_print
        assert DOCUMENT.chosen_tables([]) == OWN

    def test_weights_are_mcrs_over_the_capacity(self):
        for name in ("allocation_50", "allocation_85"):
            weights = DOCUMENT.stated[f"dfba.{name}.w_i"]
            for mcr, weight in zip(stated(settings(), name).values(), weights, strict=True):
                assert mcr / DOCUMENT.stated["dfba.gfr_capacity_cells_per_s"] == pytest.approx(weight, rel=2e-3)


class TestArithmetic:
    # MSS, cells of a segment, and the most goodput at 149.76 Mbit/s: rate x MSS / (cells x 53).
    @pytest.mark.parametrize(
        ("mss", "count", "megabits"),
        [(512, 12, 120.562), (536, 13, 116.504), (1024, 23, 125.803), (1460, 32, 128.921), (9180, 193, 134.402)],
    )
    def test_cells_and_goodput(self, mss, count, megabits):
        assert cells_per_segment(mss) == count
        assert most_goodput(149.76e6, mss) / 1e6 == pytest.approx(megabits, abs=1e-3)

    def test_jain_by_hand(self):
        assert jain([1.0, 2.0, 3.0]) == pytest.approx(36 / 42)

    def test_what_vbr_leaves(self):
        # 3 to 6 s has five on phases; 2 to 8 s those from 2.4 to 7.5 s, 9 of 300 ms, 100 ms before them and 200 after.
        assert left_by_vbr(settings(), "lan", 0.0) == pytest.approx(1 - 1.5 / 3)
        assert left_by_vbr(settings(), "lan", 0.1) == pytest.approx(1 - 0.9 * 1.5 / 3)
        assert left_by_vbr(settings(), "wan", 0.0) == pytest.approx(1 - 3.0 / 6)
        assert left_by_vbr(settings("ubr-a23=constant"), "lan", 0.1) == pytest.approx(0.5)

    def test_allocations_have_their_sum_and_ratio(self):
        mcr = allocated(settings(), 85)
        assert sum(mcr.values()) == pytest.approx(0.85 * 353_207.5, abs=5)
        assert mcr[5] / mcr[1] == pytest.approx(5, rel=1e-4)


class TestScenario:
    @pytest.mark.parametrize(("network", "rtt"), [("lan", 30e-6), ("wan", 30e-3), ("satellite", 570e-3)])
    def test_round_trips_are_those_of_slide_17(self, network, rtt):
        where = DOCUMENT.table(f"19-20-{network}")
        text = tomllib.loads(STUDY.build(settings(), where, where.rows[0])[""])
        units = {"us": 1e-6, "ms": 1e-3}
        delays = [each["delay"].split() for each in text["links"]]
        assert math.fsum(float(value) * units[unit] for value, unit in delays) == pytest.approx(rtt)
        assert DOCUMENT.stated[f"experiment_ubr.{network}.rtt_s"] == pytest.approx(rtt)

    def test_policies_have_their_best_parameters(self):
        key = {"buffer": 12_000, "sources": 15, "tcp": "reno"}
        queues = {
            policy: link(page("19-20-wan", {**key, "switch": policy}), "s1", "s2")["queue"]
            for policy in ("plain", "ppd", "epd", "selective-drop", "fba")
        }
        assert queues == {
            "plain": {"tail-drop": {"limit": "12000 cells"}},
            "ppd": {"ppd": {"limit": "12000 cells"}},
            "epd": {"epd": {"limit": "12000 cells", "threshold": "9600 cells"}},
            "selective-drop": {"selective-drop": {"limit": "12000 cells", "threshold": "10800 cells", "z": 0.8}},
            "fba": {"fba": {"limit": "12000 cells", "threshold": "6000 cells", "z": 0.8}},
        }
        frames = page("19-20-wan", {**key, "switch": "epd"}, "ubr-a10=frames")
        assert link(frames, "s1", "s2")["queue"]["epd"]["threshold"] == f"{12_000 - 15 * 12} cells"

    def test_flavours_differ_in_what_repairs_losses_only(self):
        key = {"buffer": 1000, "sources": 5, "switch": "plain"}
        transports = [
            page("19-20-lan", {**key, "tcp": tcp})["flows"][0]["transport"]["tcp"]
            for tcp in ("vanilla", "reno", "new-reno", "sack1")
        ]
        assert [each.pop("recovery") for each in transports] == ["timeout-only", "reno", "new-reno", "sack1"]
        assert all(each == transports[0] for each in transports)
        assert transports[0]["max-window"] == "65536 bytes"

    def test_readings_change_pages(self):
        lan = {"buffer": 1000, "sources": 5, "switch": "plain", "tcp": "reno"}
        assert page("19-20-lan", lan, "ubr-a01=whole")["duration"] == "13 s"
        assert page("19-20-lan", lan, "ubr-a06=line")["links"][0]["rate"] == "155.52 Mbit/s"
        assert page("19-20-lan", lan, "ubr-a16=in-step")["flows"][0]["start"] == "0 s"
        first = [page("19-20-lan", lan, *which)["flows"][0]["transport"]["tcp"] for which in ([], ["ubr-a16=bsd"])]
        assert [each["initial-rto"] for each in first] == ["3 s", "6 s"]

    def test_sources_of_one_table_start_together_and_are_counted_from_then(self):
        for reading in ("ubr-a16=staggered", "ubr-a16=bsd", "ubr-a01=whole"):
            found = page("25-together", {"network": "lan", "switch": "epd", "tcp": "vanilla"}, reading)
            assert (found["flows"][0]["start"], found["warm-up"]) == ("0 s", "0 s")

    def test_windows_over_satellites_have_runs_of_their_own(self):
        found = page("50", {"path": "campus-geo", "vc": 5}, "ubr-a01=windows")
        assert (found["duration"], found["warm-up"]) == ("300 s", "80 s")

    def test_a_reservation_limits_what_is_above_ubr(self):
        key = {"network": "wan", "switch": "epd", "tcp": "sack1"}
        alone, guarded = (link(page("11-12", {**key, "reserved": share}), "s1", "s2") for share in (0, 10))
        assert alone["scheduler"] == guarded["scheduler"] == {"priority": {"order": ["vbr", "default"]}}
        assert "rate-limit" not in alone["class"]["vbr"]
        assert guarded["class"]["vbr"]["rate-limit"]["rate"] == "134784000 bit/s"
        assert guarded["class"]["default"]["queue"]["epd"]["limit"] == "12000 cells"

    def test_circuits_have_the_mcrs_of_the_slides(self):
        text = page("53-59-results", {"slide": 55, "vc": 1})
        assert [circuit["mcr"] for circuit in text["circuits"]] == [
            f"{n} cells/s" for n in range(20_000, 100_001, 20_000)
        ]
        assert text["nodes"]["hosts1"] == {"count": 20}
        dfba = link(text, "s1", "s2")["queue"]["dfba"]
        assert (dfba["limit"], dfba["low"], dfba["high"], dfba["z"]) == (
            "25000 cells",
            "12500 cells",
            "22500 cells",
            1.0,
        )
        small = link(page("53-59-results", {"slide": 59, "vc": 1}), "s1", "s2")["queue"]["dfba"]["z"]
        assert small["vc5"] == pytest.approx(1 - 100 / 300)

    def test_queues_of_circuits_share_the_buffer_under_fba(self):
        key = {"management": "fba", "tagging": "none"}
        joint = link(page("30", key | {"queueing": "per-vc-equal-excess"}), "s1", "s2")
        assert joint["queue"]["fba"] | {"buffer": "port", "limit": "25000 cells"} == joint["queue"]["fba"]
        # What MCRs of 180,000 cells/s leave of 353,207.
        left = (353_207 - 180_000) / 5
        rates = [12_000 * i + left for i in range(1, 6)]
        weights = [joint["class"][f"vc{i}"]["weight"] for i in range(1, 6)]
        assert weights == [round(100 * rate / rates[0]) for rate in rates]
        fifo = link(page("30", key | {"queueing": "fifo"}), "s1", "s2")
        assert "scheduler" not in fifo
        assert fifo["queue"]["fba"]["buffer"] == "queue"

    def test_paths_over_satellites_have_the_runs_of_satellites(self):
        for path in ("campus-geo", "geo-wan"):
            text = page("50", {"path": path, "vc": 1})
            assert (text["duration"], text["warm-up"]) == ("25 s", "8 s")
        assert page("53-59-results", {"slide": 53, "vc": 1})["duration"] == "5 s"
        assert page("53-59-results", {"slide": 53, "vc": 1}, "ubr-a05=geo-wan")["duration"] == "25 s"

    def test_all_rows_of_a_run_have_one_page(self):
        for table, key in (("53-59-results", "slide"), ("36", "utilisation")):
            where, texts = DOCUMENT.table(table), {}
            for row in where.rows:
                texts.setdefault(row.key[key], set()).add(STUDY.build(settings(), where, row)[""])
            assert {len(each) for each in texts.values()} == {1}

    def test_queues_over_time_are_those_of_slide_55_by_class(self):
        ours, theirs = tomllib.loads(queues_over_time(settings())), page("53-59-results", {"slide": 55, "vc": 1})
        assert [flow.pop("class") for flow in ours["flows"]] == [f"vc{i}" for i in range(1, 6)]
        assert ours == theirs

    def test_a_sensitivity_study_takes_less_than_one_of_all_tables(self):
        named, whole = work(STUDY, STUDY.sensitive, 1), work(STUDY, [], 1)
        assert named.tables == list(STUDY.sensitive)
        assert whole.tables == [table.id for table in OWN]
        assert named.runs < 0.05 * whole.runs
        assert named.packet_hops < 0.02 * whole.packet_hops

    def test_the_effort_is_estimated_for_every_row(self):
        for table in OWN:
            assert all(STUDY.effort(settings(), table, row, "") > 1e5 for row in table.rows)


def result(numbers):
    return RunResult(RunRequest(""), [Metric(name, labels, "", value) for name, labels, value in numbers], "digest", 0)


def measured(table, key, numbers, *readings):
    where = DOCUMENT.table(table)
    (row,) = [row for row in where.rows if row.matches(key)]
    return STUDY.measure(settings(*readings), where, row, {"": result(numbers)})


class TestMeasure:
    def test_efficiency_and_fairness_by_hand(self):
        # Two sources of 30 and 60 Mbit/s; at MSS 512 the link carries 120.5615 Mbit/s.
        numbers = [("goodput", {"of": "tcp", "flow": str(i)}, rate) for i, rate in enumerate((30e6, 60e6))]
        numbers += [
            ("timeouts", {"of": "tcp"}, 8),
            ("retransmissions", {"of": "tcp"}, 40),
            ("loss", {"of": "s1-s2"}, 0.1),
        ]
        key = {"buffer": 1000, "sources": 5, "switch": "plain", "tcp": "reno"}
        found = measured("19-20-lan", key, numbers)
        assert found["efficiency"] == pytest.approx(90 / 120.5615, rel=1e-6)
        assert found["fairness"] == pytest.approx(90**2 / (2 * (30**2 + 60**2)))
        assert (found["timeouts"], found["retransmissions"]) == (8 / 3, 40 / 3)
        assert measured("19-20-lan", key, numbers, "ubr-a14=link")["efficiency"] == pytest.approx(90 / 149.76)

    def test_guarantees_by_hand(self):
        # 12,000 cells/s carry 12,000 x 1024 x 8 / 23 = 4.2741 Mbit/s of payload.
        numbers = [("goodput", {"of": f"vc{i}"}, 10e6 * i) for i in range(1, 6)]
        numbers += [("queue", {"of": "s1-s2", "circuit": f"vc{i}"}, 300.0 * i) for i in range(1, 6)]
        found = measured("53-59-results", {"slide": 53, "vc": 1}, numbers)
        assert found["queue"] == 300.0
        assert found["mcr"] == pytest.approx(4.27409, abs=1e-5)
        assert found["excess"] == pytest.approx(10 - 4.27409, abs=1e-5)
        assert found["relative_excess"] == pytest.approx(10 / 4.27409 - 1, rel=1e-5)

    def test_shares_of_a_fifo_by_hand(self):
        numbers = [("goodput", {"of": f"g{i}"}, 8e6 * i) for i in range(1, 6)]
        numbers += [
            ("queue", {"of": "s1-s2", "circuit": f"g{i}[{n}]"}, 10.0 * i) for i in range(1, 6) for n in range(3)
        ]
        numbers += [("delay", {"of": f"g{i}", "statistic": "mean"}, 0.045) for i in range(1, 6)]
        numbers += [("timeouts", {"of": f"g{i}"}, 12) for i in range(1, 6)]
        found = measured("36", {"utilisation": 0.4, "group": 2}, numbers)
        expected = {"buffer_share": 2 / 15, "output_share": 2 / 15, "ratio": 1.0, "wait": 30.0, "timeouts": 3.0}
        assert found == pytest.approx(expected)


class TestStored:
    # If one of these fails because numbers were changed on purpose: python tools/renew/renew.py ubr
    @pytest.mark.parametrize(
        ("table", "place"), [("35", 0), ("36", 0), ("53-59-results", 0), ("19-20-lan", 0), ("25-together", 0)]
    )
    def test_first_runs_are_the_stored_ones(self, table, place):
        table = DOCUMENT.table(table)
        row = table.rows[place]
        (text,) = STUDY.build(settings(), table, row).values()
        (first,) = run_all([RunRequest(text)])
        assert first.digest == digests(STUDY)[scenario_name(table.id, row.name, "")]
        found = STUDY.measure(settings(), table, row, {"": first})
        for column in table.compared:
            assert found[column.name] == stored_outcome(STUDY).values(table.id, column.name, row.key)[0]

    def test_every_table_is_stored_with_the_usual_number_of_runs(self):
        outcome = stored_outcome(STUDY)
        assert [table.id for table in outcome.tables] == [table.id for table in OWN]
        assert outcome.runs == STUDY.runs

    def test_the_findings_hold_selective_drop_against_the_axes(self):
        (found,) = judge(STUDY, stored_outcome(STUDY), only=["ubr-c20"])
        (kept,) = [item for item in json.loads(text_beside(DOCUMENT, "verdicts.json")) if item["claim"] == "ubr-c20"]
        assert kept["note"] == found.finding.note
        assert "LAN 4 of 12 settings, WAN 12 of 12 settings." in found.finding.note
        findings = " ".join(text_beside(DOCUMENT, "findings.md").split())
        assert "16 of the 24 settings lie within these axes: 4 of 12 in the LAN and all 12 in the WAN" in findings

    def test_the_findings_count_the_verdicts(self):
        verdicts = [item["verdict"] for item in json.loads(text_beside(DOCUMENT, "verdicts.json"))]
        told = [verdicts.count(verdict) for verdict in ("confirmed", "refuted", "undecided")]
        expected = "Of {} parts {} are confirmed, {} refuted and {} undecided.".format(len(verdicts), *told)
        assert expected in text_beside(DOCUMENT, "findings.md")
