"""The switch policies of the bottleneck, as scenarios name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.reproductions.ubr.words import cells

if TYPE_CHECKING:
    from penstock.reproductions.reading import Settings

HOST = 400_000
"""Cells that a host may have waiting before its own link: more than any window is long."""


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
