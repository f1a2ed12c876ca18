"""How the claims are tested: one function a claim, on the runs of all rows and of the experiments.

Margins stand in the claims' ``test`` texts in the document's data, with the same numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.bcn.claims_over_time import (
    best_values_depend_on_the_rate,
    longer_to_fairness,
    oscillation,
    trade_off,
)
from penstock.reproductions.bcn.experiments import OURS, PUBLISHED, SCALED, UNSCALED
from penstock.reproductions.bcn.measure import one
from penstock.reproductions.bcn.scenario import EQUILIBRIUM, HOT, WAITS
from penstock.reproductions.evidence import Estimate, above, below, decide, difference, ratio, within
from penstock.reproductions.finding import CONFIRMED, REFUTED, UNDECIDED, Finding
from penstock.reproductions.telling import failures, held, listed, unsettled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.reproductions.evidence import Test
    from penstock.reproductions.finding import ClaimTest
    from penstock.reproductions.outcome import Outcome

__all__ = ["CLAIMS"]

FLOWS = (1, 2)
MOST_FEEDBACK = 80
ALIKE = (0.8, 1.25)


def reference_flows_gain(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c01."""
    tests = []
    for flow in FLOWS:
        tests.append(above(f"transactions of flow {flow}", _gain(outcome, "throughput_tps", flow, 2), 0))
        tests.append(below(f"latency of flow {flow}", _gain(outcome, "latency_us", flow, 0.5), 0))
    return _told(
        tests, "Transactions per second less twice those, and latency in us less half of that, without management"
    )


def twice_the_older_version(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c02."""
    tests = [above(f"flow {flow}", _over_older(outcome, flow), 1.5) for flow in FLOWS]
    return _told(tests, "Our transactions with BCN 2.0 over those printed for BCN 1.0")


def bulk_like_the_older_version(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c03."""
    printed = _printed(outcome, "bulk-cisco-v1", "average_source_throughput", cm="BCN")
    share = Estimate.of(
        [value / printed for value in outcome.values("bulk-ours-v2", "average_source_throughput", {"cm": "BCN"})]
    )
    return _told([within("bulk", share, 0.9, 1.1)], "Our throughput with BCN 2.0 over the one printed for BCN 1.0")


def larger_spread(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c04."""
    printed = {cm: _printed(outcome, "bulk-cisco-v1", "stddev_over_average", cm=cm) for cm in ("None", "BCN")}
    tests = [
        above(cm, Estimate.of(outcome.values("bulk-ours-v2", "stddev_over_average", {"cm": cm})), bound)
        for cm, bound in printed.items()
    ]
    return _told(tests, "Our spreads in percent, against Cisco's")


def settles_at_the_equilibrium(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c06."""
    if not {OURS, PUBLISHED} <= set(outcome.experiments):
        return Finding(UNDECIDED, "The queue was not simulated.")
    tests = [
        within(name, Estimate.of(_queues(outcome, experiment)), 0.5 * EQUILIBRIUM, 1.5 * EQUILIBRIUM)
        for name, experiment in (("G_d = 0.0124", OURS), ("G_d = 1/64", PUBLISHED))
    ]
    tests.append(oscillation(outcome))
    return _told(tests, "Mean queues of the hot port in frames, and their oscillation")


def rate_becomes_negative(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c08."""
    stated = outcome.document.stated
    one_over = float(stated["bcn.aimd_cisco.gd_decrease_gain"].split("/")[1])
    published = 1 - MOST_FEEDBACK / one_over
    ours = 1 - MOST_FEEDBACK * stated["bcn.aimd_ours.gd_decrease_gain"]
    holds = published < 0 < ours
    return Finding(
        CONFIRMED if holds else REFUTED, f"R is multiplied by {published:.3f} and by {ours:.3f} at Fb = -80."
    )


def gains_depend_on_the_rate(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c09."""
    if not {OURS, SCALED, UNSCALED} <= set(outcome.experiments):
        return Finding(UNDECIDED, "1 Gbit/s was not simulated.")
    fast = _queues(outcome, OURS)
    scaled, unscaled = (ratio(_queues(outcome, name), fast) for name in (SCALED, UNSCALED))
    away = above("R_u as at 10 Gbit/s", unscaled, ALIKE[1])
    if unscaled.mean < 1:
        away = below("R_u as at 10 Gbit/s", unscaled, ALIKE[0])
    return _told([within("R_u scaled", scaled, *ALIKE), away], "Mean queue at 1 Gbit/s over that at 10 Gbit/s")


def same_direction(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c11."""
    tests = [above(f"transactions of flow {flow}", _gain(outcome, "throughput_tps", flow, 1), 0) for flow in FLOWS]
    tests.append(below("bulk", _bulk_gain(outcome, "average_source_throughput"), 1))
    tests += [within(f"flow {flow} over the print", _over_older(outcome, flow), 1 / 3, 3) for flow in FLOWS]
    return _told(tests, "Transactions gained, bulk over None, and our transactions with BCN over Cisco's")


def bulk_pays(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c12."""
    tests = [
        below("throughput", _bulk_gain(outcome, "average_source_throughput"), 1),
        above("spread", _bulk_gain(outcome, "stddev_over_average"), 1),
    ]
    return _told(tests, "BCN over None")


def rate_is_one_over_latency_and_wait(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c13."""
    tests = []
    for row in outcome.rows("reference-ours-v2"):
        wait = int(WAITS[int(row.key["reference_flow"])].split()[0])
        columns = (outcome.values("reference-ours-v2", name, row.key) for name in ("throughput_tps", "latency_us"))
        products = [tps * (latency + wait) / 1e6 for tps, latency in zip(*columns, strict=True)]
        tests.append(within(row.name, Estimate.of(products), 0.99, 1.01))
    return _told(tests, "Transactions times latency and wait")


def _told(tests: Sequence[Test], what: str) -> Finding:
    decision = decide(tests)
    evidence = f"{what}: {listed(tests)}. {held(decision)} comparisons hold.{failures(decision.failed)}"
    return Finding.of(decision, evidence, unsettled(decision.open))


def _gain(outcome: Outcome, column: str, flow: int, times: float) -> Estimate:
    """With BCN, less so many times what it is without: a flow may get nothing, so this is no ratio."""
    with_, without = (
        outcome.values("reference-ours-v2", column, {"cm": cm, "reference_flow": flow}) for cm in ("BCN", "None")
    )
    return difference(with_, [times * value for value in without])


def _bulk_gain(outcome: Outcome, column: str) -> Estimate:
    with_, without = (outcome.values("bulk-ours-v2", column, {"cm": cm}) for cm in ("BCN", "None"))
    return ratio(with_, without)


def _over_older(outcome: Outcome, flow: int) -> Estimate:
    printed = _printed(outcome, "reference-cisco-v1", "throughput_tps", cm="BCN", reference_flow=flow)
    values = outcome.values("reference-ours-v2", "throughput_tps", {"cm": "BCN", "reference_flow": flow})
    return Estimate.of([value / printed for value in values])


def _printed(outcome: Outcome, table: str, column: str, **key: int | str) -> float:
    """What is printed, whether or not it can be computed."""
    printed = outcome.document.table(table)
    (row,) = [row for row in (*printed.rows, *printed.quoted) if row.matches(key)]
    return float(row.values[column])


def _queues(outcome: Outcome, experiment: str) -> list[float]:
    return [one(run, "queue", HOT) for run in outcome.experiments[experiment]]


CLAIMS: Mapping[str, ClaimTest] = {
    "bcn-c01": reference_flows_gain,
    "bcn-c02": twice_the_older_version,
    "bcn-c03": bulk_like_the_older_version,
    "bcn-c04": larger_spread,
    "bcn-c05": longer_to_fairness,
    "bcn-c06": settles_at_the_equilibrium,
    "bcn-c07": trade_off,
    "bcn-c08": rate_becomes_negative,
    "bcn-c09": gains_depend_on_the_rate,
    "bcn-c10": best_values_depend_on_the_rate,
    "bcn-c11": same_direction,
    "bcn-c12": bulk_pays,
    "bcn-c13": rate_is_one_over_latency_and_wait,
}
