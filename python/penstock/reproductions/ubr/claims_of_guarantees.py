"""Claims about guarantees: queueing and thresholds, FIFO control, and DFBA."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from penstock.reproductions.evidence import Estimate, above, below, difference, ratio, within
from penstock.reproductions.ubr.averages import deviation, told
from penstock.reproductions.ubr.circuits import GROUPS
from penstock.reproductions.ubr.experiments import LOSSES, MSS, ROUND_TRIP, random_loss
from penstock.reproductions.ubr.guarantees import stated
from penstock.reproductions.ubr.measure import one

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.reproductions.evidence import Test
    from penstock.reproductions.finding import ClaimTest, Finding
    from penstock.reproductions.outcome import Outcome
    from penstock.reproductions.tables import Cell

__all__ = ["CLAIMS"]

TREE, CONTROL, SLIDES, ALLOCATION, CONDITIONS = "30", "36", "53-59-results", "34", "61"
MET = 0.98
FEW = 0.01
APART = 0.1
LOW, MIDDLE, HIGH = 0.05, 0.4, 0.95
BRANCH: dict[str, Cell] = {"queueing": "per-vc", "management": "one-threshold", "tagging": "none"}


def queues_per_circuit_suffice(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c29."""
    return told([_met(outcome, TREE, BRANCH, "queues per circuit")], "Least goodput over MCR")


def thresholds_for_priorities(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c31."""
    tests = [_met(outcome, TREE, BRANCH, "least goodput over MCR, one threshold")]
    for management, test in (("one-threshold", above), ("two-thresholds", below)):
        key: dict[str, Cell] = {"queueing": "fifo", "management": management, "tagging": "network"}
        tests.append(test(f"loss of CLP 0, {management}", Estimate.of(outcome.values(TREE, "clp0_loss", key)), FEW))
    return told(tests, "Guarantees")


def output_shares_are_buffer_shares(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c32."""
    tests: list[Test] = []
    for level in dict.fromkeys(row.key["utilisation"] for row in outcome.rows(CONTROL)):

        def of(column: str, group: int, level: Cell = level) -> list[float]:
            return outcome.values(CONTROL, column, {"utilisation": level, "group": group})

        for i in GROUPS:
            shares = ratio(of("output_share", i), of("buffer_share", i))
            tests.append(within(f"group {i} at {level}", shares, 0.95, 1.05))
        for column, name in (("output_share", "output"), ("buffer_share", "buffer")):
            apart = difference(of(column, GROUPS[-1]), of(column, GROUPS[0]))
            tests.append(above(f"share of the {name}, group 5 less group 1 at {level}", apart, APART))
    return told(tests, "Share of the output over share of the buffer, by group and utilisation, and what else")


def ratios_are_close_to_one(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c33."""
    tests = []
    waits: dict[Cell, list[Sequence[float]]] = {}
    for row in outcome.rows(CONTROL):
        tests.append(within(row.name, Estimate.of(outcome.values(CONTROL, "ratio", row.key)), 0.9, 1.1))
        waits.setdefault(row.key["utilisation"], []).append(outcome.values(CONTROL, "wait", row.key))
    tests.append(above("deviation at 0.95 less that at 0.4", _wider(outcome, HIGH), 0))
    for utilisation, groups in waits.items():
        by_run = [list(numbers) for numbers in zip(*groups, strict=True)]
        apart = [max(abs(each / statistics.fmean(run) - 1) for each in run) for run in by_run]
        tests.append(below(f"delays apart at {utilisation}", Estimate.of(apart), 0.05))
    return told(tests, "Goodput over expected, by utilisation and group, and what else")


def control_is_hard_at_the_ends(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c34."""
    tests = [above(f"deviation at {end}", _wider(outcome, end), 0) for end in (LOW, HIGH)]
    timeouts = (_sum(outcome, "timeouts", utilisation) for utilisation in (LOW, MIDDLE))
    tests.append(above("timeouts per second at 0.05", difference(*timeouts), 0))
    return told(tests, "Less those at 0.4")


def window_follows_the_root_of_loss(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c36."""
    products = {}
    for name, probability in LOSSES.items():
        rates = [one(run, "goodput", "tcp") for run in outcome.experiments[random_loss(name)]]
        products[name] = [rate * ROUND_TRIP * math.sqrt(probability) / (8 * MSS) for rate in rates]
    means = [statistics.fmean(run) for run in zip(*products.values(), strict=True)]
    tests = [within(f"at {name}", ratio(values, means), 0.85, 1.15) for name, values in products.items()]
    most = GROUPS[-1]
    small, whole = (outcome.values(SLIDES, "goodput", {"slide": slide, "vc": most}) for slide in (59, 57))
    tests.append(above(f"goodput of VC {most} in Mbit/s that a small Z adds", difference(small, whole), 0))
    constants = ", ".join(f"{statistics.fmean(values):.2f} at {name}" for name, values in products.items())
    return told(tests, "Rate x RTT x sqrt(P) / MSS over its mean", f"The constant itself: {constants}.")


def guaranteed_and_less_excess(*slides: int) -> ClaimTest:
    """ubr-c37, ubr-c38 and ubr-c41."""

    def test(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
        form = "excess" if outcome.readings.settings()["excess.form"] == "absolute" else "relative_excess"
        tests: list[Test] = []
        for slide in slides:
            excess = {i: outcome.values(SLIDES, form, {"slide": slide, "vc": i}) for i in GROUPS}
            tests += [above(f"slide {slide}, VC {i}", Estimate.of(excess[i]), 0) for i in GROUPS]
            tests += [
                above(f"slide {slide}, VC {i} less VC {i + 1}", difference(excess[i], excess[i + 1]), 0)
                for i in GROUPS[:-1]
            ]
        return told(tests, "Excess over MCR" if form == "relative_excess" else "Excess in Mbit/s")

    return test


def sources_do_not_matter(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c39."""
    tests = []
    for i in GROUPS:
        both = (outcome.values(SLIDES, "goodput", {"slide": slide, "vc": i}) for slide in (55, 54))
        tests.append(within(f"VC {i}", ratio(*both), 0.95, 1.05))
    return told(tests, "Goodput with 100 TCPs over that with 50")


def queues_follow_mcrs(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c40."""
    mcrs = stated(outcome.readings.settings(), "allocation_85")
    queues = {i: outcome.values(SLIDES, "queue", {"slide": 55, "vc": i}) for i in GROUPS}
    own = {i: [cells / mcrs[i] for cells in queue] for i, queue in queues.items()}
    return told(_even(own), "Mean queue over MCR, over the mean of all circuits")


def small_z_shares_in_proportion(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c42."""
    own = {i: outcome.values(SLIDES, "relative_excess", {"slide": 59, "vc": i}) for i in GROUPS}
    return told(_even(own), "Excess over MCR, over the mean of all circuits")


def needs(condition: str, broken: str) -> ClaimTest:
    """ubr-c43."""

    def test(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
        least = Estimate.of(outcome.values(CONDITIONS, "least", {"condition": condition}))
        tests = [_met(outcome, CONDITIONS, {"condition": "none"}, "kept"), below(broken, least, MET)]
        return told(tests, "Least goodput over MCR")

    return test


def fifo_suffices_at_high_allocations(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c44.a."""
    keys: list[dict[str, Cell]] = [{"allocation": 85, "policy": policy} for policy in ("dfba", "thresholds")]
    return told([_met(outcome, ALLOCATION, key, str(key["policy"])) for key in keys], "Least goodput over MCR")


def fifo_suffices_at_low_allocations(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c44.b."""
    keys: list[dict[str, Cell]] = [{"allocation": share, "policy": "dfba"} for share in (10, 25)]
    return told([_met(outcome, ALLOCATION, key, f"{key['allocation']} %") for key in keys], "Least goodput over MCR")


def _met(outcome: Outcome, table: str, key: Mapping[str, Cell], label: str) -> Test:
    return above(label, Estimate.of(outcome.values(table, "least", key)), MET)


def _wider(outcome: Outcome, utilisation: float) -> Estimate:
    """By how much the ratios scatter more over the groups than at the middle utilisation."""
    return difference(*(deviation(outcome, CONTROL, "ratio", utilisation=level) for level in (utilisation, MIDDLE)))


def _sum(outcome: Outcome, column: str, utilisation: float) -> list[float]:
    rows = [row for row in outcome.rows(CONTROL) if row.matches({"utilisation": utilisation})]
    return [sum(run) for run in zip(*(outcome.values(CONTROL, column, row.key) for row in rows), strict=True)]


def _even(own: Mapping[int, Sequence[float]]) -> list[Test]:
    """That each circuit's number is near the mean of all circuits of its run."""
    means = [statistics.fmean(run) for run in zip(*own.values(), strict=True)]
    return [within(f"VC {i}", ratio(values, means), 0.75, 1.25) for i, values in own.items()]


CLAIMS: Mapping[str, ClaimTest] = {
    "ubr-c29": queues_per_circuit_suffice,
    "ubr-c31": thresholds_for_priorities,
    "ubr-c32": output_shares_are_buffer_shares,
    "ubr-c33": ratios_are_close_to_one,
    "ubr-c34": control_is_hard_at_the_ends,
    "ubr-c36": window_follows_the_root_of_loss,
    "ubr-c37": guaranteed_and_less_excess(53),
    "ubr-c38": guaranteed_and_less_excess(54),
    "ubr-c39": sources_do_not_matter,
    "ubr-c40": queues_follow_mcrs,
    "ubr-c41": guaranteed_and_less_excess(57, 58),
    "ubr-c42": small_z_shares_in_proportion,
    "ubr-c43.a": needs("reno", "Reno"),
    "ubr-c43.b": needs("full", "99.9 % allocated"),
    "ubr-c43.c": needs("rtt", "two circuits farther away"),
    "ubr-c43.d": needs("frame-size", "two circuits with small frames"),
    "ubr-c43.e": needs("background", "datagrams beside"),
    "ubr-c44.a": fifo_suffices_at_high_allocations,
    "ubr-c44.b": fifo_suffices_at_low_allocations,
}
