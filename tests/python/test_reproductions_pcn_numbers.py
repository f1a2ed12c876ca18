"""The study of single threshold marking: its measurements, the perfect counter and its claims."""

import itertools
import math
from dataclasses import replace

import pytest
from pcn_study import CHOSEN, DOCUMENT, STUDY, row, run, settings

from penstock.records import Metric
from penstock.reproductions.claims import judge
from penstock.reproductions.outcome import Outcome
from penstock.reproductions.pcn.cases import ADMISSION, RTT, SINGLE, TERMINATION, Case, cases
from penstock.reproductions.pcn.experiments import COUNTED, NEAR, SWEEP
from penstock.reproductions.pcn.measure import admission, gather, termination
from penstock.reproductions.pcn.oracle import erlang_b, parking_lot, perfect
from penstock.reproductions.pcn.traffic import admissible_rate
from penstock.reproductions.reading import Readings


class TestMeasure:
    def test_over_admission_by_hand(self):
        case = Case(ADMISSION, "CBR", SINGLE)
        result = run(
            Metric("throughput", {"of": "a-b"}, "bit/s", 64_320_000.0),
            Metric("signal-rate", {"of": "calls"}, "bit/s", 64_000.0),
        )
        assert admission(CHOSEN, case, result) == [pytest.approx(0.5)]
        # Desired 63.936 Mb/s.
        assert admission(settings("pcn-a01=data-packet"), case, result) == [pytest.approx(100 * 384 / 63936)]
        assert admission(settings("pcn-a01=data-packet-apart"), case, result) == [pytest.approx(100 * 320 / 63936)]

    def test_over_termination_by_three_definitions(self):
        case = Case(TERMINATION, "CBR", SINGLE, load=2.0)
        result = run(
            Metric("throughput", {"of": "a-b"}, "bit/s", 121_600_000.0),
            Metric("termination-time", {"of": "calls", "from": "first-termination"}, "s", 1.3),
            Metric("termination-time", {"of": "calls", "from": "start"}, "s", 1.45),
        )
        shot = termination(CHOSEN, case, result)
        # SR 128, load 256, left 121.6 Mb/s: 6.4 too much.
        assert (shot.over, shot.of_load, shot.of_surplus) == (
            [pytest.approx(5.0)],
            [pytest.approx(2.5)],
            [pytest.approx(5.0)],
        )
        assert shot.time == 1.3
        assert termination(settings("pcn-a20=with"), case, result).time == pytest.approx(1.4)
        assert termination(settings("pcn-a20=from-overload"), case, result).time == 1.45

    def test_times_of_cl_include_its_measuring(self):
        case = Case(TERMINATION, "CBR", SINGLE, scheme="CL", load=2.0)
        result = run(
            Metric("throughput", {"of": "a-b"}, "bit/s", 121_600_000.0),
            Metric("termination-time", {"of": "calls", "from": "first-termination"}, "s", 0.0),
        )
        assert termination(CHOSEN, case, result).time == 0.2

    def test_shares_over_time(self):
        table = DOCUMENT.table("B.8")
        metrics = [
            Metric("throughput", {"of": name, "until": f"{10 * i} s"}, "bit/s", rate * i)
            for i in range(1, 9)
            for name, rate in (("short1", 2.0 + i), ("long", 2.0))
        ]
        measured = {
            answer: STUDY.measure(settings(f"pcn-a27={answer}"), table, table.rows[0], {"": run(*metrics)})
            for answer in ("last-10s", "cumulative")
        }
        assert measured["last-10s"]["t20"] == 2.0
        # (3 + 2 x 4) / (2 + 4)
        assert measured["cumulative"]["t20"] == pytest.approx(11 / 6)

    def test_extremes_are_of_means_over_runs(self):
        table, printed = DOCUMENT.table("B.2"), row("B.2", traffic="CBR", topology="RTT10")
        values = {"case1": [-3.0, 1.0], "case6": [-1.5, -1.5], "cl": [0.5, 0.7]}
        found = gather(CHOSEN, table, printed, values)
        # Means -1, -1.5 and 0.6; the single run of -3 does not count.
        assert found == {"smallest": [-1.5, -1.5], "largest": [0.5, 0.7]}
        assert gather(CHOSEN, DOCUMENT.table("B.3"), DOCUMENT.table("B.3").rows[0], values) == {}

    def test_extremes_of_parking_lots_are_over_all_links(self):
        printed = row("B.2", traffic="VBR", topology="PLT(c)")
        parts = cases(CHOSEN, DOCUMENT.table("B.2"), printed)
        names = ["a-b", "b-c", "c-d", "d-e", "e-f"]
        results = {
            part: run(
                *(
                    Metric("throughput", {"of": name}, "bit/s", 39_168_000.0 * (1 + i / 100))
                    for i, name in enumerate(names)
                )
            )
            for part in parts
        }
        numbers = STUDY.measure(CHOSEN, DOCUMENT.table("B.2"), printed, results)
        assert len(numbers) == 7 * 5
        assert numbers["case3_bottleneck_4"] == pytest.approx(3.0)

    def test_cl_is_no_extreme_if_only_the_six_cases_count(self):
        printed = row("B.2", traffic="VBR", topology="PLT(c)")
        assert "cl" not in cases(settings("pcn-a29=stm"), DOCUMENT.table("B.2"), printed)

    def test_a_run_without_the_metric_is_our_bug(self):
        with pytest.raises(ValueError, match="the run has 0 throughput of a-b"):
            admission(CHOSEN, Case(ADMISSION, "CBR", SINGLE), run())


class TestOracle:
    @pytest.mark.parametrize(
        ("erlang", "servers", "blocking"),
        [(5, 10, 0.018385), (25, 30, 0.052603), (100, 100, 0.075700), (2500, 2000, 0.201569), (1500, 300, 0.800166)],
    )
    def test_erlang_b(self, erlang, servers, blocking):
        assert erlang_b(erlang, servers) == pytest.approx(blocking, abs=1e-6)

    def test_a_perfect_counter_is_slightly_below(self):
        assert perfect(CHOSEN, Case(ADMISSION, "CBR", SINGLE))[1] == pytest.approx(-0.025, abs=5e-4)
        assert perfect(CHOSEN, Case(ADMISSION, "SVD", SINGLE))[1] == pytest.approx(-0.083, abs=5e-4)
        assert perfect(CHOSEN, Case(ADMISSION, "CBR", RTT, 600)) == perfect(CHOSEN, Case(ADMISSION, "CBR", SINGLE))

    @pytest.mark.parametrize(("load", "servers", "links"), [(2.0, 3, 2), (0.3, 2, 3), (30.0, 4, 2)])
    def test_a_parking_lot_by_all_its_states(self, load, servers, links):
        weight = mean = 0.0
        for long, *short in itertools.product(range(servers + 1), repeat=links + 1):
            if long + max(short) <= servers:
                term = math.prod(load**n / math.factorial(n) for n in (long, *short))
                weight, mean = weight + term, mean + term * (long + short[0])
        assert parking_lot(load, servers, links) == pytest.approx(mean / weight, rel=1e-12)


def printed_outcome(**changes):
    """An outcome whose runs are the print but for a little noise, with columns changed by `changes`; experiments as
    the theory has them."""
    outcome = Outcome(DOCUMENT, Readings(DOCUMENT), [table for table in DOCUMENT.tables if table.numbers()], 4)
    for table in outcome.tables:
        for n, printed in enumerate(table.rows):
            for noise in (-0.002, 0.001, -0.001, 0.002):
                numbers = {
                    column.name: changes.get(column.name, printed.values[column.name]) + noise * (1 + n / 100)
                    for column in table.compared
                }
                if table.id == "B.2":
                    numbers |= {f"case{i}": 7.0 / i + noise for i in range(1, 7)}
                outcome.add(table, printed, numbers, {"": run()})
    for name in STUDY.experiments(CHOSEN):
        outcome.experiments[name] = [run(*theory(name, noise)) for noise in (-1e-4, 5e-5, -5e-5, 1e-4)]
    return outcome


def theory(name, noise):  # noqa: PLR0911
    """What a run of an experiment gives, by the formulas."""
    kind, _, which = name.partition("-")
    rho = 0.5 / 0.9
    if kind in ("sweep", "fractional"):
        of, factor = SWEEP[which]
        between = factor * rho / 3 if kind == "sweep" else 1 / 3
        share = 1.0 if of == "SR" else 0.0 if factor < 1 else between
        return [Metric("marking-ratio", {"of": "calls"}, "1", share + noise)]
    if kind == "poisson":
        return [Metric("marking-ratio", {"of": "load"}, "1", float(which) + noise)]
    if kind == "flows":
        n = int(which)
        return [Metric("marking-ratio", {"of": "load"}, "1", (n - 1) / n * NEAR * rho / 3 + noise)]
    if kind == "synchronised":
        shares = {"stm": [0.2, 0.33], "stm-n-1": [0.5, 1.0], "excess": [0.0, 1.0]}[which]
        return [Metric("marking-ratio", {"of": "load", "flow": str(i)}, "1", share) for i, share in enumerate(shares)]
    if kind == "near":
        return [Metric("marking-ratio", {"of": "calls"}, "1", 0.05 + noise)]
    if kind in ("drops", "cut"):
        y = float(which) if kind == "cut" else 5.0
        left, time = (0.975, 1.3) if which == "none" else (0.97, 0.4)
        if kind == "cut":
            left, time = 1 - y / 200, 6.5 / y
        of = "calls"
        return [
            Metric("throughput", {"of": "a-b"}, "bit/s", 128e6 * (left + noise)),
            Metric("termination-time", {"of": of, "from": "first-termination"}, "s", time + noise),
        ]
    if kind == "series":
        return [Metric("calls", {"of": "long", "what": "terminated"}, "1", 0.0 if which == "3" else 40.0)]
    if kind == "growth":
        factor = float(which)
        return [Metric("throughput", {"of": "a-b"}, "bit/s", 39_168_000 * factor * (1 + 0.02 / factor + noise))]
    bottleneck = "d-f" if which.startswith("rtt10") else "a-b"
    return [
        Metric("throughput", {"of": bottleneck}, "bit/s", float(admissible_rate(CHOSEN, COUNTED[which])) * (1 + noise))
    ]


class TestClaims:
    def verdicts(self, outcome):
        return {judgement.claim: judgement.finding.verdict for judgement in judge(STUDY, outcome)}

    def test_verdicts_on_the_printed_numbers(self):
        found = self.verdicts(printed_outcome())
        confirmed = {claim for claim, verdict in found.items() if verdict == "confirmed"}
        # Where the document's own numbers contradict it; see the claims' notes.
        assert sorted(set(found) - confirmed) == [
            "pcn-c12",
            "pcn-c15",
            "pcn-c21",
            "pcn-c22",
            "pcn-c24",
        ]
        assert {found[claim] for claim in set(found) - confirmed} == {"refuted"}

    @pytest.mark.parametrize(
        ("changes", "claims"),
        [
            ({"cl": 9.0}, ["pcn-c01", "pcn-c03", "pcn-c05", "pcn-c06"]),
            ({"stm_randomized": 3.0}, ["pcn-c04"]),
            ({"t80": 2.5}, ["pcn-c08"]),
            ({"stm": 0.5}, ["pcn-c10"]),
            ({"over_termination_cl": 1.0}, ["pcn-c12", "pcn-c18", "pcn-c19", "pcn-c20"]),
            ({"bottleneck_1": 0.0}, ["pcn-c13", "pcn-c14"]),
            ({"termination_time_cl": 2.0}, ["pcn-c15", "pcn-c16", "pcn-c17"]),
            ({"termination_time_stm": 0.77}, ["pcn-c38"]),
        ],
    )
    def test_numbers_that_contradict_a_claim_refute_it(self, changes, claims):
        found = self.verdicts(printed_outcome(**changes))
        assert [found[claim] for claim in claims] == ["refuted"] * len(claims)

    @pytest.mark.parametrize(
        ("experiment", "value", "claim"),
        [
            ("sweep-low", 0.5, "pcn-c25"),
            ("poisson-0.6", 0.5, "pcn-c26"),
            ("flows-1000", 0.3, "pcn-c27"),
            ("synchronised-stm", 1.0, "pcn-c28"),
            ("near-admissible", 0.185, "pcn-c30"),
            ("series-3", 2.0, "pcn-c34"),
            ("fractional-high", 0.3, "pcn-c37"),
        ],
    )
    def test_experiments_that_contradict_a_claim_refute_it(self, experiment, value, claim):
        outcome = printed_outcome()
        outcome.experiments[experiment] = [
            run(*(replace(m, value=value + n * 1e-5) for m in result.metrics))
            for n, result in enumerate(outcome.experiments[experiment])
        ]
        assert self.verdicts(outcome)[claim] == "refuted"
