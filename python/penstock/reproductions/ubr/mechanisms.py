"""The switch policies of the bottleneck and the flavours of TCP, as scenarios name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.reproductions.ubr.words import HEADER, cells

if TYPE_CHECKING:
    from penstock.reproductions.reading import Settings

HOST = 400_000
"""Cells that a host may have waiting before its own link: more than any window is long."""
RECOVERIES = {"vanilla": "timeout-only", "reno": "reno", "new-reno": "new-reno", "sack1": "sack1"}
"""What repairs losses, by the study's names; slow start alone has nothing but its timer."""
TODAY = {"sack": "reno", "cubic": "cubic"}
"""The congestion control of the modern flavours, both with the recovery of RFC 6675."""


def ample() -> dict[str, Any]:
    """A queue that never drops."""
    return {"queue.tail-drop": {"limit": cells(HOST)}}


def switch_queue(
    settings: Settings, policy: str, buffer: int, *, frame: int, sources: int, prefix: str = ""
) -> dict[str, Any]:
    """The bottleneck's queue under one of the policies of slide 7, with the best parameters of slides 21 and 23.

    Parameters
    ----------
    policy : str
        One of ``plain``, ``ppd``, ``epd``, ``selective-drop`` and ``fba``.
    buffer : int
        The buffer in cells (K).
    frame : int
        Cells of a frame.
    prefix : str
        The prefix of ``queue``, as in ``class.default.``.
    """
    limit = cells(buffer)
    if policy == "plain":
        return {f"{prefix}queue.tail-drop": {"limit": limit}}
    if policy == "ppd":
        return {f"{prefix}queue.ppd": {"limit": limit}}
    if policy == "epd":
        threshold = settings["epd.threshold"] * buffer - settings["epd.frames"] * sources * frame
        return {f"{prefix}queue.epd": {"limit": limit, "threshold": cells(max(threshold, buffer / 2))}}
    best = {"selective-drop": "selective_drop", "fba": "fba"}[policy]
    share, z = settings[f"{best}.best_r_fraction_of_k"], settings[f"{best}.best_z"]
    return parametrised(policy, buffer, share=share, z=z, prefix=prefix)


def parametrised(policy: str, buffer: int, *, share: float, z: float, prefix: str = "") -> dict[str, Any]:
    """Selective drop or FBA with the threshold R at this share of the buffer, and this Z."""
    return {f"{prefix}queue.{policy}": {"limit": cells(buffer), "threshold": cells(share * buffer), "z": z}}


def transport(
    settings: Settings, flavour: str, *, mss: int, window: str, aimd: tuple[float, float] | None = None
) -> dict[str, Any]:
    """The transport of a flow.

    Parameters
    ----------
    flavour : str
        One of ``vanilla``, ``reno``, ``new-reno``, ``sack1``, and of modern TCP ``sack`` and ``cubic``.
    mss : int
        Data of a segment in bytes.
    window : str
        The largest window.
    aimd : tuple of float, optional
        Segments by which a window grows in a round trip, and the share of it that congestion leaves.
    """
    keys: dict[str, Any] = {"packet": f"{mss + HEADER} bytes", "header": f"{HEADER} bytes", "max-window": window}
    if flavour in TODAY:
        # Linux, where the RFCs leave a choice: ten segments at first and a minimum timeout of 200 ms.
        return {"recovery": "sack", "congestion-control": TODAY[flavour], "min-rto": "200 ms", **keys}
    tick = round(1000 * settings["experiment_ubr.tcp.timer_granularity_s"])
    return {
        "recovery": RECOVERIES[flavour],
        "congestion-control": {"reno": {"increase": aimd[0], "decrease": aimd[1]}} if aimd else "reno",
        **keys,
        "initial-window": "1 packets",
        "timer-tick": f"{tick} ms",
        "min-rto": "0 s",
        "initial-rto": settings.text("tcp.initial_rto"),
        "max-rto": "64 s",
        "limited-transmit": False,
        "restart-after-idle": False,
        "syn": False,
    }
