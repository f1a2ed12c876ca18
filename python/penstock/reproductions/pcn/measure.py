"""From runs to the columns of a row: over-admission, over-termination, termination time, shares."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from penstock.reproductions.pcn.cases import ADMISSION, FAIRNESS, PLT, Case, cases
from penstock.reproductions.pcn.scenario import Network, groups, network
from penstock.reproductions.pcn.traffic import admissible_rate, mean_rate, overload_calls, supportable_rate
from penstock.reproductions.reading import Settings
from penstock.reproductions.tables import Row, Table
from penstock.running import RunResult

TIMES = ("termination_time", "termination_time_stm", "termination_time_cl")
MEASURED = {
    "time.from": TIMES,
    "time.stm_added_s": ("termination_time", "termination_time_stm"),
    "time.cl_added_s": ("termination_time", "termination_time_cl"),
    "fairness.over": tuple(f"t{time}" for time in range(10, 90, 10)),
}
"""Settings that say how a column is measured."""


def measure(settings: Settings, table: Table, row: Row, results: Mapping[str, RunResult]) -> Mapping[str, float]:
    """The printed columns, and the further values that claims need.

    For every part of the row, with ``stm`` and ``cl`` as in the columns: over-admission as ``stm`` and ``cl``, or
    over-termination and time. ``*_of_load`` and ``*_of_surplus`` are over-termination by two other definitions.
    """
    numbers: dict[str, float] = {}
    for part, case in cases(settings, table, row).items():
        result = results[part]
        if case.kind == FAIRNESS:
            numbers |= _sharing(settings, table, result)
            continue
        if case.kind == ADMISSION:
            numbers |= _named(part, admission(settings, case, result))
            continue
        shot = termination(settings, case, result)
        if table.id == "C.6":
            numbers["termination_time"] = shot.time
        elif case.topology == PLT:
            numbers |= _named("", shot.over)
        else:
            numbers |= {
                f"over_termination_{part}": shot.over[0],
                f"over_termination_{part}_of_load": shot.of_load[0],
                f"over_termination_{part}_of_surplus": shot.of_surplus[0],
                f"termination_time_{part}": shot.time,
            }
    return numbers


def part_of(table: str, column: str) -> str | None:
    """The scenario of a row that a number comes from; None for the extremes, which are of all."""
    if table in ("B.7", "B.8", "C.5", "C.6"):
        return ""
    if column in ("smallest", "largest"):
        return None
    if table == "B.2":
        return column.partition("_")[0]
    if table.startswith("B."):
        return column
    return next(name for name in ("stm", "cl") if name in column.split("_"))


def gather(_: Settings, table: Table, __: Row, values: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    """The extremes of table B.2: the runs of the part, and link, whose mean is the smallest or largest."""
    if table.id != "B.2":
        return {}
    parts = {name: runs for name, runs in values.items() if name not in ("smallest", "largest")}
    mean = {name: math.fsum(runs) / len(runs) for name, runs in parts.items()}
    smallest, largest = (choice(mean, key=mean.__getitem__) for choice in (min, max))
    return {"smallest": list(values[smallest]), "largest": list(values[largest])}


def admission(settings: Settings, case: Case, result: RunResult) -> list[float]:
    """Over-admission at each bottleneck, in percent of the desired load."""
    net = network(settings, case, {})
    ar = float(admissible_rate(settings, case))
    over = []
    for bottleneck, rate in zip(net.bottlenecks, _rates(settings, case, net, result), strict=True):
        crossing = _crossing(settings, case, net, bottleneck)
        refused = math.fsum(metric(result, "signal-rate", crossing)) if settings["signal.packet"] != "none" else 0.0
        desired = ar - refused
        carried = rate if settings["signal.counted"] else rate - refused
        over.append(100 * (carried - desired) / desired)
    return over


@dataclass(frozen=True)
class Overshoot:
    """What a termination run did: by three published definitions, in percent, by bottleneck; and its time."""

    over: list[float]  # of the supportable rate, as this document defines it [Satoh10 s12]
    of_load: list[float]
    """Points of the load before termination, as tables of draft-charny-pcn-single-marking have it."""
    of_surplus: list[float]
    """Of what had to be terminated, as draft-zhang-pcn-performance-evaluation defines it."""
    time: float  # in seconds


def termination(settings: Settings, case: Case, result: RunResult) -> Overshoot:
    """Over-termination at each bottleneck, and the time until all of them were below SR."""
    net = network(settings, case, {})
    load = overload_calls(settings, case)[1] * float(mean_rate(settings, case))
    aim = float(supportable_rate(settings, case))
    crossing = [", ".join(_crossing(settings, case, net, name)) for name in net.bottlenecks]
    spans = metric(result, "termination-time", crossing, **{"from": settings["time.from"]})
    added = settings["time.stm_added_s"] if case.scheme == "STM" else settings["time.cl_added_s"]
    rates = _rates(settings, case, net, result)
    over, of_load, of_surplus = ([100 * (aim - rate) / whole for rate in rates] for whole in (aim, load, load - aim))
    return Overshoot(over, of_load, of_surplus, max(spans) + added)


def _sharing(settings: Settings, table: Table, result: RunResult) -> dict[str, float]:
    """Throughput of the short aggregate over that of the long one at the first bottleneck, by time."""
    numbers = {}
    before = 0.0, 0.0
    for column in table.compared:
        until = f"{column.name.removeprefix('t')} s"
        short, long = metric(result, "throughput", ["short1", "long"], until=until)
        if settings["fairness.over"] == "all":
            before = before[0] + short, before[1] + long
            short, long = before
        numbers[column.name] = short / long
    return numbers


def metric(result: RunResult, name: str, of: Iterable[str], **labels: str) -> list[float]:
    """The values of a metric, of each of `of` in its order; an error of ours if one is missing."""
    values = []
    for target in of:
        wanted = {"of": target, **labels}.items()
        found = [m.value for m in result.metrics if m.name == name and wanted <= m.labels.items()]
        if len(found) != 1:
            raise ValueError(f"the run has {len(found)} {name} of {target}")
        values += found
    return values


def _rates(settings: Settings, case: Case, net: Network, result: RunResult) -> list[float]:
    if settings["throughput.at"] == "link":
        return metric(result, "throughput", net.bottlenecks)
    crossing = (_crossing(settings, case, net, name) for name in net.bottlenecks)
    return [math.fsum(metric(result, "throughput", names)) for names in crossing]


def _crossing(settings: Settings, case: Case, net: Network, bottleneck: str) -> list[str]:
    return [name for pairs in net.pairs if bottleneck in pairs.crosses for name in groups(settings, case, pairs)]


def _named(part: str, over: Sequence[float]) -> dict[str, float]:
    """One value under the part's name; several as ``bottleneck_1`` and so on, behind the part's name if it has one."""
    if len(over) == 1:
        return {part: over[0]}
    return {f"{part}_bottleneck_{i}".removeprefix("_"): value for i, value in enumerate(over, 1)}
