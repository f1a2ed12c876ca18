"""Jiang and Jain: backward congestion notification, BCN 2.0, in a 10 Gb/s Ethernet (2006)."""

import math
import statistics
from collections.abc import Callable, Mapping

from penstock.reproductions.bcn.scenario import (
    EQUILIBRIUM,
    FAST,
    HOT,
    OURS,
    SCALED,
    SLOW,
    SOURCES,
    UNSCALED,
    build,
    counted_seconds,
    experiments,
    transfer_bytes,
)
from penstock.reproductions.evidence import (
    CONFIRMED,
    LEVEL,
    REFUTED,
    UNDECIDED,
    Estimate,
    Finding,
    above,
    below,
    decide,
    difference,
    failures,
    held,
    listed,
    rank_correlation,
    ratio,
    signed,
    unsettled,
    within,
)
from penstock.reproductions.outcome import Outcome, numbers, one
from penstock.reproductions.packaged import packaged
from penstock.reproductions.reading import Settings
from penstock.reproductions.tables import Row, Table
from penstock.running import RunResult

MOST_FEEDBACK = 80
ALIKE = (0.8, 1.25)


def measure(settings: Settings, _: Table, row: Row, results: Mapping[str, RunResult]) -> Mapping[str, float]:
    """The printed columns; ``queue`` and ``loss`` of the hot port."""
    (result,) = results.values()
    common = {"queue": one(result, "queue", HOT), "loss": one(result, "loss", HOT)}
    if "reference_flow" in row.key:
        flow = f"rf{row.key['reference_flow']}"
        return {
            "throughput_tps": one(result, "goodput", flow) / (8 * transfer_bytes(settings)),
            "throughput_gbps": one(result, "throughput", flow) / 1e9,
            "latency_us": _latency(settings, one(result, "page-time", flow)),
            **common,
        }
    connections = [numbers(result, "throughput", of=f"bulk{i}") for i in range(1, SOURCES + 1)]
    mean = math.fsum(rate for rates in connections for rate in rates) / 1e9 / SOURCES
    if settings["spread.over"] == "connections":
        rates = [rate for of_source in connections for rate in of_source]
        spread = statistics.pstdev(rates) / statistics.fmean(rates)
    else:
        spread = spread_over_sources(result)
    return {"average_source_throughput": mean, "stddev_over_average": 100 * spread, **common}


def spread_over_sources(result: RunResult) -> float:
    """Standard deviation of the bulk sources' throughput over its mean."""
    sources = [math.fsum(numbers(result, "throughput", of=f"bulk{i}")) for i in range(1, SOURCES + 1)]
    return statistics.pstdev(sources) / statistics.fmean(sources)


def _latency(settings: Settings, seconds: float) -> float:
    """In us; where no transaction is complete, they take longer than the run counts."""
    return 1e6 * counted_seconds(settings) if math.isnan(seconds) else seconds * 1e6


def trade_off(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c07: over the settings, a steadier queue goes with a larger spread of the rates."""
    if not set(FAST) <= set(outcome.experiments):
        return _missing("The settings")
    deviations = zip(*(_deviations(outcome, name) for name in FAST), strict=True)
    spreads = zip(*(_spreads(outcome, name) for name in FAST), strict=True)
    ranks = Estimate.of([rank_correlation(*pair) for pair in zip(deviations, spreads, strict=True)])
    decision = decide([below("rank correlation", ranks, 0)])
    evidence = (
        f"Over {len(FAST)} settings at 10 Gbit/s, the rank correlation of the queue's standard deviation and the "
        f"spread of the sources' rates is {signed(ranks)}; a trade-off would make it negative."
    )
    return Finding.of(decision, evidence)


def rate_becomes_negative(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c08: arithmetic with the strongest feedback and both gains."""
    stated = outcome.document.stated
    one_over = float(stated["bcn.aimd_cisco.gd_decrease_gain"].split("/")[1])
    published = 1 - MOST_FEEDBACK / one_over
    ours = 1 - MOST_FEEDBACK * stated["bcn.aimd_ours.gd_decrease_gain"]
    holds = published < 0 < ours
    return Finding.certain(holds, f"R is multiplied by {published:.3f} and by {ours:.3f} at Fb = -80.")


def gains_depend_on_the_rate(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c09: at 1 Gbit/s the queue is as at 10 with R_u scaled, and longer or shorter without."""
    if not {OURS, SCALED, UNSCALED} <= set(outcome.experiments):
        return _missing("1 Gbit/s")
    fast, scaled, unscaled = (_queues(outcome, name) for name in (OURS, SCALED, UNSCALED))
    alike, apart = ratio(scaled, fast), ratio(unscaled, fast)
    # The side is that of the runs, so half of the level is left for it.
    away = (below if apart.mean < 1 else above)("R_u as at 10 Gbit/s", apart, 1)
    tests = [within("R_u scaled", alike, *ALIKE), away]
    decision = decide(tests, LEVEL / 2)
    evidence = f"Mean queue at 1 Gbit/s over that at 10 Gbit/s: {listed(tests)}. {held(decision)} comparisons hold."
    return Finding.of(decision, evidence + failures(decision.failed), unsettled(decision.open))


def best_values_depend_on_the_rate(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c10: some G_d is better than the authors' at one rate and worse at the other."""
    if not {*SLOW, *SLOW.values()} <= set(outcome.experiments):
        return _missing("1 Gbit/s")
    measures: Mapping[str, Callable[[Outcome, str], list[float]]] = {
        "spread of the rates": _spreads,
        "deviation of the queue": _deviations,
        "distance of the mean queue from the equilibrium": _distances,
    }
    (base, reference), *others = SLOW.items()
    turned, kept = [], 0
    for what, values in measures.items():
        for slow, fast in others:
            at_fast = difference(values(outcome, fast), values(outcome, reference))
            at_slow = difference(values(outcome, slow), values(outcome, base))
            better, worse = (below, above) if at_fast.mean < 0 else (above, below)
            tests = [better(f"{what} at 10 Gbit/s", at_fast, 0), worse(f"{what} at 1 Gbit/s", at_slow, 0)]
            # One reversal is enough, and there are six ways of finding one by chance.
            decision = decide(tests, LEVEL / (len(measures) * len(others)))
            kept += decision.verdict == REFUTED
            if decision.verdict == CONFIRMED:
                turned.append(f"{fast}: {listed(decision.held)}")
    told = "Another G_d than 0.0124, with the rate unit as it is"
    if turned:
        return Finding(CONFIRMED, f"{told}, is better at one rate and worse at the other: {'; '.join(turned[:3])}.")
    count = len(measures) * len(others)
    if kept == count:
        return Finding(REFUTED, f"{told}, changes all measures in the same direction at both rates.")
    return Finding(UNDECIDED, f"{told}, turns no measure for certain; {kept} of {count} go the same way at both rates.")


def _missing(what: str) -> Finding:
    return Finding(UNDECIDED, f"{what} was not simulated.")


def _queues(outcome: Outcome, experiment: str) -> list[float]:
    return [one(run, "queue", HOT) for run in outcome.experiments[experiment]]


def _deviations(outcome: Outcome, experiment: str) -> list[float]:
    runs = outcome.experiments[experiment]
    return [deviation for run in runs for deviation in numbers(run, "queue", statistic="sampled-deviation")]


def _spreads(outcome: Outcome, experiment: str) -> list[float]:
    return [spread_over_sources(run) for run in outcome.experiments[experiment]]


def _distances(outcome: Outcome, experiment: str) -> list[float]:
    return [abs(queue - EQUILIBRIUM) for queue in _queues(outcome, experiment)]


STUDY = packaged(
    __package__,
    build=build,
    measure=measure,
    others={
        "bcn-c07": trade_off,
        "bcn-c08": rate_becomes_negative,
        "bcn-c09": gains_depend_on_the_rate,
        "bcn-c10": best_values_depend_on_the_rate,
    },
    experiments=experiments,
    runs=5,
    measured={"spread.over": ["stddev_over_average"]},
)
