"""The traffic of the document: rates, packets, loads, how calls arrive, and quantities as a scenario writes them."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from penstock.reproductions.pcn.cases import PLT, RTT, SINGLE, TERMINATION, Case
from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import bits, seconds

ONE = Decimal(1)


@dataclass(frozen=True)
class Share:
    """Calls of each aggregate of a group in a termination run: there from the start, and added at the event."""

    before: int
    added: int


def exact(number: Decimal | float) -> Decimal:
    """The number as it is written in the document."""
    return Decimal(str(number))


def packet_bytes(settings: Settings, traffic: str) -> int:
    """Bytes of a packet on the wire."""
    size: int = settings[f"traffic.{traffic.lower()}.packet_bytes"]
    return size + int(settings["packet.header_bytes"])


def spacing(settings: Settings, case: Case) -> Decimal:
    """Time from packet to packet while a call sends, in seconds."""
    if case.traffic == "CBR":
        return exact(settings["traffic.cbr.packet_interval_s"])
    if case.traffic == "SVD" and case.kind == TERMINATION:
        return exact(settings["svd.termination_spacing_s"])
    return exact(settings[f"traffic.{case.traffic.lower()}.packet_interval_on_s"])


def activity(settings: Settings, traffic: str) -> Decimal:
    """The share of time in which a call sends."""
    if traffic == "CBR":
        return ONE
    on, off = (exact(settings[f"traffic.{traffic.lower()}.{name}_mean_s"]) for name in ("on", "off"))
    return on / (on + off)


def mean_rate(settings: Settings, case: Case) -> Decimal:
    """Rate of a call in the long run, as it is sent."""
    return 8 * packet_bytes(settings, case.traffic) / spacing(settings, case) * activity(settings, case.traffic)


def counted_rate(settings: Settings, case: Case) -> Decimal:
    """Rate of a call as the document counts it where it compares calls with a rate."""
    if case.traffic == "SVD" and case.kind == TERMINATION:
        return Decimal(settings["svd.counted_bps"])
    return mean_rate(settings, case)


def link_rate(settings: Settings, case: Case) -> Decimal:
    """Rate of a bottleneck."""
    traffic = case.traffic.lower()
    if case.kind == TERMINATION:
        own = {"vbr": "capacity.vbr_termination_bps", "svd": "svd.termination_link_bps"}
        if case.traffic == "VBR" and case.topology == RTT:
            return Decimal(settings["termination.vbr.link_rate_rtt_bps"])
        return Decimal(settings[own.get(traffic, "termination.cbr.link_rate_bps")])
    if case.traffic == "VBR":
        rate = Decimal(settings[f"capacity.vbr_{case.topology}_bps"])
        return rate * exact(settings["rtt.vbr_scale"]) if case.topology == RTT else rate
    if case.traffic == "SVD" and case.topology == SINGLE:
        return Decimal(settings["capacity.svd_single_bps"])
    stated = {SINGLE: "single_link", RTT: "rtt", PLT: "plt_c"}[case.topology]
    return Decimal(settings[f"admission.{stated}.{traffic}.link_rate_bps"])


def admissible_rate(settings: Settings, case: Case) -> Decimal:
    """AR of a bottleneck."""
    return link_rate(settings, case) * exact(settings[f"rates.{case.phase}.admissible_rate_fraction_of_link"])


def supportable_rate(settings: Settings, case: Case) -> Decimal:
    """SR of a bottleneck."""
    return link_rate(settings, case) * exact(settings[f"rates.{case.phase}.supportable_rate_fraction_of_link"])


def call_interval(settings: Settings, case: Case) -> Decimal:
    """Mean time between two calls of one aggregate, in seconds."""
    traffic = case.traffic.lower()
    if case.topology == SINGLE:
        return exact(settings[f"admission.single_link.{traffic}.call_interval_per_iea_s"])
    if case.topology == PLT:
        if case.traffic == "VBR":
            return exact(settings["plt.vbr_interval_s"])
        return exact(settings[f"admission.plt_c.{traffic}.call_interval_per_iea_s"])
    # The load, in calls, is that of the single link; each ingress has its share.
    load = Decimal(settings[f"admission.single_link.{traffic}.load_flows"])
    if case.traffic == "VBR":
        load *= exact(settings["rtt.vbr_scale"])
    return exact(settings["traffic.flows.flow_duration_mean_admission_s"]) * case.size / load


def overload_calls(settings: Settings, case: Case) -> tuple[int, int]:
    """Calls of a termination run at each bottleneck: before the event, and with it."""
    traffic = case.traffic.lower()
    stated = settings["termination.load_over_supportable_rate"]
    flows = dict(zip(stated, settings[f"termination.{traffic}.load_flows"], strict=True))
    after = flows[case.load] if case.load in flows else round(flows[max(stated)] * case.load / max(stated))
    before = admissible_rate(settings, case) / counted_rate(settings, case)
    return round(before * exact(settings["termination.before_over_ar"])), after


def spread(settings: Settings, case: Case) -> Decimal:
    """Over which time the calls that begin together send their first packets, in seconds."""
    share = activity(settings, case.traffic) if settings["termination.spread"] == "mean" else ONE
    return spacing(settings, case) / share


def source(settings: Settings, case: Case) -> dict[str, Any]:
    """The source of one call, as a scenario has it."""
    packet = f"{packet_bytes(settings, case.traffic)} bytes"
    if case.traffic == "CBR":
        # Calls that begin together have their phases from the spread of their first packets.
        phase = "zero" if case.kind == TERMINATION else settings["source.phase"]
        return {"source.cbr": {"rate": bits(mean_rate(settings, case)), "packet": packet, "phase": phase}}
    on, off = (seconds(settings[f"traffic.{case.traffic.lower()}.{name}_mean_s"]) for name in ("on", "off"))
    together = "source.initial_together" if case.kind == TERMINATION else "source.initial"
    starts = {"initial": settings[together], "remainder": settings["source.remainder"]}
    return {
        "source.on-off": {"packet": packet, "spacing": seconds(spacing(settings, case)), "on": on, "off": off, **starts}
    }


def source_delay(settings: Settings, case: Case) -> dict[str, Any]:
    """The random time that each packet takes to its ingress, as a scenario has it; empty if there is none."""
    if not case.randomized or settings["randomized.at"] != "source":
        return {}
    return {"delay": added_delay(settings) | {"at-end": settings["randomized.at_end"]}}


def added_delay(settings: Settings) -> dict[str, Any]:
    """The law of the random delay of a packet."""
    ends = [seconds(settings[f"traffic.randomized.added_packet_delay_{end}_s"]) for end in ("min", "max")]
    order = {"keep-order": True} if settings["randomized.keep_order"] else {}
    return {"added": {"uniform": ends}, **order}


def remainder(settings: Settings, case: Case) -> int:
    """How many ingresses of RTT have a share of their own, because the load cannot be divided evenly without rest."""
    if case.topology != RTT or case.kind != TERMINATION:
        return 0
    if settings["termination.split_rtt"] == "one-pair":
        return 1
    return overload_calls(settings, case)[1] % case.size


def shares(settings: Settings, case: Case) -> dict[str, Share]:
    """The calls of each aggregate, by the name of its group."""
    before, after = overload_calls(settings, case)
    if case.topology == PLT:
        return _parking_lot(settings["termination.split_plt"], case, before, after - before)
    if case.topology != RTT:
        return {"calls": Share(before, after - before)}
    more = remainder(settings, case)
    each = before // case.size
    if settings["termination.split_rtt"] == "one-pair":
        return {"ingress": Share(each, 0), "more": Share(before - each * (case.size - 1), after - before)}
    final = after // case.size
    named = {"ingress": Share(each, final - each)}
    return {**named, "more": Share(each, final + 1 - each)} if more else named


def _parking_lot(split: str, case: Case, before: int, added: int) -> dict[str, Share]:
    """The calls at each bottleneck, of the long aggregate and of the short one that shares it."""
    if split == "even":
        long = Share(before // 2, added // 2)
        short = Share(before - long.before, added - long.added)
    elif split == "long-pair":
        long, short = Share(0, added), Share(before, 0)
    else:
        long, short = Share(before, 0), Share(0, added)
    return {"long": long, **{f"short{i + 1}": short for i in range(case.size)}}
