"""Satoh, Ueno, Maeda, Phanachet: one threshold marking for PCN admission control and flow termination (2009)."""

import math
from collections.abc import Iterable, Mapping, Sequence

from penstock.reproductions.evidence import Estimate, Finding, about
from penstock.reproductions.outcome import Outcome, numbers, total
from penstock.reproductions.packaged import packaged
from penstock.reproductions.pcn.cases import ADMISSION, PLT, Case
from penstock.reproductions.pcn.experiments import BASE, COUNTED, OVERLOAD, TRAFFICS, VOICE, experiments, grown
from penstock.reproductions.pcn.measure import MEASURED, Overshoot, admission, gather, measure, part_of, termination
from penstock.reproductions.pcn.oracle import NULLS, counted
from penstock.reproductions.pcn.scenario import build, effort
from penstock.reproductions.pcn.traffic import admissible_rate, supportable_rate

Cells = Mapping[str, str]

LINKS = [f"bottleneck_{i}" for i in range(1, 6)]
NONE, ALL = 0.01, 0.99


def lead(outcome: Outcome, chosen: Cells) -> list[float]:
    """By how much STM is farther from zero than CL, averaged over the rows of a table, or all cells of B.3 to B.7."""
    cells = list(_of_table(outcome, chosen["table"]) if chosen else _pairs(outcome))
    return [sum(abs(stm[n]) - abs(cl[n]) for stm, cl in cells) / len(cells) for n in range(outcome.runs)]


def distance(outcome: Outcome, cells: Cells) -> list[float]:
    """Distance of a case of B.1 from zero at the farthest link: in the named row of B.2, or averaged over all."""
    key = {name: cell for name, cell in cells.items() if name != "case"}
    found = []
    table = outcome.document.table("B.2")
    for row in table.rows:
        if row.matches(key):
            names = [name for name in outcome.all_values(table, row) if name.split("_")[0] == f"case{cells['case']}"]
            if not names:
                raise KeyError(f"case {cells['case']}")
            runs = zip(*(outcome.values("B.2", name, row.key) for name in names), strict=True)
            found.append([max(map(abs, values)) for values in runs])
    return [sum(values) / len(found) for values in zip(*found, strict=True)]


def distance_on_links(outcome: Outcome, cells: Cells) -> list[float]:
    """Mean distance from zero over the links of a row of B.7."""
    return [sum(map(abs, values)) / len(values) for values in _links(outcome, "B.7", cells)]


def range_of_links(outcome: Outcome, cells: Cells) -> list[float]:
    """Range of over-termination over the links of a row of C.5."""
    key: dict[str, str | float] = {**cells, "load_over_sr": float(cells["load_over_sr"])}
    return [max(values) - min(values) for values in _links(outcome, "C.5", key)]


def rho(outcome: Outcome, _: Cells) -> float:
    """The admissible rate over the supportable rate."""
    settings = outcome.readings.settings()
    return float(admissible_rate(settings, BASE) / supportable_rate(settings, BASE))


def geometric_time(_: Outcome, __: Cells) -> float:
    """Seconds that cuts of 5 % every 0.1 s need to end the overload."""
    return 0.1 * (math.ceil(math.log(OVERLOAD.load) / -math.log(1 - 0.05)) - 1)


def over_termination(outcome: Outcome, cells: Cells) -> list[float]:
    """Over-termination of an experiment, in percent."""
    return [shot.over[0] for shot in _overshoots(outcome, cells)]


def time(outcome: Outcome, cells: Cells) -> list[float]:
    """Seconds until the load of an experiment is below SR."""
    return [shot.time for shot in _overshoots(outcome, cells)]


def over_admission_of_grown(outcome: Outcome, cells: Cells) -> list[float]:
    """Over-admission with link and load some times as large, in percent."""
    settings = grown(outcome.readings.settings(), float(cells["factor"]))
    return [admission(settings, VOICE, run)[0] for run in outcome.experiments[f"growth-{cells['factor']}"]]


def unmarked(outcome: Outcome, cells: Cells) -> list[float]:
    """The share of flows without any mark."""
    runs = _shares_of_flows(outcome, cells["experiment"])
    return [sum(share == 0 for share in run) / len(run) for run in runs]


def no_flow_all_marked(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c28: with STM no flow of any run has all its packets marked."""
    stm, excess = (_shares_of_flows(outcome, f"synchronised-{name}") for name in ("stm", "excess"))
    greatest = max(max(run) for run in stm)
    by_run = ", ".join(str(sum(share > ALL for share in run)) for run in stm)
    all_marked = [sum(share > ALL for share in run) / len(run) for run in excess]
    none_marked = [sum(share < NONE for share in run) / len(run) for run in excess]
    return Finding.certain(
        greatest < ALL,
        f"The largest marked share of any flow in {len(stm)} runs is {greatest:.3f} with STM, and {by_run} of "
        f"{len(stm[0])} flows have all packets marked; with excess-traffic "
        f"marking {about(Estimate.of(all_marked))} of the flows have all packets marked and "
        f"{about(Estimate.of(none_marked))} none.",
        "The same number of packets is counted in every period of the flows: all that arrive, or those that find the "
        "bucket not full (pcn-a31). Where N divides this number, the counter returns to its value after each period, "
        "and the same packets are always marked.",
    )


def marks_do_not_add_up(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c34: several bottlenecks between AR and SR terminate no call with N = 3."""
    runs = {n: outcome.experiments[f"series-{n}"] for n in (3, 1)}
    ended = {n: [total(run, "calls", what="terminated") for run in own] for n, own in runs.items()}
    return Finding.certain(
        not any(ended[3]),
        f"Calls terminated in {len(ended[3])} runs with N = 3: {sum(ended[3]):.0f}; with N = 1: {sum(ended[1]):.0f}.",
    )


def closer(outcome: Outcome) -> Mapping[str, str]:
    """pcn-c01: in how many cells CL's mean is closer to zero."""
    cells = [[abs(Estimate.of(values).mean) for values in pair] for pair in _pairs(outcome)]
    return {"cells": str(len(cells)), "closer": str(sum(cl < stm for stm, cl in cells))}


def counting(outcome: Outcome) -> Mapping[str, str]:
    """pcn-c03: what counting calls instead of marking packets gives, next to Erlang's formula."""
    settings = outcome.readings.settings()
    told = []
    for name, case in COUNTED.items():
        runs = [admission(settings, case, result)[0] for result in outcome.experiments[f"count-{name}"]]
        told.append(f"{name} {about(Estimate.of(runs))} (expected {counted(settings, case)[1]:.3f})")
    floors = (f"{traffic} {counted(settings, Case(ADMISSION, traffic, PLT, 5))[1]:.3f}" for traffic in TRAFFICS)
    text = f"Counting calls gives, in percent: {'; '.join(told)}; over five bottlenecks at best {', '.join(floors)}."
    return {"counting": text}


def _pairs(outcome: Outcome) -> Iterable[tuple[list[float], list[float]]]:
    """Every cell of B.3 to B.7 under STM and CL."""
    for table in ("B.3", "B.4", "B.5", "B.6"):
        yield from _of_table(outcome, table)
    for traffic in TRAFFICS:
        stm, cl = ({"traffic": traffic, "algorithm": name} for name in ("STM", "CL"))
        yield from ((outcome.values("B.7", link, stm), outcome.values("B.7", link, cl)) for link in LINKS)


def _of_table(outcome: Outcome, table: str) -> Iterable[tuple[list[float], list[float]]]:
    """The rows of a table under STM and CL."""
    for row in outcome.rows(table):
        yield outcome.values(table, "stm", row.key), outcome.values(table, "cl", row.key)


def _links(outcome: Outcome, table: str, key: Mapping[str, str | float]) -> Iterable[Sequence[float]]:
    return zip(*(outcome.values(table, link, key) for link in LINKS), strict=True)


def _overshoots(outcome: Outcome, cells: Cells) -> list[Overshoot]:
    settings = outcome.readings.settings()
    return [termination(settings, OVERLOAD, run) for run in outcome.experiments[cells["experiment"]]]


def _shares_of_flows(outcome: Outcome, experiment: str) -> list[list[float]]:
    return [numbers(result, "marking-ratio") for result in outcome.experiments[experiment]]


STUDY = packaged(
    __package__,
    numbers={
        **{each.__name__: each for each in (lead, distance, distance_on_links, range_of_links, rho, geometric_time)},
        **{each.__name__: each for each in (over_termination, time, unmarked)},
        "grown": over_admission_of_grown,
    },
    others={"pcn-c28": no_flow_all_marked, "pcn-c34": marks_do_not_add_up},
    facts={"pcn-c01": closer, "pcn-c03": counting},
    build=build,
    measure=measure,
    runs=5,
    gather=gather,
    experiments=experiments,
    effort=effort,
    nulls=NULLS,
    part_of=part_of,
    measured=MEASURED,
)
