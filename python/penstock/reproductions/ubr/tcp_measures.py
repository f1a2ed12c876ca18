"""From one run to the numbers of a row, in the tables about TCP itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from penstock.reproductions.ubr.best_effort import mss_of
from penstock.reproductions.ubr.tcp_pages import PERIODIC_RTT, base_of, buffer_of
from penstock.reproductions.ubr.words import BITS_PER_CELL, cells_per_segment, rate, seconds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row
    from penstock.running import RunResult


def round_trip(settings: Settings, network: str, mss: int) -> float:
    """Seconds that a segment and its acknowledgement take over three links each, if nobody waits."""
    way = seconds(settings.text(f"ubr.one_way.{network}")) + 2 * seconds(settings.text(f"ubr.access.{network}"))
    cells = cells_per_segment(mss) + cells_per_segment(0)
    # A frame is passed on cell by cell: only its last cell crosses all three links after the others have left.
    sent = (cells + 4) * BITS_PER_CELL / rate(settings.text("link.cells"))
    return 2 * way + sent


def windows(settings: Settings, row: Row, result: RunResult) -> dict[str, float]:
    """The mean window in bytes, which is the goodput times the round trip while no queue grows."""
    network, settings = base_of(settings, str(row.key["network"]))
    mss = mss_of(settings, network)
    goodput = _one(result, "goodput")
    window = goodput * round_trip(settings, network, mss) / 8
    return {"goodput": goodput / 1e6, "window": window / 1000, "segments": window / mss}


def retransmissions(settings: Settings, row: Row, found: Mapping[str, float], result: RunResult) -> dict[str, float]:
    """Fate of retransmissions, in addition to the columns of the grid."""
    counted = seconds(settings.text(f"run.{row.key['network']}"))
    sent = _one(result, "retransmissions")
    lost, repeated = _one(result, "lost-retransmissions"), _one(result, "repeated-retransmissions")
    timeouts = _one(result, "timeouts") / counted
    return {**found, "lost": lost / sent if sent else 0.0, "repeated": repeated / counted, "timeouts": timeouts}


def buffers(settings: Settings, row: Row, found: Mapping[str, float], result: RunResult) -> dict[str, float]:
    """The size of the buffer, in addition to the columns of the grid."""
    del result
    size = buffer_of(settings, str(row.key["network"]), int(row.key["sources"]), str(row.key["buffer"]))
    return {**found, "cells": float(size), "loss_share": 100 * found["loss"]}


def sawtooth(period: int) -> tuple[int, float]:
    """Steps of a cycle by its number of segments, and its mean window, by slide 35.

    A cycle of n round trips begins with a window of n segments and ends with 2n: the mean of n + i over i = 1..n,
    times n, is what it sends.

    Examples
    --------
    >>> sawtooth(100)
    (8, 12.5)
    """
    n = round((math.sqrt(1 + 24 * period) - 1) / 6)
    return n, math.fsum(n + i for i in range(1, n + 1)) / n


def periodic(settings: Settings, row: Row, result: RunResult) -> dict[str, float]:
    """The goodput of periodic losses against slide 35's formula."""
    mss = int(settings["gfr.mss_bytes"])
    expected = sawtooth(int(row.key["period"]))[1] * mss * 8 / PERIODIC_RTT
    goodput = _one(result, "goodput")
    return {"goodput": goodput / 1e6, "expected": expected / 1e6, "ratio": goodput / expected}


def _one(result: RunResult, metric: str) -> float:
    """The sum over all flows, however many numbers there are."""
    return math.fsum(m.value for m in result.metrics if m.name == metric and m.labels.get("statistic") in (None, "sum"))
