"""Claims about markers and about other settings of STM, tested on runs of their own."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING

from penstock.reproductions.evidence import Estimate, Test, above, below, decide, difference, within
from penstock.reproductions.finding import CONFIRMED, REFUTED, Finding
from penstock.reproductions.pcn.experiments import BASE, CUTS, FLOWS, GROWTH, NEAR, OVERLOAD, RHOS, SWEEP, VOICE, grown
from penstock.reproductions.pcn.measure import admission, metric, termination
from penstock.reproductions.pcn.traffic import admissible_rate, supportable_rate
from penstock.reproductions.telling import about, failures, held, signed, unsettled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.reproductions.outcome import Outcome
    from penstock.running import RunResult

N = 3
NONE, ALL = 0.01, 0.99
FEW_ROUNDS = 0.1  # s
ALIKE = 2.0  # points
ALIKE_TIME = 0.15  # s


def three_states(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c25."""
    share = {name: load * _rho(outcome) / N for name, (_, load) in SWEEP.items()}
    tests = _sweep(
        outcome, "sweep", {name: (0.9 * share[name], 1.1 * share[name]) for name in ("low", "middle", "high")}
    )
    return _told(tests, "Marked share by load")


def two_steps(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c37."""
    band = (0.98 / N, 1.02 / N)
    return _told(_sweep(outcome, "fractional", dict.fromkeys(("low", "middle", "high"), band)), "Marked share by load")


def little(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c26."""
    tests = [
        within(f"load {rho:g}", Estimate.of(_ratios(outcome, f"poisson-{rho}", "load")), 0.99 * rho, 1.01 * rho)
        for rho in RHOS
    ]
    return _told(tests, "Marked share by load over SR")


def limit_at_admissible_rate(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c27."""
    limit = NEAR * _rho(outcome) / N
    share = {n: _ratios(outcome, f"flows-{n}", "load") for n in FLOWS}
    few, _middle, many = ([abs(value - limit) for value in values] for values in share.values())
    tests = [
        within("1000 flows", Estimate.of(share[FLOWS[-1]]), 0.98 * limit, 1.02 * limit),
        below("distance, 1000 less 10 flows", difference(many, few), 0),
    ]
    told = "; ".join(f"{n} flows {about(Estimate.of(values))}" for n, values in share.items())
    return _told(tests, f"Marked share: {told}; the limit is {limit:.4f}. Tests")


def no_flow_all_marked(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c28."""
    stm, excess = (_shares_of_flows(outcome, f"synchronised-{name}") for name in ("stm", "excess"))
    greatest = max(max(run) for run in stm)
    by_run = ", ".join(str(sum(share > ALL for share in run)) for run in stm)
    all_marked = [sum(share > ALL for share in run) / len(run) for run in excess]
    none_marked = [sum(share < NONE for share in run) / len(run) for run in excess]
    return Finding(
        CONFIRMED if greatest < ALL else REFUTED,
        f"The greatest marked share of any flow in {len(stm)} runs is {greatest:.3f} with STM, and {by_run} of "
        f"{len(stm[0])} flows have all packets marked; with excess-traffic "
        f"marking {about(Estimate.of(all_marked))} of the flows have all packets marked and "
        f"{about(Estimate.of(none_marked))} none.",
        "As many packets are counted in every period of the flows: all that arrive, or those that find the bucket not "
        "full (pcn-a31). Where N divides their number, the counter is back where it was after each period, and the "
        "same packets are marked for ever.",
    )


def fewer_without_marks(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c29."""
    stm, excess = (
        [sum(share == 0 for share in run) / len(run) for run in _shares_of_flows(outcome, f"synchronised-{name}")]
        for name in ("stm-n-1", "excess")
    )
    return _told(
        [below("STM with N = 1 less excess", difference(stm, excess), 0)],
        f"Flows without marks: {about(Estimate.of(stm))} and {about(Estimate.of(excess))}. Share",
    )


def switch_alternates(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c30."""
    share = Estimate.of(_ratios(outcome, "near-admissible", "calls"))
    return _told([within("marked share", share, NONE, 0.9 * _rho(outcome) / N)], "Under admission control near AR")


def drops_do_not_matter(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c31."""
    (over, time), (other, other_time) = (_terminated(outcome, f"drops-{name}") for name in ("tail", "random"))
    tests = [
        within("points", difference(over, other), -ALIKE, ALIKE),
        within("s", difference(time, other_time), -ALIKE_TIME, ALIKE_TIME),
    ]
    return _told(tests, "Tail drop less random drop")


def slow_without_drops(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c32."""
    without, dropping = (_terminated(outcome, f"drops-{name}")[1] for name in ("none", "tail"))
    expected = 0.1 * (math.ceil(math.log(OVERLOAD.load) / -math.log(1 - 0.05)) - 1)
    tests = [
        above("s longer without drops", difference(without, dropping), 0),
        within("s without drops", Estimate.of(without), expected - FEW_ROUNDS, expected + FEW_ROUNDS),
    ]
    return _told(tests, f"Time; {expected:.1f} s by the geometric rule")


def speed_against_accuracy(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c33."""
    runs = {y: _terminated(outcome, f"cut-{y:g}") for y in CUTS}
    tests = [
        below(f"s, {next_y:g} less {y:g} %", difference(runs[next_y][1], runs[y][1]), 0) for y, next_y in pairwise(CUTS)
    ]
    tests.append(above("points, 20 less 2 %", difference(runs[CUTS[-1]][0], runs[CUTS[0]][0]), 0))
    told = "; ".join(
        f"{y:g} % {about(Estimate.of(time))} s, {about(Estimate.of(over))} %" for y, (over, time) in runs.items()
    )
    return _told(tests, f"Time and over-termination by y: {told}. Tests")


def marks_do_not_add_up(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c34."""
    ended = {n: [_ended(result) for result in outcome.experiments[f"series-{n}"]] for n in (3, 1)}
    return Finding(
        CONFIRMED if not any(ended[3]) else REFUTED,
        f"Calls terminated in {len(ended[3])} runs with N = 3: {sum(ended[3]):.0f}; with N = 1: {sum(ended[1]):.0f}.",
    )


def faster_links(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c35."""
    distance = {
        factor: [
            abs(admission(grown(outcome.readings.settings(), factor), VOICE, result)[0])
            for result in outcome.experiments[f"growth-{factor:g}"]
        ]
        for factor in GROWTH
    }
    tests = [
        below(f"points, {faster:g} less {slower:g}", difference(distance[faster], distance[slower]), 0)
        for slower, faster in pairwise(GROWTH)
    ]
    told = "; ".join(f"{factor:g} times {about(Estimate.of(values))}" for factor, values in distance.items())
    return _told(tests, f"STM's distance from zero in percent: {told}. Tests")


def _told(tests: Sequence[Test], what: str) -> Finding:
    decision = decide(tests)
    each = "; ".join(f"{test.label} {signed(test.estimate)}" for test in tests)
    return Finding.of(
        decision,
        f"{what}: {each}. {held(decision)} statements hold.{failures(decision.failed)}",
        unsettled(decision.open),
    )


def _sweep(outcome: Outcome, kind: str, between: Mapping[str, tuple[float, float]]) -> list[Test]:
    """Nothing marked below AR, all above SR, and between them what `between` says."""
    tests = []
    for name, (of, load) in SWEEP.items():
        share = Estimate.of(_ratios(outcome, f"{kind}-{name}", "calls"))
        label = f"{load:g} {of}"
        if name in between:
            tests.append(within(label, share, *between[name]))
        else:
            tests.append(below(label, share, NONE) if name == "below" else above(label, share, ALL))
    return tests


def _rho(outcome: Outcome) -> float:
    settings = outcome.readings.settings()
    return float(admissible_rate(settings, BASE) / supportable_rate(settings, BASE))


def _ratios(outcome: Outcome, experiment: str, of: str) -> list[float]:
    return [metric(result, "marking-ratio", [of])[0] for result in outcome.experiments[experiment]]


def _shares_of_flows(outcome: Outcome, experiment: str) -> list[list[float]]:
    return [
        [m.value for m in result.metrics if m.name == "marking-ratio"] for result in outcome.experiments[experiment]
    ]


def _terminated(outcome: Outcome, experiment: str) -> tuple[list[float], list[float]]:
    settings = outcome.readings.settings()
    shots = [termination(settings, OVERLOAD, result) for result in outcome.experiments[experiment]]
    return [shot.over[0] for shot in shots], [shot.time for shot in shots]


def _ended(result: RunResult) -> float:
    return math.fsum(m.value for m in result.metrics if m.name == "calls" and m.labels["what"] == "terminated")
