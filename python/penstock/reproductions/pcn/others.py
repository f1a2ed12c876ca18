"""Schemes that the document does not simulate, at its rates: single marking, and two edge behaviours of the IETF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.reproductions.pcn.words import bits

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

OTHERS = ("SM", "RFC 6661", "RFC 6662")
LEVEL = 0.05
"""Marked share from which calls are refused: CL's in the document, and that of the RFCs."""
EVERY = "100 ms"
"""Measuring interval of all three: the shortest that the RFCs allow."""
DEPTH = "5 ms"


def other_meters(scheme: str, ar: Decimal, sr: Decimal) -> dict[str, Any]:
    """The meters of a bottleneck with these admissible and supportable rates."""
    if scheme == "RFC 6661":
        threshold = {"rate": bits(ar), "size": "20 ms", "threshold": "10 ms"}
        return {"pcn.threshold": threshold, "pcn.excess": {"rate": bits(sr), "size": DEPTH}}
    metering = "classic" if scheme == "SM" else "size-independent"
    return {"pcn.excess": {"rate": bits(ar), "size": DEPTH, "metering": metering}}


def other_edges(scheme: str, ar: Decimal, sr: Decimal, *, admits: bool) -> Mapping[str, Any]:
    """What the edges do: admission where calls arrive, else termination."""
    report = {"measuring-interval": EVERY}
    u = float(round(sr / ar, 6))
    if admits:
        if scheme == "SM":
            return {"admission.cle": {"threshold": LEVEL, "update": "interval", "interval": EVERY, "marks": "excess"}}
        return {f"admission.{_key(scheme)}": report | {"cle-limit": LEVEL}}
    if scheme == "SM":
        return {"termination.sm": {"u": u, "sar-interval": EVERY, "sending-interval": EVERY}}
    return {f"termination.{_key(scheme)}": report | ({"u": u} if scheme == "RFC 6662" else {})}


def _key(scheme: str) -> str:
    return scheme.lower().replace(" ", "-")
