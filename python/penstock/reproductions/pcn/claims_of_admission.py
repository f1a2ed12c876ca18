"""Claims about admission: tables B.2 to B.8."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.evidence import Estimate, above, below, decide, difference, within
from penstock.reproductions.finding import Finding
from penstock.reproductions.pcn.cases import ADMISSION, PLT, Case
from penstock.reproductions.pcn.experiments import COUNTED
from penstock.reproductions.pcn.measure import admission
from penstock.reproductions.pcn.oracle import counted
from penstock.reproductions.telling import about, between, failures, held, signed, unsettled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from penstock.reproductions.outcome import Outcome

TRAFFICS = ("CBR", "VBR", "SVD")
LINKS = [f"bottleneck_{i}" for i in range(1, 6)]
RTT_TABLE = {"CBR": "B.4", "VBR": "B.5", "SVD": "B.6"}
ALMOST = 2.0  # points: between STM and CL in any cell
WORSE = 0.5  # points: by how much STM may be worse in the mean
SYNCHRONISED = 0.5
TOLERANCE_VBR = 0.75
CLOSE_SVD = 1.5
SLIGHTLY = 0.2
FAIR = 2.0  # ratio


def almost_as_good(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c01."""
    cells = list(_pairs(outcome))
    near = [within(label, difference(stm, cl), -ALMOST, ALMOST) for label, stm, cl in cells]
    runs = range(outcome.runs)
    lead = [sum(abs(stm[n]) - abs(cl[n]) for _, stm, cl in cells) / len(cells) for n in runs]
    mean = Estimate.of(lead)
    decision = decide([*near, within("mean lead of CL", mean, 0.0, WORSE)])
    closer = sum(abs(Estimate.of(cl).mean) < abs(Estimate.of(stm).mean) for _, stm, cl in cells)
    return Finding.of(
        decision,
        f"STM - CL is {between(test.estimate.mean for test in near)} points over {len(cells)} cells; CL is closer to "
        f"zero in {closer} of them, in the mean by {about(mean)} points.{failures(decision.failed)}",
        unsettled(decision.open),
    )


def first_case_worst(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c02."""
    distance = {row.name: _distances(outcome, row.key) for row in outcome.rows("B.2")}
    tests = [
        above(f"case 1 over case {n}, {name}", difference(cases[1], cases[n]), 0)
        for name, cases in distance.items()
        for n in range(2, 7)
    ]
    runs = range(outcome.runs)
    mean = {n: [sum(cases[n][run] for cases in distance.values()) / len(distance) for run in runs] for n in range(1, 7)}
    best = [below(f"case 6 under case {n} in the mean", difference(mean[6], mean[n]), 0) for n in range(1, 6)]
    decision = decide([*tests, *best])
    means = "; ".join(f"case {n} {about(Estimate.of(values))}" for n, values in mean.items())
    return Finding.of(
        decision,
        f"Mean distance from zero over the 18 scenarios: {means} points. {held(decision)} comparisons go the claimed "
        f"way.{failures(decision.failed)}",
        unsettled(decision.open),
    )


def single_link(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c03."""
    tests = []
    for traffic in TRAFFICS:
        stm, cl = (outcome.values("B.3", column, {"traffic": traffic}) for column in ("stm", "cl"))
        tests.append(above(f"STM - CL, {traffic}", difference(stm, cl), 0))
        tests += [below(f"{name}, {traffic}", Estimate.of(v), 5) for name, v in (("STM", stm), ("CL", cl))]
    decision = decide(tests)
    leads = ", ".join(f"{test.label.split()[-1]} {signed(test.estimate)}" for test in tests[::3])
    return Finding.of(
        decision,
        f"STM - CL in points: {leads}; {held(decision)} statements hold.{failures(decision.failed)}",
        f"{unsettled(decision.open)} {_counting(outcome)}".strip(),
    )


def randomized_alike(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c04."""
    tests = [
        within(f"{n} ingresses", _column_difference(outcome, n, "stm", "stm_randomized"), -SYNCHRONISED, SYNCHRONISED)
        for n in _ingresses(outcome, "B.4")
    ]
    decision = decide(tests)
    return Finding.of(
        decision,
        f"STM - STM(r) is {between(test.estimate.mean for test in tests)} points; {held(decision)} differences are "
        f"within half a point.{failures(decision.failed)}",
        unsettled(decision.open),
    )


def vbr_alike(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c05."""
    tests = [
        within(f"{n} ingresses", _stm_less_cl(outcome, "B.5", n), -TOLERANCE_VBR, TOLERANCE_VBR)
        for n in _ingresses(outcome, "B.5")
    ]
    decision = decide(tests)
    told = "; ".join(f"{test.label} {signed(test.estimate)}" for test in tests)
    return Finding.of(
        decision,
        f"STM - CL in points: {told}; {held(decision)} are within 0.75.{failures(decision.failed)}",
        unsettled(decision.open),
    )


def svd_close(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c06."""
    tests = []
    for n in _ingresses(outcome, "B.6"):
        stm, cl = (outcome.values("B.6", column, {"ingresses": n}) for column in ("stm", "cl"))
        tests.append(within(f"STM - CL, {n} ingresses", difference(stm, cl), -CLOSE_SVD, CLOSE_SVD))
        farther = difference([abs(v) for v in cl], [abs(v) for v in stm])
        tests.append(below(f"CL's distance less STM's, {n} ingresses", farther, SLIGHTLY))
    decision = decide(tests)
    return Finding.of(
        decision,
        f"STM - CL is {between(test.estimate.mean for test in tests[::2])} points; {held(decision)} statements hold."
        f"{failures(decision.failed)}",
        unsettled(decision.open),
    )


def parking_lot(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c07."""
    mean = {
        (traffic, algorithm): _mean_distance(outcome, {"traffic": traffic, "algorithm": algorithm})
        for traffic in TRAFFICS
        for algorithm in ("STM", "CL")
    }
    tests = []
    for traffic in TRAFFICS:
        lead = difference(mean[traffic, "STM"], mean[traffic, "CL"])
        better = above if traffic != "SVD" else below
        tests.append(better(f"STM's distance less CL's, {traffic}", lead, 0))
    accurate = [below(f"{algorithm}, {traffic}", Estimate.of(v), 3) for (traffic, algorithm), v in mean.items()]
    decision = decide([*tests, *accurate])
    told = "; ".join(f"{test.label.split(', ')[1]} {signed(test.estimate)}" for test in tests)
    return Finding.of(
        decision,
        f"STM's mean distance from zero less CL's, in points: {told}; distances are "
        f"{between(Estimate.of(v).mean for v in mean.values())}.{failures(decision.failed)}",
        unsettled(decision.open),
    )


def fair(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c08."""
    tests = [
        within(row.name, Estimate.of(outcome.values("B.8", "t80", row.key)), 1 / FAIR, FAIR)
        for row in outcome.rows("B.8")
    ]
    decision = decide(tests)
    return Finding.of(
        decision,
        f"At 80 s short over long is {between(test.estimate.mean for test in tests)}; {held(decision)} rows are within "
        f"a factor of 2.{failures(decision.failed)}",
        unsettled(decision.open),
    )


def ratio_rises(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c09."""

    def ratios(column: str, topology: str, algorithm: str) -> Sequence[float]:
        return outcome.values("B.8", column, {"topology": topology, "algorithm": algorithm})

    tests = []
    for row in outcome.rows("B.8"):
        values = [outcome.values("B.8", column, row.key) for column in ("t20", "t50", "t80")]
        tests.append(above(f"{row.name}, 20 to 50 s", difference(values[1], values[0]), 0))
        tests.append(above(f"{row.name}, 50 to 80 s", difference(values[2], values[1]), 0))
    for algorithm in ("STM", "CL"):
        two, three, five = (ratios("t80", f"PLT{n}", algorithm) for n in (2, 3, 5))
        tests.append(above(f"{algorithm}, PLT3 over PLT2", difference(three, two), 0))
        tests.append(above(f"{algorithm}, PLT5 over PLT3", difference(five, three), 0))
    decision = decide(tests)
    return Finding.of(decision, f"{held(decision)} rises hold.{failures(decision.failed)}", unsettled(decision.open))


def small_aggregates(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c10."""
    tests = []
    for traffic, table in RTT_TABLE.items():
        few, *_between, many = (outcome.values(table, "stm", {"ingresses": n}) for n in _ingresses(outcome, table))
        tests.append(below(f"{traffic}, most less fewest", difference(many, few), 0))
        tests.append(below(f"{traffic}, most", Estimate.of(many), 0))
    decision = decide(tests)
    told = "; ".join(f"{test.label} {signed(test.estimate)}" for test in tests)
    return Finding.of(decision, f"STM in points: {told}.{failures(decision.failed)}", unsettled(decision.open))


def few_calls_synchronise(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c36."""
    apart = {}
    for n in _ingresses(outcome, "B.4"):
        stm, randomized = (outcome.values("B.4", column, {"ingresses": n}) for column in ("stm", "stm_randomized"))
        apart[n] = [abs(a - b) for a, b in zip(stm, randomized, strict=True)]
    few, *_between, many = apart.values()
    growth = difference(many, few)
    decision = decide([above("growth", growth, 0)])
    told = "; ".join(f"{n} ingresses {about(Estimate.of(values))}" for n, values in apart.items())
    return Finding.of(decision, f"|STM - STM(r)| run by run, in points: {told}; growth {signed(growth)}.")


def _pairs(outcome: Outcome) -> Iterable[tuple[str, list[float], list[float]]]:
    """Every cell of B.3 to B.7 with its values under STM and CL."""
    for table in ("B.3", "B.4", "B.5", "B.6"):
        for row in outcome.rows(table):
            stm, cl = (outcome.values(table, column, row.key) for column in ("stm", "cl"))
            yield f"{table} {next(iter(row.key.values()))}", stm, cl
    for traffic in TRAFFICS:
        for link in LINKS:
            stm, cl = (outcome.values("B.7", link, {"traffic": traffic, "algorithm": name}) for name in ("STM", "CL"))
            yield f"B.7 {traffic} {link[-1]}", stm, cl


def _distances(outcome: Outcome, key: Mapping[str, str | int | float]) -> dict[int, list[float]]:
    """Distance from zero of each case of B.1; of the farthest link, where there are several."""
    known = outcome.known("B.2", key)
    found = {}
    for n in range(1, 7):
        runs = [outcome.values("B.2", name, key) for name in known if name.split("_")[0] == f"case{n}"]
        if not runs:
            raise KeyError(f"case {n}")
        found[n] = [max(abs(value) for value in values) for values in zip(*runs, strict=True)]
    return found


def _mean_distance(outcome: Outcome, key: Mapping[str, str | int | float]) -> list[float]:
    links = [outcome.values("B.7", link, key) for link in LINKS]
    return [sum(abs(value) for value in values) / len(values) for values in zip(*links, strict=True)]


def _ingresses(outcome: Outcome, table: str) -> list[int]:
    return [int(row.key["ingresses"]) for row in outcome.rows(table)]


def _stm_less_cl(outcome: Outcome, table: str, ingresses: int) -> Estimate:
    stm, cl = (outcome.values(table, column, {"ingresses": ingresses}) for column in ("stm", "cl"))
    return difference(stm, cl)


def _column_difference(outcome: Outcome, ingresses: int, left: str, right: str) -> Estimate:
    a, b = (outcome.values("B.4", column, {"ingresses": ingresses}) for column in (left, right))
    return difference(a, b)


def _counting(outcome: Outcome) -> str:
    """What counting calls instead of marking packets gives, beside Erlang's formula."""
    settings = outcome.readings.settings()
    told = []
    for name, case in COUNTED.items():
        runs = [admission(settings, case, result)[0] for result in outcome.experiments[f"count-{name}"]]
        told.append(f"{name} {about(Estimate.of(runs))} (expected {counted(settings, case)[1]:.3f})")
    floors = (f"{traffic} {counted(settings, Case(ADMISSION, traffic, PLT, 5))[1]:.3f}" for traffic in TRAFFICS)
    return f"Counting calls gives, in percent: {'; '.join(told)}; over five bottlenecks at best {', '.join(floors)}."
