"""From one run to the numbers of a row."""

import math
from collections.abc import Callable, Mapping

from penstock.reproductions.outcome import numbers, one
from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import amount
from penstock.reproductions.tables import Row, Table
from penstock.reproductions.ubr.best_effort import base_of, buffer_of, mss_of, one_way, together_from_the_start
from penstock.reproductions.ubr.guarantees import NEARLY_ALL, SLIDES, allocated, stated
from penstock.reproductions.ubr.mechanisms import BITS_PER_CELL, cells_per_segment, link_rate, most_goodput
from penstock.reproductions.ubr.networks import BOTTLENECK, GROUPS, left_by_vbr
from penstock.reproductions.ubr.scenario import GRID, PERIODIC_RTT
from penstock.running import RunResult
from penstock.statistics import jain

MEASURED = {
    "efficiency.over": ["efficiency"],
    "guarantee.in": ["goodput", "excess", "relative_excess", "least", "evenness"],
}
"""Columns that depend on a setting by how they are measured."""


def measure(settings: Settings, table: Table, row: Row, results: Mapping[str, RunResult]) -> Mapping[str, float]:
    """The columns of a row, and the further values that claims need."""
    (result,) = results.values()
    if table.id.startswith(GRID):
        return _sources(settings, table.id.removeprefix(GRID), result)
    if table.id == "4":
        found = _sources(settings, "wan", result)
        total = found["total"] / 1e6
        return {"goodput": total, "page_time": one(result, "page-time", "tcp"), "fairness": found["fairness"]}
    if "network" in row.key and table.id not in _OTHERS:
        return _of_network(settings, table, row, result)
    return _OTHERS[table.id](settings, row, result) if table.id in _OTHERS else _of_all(settings, table, row, result)


def _of_network(settings: Settings, table: Table, row: Row, result: RunResult) -> dict[str, float]:
    """The columns of the grid, and those that the table has in addition."""
    network = str(row.key["network"])
    if table.id == "25-together":
        settings = together_from_the_start(settings, network)
    reserved = float(row.key["reserved"]) / 100 if "reserved" in row.key else None
    left = 1.0 if reserved is None else left_by_vbr(settings, network, reserved)
    found = _sources(settings, network, result, left)
    if table.id == "12-13":
        size = buffer_of(settings, network, int(row.key["sources"]), str(row.key["buffer"]))
        return {**found, "cells": float(size), "loss_share": 100 * found["loss"]}
    return {**found, **_fate(settings, network, result)} if table.id == "28" else found


def _sources(settings: Settings, network: str, result: RunResult, left: float = 1.0) -> dict[str, float]:
    """Efficiency and fairness as slide 17 defines them; `left` is the share of the link that UBR may have."""
    rates = numbers(result, "goodput")
    link = link_rate(settings)
    most = link if settings["efficiency.over"] == "link" else most_goodput(link, mss_of(settings, network))
    total = math.fsum(rates)
    counted = _counted(settings, network)
    return {
        "efficiency": total / (left * most),
        "fairness": jain(rates) if any(rates) else 1.0,
        "total": total,
        "timeouts": one(result, "timeouts", "tcp") / counted,
        "retransmissions": one(result, "retransmissions", "tcp") / counted,
        "loss": one(result, "loss", BOTTLENECK),
    }


def _fate(settings: Settings, network: str, result: RunResult) -> dict[str, float]:
    """The fate of retransmissions."""
    counted = amount(settings.text(f"run.{network}"))
    sent = _sum(result, "retransmissions")
    lost, repeated = _sum(result, "lost-retransmissions"), _sum(result, "repeated-retransmissions")
    timeouts = _sum(result, "timeouts") / counted
    return {"lost": lost / sent if sent else 0.0, "repeated": repeated / counted, "timeouts": timeouts}


def _window(settings: Settings, row: Row, result: RunResult) -> dict[str, float]:
    """The mean window in bytes, which is the goodput times the round trip while no queue grows."""
    network, settings = base_of(settings, str(row.key["network"]))
    mss = mss_of(settings, network)
    goodput = _sum(result, "goodput")
    window = goodput * _round_trip(settings, network, mss) / 8
    return {"goodput": goodput / 1e6, "window": window / 1000, "segments": window / mss}


def _round_trip(settings: Settings, network: str, mss: int) -> float:
    """Seconds that a segment and its acknowledgement take over three links each, if nobody waits."""
    cells = cells_per_segment(mss) + cells_per_segment(0)
    # A frame is passed on cell by cell: only its last cell crosses all three links after the others have left.
    sent = (cells + 4) * BITS_PER_CELL / link_rate(settings)
    return 2 * one_way(settings, network) + sent


def _periodic(settings: Settings, row: Row, result: RunResult) -> dict[str, float]:
    """The goodput of periodic losses against slide 35's formula."""
    mss = int(settings["gfr.mss_bytes"])
    expected = sawtooth(int(row.key["period"]))[1] * mss * 8 / PERIODIC_RTT
    goodput = _sum(result, "goodput")
    return {"goodput": goodput / 1e6, "expected": expected / 1e6, "ratio": goodput / expected}


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


def _of_circuit(settings: Settings, row: Row, result: RunResult) -> dict[str, float]:
    """A circuit of a DFBA run."""
    i = int(row.key["vc"])
    allocation = SLIDES[int(row.key["slide"])][1] if "slide" in row.key else "allocation_85"
    mcr = _payload(settings, stated(settings, allocation)[i])
    goodput = _goodput(settings, result, f"vc{i}")
    excess = goodput - mcr
    return {
        "mcr": mcr / 1e6,
        "goodput": goodput / 1e6,
        "excess": excess / 1e6,
        "relative_excess": excess / mcr,
        "queue": _waiting(result, f"vc{i}"),
    }


def _of_all(settings: Settings, table: Table, row: Row, result: RunResult) -> dict[str, float]:
    """What all circuits of a run have: the lowest guarantee met, the sum, and how evenly the excess is shared."""
    condition = row.key.get("condition")
    if table.id == "34" or condition == "full":
        mcr = allocated(settings, NEARLY_ALL if condition == "full" else float(row.key["allocation"]))
    else:
        mcr = stated(settings, "allocation_50" if table.id == "30" else "allocation_85")
    sizes = {i: 512 if condition == "frame-size" and i >= GROUPS[3] else None for i in GROUPS}
    rates = {i: _payload(settings, mcr[i], sizes[i]) for i in GROUPS}
    goodputs = {i: _goodput(settings, result, f"vc{i}") for i in GROUPS}
    excess = [max(0.0, goodputs[i] - rates[i]) for i in GROUPS]
    offered, drops = (_of_high_priority(result, name) for name in ("offered", "drops"))
    return {
        "least": min(goodputs[i] / rates[i] for i in GROUPS),
        "total": math.fsum(goodputs.values()) / 1e6,
        "evenness": jain(excess) if any(excess) else 1.0,
        "queue": one(result, "queue", BOTTLENECK),
        "clp0_loss": drops / offered if offered else 0.0,
    }


def _of_fifo(settings: Settings, row: Row, result: RunResult) -> dict[str, float]:
    """A group of the 15 sources behind thresholds."""
    own = int(row.key["group"])
    name, names = f"g{own}", [f"g{i}" for i in GROUPS]
    goodputs = {each: one(result, "goodput", each) for each in names}
    held = {each: _waiting(result, each) for each in names}
    share = goodputs[name] / math.fsum(goodputs.values())
    ratio: list[int] = settings["fifo.mcr_ratio"]
    way = 3 * amount(settings.text("fifo.hop"))
    return {
        "buffer_share": held[name] / math.fsum(held.values()),
        "output_share": share,
        "ratio": share * sum(ratio) / ratio[own - 1],
        "wait": 1000 * (one(result, "delay", name) - way),
        "timeouts": one(result, "timeouts", name) / _counted(settings, "gfr"),
    }


_OTHERS: Mapping[str, Callable[[Settings, Row, RunResult], dict[str, float]]] = {
    "26-27": _window,
    "35": _periodic,
    "36": _of_fifo,
    "50": _of_circuit,
    "53-59-results": _of_circuit,
}


def _counted(settings: Settings, run: str) -> float:
    """How long a run counts, in seconds."""
    return amount(settings.text(f"run.{run}")) - amount(settings.text(f"run.{run}_from"))


def _payload(settings: Settings, mcr: int, mss: int | None = None) -> float:
    """The payload of TCP in bit/s carried by a rate in cells per second."""
    size = mss or int(settings["gfr.mss_bytes"])
    return mcr * size * 8 / cells_per_segment(size)


def _goodput(settings: Settings, result: RunResult, name: str) -> float:
    """What counts towards a guarantee: each byte once, or all frames that arrived."""
    return one(result, "payload-throughput" if settings["guarantee.in"] == "cells" else "goodput", name)


def _sum(result: RunResult, metric: str) -> float:
    """The sum over all flows, however many numbers there are."""
    return math.fsum(m.value for m in result.metrics if m.name == metric and m.labels.get("statistic") in (None, "sum"))


def _of_high_priority(result: RunResult, metric: str) -> float:
    """A count of the bottleneck for CLP = 0, which is drop precedence 0; 0 if there were none."""
    return math.fsum(m.value for m in result.metrics if m.name == metric and m.labels.get("precedence") == "0")


def _waiting(result: RunResult, name: str) -> float:
    """Mean cells at the bottleneck over time, of a circuit or of the own circuits of a group of flows."""
    found = [
        m.value for m in result.metrics if m.name == "queue" and m.labels.get("circuit", "").partition("[")[0] == name
    ]
    if not found:
        raise ValueError(f"the run has no queue of circuit {name}")
    return math.fsum(found)
