"""Claims about the parameters of selective drop and FBA, and about a guaranteed rate beneath VBR."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from penstock.reproductions.evidence import Estimate, above, below, difference
from penstock.reproductions.ubr.averages import average, deviation, less, told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.reproductions.evidence import Test
    from penstock.reproductions.finding import ClaimTest, Finding
    from penstock.reproductions.outcome import Outcome

__all__ = ["CLAIMS"]

SWEEP, VBR = "21-23", "11-12"
NETWORKS = {"lan": "LAN", "wan": "WAN"}
METRICS = ("efficiency", "fairness")
BEST = {"selective-drop": (0.8, 0.9), "fba": (0.8, 0.5)}
"""Z and R / K that slides 21 and 23 call best."""
SMALL = 0.02
MUCH = 0.05
DROPPING = ("epd", "selective-drop", "fba")


def fba_is_more_sensitive(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c19."""
    tests = []
    for network, name in NETWORKS.items():
        for metric in METRICS:
            both = (deviation(outcome, SWEEP, metric, network=network, policy=policy) for policy in ("fba", BEST_SD))
            tests.append(above(f"{metric}, {name}", difference(*both), 0))
    return told(tests, "Standard deviation over Z and R, FBA's less selective drop's")


def best_of(policy: str) -> ClaimTest:
    """ubr-c20 and ubr-c21."""

    def test(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
        tests: list[Test] = []
        for network, name in NETWORKS.items():
            clouds = _clouds(outcome, network, policy)
            tests.append(below(f"correlation, {name}", Estimate.of([_correlation(cloud) for cloud in clouds]), 0))
            widest = [max(max(axis) - min(axis) for axis in zip(*cloud.values(), strict=True)) for cloud in clouds]
            tests.append(above(f"greater range, {name}", Estimate.of(widest), SMALL))
            behind = [_behind(cloud, BEST[policy]) for cloud in clouds]
            tests.append(below(f"behind the best setting, {name}", Estimate.of(behind), SMALL))
        ends = (_ends(outcome, policy, metric) for metric in METRICS)
        notes = [f"All settings: efficiency {next(ends)}, fairness {next(ends)}."]
        if policy == BEST_SD:
            notes.append(_within_the_axes(outcome))
        return told(tests, "Over Z and R", " ".join(notes))

    return test


def reserving_beats_dropping(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c09."""
    return told([above(switch, it, 0) for switch, it in _leads(outcome, "wan").items()], LEADS)


def dropping_beats_reserving(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c10."""
    return told([below(switch, it, 0) for switch, it in _leads(outcome, "lan").items()], LEADS)


def flavours_beat_reserving(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c11.a."""
    far = {"network": "satellite"}
    sack = less(*(average(outcome, VBR, "efficiency", **far, reserved=0, tcp=tcp) for tcp in ("sack1", "vanilla")))
    lead = difference(sack, _reserving(outcome))
    return told([above("lead", lead, 0)], "SACK's gain in efficiency less that of a reservation")


def reserving_helps_far_away(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c11.b."""
    return told([above("gain", Estimate.of(_reserving(outcome)), MUCH)], "Efficiency that a reservation adds")


BEST_SD = "selective-drop"
LEADS = "Gain in efficiency of a reservation of 10 % less that of a drop policy"


def _leads(outcome: Outcome, network: str) -> dict[str, Estimate]:
    """What the reservation adds to plain UBR, less what each drop policy does."""

    def of(reserved: int, switch: str) -> list[float]:
        return average(outcome, VBR, "efficiency", network=network, reserved=reserved, switch=switch)

    return {switch: difference(of(10, "plain"), of(0, switch)) for switch in DROPPING}


def _reserving(outcome: Outcome) -> list[float]:
    return less(*(average(outcome, VBR, "efficiency", network="satellite", reserved=share) for share in (10, 0)))


def _clouds(outcome: Outcome, network: str, policy: str) -> list[dict[tuple[float, float], tuple[float, float]]]:
    """Efficiency and fairness by Z and R, for each run."""
    rows = [row for row in outcome.rows(SWEEP) if row.matches({"network": network, "policy": policy})]
    points = {
        (float(row.key["z"]), float(row.key["r"])): list(
            zip(*(outcome.values(SWEEP, metric, row.key) for metric in METRICS), strict=True)
        )
        for row in rows
    }
    return [{setting: runs[n] for setting, runs in points.items()} for n in range(len(next(iter(points.values()))))]


def _correlation(cloud: Mapping[tuple[float, float], tuple[float, float]]) -> float:
    """Of efficiency with fairness; 0 where one of them never moves."""
    efficiency, fairness = zip(*cloud.values(), strict=True)
    if len(set(efficiency)) == 1 or len(set(fairness)) == 1:
        return 0.0
    return statistics.correlation(efficiency, fairness)


def _behind(cloud: Mapping[tuple[float, float], tuple[float, float]], best: tuple[float, float]) -> float:
    """By how much some setting is better than this one in both numbers; 0 if none is."""
    own = cloud[best]
    return max(min(theirs - ours for theirs, ours in zip(other, own, strict=True)) for other in cloud.values())


def _within_the_axes(outcome: Outcome) -> str:
    """How many settings of selective drop lie within the axes of slide 21, by means of three decimals.

    The axes are all that the document has left of results in numbers.
    """
    spans = {metric: outcome.document.stated[f"figure_axes.sd_{metric}_ticks"] for metric in METRICS}
    told = []
    for network, name in NETWORKS.items():
        rows = [row for row in outcome.rows(SWEEP) if row.matches({"network": network, "policy": BEST_SD})]
        inside = sum(
            all(
                min(span) <= round(statistics.fmean(outcome.values(SWEEP, metric, row.key)), 3) <= max(span)
                for metric, span in spans.items()
            )
            for row in rows
        )
        told.append(f"{name} {inside} of {len(rows)} settings")
    axes = ", ".join(f"{metric} {min(span):g} to {max(span):g}" for metric, span in spans.items())
    return f"Within the axes that are left of slide 21 ({axes}): {', '.join(told)}."


def _ends(outcome: Outcome, policy: str, metric: str) -> str:
    means: Sequence[float] = [
        statistics.fmean(outcome.values(SWEEP, metric, row.key))
        for row in outcome.rows(SWEEP)
        if row.matches({"policy": policy})
    ]
    return f"{min(means):.3f} to {max(means):.3f}"


CLAIMS: Mapping[str, ClaimTest] = {
    "ubr-c09": reserving_beats_dropping,
    "ubr-c10": dropping_beats_reserving,
    "ubr-c11.a": flavours_beat_reserving,
    "ubr-c11.b": reserving_helps_far_away,
    "ubr-c19": fba_is_more_sensitive,
    "ubr-c20": best_of("selective-drop"),
    "ubr-c21": best_of("fba"),
}
