"""Claims about switch policies and TCP flavours: on the grid in the place of slides 19 and 20.

Margins stand in the claims' ``test`` texts in the document's data, with the same numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.evidence import Estimate, above, below, difference, within
from penstock.reproductions.ubr.averages import average, less, mean_range, told
from penstock.reproductions.ubr.scenario import GRID

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.evidence import Test
    from penstock.reproductions.finding import ClaimTest, Finding
    from penstock.reproductions.outcome import Outcome
    from penstock.reproductions.tables import Cell

__all__ = ["CLAIMS"]

LAN, WAN, SATELLITE = (f"{GRID}{network}" for network in ("lan", "wan", "satellite"))
NAMES = {LAN: "LAN", WAN: "WAN", SATELLITE: "satellite"}
SMALLER = {LAN: 1000, WAN: 12_000, SATELLITE: 200_000}
METRICS = ("efficiency", "fairness")
ALIKE = 0.05
CLEARLY = 0.95
RECOVERING = ("reno", "new-reno", "sack1")
FAIR = ("selective-drop", "fba")


def policies_matter_in_lans(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c01."""
    return told([_ranges(outcome, LAN, metric) for metric in METRICS], "Range over policies less that over flavours")


def increase_matters_little_in_lans(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c02."""
    tests = []
    for metric in METRICS:
        flavours = mean_range(outcome, LAN, metric, "tcp", tcp=RECOVERING)
        tests.append(below(f"{metric}, flavours", Estimate.of(flavours), ALIKE))
        for key in ("increase", "decrease"):
            moved = mean_range(outcome, "9", metric, key, network="lan")
            tests.append(below(f"{metric}, {key}", Estimate.of(moved), ALIKE))
    return told(tests, "Ranges")


def flavours_matter_over_satellites(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c03."""
    policies, flavours = (mean_range(outcome, SATELLITE, "efficiency", key) for key in ("switch", "tcp"))
    sack = _gain(outcome, SATELLITE, "efficiency", "tcp", "sack1", "vanilla")
    epd = _gain(outcome, SATELLITE, "efficiency", "switch", "epd", "plain")
    tests = [
        above("range over flavours less that over policies", difference(flavours, policies), 0),
        above("SACK's gain less EPD's", difference(sack, epd), 0),
    ]
    return told(tests, "Efficiency")


def fast_retransmit_hurts_far_away(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c04."""
    gains = {name: Estimate.of(_gain(outcome, name, "efficiency", "tcp", "reno", "vanilla")) for name in NAMES}
    tests = [above("LAN", gains[LAN], 0), below("WAN", gains[WAN], 0), below("satellite", gains[SATELLITE], 0)]
    return told(tests, "Reno's efficiency less that of timeouts only")


def fairness_is_the_switch_s(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c05."""
    tests = [_ranges(outcome, name, "fairness") for name in NAMES]
    return told(tests, "Range of fairness over policies less that over flavours")


def sack_helps_over_satellites(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c06."""
    tests = [
        above(f"over {other}", Estimate.of(_gain(outcome, SATELLITE, "efficiency", "tcp", "sack1", other)), ALIKE)
        for other in ("vanilla", "reno")
    ]
    return told(tests, "SACK's gain in efficiency")


def sack_leaves_fairness(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c07."""
    tests = []
    for switch in dict.fromkeys(row.key["switch"] for row in outcome.rows(SATELLITE)):
        moved = _gain(outcome, SATELLITE, "fairness", "tcp", "sack1", "reno", switch=switch)
        tests.append(within(str(switch), Estimate.of(moved), -ALIKE, ALIKE))
    return told(tests, "SACK's fairness less Reno's")


def sack_hurts_in_congested_lans(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c08."""
    crowded: dict[str, Cell] = {"buffer": SMALLER[LAN], "sources": 15, "switch": "plain"}
    tests = []
    for other in ("vanilla", "reno"):
        own, theirs = (outcome.values(LAN, "efficiency", {**crowded, "tcp": tcp}) for tcp in ("sack1", other))
        tests.append(below(f"efficiency less that of {other}", difference(own, theirs), 0))
        again = (outcome.values(LAN, "retransmissions", {**crowded, "tcp": tcp}) for tcp in ("sack1", other))
        tests.append(above(f"retransmissions per second less those of {other}", difference(*again), 0))
    return told(tests, "SACK")


def plain_is_poor(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c14."""
    tests = []
    for name, network in NAMES.items():
        for metric in METRICS:
            plain = average(outcome, name, metric, buffer=SMALLER[name], switch="plain")
            tests.append(below(f"{metric}, {network}", Estimate.of(plain), CLEARLY))
            for switch in FAIR:
                better = average(outcome, name, metric, buffer=SMALLER[name], switch=switch)
                tests.append(below(f"{metric}, {network}, less {switch}", difference(plain, better), 0))
    return told(tests, "Plain UBR")


def epd_is_efficient_not_fair(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c15."""
    tests = []
    for name in (LAN, WAN):
        gains = {m: Estimate.of(_gain(outcome, name, m, "switch", "epd", "plain")) for m in METRICS}
        tests.append(above(f"efficiency, {NAMES[name]}", gains["efficiency"], 0))
        tests.append(within(f"fairness, {NAMES[name]}", gains["fairness"], -ALIKE, ALIKE))
    return told(tests, "EPD less plain UBR")


def epd_does_little_over_satellites(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c16."""
    lan, satellite = (_gain(outcome, name, "efficiency", "switch", "epd", "plain") for name in (LAN, SATELLITE))
    tests = [
        within("satellite", Estimate.of(satellite), -ALIKE, ALIKE),
        above("LAN less satellite", difference(lan, satellite), 0),
    ]
    return told(tests, "EPD's gain in efficiency")


def selective_drop_is_fair(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c17."""
    tests = [
        above(NAMES[name], Estimate.of(_gain(outcome, name, "fairness", "switch", "selective-drop", "epd")), 0)
        for name in NAMES
    ]
    return told(tests, "Selective drop's fairness less EPD's")


def fba_improves_both(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c18."""
    tests = []
    for name in (LAN, WAN):
        for metric in METRICS:
            gain = Estimate.of(_gain(outcome, name, metric, "switch", "fba", "epd"))
            tests.append(above(f"{metric} over EPD, {NAMES[name]}", gain, 0))
            apart = Estimate.of(_gain(outcome, name, metric, "switch", "fba", "selective-drop"))
            tests.append(within(f"{metric} over selective drop, {NAMES[name]}", apart, -ALIKE, ALIKE))
    return told(tests, "FBA's gains", "That selective drop is simpler is not tested.")


def both_improve_both(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ubr-c22."""
    tests = [
        above(f"{metric} of {own} over {other}, {NAMES[name]}", Estimate.of(gain), 0)
        for name in (LAN, WAN)
        for metric in METRICS
        for own in FAIR
        for other in ("plain", "epd")
        for gain in [_gain(outcome, name, metric, "switch", own, other)]
    ]
    return told(tests, "Gains")


def _ranges(outcome: Outcome, table: str, metric: str) -> Test:
    policies, flavours = (mean_range(outcome, table, metric, key) for key in ("switch", "tcp"))
    return above(f"{metric}, {NAMES[table]}", difference(policies, flavours), 0)


def _gain(outcome: Outcome, table: str, metric: str, key: str, one: str, other: str, **wanted: Cell) -> list[float]:
    """How much more one policy or flavour has than another, averaged over all else, by run."""
    fixed: dict[str, Cell | tuple[Cell, ...]] = {**wanted}
    return less(*(average(outcome, table, metric, **{**fixed, key: which}) for which in (one, other)))


CLAIMS: Mapping[str, ClaimTest] = {
    "ubr-c01": policies_matter_in_lans,
    "ubr-c02": increase_matters_little_in_lans,
    "ubr-c03": flavours_matter_over_satellites,
    "ubr-c04": fast_retransmit_hurts_far_away,
    "ubr-c05": fairness_is_the_switch_s,
    "ubr-c06": sack_helps_over_satellites,
    "ubr-c07": sack_leaves_fairness,
    "ubr-c08": sack_hurts_in_congested_lans,
    "ubr-c14": plain_is_poor,
    "ubr-c15": epd_is_efficient_not_fair,
    "ubr-c16": epd_does_little_over_satellites,
    "ubr-c17": selective_drop_is_fair,
    "ubr-c18": fba_improves_both,
    "ubr-c22": both_improve_both,
}
