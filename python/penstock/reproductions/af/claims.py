"""How the claims are tested: one function a claim, on the runs of all rows.

Rows of one replication share their random numbers, so differences are taken run by run. Margins stand in the claims'
``test`` texts in the document's data, with the same numbers.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from penstock.reproductions.evidence import Estimate, Test, above, below, decide, difference, ratio, within
from penstock.reproductions.finding import CONFIRMED, REFUTED, UNDECIDED, Finding
from penstock.reproductions.telling import about, between, failures, held, signed, unsettled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.reproductions.finding import ClaimTest
    from penstock.reproductions.outcome import Outcome

__all__ = ["CLAIMS"]

TABLES = ("2", "3")
MARKER = {"2": "TCM", "3": "RBM"}
RATE_COLUMN = {"2": "cir_kbps", "3": "tgr_kbps"}
UDP_RATES = ("1.28M", "128k")
TOKEN_RATES = ("192", "256")
FAIR_SHARE = 30.0  # kb/s: 1.5 Mbit/s over 50 flows
CAPACITY = 1500.0  # kb/s
TCP_MARGIN = 1.5  # kb/s: 5 % of the fair share
FAIRNESS_MARGIN = 0.05
UDP_MARGIN = 0.10  # of the mean in table 2
NAMES = {
    "avg_tcp": "average TCP",
    "fairness": "fairness",
    "max_udp": "maximum UDP",
    "min_udp": "minimum UDP",
    "avg_udp": "average UDP",
}


def starved(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """af-c01."""
    tcp = Estimate.of(_column(outcome, "avg_tcp", "2", "1.28M", "none"))
    fairness = Estimate.of(_column(outcome, "fairness", "2", "1.28M", "none"))
    decision = decide([below("average TCP", tcp, FAIR_SHARE / 10), within("fairness", fairness, 0.08, 0.12)])
    mild = Estimate.of(_column(outcome, "avg_tcp", "2", "128k", "none"))
    mild_fairness = Estimate.of(_column(outcome, "fairness", "2", "128k", "none"))
    return Finding.of(
        decision,
        f"Without DPs at 1.28M a TCP flow gets {about(tcp)} kb/s, where 30 would be fair, and fairness is "
        f"{about(fairness)}.",
        f"At 128k it is not drastic: {about(mild)} kb/s and {about(mild_fairness)}.",
    )


def two_help(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """af-c02."""
    tests: list[Test] = []
    factors: dict[str, list[float]] = {"avg_tcp": [], "fairness": []}
    for table, udp, rate in _cases():
        for column, least in (("avg_tcp", 10), ("fairness", 3)):
            two, none = _column(outcome, column, table, udp, "2", rate), _column(outcome, column, table, udp, "none")
            tests.append(above(f"{NAMES[column]}, {_case(table, udp, rate)}", difference(two, none), 0))
            if udp == "1.28M":
                factor = ratio(two, none)
                factors[column].append(factor.mean)
                tests.append(above(f"factor of {NAMES[column]}, {_case(table, udp, rate)}", factor, least))
    mild = [
        ratio(
            _column(outcome, "avg_tcp", table, "128k", "2", rate), _column(outcome, "avg_tcp", table, "128k", "none")
        ).mean
        for table, rate in product(TABLES, TOKEN_RATES)
    ]
    decision = decide(tests)
    return Finding.of(
        decision,
        f"From none to 2 DPs {held(decision)} of the rises hold; at 1.28M average TCP grows "
        f"{between(factors['avg_tcp'])} times and fairness {between(factors['fairness'])} times."
        f"{failures(decision.failed)}",
        f"At 128k average TCP grows only {between(mild)} times.",
    )


def third_does_not_help(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """af-c03."""
    tests, rises = [], []
    for table, udp, rate in _cases():
        for column, margin in (("avg_tcp", TCP_MARGIN), ("fairness", FAIRNESS_MARGIN)):
            change = _third(outcome, column, table, udp, rate)
            tests.append(below(f"{NAMES[column]}, {_case(table, udp, rate)}", change, margin))
            rises.append(above(f"{NAMES[column]}, {_case(table, udp, rate)}", change, 0))
    decision, rising = decide(tests), decide(rises)
    small = "; ".join(f"{test.label} {signed(test.estimate)}" for test in rising.held)
    return Finding.of(
        decision,
        f"A third DP changes average TCP by {_spread(tests, 'avg_tcp')} kb/s and fairness by "
        f"{_spread(tests, 'fairness')} over the eight pairs; {held(decision)} rises are below 1.5 kb/s and 0.05."
        f"{failures(decision.failed)}",
        f"Significant rises, though: {small}." if small else "No rise is significant.",
    )


def two_like_three(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """af-c04."""
    tests = [
        within(
            f"{NAMES[column]}, {_case(table, udp, rate)}", _third(outcome, column, table, udp, rate), -margin, margin
        )
        for table, udp, rate in _cases()
        for column, margin in (("avg_tcp", TCP_MARGIN), ("fairness", FAIRNESS_MARGIN))
    ]
    decision = decide(tests)
    return Finding.of(
        decision,
        f"From 2 to 3 DPs average TCP changes by {_spread(tests, 'avg_tcp')} kb/s and fairness by "
        f"{_spread(tests, 'fairness')}; {held(decision)} changes are within 1.5 kb/s and 0.05."
        f"{failures(decision.failed)}",
        unsettled(decision.open),
    )


def rate_helps(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """af-c05."""
    tests = []
    for table, udp, dps in product(TABLES, UDP_RATES, ("2", "3")):
        for column, up in (("avg_tcp", True), ("fairness", True), ("max_udp", False), ("min_udp", False)):
            high, low = (_column(outcome, column, table, udp, dps, rate) for rate in ("256", "192"))
            label = f"{NAMES[column]}, {MARKER[table]} {udp} {dps} DP"
            tests.append((above if up else below)(label, difference(high, low), 0))
    decision = decide(tests)
    return Finding.of(
        decision,
        f"From 192 to 256 kb/s average TCP changes by {_spread(tests, 'avg_tcp')} kb/s, fairness by "
        f"{_spread(tests, 'fairness')}, maximum UDP by {_spread(tests, 'max_udp')} and minimum UDP by "
        f"{_spread(tests, 'min_udp')} kb/s; {held(decision)} go the claimed way.{failures(decision.failed)}",
        unsettled(decision.open),
    )


def two_tell_apart(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """af-c06."""
    tests = [
        below(
            _case(table, udp, rate),
            ratio(_column(outcome, "max_udp", table, udp, "2", rate), _column(outcome, "max_udp", table, udp, "none")),
            0.8,
        )
        for table, udp, rate in _cases()
    ]
    decision = decide(tests)
    return Finding.of(
        decision,
        f"With 2 DPs the best UDP flow gets {between(test.estimate.mean for test in tests)} of what it gets with none; "
        f"{held(decision)} ratios are below 0.8.{failures(decision.failed)}",
        unsettled(decision.open),
    )


def markers_alike(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """af-c07."""
    tests = []
    for udp, dps, rate in product(UDP_RATES, ("2", "3"), TOKEN_RATES):
        udp_mean = Estimate.of(_column(outcome, "avg_udp", "2", udp, dps, rate)).mean
        margins = {"avg_tcp": TCP_MARGIN, "fairness": FAIRNESS_MARGIN, "avg_udp": UDP_MARGIN * udp_mean}
        for column, margin in margins.items():
            rbm, tcm = (_column(outcome, column, table, udp, dps, rate) for table in ("3", "2"))
            tests.append(within(f"{NAMES[column]}, {udp} {dps} DP {rate}", difference(rbm, tcm), -margin, margin))
    decision = decide(tests)
    return Finding.of(
        decision,
        f"RBM minus TCM is {_spread(tests, 'avg_tcp')} kb/s in average TCP, {_spread(tests, 'fairness')} in fairness "
        f"and {_spread(tests, 'avg_udp')} kb/s in average UDP; {held(decision)} differences are within the margins."
        f"{failures(decision.failed)}",
        unsettled(decision.open),
    )


def marker_without_dps(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """af-c08."""
    equal = total = 0
    for udp in UDP_RATES:
        key = {"udp_rate": udp, "drop_precedences": "none"}
        pairs = list(zip(outcome.digests("2", key), outcome.digests("3", key), strict=True))
        equal += sum(left == right for left, right in pairs)
        total += len(pairs)
    verdict = CONFIRMED if equal == total else REFUTED
    return Finding(verdict, f"{equal} of {total} pairs of runs without DPs have equal digests for both markers.")


def bottleneck_full(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """af-c09."""
    rows = {
        f"table {table} {row.name}": outcome.values(table, "total", row.key)
        for table in TABLES
        for row in outcome.rows(table)
    }
    tests = [within(name, Estimate.of(total), 0.99 * CAPACITY, 1.01 * CAPACITY) for name, total in rows.items()]
    decision = decide(tests)
    least = min(min(total) for total in rows.values())
    return Finding.of(
        decision,
        f"All flows together get {between(test.estimate.mean for test in tests)} kb/s of 1500 over the 20 rows; the "
        f"least single run has {least:.1f}; {held(decision)} rows are within 1 %.{failures(decision.failed)}",
        unsettled(decision.open),
    )


def three_needed(_: Outcome, findings: Mapping[str, Finding]) -> Finding:
    """af-c10."""
    third, apart = findings["af-c03"].verdict, findings["af-c06"].verdict
    refuted = third == apart == CONFIRMED
    return Finding(
        REFUTED if refuted else UNDECIDED,
        f"That a third DP improves nothing (af-c03) is {third}, and that two tell UDP from TCP (af-c06) is {apart}.",
    )


def udp_keeps_more(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """af-c11."""
    tests = []
    for table in TABLES:
        for row in outcome.rows(table):
            udp, tcp = outcome.values(table, "min_udp", row.key), outcome.values(table, "max_tcp", row.key)
            tests.append(above(f"minimum UDP, table {table} {row.name}", Estimate.of(udp), FAIR_SHARE))
            tests.append(above(f"lead over TCP, table {table} {row.name}", difference(udp, tcp), 0))
    decision = decide(tests)
    least = min(test.estimate.mean for test in tests if test.label.startswith("minimum"))
    lead = min(test.estimate.mean for test in tests if test.label.startswith("lead"))
    return Finding.of(
        decision,
        f"The worst UDP flow gets at least {least:.1f} kb/s, and at least {lead:.1f} more than the best TCP flow; "
        f"{held(decision)} comparisons hold.{failures(decision.failed)}",
        unsettled(decision.open),
    )


CLAIMS: Mapping[str, ClaimTest] = {
    "af-c01": starved,
    "af-c02": two_help,
    "af-c03": third_does_not_help,
    "af-c04": two_like_three,
    "af-c05": rate_helps,
    "af-c06": two_tell_apart,
    "af-c07": markers_alike,
    "af-c08": marker_without_dps,
    "af-c09": bottleneck_full,
    "af-c10": three_needed,
    "af-c11": udp_keeps_more,
}


def _cases() -> Iterable[tuple[str, str, str]]:
    return product(TABLES, UDP_RATES, TOKEN_RATES)


def _case(table: str, udp: str, rate: str) -> str:
    return f"{MARKER[table]} {udp} {rate}"


def _column(outcome: Outcome, column: str, table: str, udp: str, dps: str, rate: str = "N/A") -> list[float]:
    return outcome.values(table, column, {"udp_rate": udp, "drop_precedences": dps, RATE_COLUMN[table]: rate})


def _third(outcome: Outcome, column: str, table: str, udp: str, rate: str) -> Estimate:
    three, two = (_column(outcome, column, table, udp, dps, rate) for dps in ("3", "2"))
    return difference(three, two)


def _spread(tests: Iterable[Test], column: str) -> str:
    means = [test.estimate.mean for test in tests if test.label.startswith(NAMES[column])]
    return f"{min(means):+.3g} to {max(means):+.3g}"
