"""What the schemes put into a port, an ingress and an egress, as a scenario has it.

The document simulates STM and CL; single marking, three-state marking and two edge behaviours of the IETF are here at
its rates.
"""

from decimal import Decimal
from typing import Any

from penstock.reproductions.pcn.cases import PLT, RTT, TERMINATION, Case
from penstock.reproductions.pcn.traffic import admissible_rate, mean_rate, supportable_rate
from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import bits, seconds

COUNT = "COUNT"
"""A scheme that is no PCN: the egress counts calls and refuses those beyond AR. What measuring can at best come to."""

THREE_STATE = "3sM"
OTHERS = ("SM", "RFC 6661", "RFC 6662", THREE_STATE)
LEVEL = 0.05
"""Marked share from which calls are refused: CL's in the document, and that of the RFCs."""
EVERY = "100 ms"
"""Measuring interval of SM and the RFCs: the shortest that the RFCs allow."""
MARK_EVERY = 8
"""N of 3sM: the smallest N >= e D / T, so that the load should not fall below SR. Calls send a packet every T = 20 ms.
The load falls at most D = 52 ms after the mark: path and signal take 2 ms, and earlier packets of the call are delayed
by up to 50 ms."""
DEPTH = "5 ms"

CLE_OF_CASE = {
    1: (0.05, 0.0005),
    2: (0.05, 0.01),
    3: (0.05, 0.03),
    4: (0.05, 0.3),
    5: (0.00001, 0.3),
    6: (0.000001, 0.3),
}
"""Table B.1: CLE threshold and weight; a test compares it with the document's data."""


def meters(settings: Settings, case: Case) -> dict[str, Any]:
    """The PCN meters of a bottleneck, in their order."""
    ar, sr = admissible_rate(settings, case), supportable_rate(settings, case)
    if case.scheme == COUNT:
        return {}
    if case.scheme in OTHERS:
        return _other_meters(case.scheme, ar, sr)
    if case.scheme == "STM":
        return {"pcn.single-threshold": single_threshold(settings, ar, sr)}
    queue = {
        "admissible-rate": bits(ar),
        "min-threshold": seconds(settings["cl.vq_min_marking_threshold_s_at_admissible_rate"]),
        "max-threshold": seconds(settings["cl.vq_max_marking_threshold_s_at_admissible_rate"]),
        "upper-limit": seconds(settings["cl.vq_upper_limit_s_at_admissible_rate"]),
    }
    if not settings["cl.ramp"]:
        levels = [settings[f"cl.vq_{end}_marking_threshold_s_at_admissible_rate"] for end in ("min", "max")]
        queue["min-threshold"] = queue["max-threshold"] = seconds(sum(levels) / 2)
    size = seconds(settings["cl.termination_token_bucket_s_at_supportable_rate"])
    return {"pcn.virtual-queue": queue, "pcn.pre-emption": {"supportable-rate": bits(sr), "size": size}}


def single_threshold(settings: Settings, ar: Decimal, sr: Decimal) -> dict[str, Any]:
    """STM's meter at these rates."""
    return {
        "admissible-rate": bits(ar),
        "supportable-rate": bits(sr),
        "switch-size": seconds(settings["stm.swtb_size_s_at_admissible_rate"]),
        "switch-threshold": seconds(settings["stm.swtb_threshold_s_at_admissible_rate"]),
        "marking-size": seconds(settings["stm.mktb_size_s_at_supportable_rate"]),
        "marking-threshold": seconds(settings["stm.full_below_s"]),
        "mark-every": settings["stm.n"],
        # With N = 1 there is nothing to count but what finds the bucket not full.
        "counted": settings["stm.counted"] if settings["stm.n"] > 1 else "not-full",
        "form": settings["stm.form"],
    }


def fractional(settings: Settings, ar: Decimal, sr: Decimal) -> dict[str, Any]:
    """Appendix E's meter at these rates."""
    low, high = settings["fractional.low_s"], settings["fractional.high_s"]
    return {
        "admissible-rate": bits(ar),
        "supportable-rate": bits(sr),
        "fractional-size": seconds(low[0]),
        "fractional-threshold": seconds(low[1]),
        "marking-size": seconds(high[0]),
        "marking-threshold": seconds(high[1]),
        "mark-every": settings["stm.n_marking_frequency_denominator"],
    }


def edges(settings: Settings, case: Case) -> dict[str, Any]:
    """What the edges of every aggregate do: admission where calls arrive, termination where they are too many."""
    # The admission of 3sM is that of CL.
    if case.scheme in OTHERS and (case.kind == TERMINATION or case.scheme != THREE_STATE):
        ar, sr = admissible_rate(settings, case), supportable_rate(settings, case)
        return _other_edges(case.scheme, ar, sr, admits=case.kind != TERMINATION)
    if case.kind == TERMINATION:
        return termination(settings, case)
    if case.scheme == COUNT:
        limit = int(admissible_rate(settings, case) / mean_rate(settings, case))
        return {"admission.count": {"limit": limit, "scope": "node"}}
    if case.scheme == "STM":
        threshold, weight = CLE_OF_CASE[case.parameters]
    else:
        threshold, weight = settings["cl.cle_threshold"], settings["cl.ewma_weight"]
    rule = {
        "threshold": threshold,
        "weight": weight,
        "weighs": settings["cle.weighs"],
        "at-threshold": settings["cle.at_threshold"],
        "idle": settings["cle.idle"],
    }
    if settings["cle.idle_time_s"]:
        rule["idle-time"] = seconds(settings["cle.idle_time_s"])
    return {"admission.cle": rule}


def termination(settings: Settings, case: Case) -> dict[str, Any]:
    """What the edges of every aggregate do about calls that are too many."""
    cut = {"rounding": settings["cut.rounding"], "call-rate": settings["cut.rate"], "victims": settings["cut.flows"]}
    if case.scheme != "STM":
        rule = {
            "sar-interval": seconds(settings["cl.sar_s"]),
            "sending-interval": seconds(settings["cl.sending_s"]),
            "sending": settings["cl.sending"],
        }
        margins = {f"{margin}-margin": settings[f"cl.{margin}_margin"] for margin in ("trigger", "cut")}
        rule |= {name: value for name, value in margins.items() if value}
        if settings["cl.sar_start"] != "marked-packet":
            rule["sar-start"] = settings["cl.sar_start"]
        # An ingress that measures continuously is in no measurement when a report comes.
        if settings["cl.newer"] != "replaces" and settings["cl.sending"] == "after-message":
            rule["newer"] = settings["cl.newer"]
        if settings["cl.settle_s"]:
            rule["settle"] = seconds(settings["cl.settle_s"])
        if settings["cl.after_cut"] != "continue":
            rule["after-cut"] = settings["cl.after_cut"]
        return {"termination.cl": rule | cut}
    rule = {
        "marked-run": settings["stm.l_sequential_marked_packets"],
        "unmarked-run": settings["stm.m_sequential_unmarked_packets"],
        "extra": settings["stm.y_extra_termination_percent"] / 100,
        "report-interval": seconds(settings["stm.receiving_rate_report_interval_s"]),
        "receiving": settings["stm.receiving"],
        "counts-unmarked": settings["stm.counts_unmarked"],
        "sending-interval": seconds(settings["stm.sending_rate_measurement_interval_s"]),
        "reports": settings["stm.reports"],
        "next-interval": settings["stm.next_interval"],
        "after-cut": settings["stm.after_cut"],
    }
    if settings["stm.receiving"] not in ("between-reports", "share"):
        rule["receiving-window"] = seconds(settings["stm.receiving_s"])
    if settings["stm.keeps_share"]:
        aggregates = {RTT: case.size, PLT: 2}.get(case.topology, 1)
        rule["keep-rate"] = bits(supportable_rate(settings, case) / aggregates)
    return {"termination.single-threshold": rule | cut}


def _other_meters(scheme: str, ar: Decimal, sr: Decimal) -> dict[str, Any]:
    if scheme in ("RFC 6661", THREE_STATE):
        threshold = {"rate": bits(ar), "size": "20 ms", "threshold": "10 ms"}
        thinned = {"mark-every": MARK_EVERY} if scheme == THREE_STATE else {}
        return {"pcn.threshold": threshold, "pcn.excess": {"rate": bits(sr), "size": DEPTH, **thinned}}
    metering = "classic" if scheme == "SM" else "size-independent"
    return {"pcn.excess": {"rate": bits(ar), "size": DEPTH, "metering": metering}}


def _other_edges(scheme: str, ar: Decimal, sr: Decimal, *, admits: bool) -> dict[str, Any]:
    """What the edges do: admission where calls arrive, else termination."""
    report, key = {"measuring-interval": EVERY}, scheme.lower().replace(" ", "-")
    if scheme == THREE_STATE:
        return {"termination.marked-flow": {}}
    u = float(round(sr / ar, 6))
    if admits:
        if scheme == "SM":
            return {"admission.cle": {"threshold": LEVEL, "update": "interval", "interval": EVERY, "marks": "excess"}}
        return {f"admission.{key}": report | {"cle-limit": LEVEL}}
    if scheme == "SM":
        return {"termination.sm": {"u": u, "sar-interval": EVERY, "sending-interval": EVERY}}
    return {f"termination.{key}": report | ({"u": u} if scheme == "RFC 6662" else {})}
