"""The study of single threshold marking: its data and its scenarios."""

from decimal import Decimal

import pytest
from digitized import check_faithful
from pcn_study import CHOSEN, DOCUMENT, STUDY, built, calls, link, row, settings

from penstock.reproductions.pcn.cases import ADMISSION, PLT, RTT, SINGLE, TERMINATION, Case
from penstock.reproductions.pcn.mechanisms import CLE_OF_CASE
from penstock.reproductions.pcn.scenario import below, hops, scenario
from penstock.reproductions.pcn.traffic import admissible_rate, mean_rate, shares, supportable_rate
from penstock.reproductions.reading import Readings


class TestData:
    def test_counts(self):
        assert sum(len(table.numbers()) for table in DOCUMENT.tables) == 332
        assert len(DOCUMENT.claims) == 38
        assert len(DOCUMENT.questions) == 39
        assert STUDY.runs == 5

    def test_settings_of_the_six_cases_are_those_of_the_document(self):
        printed = {
            row.key["case"]: (row.values["cle_threshold"], row.values["ewma_weight"])
            for row in DOCUMENT.table("B.1").rows
        }
        assert printed == CLE_OF_CASE

    def test_extremes_that_are_numbers_of_cl(self):
        # What makes us read B.2 as an envelope that includes CL (pcn-a29).
        cl = {
            ("CBR", "S.Link"): ("smallest", row("B.3", traffic="CBR").values["cl"]),
            ("CBR", "RTT1000"): ("largest", row("B.4", ingresses=1000).values["cl"]),
            ("VBR", "S.Link"): ("smallest", row("B.3", traffic="VBR").values["cl"]),
            ("VBR", "RTT70"): ("largest", row("B.5", ingresses=70).values["cl"]),
            ("VBR", "RTT600"): ("largest", row("B.5", ingresses=600).values["cl"]),
            ("VBR", "RTT1800"): ("largest", row("B.5", ingresses=1800).values["cl"]),
            ("CBR", "PLT(c)"): ("smallest", row("B.7", traffic="CBR", algorithm="CL").values["bottleneck_4"]),
            ("SVD", "PLT(c)"): ("largest", row("B.7", traffic="SVD", algorithm="CL").values["bottleneck_5"]),
        }
        for (traffic, topology), (end, value) in cl.items():
            assert row("B.2", traffic=traffic, topology=topology).values[end] == value

    @pytest.mark.parametrize(
        ("table", "column", "key", "published", "allowed"),
        [
            ("B.3", "stm", {"traffic": "CBR"}, 0.065, 0.5),
            ("B.3", "cl", {"traffic": "VBR"}, 0.979, 0.75),
            ("B.3", "stm", {"traffic": "SVD"}, 4.678, 1.0),
            ("B.4", "stm_randomized", {"ingresses": 600}, -0.085, 0.5),
            ("B.5", "stm", {"ingresses": 10}, 1.562, 0.75),
            ("B.6", "cl", {"ingresses": 35}, 4.898, 1.0),
            ("B.7", "bottleneck_2", {"traffic": "VBR", "algorithm": "STM"}, 0.684, 0.75),
            ("B.2", "smallest", {"traffic": "SVD", "topology": "RTT300"}, -7.192, 1.0788),
            ("B.8", "t80", {"topology": "PLT5", "algorithm": "STM"}, 1.97, 0.197),
            ("C.3", "over_termination_cl", {"load_over_sr": 2.0, "ingresses": 2}, 20.768, 3.1152),
            ("C.5", "bottleneck_5", {"load_over_sr": 1.25, "traffic": "CBR", "algorithm": "CL"}, 0.672, 2.0),
            ("C.1", "termination_time_stm", {"load_over_sr": 2.0, "traffic": "CBR"}, 1.300, 0.195),
            ("C.6", "termination_time", {"load_over_sr": 1.25, "traffic": "VBR", "algorithm": "CL"}, 0.226, 0.15),
        ],
    )
    def test_tolerances_as_agreed(self, table, column, key, published, allowed):
        found = row(table, **key)
        (head,) = (head for head in DOCUMENT.table(table).columns if head.name == column)
        assert found.values[column] == published
        assert DOCUMENT.tolerance(DOCUMENT.table(table), found, head).allows(published) == pytest.approx(allowed)

    def test_facts_are_those_of_the_digitized_document(self):
        check_faithful("pcn")


class TestTraffic:
    @pytest.mark.parametrize(
        ("case", "flows"),
        [
            (Case(ADMISSION, "CBR", SINGLE), 1000),
            (Case(ADMISSION, "VBR", SINGLE), 1800),
            (Case(ADMISSION, "SVD", SINGLE), 300),
            (Case(ADMISSION, "VBR", RTT, 70), 1800),
            (Case(ADMISSION, "SVD", PLT, 5), 300),
            (Case(TERMINATION, "CBR", SINGLE, load=2.0), 1000),
            (Case(TERMINATION, "VBR", RTT, 10, load=2.0), 1000),
        ],
    )
    def test_calls_at_the_admissible_rate(self, case, flows):
        assert admissible_rate(CHOSEN, case) / mean_rate(CHOSEN, case) == flows

    def test_svd_sends_more_than_termination_counts(self):
        case = Case(TERMINATION, "SVD", SINGLE, load=1.25)
        assert supportable_rate(CHOSEN, case) == 1_600_000_000
        assert mean_rate(CHOSEN, case) == 4_080_000
        # 400 calls counted at 4.0 are SR; the calls send 1.632 Gb/s.
        assert below(CHOSEN, case) == 1_632_000_000
        assert below(settings("pcn-a15=4.08-all"), case) == 1_632_000_000
        assert round(below(settings("pcn-a15=4.0-all"), case)) == 1_600_000_000

    def test_calls_of_a_termination_run_are_divided_evenly(self):
        case = Case(TERMINATION, "CBR", RTT, 35, load=1.25)
        parts = shares(CHOSEN, case)
        # 2500 = 20 x 71 + 15 x 72; before the event 14 each, 500 in all as far as whole calls allow.
        assert (parts["ingress"].before, parts["ingress"].added) == (14, 57)
        assert (parts["more"].before, parts["more"].added) == (14, 58)
        one = shares(settings("pcn-a16=one-pair"), case)
        assert (one["ingress"].added, one["more"].added) == (0, 2000)
        assert shares(settings("pcn-a36=even"), case) == parts

    def test_every_bottleneck_of_a_parking_lot_has_the_whole_load(self):
        case = Case(TERMINATION, "VBR", PLT, 5, load=2.0)
        before = round(1000 * CHOSEN["termination.before_over_ar"])
        for answer in ("even", "long-pair", "short-pairs"):
            parts = shares(settings(f"pcn-a36={answer}"), case)
            long, short = parts["long"], parts["short3"]
            assert long.before + short.before == before
            assert long.before + short.before + long.added + short.added == 4000
        # One pair is generated: the long one, which was not there before.
        parts = shares(CHOSEN, case)
        assert (parts["long"].before, parts["short1"].added) == (0, 0)
        assert shares(settings("pcn-a16=one-pair"), case) == parts


class TestScenario:
    def test_single_link(self):
        data = built("B.3", "stm", traffic="CBR")
        bottleneck = link(data, "a", "b")
        assert (bottleneck["rate"], bottleneck["delay"]) == ("128 Mbit/s", "1 ms")
        assert bottleneck["queue"]["tail-drop"]["limit"] == "80000 packets"
        meter = bottleneck["pcn"]["single-threshold"]
        assert (meter["admissible-rate"], meter["supportable-rate"]) == ("64 Mbit/s", "115.2 Mbit/s")
        group = calls(data, "calls")
        assert group["arrivals"]["poisson"]["interval"] == "12 ms"
        assert group["admission"]["cle"]["threshold"] == 0.000001
        assert group["signalling"] == {"processing": "0 s"}
        assert (data["duration"], data["warm-up"]) == ("300 s", "200 s")

    def test_cl_has_a_virtual_queue_and_a_bucket(self):
        data = built("B.3", "cl", traffic="SVD")
        meters = link(data, "a", "b")["pcn"]
        assert list(meters) == ["virtual-queue", "pre-emption"]
        assert meters["virtual-queue"]["admissible-rate"] == "1224 Mbit/s"
        assert meters["pre-emption"] == {"supportable-rate": "2203.2 Mbit/s", "size": "5 ms"}
        assert calls(data, "calls")["admission"]["cle"]["threshold"] == 0.05
        step = link(built("B.3", "cl", ["pcn-a21=step"], traffic="SVD"), "a", "b")["pcn"]["virtual-queue"]
        assert step["min-threshold"] == step["max-threshold"] == "10 ms"

    def test_calls_come_five_times_too_often_whatever_the_number_of_ingresses(self):
        for table, erlang in (("B.4", 5000), ("B.5", 9000), ("B.6", 1500)):
            for printed in DOCUMENT.table(table).rows:
                n = printed.key["ingresses"]
                data = built(table, "stm", ingresses=n)
                interval = calls(data, "ingress")["arrivals"]["poisson"]["interval"]
                number, unit = interval.split()
                seconds = Decimal(number) * {"s": 1, "ms": Decimal("0.001")}[unit]
                assert float(60 * n / seconds) == pytest.approx(erlang, rel=1e-6)
                assert data["nodes"]["ingress"] == {"count": n}

    def test_ingress_delays(self):
        drawn = link(built("B.4", "stm", ingresses=10), "ingress", "d")
        assert drawn["delay"] == {"uniform": ["1 ms", "100 ms"]}
        fixed = built("B.4", "stm", ["pcn-a10=fixed"], ingresses=10)
        # The middles of ten parts of 9.9 ms.
        assert [one["delay"] for one in fixed["links"][:3]] == ["5.95 ms", "15.85 ms", "25.75 ms"]
        assert link(built("C.2", "stm", load_over_sr=2.0, ingresses=10), "ingress", "d")["delay"] == "0 s"

    def test_only_randomized_traffic_is_delayed(self):
        plain, randomized = (built("B.4", part, ingresses=70) for part in ("stm", "stm_randomized"))
        assert "delay" not in calls(plain, "ingress")
        assert "impairment" not in link(randomized, "ingress", "d")
        delay = {"added": {"uniform": ["0 s", "50 ms"]}, "at-end": "sent"}
        assert calls(randomized, "ingress")["delay"] == delay
        kept = built("B.4", "stm_randomized", ["pcn-a26=in-order"], ingresses=70)
        assert calls(kept, "ingress")["delay"] == delay | {"keep-order": True}
        behind = built("B.4", "stm_randomized", ["pcn-a26=link"], ingresses=70)
        assert "delay" not in calls(behind, "ingress")
        assert link(behind, "ingress", "d")["impairment"]["delay"] == {"added": {"uniform": ["0 s", "50 ms"]}}

    @pytest.mark.parametrize(("bottlenecks", "last"), [(2, ("b", "c")), (3, ("c", "d")), (5, ("e", "f"))])
    def test_parking_lots_are_those_of_the_figure(self, bottlenecks, last):
        data = built("B.8", topology=f"PLT{bottlenecks}", algorithm="CL")
        metered = [(one["from"], one["to"]) for one in data["links"] if "pcn" in one]
        assert len(metered) == bottlenecks
        assert metered[-1] == last
        assert len(data["nodes"]) == 2 * (bottlenecks + 1)
        assert all(one["delay"] == "1 ms" for one in data["links"])
        assert (calls(data, "long")["from"], calls(data, "long")["to"]) == ("a", last[1])
        assert len(data["calls"]) == bottlenecks + 1
        assert (data["duration"], "warm-up" in data) == ("80 s", False)

    def test_termination_begins_at_50_seconds(self):
        data = built("C.1", "stm", load_over_sr=2.0, traffic="VBR")
        together = calls(data, "calls")
        assert "start" not in together
        assert (together["initial"]["calls"], together["surge"]["calls"]) == (500, 3500)
        # 20 ms / 0.34
        assert together["surge"] == {"at": "50 s", "calls": 3500, "spread": "58.823529 ms"}
        assert together["termination"]["single-threshold"]["extra"] == 0.05
        (time,) = (measure for measure in data["measure"] if measure["metric"] == "termination-time")
        assert (time["of"], time["below"]) == (["calls"], "43520 kbit/s")

    def test_what_is_added_may_be_an_aggregate_of_its_own(self):
        data = built("C.1", "stm", ["pcn-a16=even-apart"], load_over_sr=2.0, traffic="VBR")
        before, added = calls(data, "calls-before"), calls(data, "calls-added")
        assert (before.get("start"), added["start"]) == (None, "50 s")
        assert (before["initial"]["calls"], added["initial"]["calls"]) == (500, 3500)
        # The long calls of a parking lot come at 50 s, the short ones are there before.
        data = built("C.5", load_over_sr=2.0, traffic="CBR", algorithm="STM")
        long, short = calls(data, "long"), calls(data, "short1")
        assert (long["start"], long["initial"]["calls"], short["initial"]["calls"]) == ("50 s", 3500, 500)
        assert "start" not in short
        assert "surge" not in {**long, **short}

    def test_pairs_without_calls_are_left_out(self):
        data = built("C.5", answers=["pcn-a17=0"], load_over_sr=2.0, traffic="CBR", algorithm="STM")
        assert [group["name"] for group in data["calls"]] == ["long"]
        times = [measure["of"] for measure in data["measure"] if measure["metric"] == "termination-time"]
        assert times == [["long"]], "the same calls cross all bottlenecks"

    def test_cls_egress_measures_anew_after_a_cut(self):
        rules = {
            key: calls(built("C.1", "cl", [f"pcn-a38={key}"], load_over_sr=2.0, traffic="CBR"), "calls")["termination"]
            for key in ("restart", "continue")
        }
        assert rules["restart"]["cl"].pop("after-cut") == "restart"
        assert rules["restart"] == rules["continue"]

    def test_cls_egress_measures_in_windows_of_a_phase(self):
        def rule(*answers):
            data = built("C.2", "cl", answers, load_over_sr=2.0, ingresses=10)
            return calls(data, "ingress")["termination"]["cl"]

        own = {"sar-start": "random-phase"}
        assert rule("pcn-a39=own-phase") == rule() | own
        # Reports can come during a measurement of the ingress only if it does not measure continuously.
        assert rule("pcn-a39=own-phase-first") == rule() | own
        halves = rule("pcn-a21=cl-03")
        assert rule("pcn-a39=own-phase-first", "pcn-a21=cl-03") == halves | own | {"newer": "ignored"}

    def test_tables_that_need_one_simulation_share_it(self):
        key = {"load_over_sr": 1.25, "traffic": "SVD", "algorithm": "CL"}
        assert built("C.5", **key) == built("C.6", **key)
        assert built("B.2", "case6", traffic="CBR", topology="PLT(c)") == built("B.7", traffic="CBR", algorithm="STM")
        assert built("B.2", "case6", traffic="VBR", topology="RTT70") == built("B.5", "stm", ingresses=70)
        assert built("B.2", "cl", traffic="SVD", topology="S.Link") == built("B.3", "cl", traffic="SVD")

    def test_efforts_are_packets_times_links(self):
        # 50000 packets a second for 300 s over one link.
        assert hops(CHOSEN, Case(ADMISSION, "CBR", SINGLE)) == pytest.approx(15e6)
        assert hops(CHOSEN, Case(ADMISSION, "CBR", RTT, 70)) == pytest.approx(30e6)

    @pytest.mark.parametrize(
        ("question", "option"),
        [(question.id, option.key) for question in DOCUMENT.questions for option in question.alternatives],
    )
    def test_every_alternative_changes_something(self, question, option):
        other = Readings(DOCUMENT).with_answers({question: option}).settings()

        def texts(values):
            built = {
                (table.id, row.name, part): text
                for table in DOCUMENT.tables
                for row in table.rows
                for part, text in STUDY.build(values, table, row).items()
            }
            return built | STUDY.experiments(values)

        changed = {name for name in CHOSEN if CHOSEN[name] != other[name]}
        assert (texts(CHOSEN) != texts(other)) != (changed <= set(STUDY.measured))


def test_descriptions_tell_what_runs():
    text = scenario(CHOSEN, Case(TERMINATION, "SVD", PLT, 5, "CL", load=1.25, randomized=True))
    assert text.startswith(
        'description = "SVD on a parking lot of 5 bottlenecks, packets with random extra delay: termination at 1.25'
    )
