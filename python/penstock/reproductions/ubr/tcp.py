"""TCP of 1998, flavour by flavour, and modern TCP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.reproductions.ubr.words import HEADER

if TYPE_CHECKING:
    from penstock.reproductions.reading import Settings

RECOVERIES = {"vanilla": "timeout-only", "reno": "reno", "new-reno": "new-reno", "sack1": "sack1"}
"""What repairs losses, by the study's names; slow start alone has nothing but its timer."""
TODAY = {"sack": "reno", "cubic": "cubic"}
"""The congestion control of the modern flavours, both with the recovery of RFC 6675."""


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
    control: dict[str, Any] = {"congestion-control": "reno"}
    if aimd is not None:
        control = {"congestion-control": {"reno": {"increase": aimd[0], "decrease": aimd[1]}}}
    return {
        "recovery": RECOVERIES[flavour],
        **control,
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
