"""The scenarios about guarantees: DFBA, GFR's options, allocations, broken conditions, FIFO with thresholds."""

from collections.abc import Mapping
from typing import Any

from penstock.reproductions.reading import Settings
from penstock.reproductions.scenario_text import seconds
from penstock.reproductions.tables import Row
from penstock.reproductions.ubr.mechanisms import cells, cells_per_segment, link_cells, switch_queue, transport
from penstock.reproductions.ubr.networks import GROUPS, Merged, merged

BUFFER = 25_000
GROUP_OF_FIFO = 3
TAGGED_FRAMES = 4
NEARLY_ALL = 99.9
"""Percent of the link where the condition that the MCRs stay below its capacity is broken."""
SLIDES: Mapping[int, tuple[int, str, int, bool]] = {
    53: (50, "allocation_50", 25_000, False),
    54: (50, "allocation_85", 25_000, False),
    55: (100, "allocation_85", 25_000, False),
    57: (100, "allocation_85", 6_000, False),
    58: (100, "allocation_85", 3_000, False),
    59: (100, "allocation_85", 6_000, True),
}
"""Of each slide: TCPs, the MCRs' place in the data, cells of the buffer, and whether Z_i is small for a large MCR."""


def slides(settings: Settings, row: Row) -> str:
    """A run of slides 53 to 59."""
    tcps, allocation, buffer, small_z = SLIDES[int(row.key["slide"])]
    mcr = stated(settings, allocation)
    z = _z(settings, mcr) if small_z else 1.0
    return _dfba(settings, mcr, tcps=tcps, buffer=buffer, z=z)


def queues_over_time(settings: Settings) -> str:
    """The run of slide 55, each circuit a class of its own, so that series tell the cells of each: slide 56."""
    tcps, allocation, buffer, _ = SLIDES[55]
    return _dfba(settings, stated(settings, allocation), tcps=tcps, buffer=buffer, classes=True)


def over_satellites(settings: Settings, row: Row) -> str:
    """The settings of slide 54 with a GEO hop in the backbone or at the access."""
    access, backbone = str(row.key["path"]).split("-")
    geo = settings.having({"dfba.access": access, "dfba.backbone": backbone})
    return _dfba(geo, stated(settings, "allocation_85"))


def thresholds(settings: Settings, row: Row) -> str:
    """The settings of slide 57 with other thresholds."""
    other = settings.having({"dfba.low": float(row.key["low"]), "dfba.high": float(row.key["high"])})
    return _dfba(other, stated(settings, "allocation_85"), tcps=100, buffer=6_000)


def allocations(settings: Settings, row: Row) -> str:
    """A share of the link allocated, under one of three policies."""
    mcr, policy = allocated(settings, float(row.key["allocation"])), str(row.key["policy"])
    if policy == "dfba":
        return _dfba(settings, mcr)
    if policy == "thresholds":
        queue = _thresholds(settings, mcr, BUFFER)
    else:
        queue = _weighted(mcr, {"queue.frame-thresholds": _one(settings, BUFFER // 5)})
    return _guaranteed(settings, mcr, queue, tags="none")


def options(settings: Settings, row: Row) -> str:
    """A branch of the tree of slide 30, with the MCRs of slide 51."""
    mcr = stated(settings, "allocation_50")
    queueing, tags = str(row.key["queueing"]), str(row.key["tagging"])
    buffer = BUFFER if queueing == "fifo" else BUFFER // 5
    shared = switch_queue(settings, "fba", BUFFER, frame=0, sources=0)
    shared["queue.fba"]["buffer"] = "queue" if queueing == "fifo" else "port"
    queues: dict[str, dict[str, Any]] = {
        "one-threshold": {"queue.frame-thresholds": _one(settings, buffer)},
        "two-thresholds": {"queue.frame-thresholds": _two(settings, buffer)},
        "vc-thresholds": _thresholds(settings, mcr, buffer),
        "dfba": _queue(settings, buffer, 1.0),
        "fba": shared,
    }
    queue = queues[str(row.key["management"])]
    if queueing == "per-vc":
        queue = _weighted(mcr, queue)
    elif queueing == "per-vc-equal-excess":
        queue = _served(_with_equal_excess(settings, mcr), queue)
    return _guaranteed(settings, mcr, queue, tags=tags)


def broken(settings: Settings, row: Row) -> str:
    """The settings of slide 54 with one condition of slide 61 broken."""
    condition = str(row.key["condition"])
    mcr = allocated(settings, NEARLY_ALL) if condition == "full" else stated(settings, "allocation_85")
    changes: dict[str, dict[str, Any]] = {
        "reno": {"flavour": "reno"},
        "rtt": {"far": "20 ms"},
        "frame-size": {"small": 512},
        "background": {"background": settings["gfr.background_share"]},
    }
    return _dfba(settings, mcr, **changes.get(condition, {}))


def fifo(settings: Settings, row: Row) -> str:
    """15 sources in five groups, with a threshold for each circuit."""
    buffer = int(settings["fifo_thresholds.buffer_cells"])
    ratio: list[int] = settings["fifo.mcr_ratio"]
    of_group = [float(row.key["utilisation"]) * buffer * part / sum(ratio) for part in ratio]
    each = GROUP_OF_FIFO if settings["fifo.per_source"] else 1
    limits = {f"g{i}": cells(size / each) for i, size in zip(GROUPS, of_group, strict=True)}
    mss = int(settings["fifo_thresholds.mss_bytes"])
    tcp = transport(settings, "sack1", mss=mss, window=f"{settings['gfr.max_window_bytes']} bytes")
    hop = settings.text("fifo.hop")
    asked = Merged(
        each=GROUP_OF_FIFO,
        transports=dict.fromkeys(GROUPS, tcp),
        access=dict.fromkeys(GROUPS, hop),
        backbone=hop,
        bottleneck={"queue.circuit-thresholds": {"limit": cells(buffer), "thresholds": limits}},
        told="15 SACK sources through a FIFO with thresholds for each circuit",
        names="g",
        local=not settings["fifo.per_source"],
    )
    return merged(settings, asked)


def stated(settings: Settings, allocation: str) -> dict[int, int]:
    """The MCRs of slide 51 or 52 in cells per second, by circuit."""
    rates: list[int] = settings[f"dfba.{allocation}.mcr_cells_per_s"]
    return dict(zip(GROUPS, rates, strict=True))


def allocated(settings: Settings, percent: float) -> dict[int, int]:
    """A percentage of the link's cells, in the ratio 1 to 5."""
    ratio: list[int] = settings["fifo.mcr_ratio"]
    whole = percent / 100 * link_cells(settings)
    return {i: int(whole * part / sum(ratio)) for i, part in zip(GROUPS, ratio, strict=True)}


def _dfba(
    settings: Settings,
    mcr: Mapping[int, int],
    *,
    tcps: int = 50,
    buffer: int = BUFFER,
    z: float | dict[str, float] = 1.0,
    **more: Any,
) -> str:
    return _guaranteed(settings, mcr, _queue(settings, buffer, z), tcps=tcps, tags=settings.text("gfr.tagging"), **more)


def _guaranteed(
    settings: Settings,
    mcr: Mapping[int, int],
    queue: dict[str, Any],
    *,
    tags: str,
    tcps: int = 50,
    flavour: str = "sack1",
    far: str = "",
    small: int = 0,
    background: float = 0.0,
    classes: bool = False,
) -> str:
    """TCPs merged onto five circuits; circuits 4 and 5 may be `far` away, or have `small` segments."""
    mss = int(settings["gfr.mss_bytes"])
    geo = "geo" in (settings["dfba.access"], settings["dfba.backbone"])
    if geo:
        settings = settings.having({f"run.gfr{part}": settings.text(f"run.satellite{part}") for part in ("", "_from")})
    window = f"{settings['gfr.max_window_geo_bytes' if geo else 'gfr.max_window_bytes']} bytes"
    burst = cells(TAGGED_FRAMES * cells_per_segment(mss))
    hop = "geo" if settings["dfba.backbone"] == "geo" else "wan_or_leo"
    access = settings.text("dfba.campus")
    if settings["dfba.access"] == "geo":
        access = seconds(settings["dfba.access_hop_geo_s"])
    sizes = {i: small if small and i >= GROUPS[3] else mss for i in GROUPS}
    asked = Merged(
        each=tcps // len(GROUPS),
        transports={i: transport(settings, flavour, mss=sizes[i], window=window) for i in GROUPS},
        access={i: far if far and i >= GROUPS[3] else access for i in GROUPS},
        backbone=seconds(settings[f"dfba.backbone_hop_{hop}_s"]),
        bottleneck={**queue, **({"marker.f-gcra": {"burst": burst}} if tags == "network" else {})},
        told=f"{tcps} TCPs on five circuits with guaranteed rates",
        mcr=mcr,
        tags_at_end=burst if tags == "end-system" else "",
        classes=classes or any(key.startswith("scheduler") for key in queue),
        background=background,
    )
    return merged(settings, asked)


def _queue(settings: Settings, buffer: int, z: float | dict[str, float]) -> dict[str, Any]:
    keys = {
        "limit": cells(buffer),
        "low": cells(settings["dfba.low"] * buffer),
        # Above H = K nothing is left to be refused: the threshold is the limit itself.
        "high": cells(settings["dfba.high"] * buffer),
        "alpha": settings["dfba.alpha"],
        "z": z,
        "probability": settings["dfba.probability"],
    }
    return {"queue.dfba": keys}


def _z(settings: Settings, mcr: Mapping[int, int]) -> dict[str, float]:
    if settings["dfba.z"] == "inverse":
        return {f"vc{i}": min(mcr.values()) / own for i, own in mcr.items()}
    return {f"vc{i}": 1 - own / sum(mcr.values()) for i, own in mcr.items()}


def _one(settings: Settings, buffer: int) -> dict[str, str]:
    return {"limit": cells(buffer), "threshold": cells(settings["dfba.high"] * buffer)}


def _two(settings: Settings, buffer: int) -> dict[str, str]:
    return {**_one(settings, buffer), "tagged-threshold": cells(settings["dfba.low"] * buffer)}


def _thresholds(settings: Settings, mcr: Mapping[int, int], buffer: int) -> dict[str, Any]:
    limits = {f"vc{i}": cells(buffer * own / link_cells(settings)) for i, own in mcr.items()}
    return {"queue.circuit-thresholds": {"limit": cells(buffer), "thresholds": limits}}


def _weighted(mcr: Mapping[int, int], queue: dict[str, Any]) -> dict[str, Any]:
    """A queue for each circuit, served in the ratio of the MCRs."""
    smallest = min(mcr.values())
    return _served({i: round(own / smallest) for i, own in mcr.items()}, queue)


def _with_equal_excess(settings: Settings, mcr: Mapping[int, int]) -> dict[int, int]:
    """Weights in the ratio of the MCR of each circuit with an equal share of what they leave of the link."""
    left = link_cells(settings) - sum(mcr.values())
    rates = {i: own + left / len(mcr) for i, own in mcr.items()}
    return {i: round(100 * each / min(rates.values())) for i, each in rates.items()}


def _served(weights: Mapping[int, int], queue: dict[str, Any]) -> dict[str, Any]:
    """A queue for each circuit, served in the ratio of these weights."""
    return {"scheduler.wf2q-plus": {}, **{f"class.vc{i}.weight": weight for i, weight in weights.items()}, **queue}
