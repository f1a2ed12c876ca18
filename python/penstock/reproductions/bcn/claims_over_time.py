"""How the claims about fairness and oscillation are tested, which need rates and queues over time.

What is asked for each stands in the claims' ``test`` texts in the document's data.
"""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING

from penstock.reproductions.bcn.experiments import FAST, OURS, PUBLISHED, SLOW
from penstock.reproductions.bcn.measure import one, spread_over_sources
from penstock.reproductions.bcn.scenario import EQUILIBRIUM, HOT, counted_seconds
from penstock.reproductions.evidence import LEVEL, Estimate, above, below, decide, difference
from penstock.reproductions.finding import CONFIRMED, REFUTED, UNDECIDED, Finding
from penstock.reproductions.telling import listed, signed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.reproductions.evidence import Test
    from penstock.reproductions.outcome import Outcome
    from penstock.running import RunResult

__all__ = ["best_values_depend_on_the_rate", "longer_to_fairness", "oscillation", "trade_off"]


def longer_to_fairness(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c05."""
    if not {OURS, PUBLISHED} <= set(outcome.experiments):
        return _missing("The time to fairness")
    ours, published = (_times(outcome, name) for name in (OURS, PUBLISHED))
    reached = [sum(not math.isnan(time) for time in times) for times in (ours, published)]
    # What is not reached takes longer than all that is counted.
    longest = counted_seconds(outcome.readings.settings())
    lengths = [[longest if math.isnan(time) else time for time in times] for times in (ours, published)]
    decision = decide([above("longer by", difference(*lengths), 0)])
    evidence = (
        f"Fairness within 10 % is reached in {reached[0]} of {len(ours)} runs with G_d = 0.0124 and in {reached[1]} of "
        f"{len(published)} with 1/64, within {longest:g} s."
    )
    note = "" if any(reached) else "Neither gets there, so that no time can be longer."
    return Finding.of(decision, evidence, note)


def oscillation(outcome: Outcome) -> Test:
    """That the queue deviates more with the authors' gain than with the published one (bcn-c06)."""
    ours, published = (_deviations(outcome, name) for name in (OURS, PUBLISHED))
    return above("standard deviation with 0.0124 over that with 1/64", difference(ours, published), 0)


def trade_off(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c07."""
    if not set(FAST) <= set(outcome.experiments):
        return _missing("The settings")
    deviations = zip(*(_deviations(outcome, name) for name in FAST), strict=True)
    spreads = zip(*(_spreads(outcome, name) for name in FAST), strict=True)
    ranks = Estimate.of([_rank_correlation(*pair) for pair in zip(deviations, spreads, strict=True)])
    decision = decide([below("rank correlation", ranks, 0)])
    evidence = (
        f"Over {len(FAST)} settings at 10 Gbit/s, the rank correlation of the queue's standard deviation and the "
        f"spread of the sources' rates is {signed(ranks)}; a trade-off would make it negative."
    )
    return Finding.of(decision, evidence)


def best_values_depend_on_the_rate(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """bcn-c10."""
    if not {*SLOW, *SLOW.values()} <= set(outcome.experiments):
        return _missing("1 Gbit/s")
    measures: Mapping[str, Callable[[Outcome, str], list[float]]] = {
        "spread of the rates": _spreads,
        "deviation of the queue": _deviations,
        "distance of the mean queue from the equilibrium": _distances,
    }
    (base, reference), *others = SLOW.items()
    turned, held, kept = [], [], 0
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
                held.append(decision)
    told = "Each G_d against 0.0124, with the rate unit as it is"
    if held:
        return Finding(CONFIRMED, f"{told}, turns from better to worse or back: {'; '.join(turned[:3])}.")
    count = len(measures) * len(others)
    if kept == count:
        return Finding(REFUTED, f"{told}, changes all measures in the same direction at both rates.")
    return Finding(UNDECIDED, f"{told}, turns no measure for certain; {kept} of {count} go the same way at both rates.")


def _missing(what: str) -> Finding:
    return Finding(UNDECIDED, f"{what} was not simulated.")


def _times(outcome: Outcome, experiment: str) -> list[float]:
    """In s; not a number where fairness is not reached."""
    return [_metric(run, "time-to-fairness") for run in outcome.experiments[experiment]]


def _deviations(outcome: Outcome, experiment: str) -> list[float]:
    return [_metric(run, "queue", "sampled-deviation") for run in outcome.experiments[experiment]]


def _spreads(outcome: Outcome, experiment: str) -> list[float]:
    return [spread_over_sources(run) for run in outcome.experiments[experiment]]


def _distances(outcome: Outcome, experiment: str) -> list[float]:
    return [abs(one(run, "queue", HOT) - EQUILIBRIUM) for run in outcome.experiments[experiment]]


def _metric(run: RunResult, name: str, statistic: str | None = None) -> float:
    (value,) = (m.value for m in run.metrics if m.name == name and m.labels.get("statistic") == statistic)
    return value


def _rank_correlation(left: Sequence[float], right: Sequence[float]) -> float:
    """Spearman's."""
    return statistics.correlation(_ranks(left), _ranks(right))


def _ranks(values: Sequence[float]) -> list[float]:
    return [sum(other < value for other in values) + (values.count(value) - 1) / 2 for value in values]
