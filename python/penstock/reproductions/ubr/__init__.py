"""Jain: TCP over the ATM services UBR and GFR, in LANs, WANs and over satellites (1998)."""

import math
import statistics
from collections.abc import Mapping

from penstock.reproductions.evidence import rank_correlation
from penstock.reproductions.outcome import Outcome, one
from penstock.reproductions.packaged import packaged
from penstock.reproductions.statements import Numbers, columnwise
from penstock.reproductions.ubr.guarantees import SLIDES as OF_SLIDES
from penstock.reproductions.ubr.guarantees import stated
from penstock.reproductions.ubr.measure import MEASURED, measure
from penstock.reproductions.ubr.networks import GROUPS
from penstock.reproductions.ubr.scenario import LOSSES, MSS, ROUND_TRIP, build, effort, experiments, random_loss

Cells = Mapping[str, str]
Cloud = Mapping[tuple[float, float], tuple[float, float]]
"Efficiency and fairness by Z and R."

SWEEP, RESENT, CONTROL, SLIDES = "21-23", "28", "36", "53-59-results"
METRICS = ("efficiency", "fairness")


def correlation(outcome: Outcome, cells: Cells) -> list[float]:
    """Correlation of efficiency with fairness over Z and R; 0 where one of them never moves."""

    def of(cloud: Cloud) -> float:
        efficiency, fairness = zip(*cloud.values(), strict=True)
        if len(set(efficiency)) == 1 or len(set(fairness)) == 1:
            return 0.0
        return statistics.correlation(efficiency, fairness)

    return [of(cloud) for cloud in _clouds(outcome, cells)]


def widest(outcome: Outcome, cells: Cells) -> list[float]:
    """The greater of the ranges of efficiency and fairness over Z and R."""
    clouds = _clouds(outcome, cells)
    return [max(max(axis) - min(axis) for axis in zip(*cloud.values(), strict=True)) for cloud in clouds]


def behind(outcome: Outcome, cells: Cells) -> list[float]:
    """By how much some setting is better than a given Z and R in both numbers; 0 if none is."""
    best = float(cells["z"]), float(cells["r"])

    def of(cloud: Cloud) -> float:
        own = cloud[best]
        return max(min(theirs - ours for theirs, ours in zip(other, own, strict=True)) for other in cloud.values())

    return [of(cloud) for cloud in _clouds(outcome, cells)]


def gain_against_lost(outcome: Outcome, _: Cells) -> list[float]:
    """Rank correlation of SACK's gain over Reno with the share of its retransmissions that are lost."""
    gains, lost = [], []
    for row in outcome.rows(RESENT):
        if row.key["tcp"] == "sack1":
            reno = outcome.values(RESENT, "efficiency", {**row.key, "tcp": "reno"})
            sack = outcome.values(RESENT, "efficiency", row.key)
            gains.append([own - other for own, other in zip(sack, reno, strict=True)])
            lost.append(outcome.values(RESENT, "lost", row.key))
    pairs = zip(zip(*lost, strict=True), zip(*gains, strict=True), strict=True)
    return [rank_correlation(*pair) for pair in pairs]


def waits_apart(outcome: Outcome, cells: Cells) -> list[float]:
    """How far the delay of some group is from the mean of all, as a share of it."""
    key = {"utilisation": float(cells["utilisation"])}
    waits = [outcome.values(CONTROL, "wait", row.key) for row in outcome.rows(CONTROL) if row.matches(key)]
    return columnwise(lambda run: max(abs(each / statistics.fmean(run) - 1) for each in run), waits)


def constant(outcome: Outcome, cells: Cells) -> list[float]:
    """Rate x RTT x sqrt(P) / MSS with this loss; the mean of all if none is named."""
    products = []
    for name in [cells["loss"]] if cells else LOSSES:
        rates = [one(run, "goodput", "tcp") for run in outcome.experiments[random_loss(name)]]
        products.append([rate * ROUND_TRIP * math.sqrt(LOSSES[name]) / (8 * MSS) for rate in rates])
    return columnwise(statistics.fmean, products)


def excess(outcome: Outcome, cells: Cells) -> list[float]:
    """What a circuit has beyond its MCR, in the form that the reading of ubr-a says."""
    column = "excess" if _is_absolute(outcome) else "relative_excess"
    return outcome.values(SLIDES, column, {name: int(cell) for name, cell in cells.items()})


def excess_slope(outcome: Outcome, cells: Cells) -> list[float]:
    """Slope, by linear regression, of the excess of a slide's circuits on their MCRs, in units of the first one's."""
    _, allocation, *_ = OF_SLIDES[int(cells["slide"])]
    mcrs = stated(outcome.readings.settings(), allocation)
    multiples = [mcrs[vc] / mcrs[1] for vc in GROUPS]
    excesses = [excess(outcome, {**cells, "vc": str(vc)}) for vc in GROUPS]
    return columnwise(lambda run: statistics.linear_regression(multiples, run).slope, excesses)


def queue_per_mcr(outcome: Outcome, cells: Cells) -> list[float]:
    """Mean queue of a circuit on slide 55 over its MCR; the mean of all circuits if none is named."""
    mcrs = stated(outcome.readings.settings(), "allocation_85")
    own = [
        [queue / mcrs[vc] for queue in outcome.values(SLIDES, "queue", {"slide": 55, "vc": vc})]
        for vc in ([int(cells["vc"])] if cells else GROUPS)
    ]
    return columnwise(statistics.fmean, own)


NUMBERS: Numbers = {
    **{each.__name__: each for each in (correlation, widest, behind, gain_against_lost, waits_apart)},
    **{each.__name__: each for each in (constant, excess, excess_slope, queue_per_mcr)},
}


def within_the_axes(outcome: Outcome) -> Mapping[str, str]:
    """ubr-c20: how many settings of selective drop lie within the axes of slide 21, by means of three decimals.

    The axes are all that is left of the document's numbers.
    """
    spans = {metric: outcome.document.stated[f"figure_axes.sd_{metric}_ticks"] for metric in METRICS}
    told = []
    for network in ("lan", "wan"):
        rows = [row.key for row in outcome.rows(SWEEP) if row.matches({"network": network, "policy": "selective-drop"})]
        inside = sum(
            all(
                min(span) <= round(statistics.fmean(outcome.values(SWEEP, metric, key)), 3) <= max(span)
                for metric, span in spans.items()
            )
            for key in rows
        )
        told.append(f"{network.upper()} {inside} of {len(rows)} settings")
    axes = ", ".join(f"{metric} {min(span):g} to {max(span):g}" for metric, span in spans.items())
    return {"axes": f"Within the axes that are left of slide 21 ({axes}): {', '.join(told)}."}


def form_of_excess(outcome: Outcome) -> Mapping[str, str]:
    """ubr-c37, ubr-c38 and ubr-c41: what their excess is."""
    return {"excess": "Excess in Mbit/s" if _is_absolute(outcome) else "Excess over MCR"}


def _is_absolute(outcome: Outcome) -> bool:
    return bool(outcome.readings.settings()["excess.form"] == "absolute")


def _clouds(outcome: Outcome, cells: Cells) -> list[Cloud]:
    """Efficiency and fairness by Z and R of a policy in a network, for each run."""
    key = {name: cells[name] for name in ("network", "policy")}
    points = {
        (float(row.key["z"]), float(row.key["r"])): list(
            zip(*(outcome.values(SWEEP, metric, row.key) for metric in METRICS), strict=True)
        )
        for row in outcome.rows(SWEEP)
        if row.matches(key)
    }
    return [{setting: runs[n] for setting, runs in points.items()} for n in range(outcome.runs)]


STUDY = packaged(
    __package__,
    numbers=NUMBERS,
    facts={"ubr-c20": within_the_axes, **dict.fromkeys(("ubr-c37", "ubr-c38", "ubr-c41"), form_of_excess)},
    build=build,
    measure=measure,
    runs=5,
    experiments=experiments,
    effort=effort,
    measured=MEASURED,
    sensitive=("53-59-results", "36"),
)
