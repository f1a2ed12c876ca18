"""From one run to the numbers of a row."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from penstock.reproductions.ubr import tcp_measures
from penstock.reproductions.ubr.best_effort import mss_of, together_from_the_start
from penstock.reproductions.ubr.circuits import GROUPS
from penstock.reproductions.ubr.guarantees import NEARLY_ALL, SLIDES, allocated, stated
from penstock.reproductions.ubr.n_sources import BOTTLENECK, left_by_vbr
from penstock.reproductions.ubr.scenario import GRID
from penstock.reproductions.ubr.words import cells_per_segment, most_goodput, rate, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from penstock.reproductions.reading import Settings
    from penstock.reproductions.tables import Row, Table
    from penstock.running import RunResult

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
    if table.id == "26-27":
        return tcp_measures.windows(settings, row, result)
    if table.id == "35":
        return tcp_measures.periodic(settings, row, result)
    if "network" in row.key:
        network = str(row.key["network"])
        if table.id == "25-together":
            settings = together_from_the_start(settings, network)
        reserved = float(row.key["reserved"]) / 100 if "reserved" in row.key else None
        left = 1.0 if reserved is None else left_by_vbr(settings, network, reserved)
        found = _sources(settings, network, result, left)
        return _ABOUT_TCP[table.id](settings, row, found, result) if table.id in _ABOUT_TCP else found
    return _CIRCUITS[table.id](settings, row, result)


def _sources(settings: Settings, network: str, result: RunResult, left: float = 1.0) -> dict[str, float]:
    """Efficiency and fairness as slide 17 defines them; `left` is the share of the link that UBR may have."""
    rates = [m.value for m in result.metrics if m.name == "goodput"]
    link = rate(settings.text("link.cells"))
    most = link if settings["efficiency.over"] == "link" else most_goodput(link, mss_of(settings, network))
    total = math.fsum(rates)
    counted = seconds(settings.text(f"run.{network}")) - seconds(settings.text(f"run.{network}_from"))
    return {
        "efficiency": total / (left * most),
        "fairness": jain(rates),
        "total": total,
        "timeouts": one(result, "timeouts", "tcp") / counted,
        "retransmissions": one(result, "retransmissions", "tcp") / counted,
        "loss": one(result, "loss", BOTTLENECK),
    }


def jain(values: Sequence[float]) -> float:
    """Jain's index (sum x)^2 / (n sum x^2); 1 where nobody has anything.

    Examples
    --------
    >>> jain([1, 1, 1, 1]), jain([1, 0, 0, 0])
    (1.0, 0.25)
    """
    squares = math.fsum(value * value for value in values)
    return math.fsum(values) ** 2 / (len(values) * squares) if squares else 1.0


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
        "queue": waiting(result, f"vc{i}"),
    }


def _of_all(settings: Settings, mcr: Mapping[int, int], result: RunResult, small: int = 0) -> dict[str, float]:
    """What all circuits of a run have: the lowest guarantee met, the sum, and how evenly the excess is shared."""
    sizes = {i: small if small and i >= GROUPS[3] else None for i in GROUPS}
    rates = {i: _payload(settings, mcr[i], sizes[i]) for i in GROUPS}
    goodputs = {i: _goodput(settings, result, f"vc{i}") for i in GROUPS}
    excess = [max(0.0, goodputs[i] - rates[i]) for i in GROUPS]
    offered, drops = (of_precedence(result, name, 0) for name in ("offered", "drops"))
    return {
        "least": min(goodputs[i] / rates[i] for i in GROUPS),
        "total": math.fsum(goodputs.values()) / 1e6,
        "evenness": jain(excess),
        "queue": one(result, "queue", BOTTLENECK),
        "clp0_loss": drops / offered if offered else 0.0,
    }


def _of_options(settings: Settings, row: Row, result: RunResult) -> dict[str, float]:
    del row
    return _of_all(settings, stated(settings, "allocation_50"), result)


def _of_thresholds(settings: Settings, row: Row, result: RunResult) -> dict[str, float]:
    del row
    return _of_all(settings, stated(settings, "allocation_85"), result)


def _of_allocations(settings: Settings, row: Row, result: RunResult) -> dict[str, float]:
    return _of_all(settings, allocated(settings, float(row.key["allocation"])), result)


def _of_broken(settings: Settings, row: Row, result: RunResult) -> dict[str, float]:
    full = row.key["condition"] == "full"
    mcr = allocated(settings, NEARLY_ALL) if full else stated(settings, "allocation_85")
    return _of_all(settings, mcr, result, 512 if row.key["condition"] == "frame-size" else 0)


def _of_fifo(settings: Settings, row: Row, result: RunResult) -> dict[str, float]:
    """A group of the 15 sources behind thresholds."""
    own = int(row.key["group"])
    names = [f"g{i}" for i in GROUPS]
    goodputs = {name: one(result, "goodput", name) for name in names}
    total = math.fsum(goodputs.values())
    ratio: list[int] = settings["fifo.mcr_ratio"]
    name = f"g{own}"
    share = goodputs[name] / total
    held = {name: waiting(result, name) for name in names}
    counted = seconds(settings.text("run.gfr")) - seconds(settings.text("run.gfr_from"))
    way = 3 * seconds(settings.text("fifo.hop"))
    return {
        "buffer_share": held[name] / math.fsum(held.values()),
        "output_share": share,
        "ratio": share * sum(ratio) / ratio[own - 1],
        "wait": 1000 * (one(result, "delay", name) - way),
        "timeouts": one(result, "timeouts", name) / counted,
    }


def _payload(settings: Settings, mcr: int, mss: int | None = None) -> float:
    """The payload of TCP in bit/s carried by a rate in cells per second."""
    size = mss or int(settings["gfr.mss_bytes"])
    return mcr * size * 8 / cells_per_segment(size)


def _goodput(settings: Settings, result: RunResult, name: str) -> float:
    """What counts towards a guarantee: each byte once, or all frames that arrived."""
    return one(result, "payload-throughput" if settings["guarantee.in"] == "cells" else "goodput", name)


def one(result: RunResult, metric: str, of: str) -> float:
    """The one number of a metric of a flow or a link; its mean or its sum where it has several statistics."""
    found = [
        m.value
        for m in result.metrics
        if m.name == metric
        and m.labels["of"] == of
        and m.labels.get("statistic") in (None, "mean", "sum")
        and not m.labels.keys() & {"precedence", "circuit"}
    ]
    if len(found) != 1:
        raise ValueError(f"the run has {len(found)} numbers for {metric} of {of}")
    return found[0]


def of_precedence(result: RunResult, metric: str, precedence: int) -> float:
    """A count of the bottleneck for a drop precedence, which is the CLP of cells; 0 if there were none."""
    return math.fsum(
        m.value for m in result.metrics if m.name == metric and m.labels.get("precedence") == str(precedence)
    )


def waiting(result: RunResult, name: str) -> float:
    """Mean cells at the bottleneck over time, of a circuit or of the own circuits of a group of flows."""
    found = [
        m.value for m in result.metrics if m.name == "queue" and m.labels.get("circuit", "").partition("[")[0] == name
    ]
    if not found:
        raise ValueError(f"the run has no queue of circuit {name}")
    return math.fsum(found)


_ABOUT_TCP: Mapping[str, Callable[[Settings, Row, Mapping[str, float], RunResult], dict[str, float]]] = {
    "12-13": tcp_measures.buffers,
    "28": tcp_measures.retransmissions,
}

_CIRCUITS: Mapping[str, Callable[[Settings, Row, RunResult], dict[str, float]]] = {
    "53-59-results": _of_circuit,
    "50": _of_circuit,
    "42": _of_thresholds,
    "36": _of_fifo,
    "30": _of_options,
    "34": _of_allocations,
    "61": _of_broken,
}
