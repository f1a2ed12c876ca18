"""Claims about termination: tables C.1 to C.6."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.reproductions.evidence import Decision, Estimate, Test, above, below, decide, difference, ratio, within
from penstock.reproductions.finding import Finding
from penstock.reproductions.telling import about, between, failures, held, signed, unsettled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from penstock.reproductions.outcome import Outcome
    from penstock.reproductions.tables import Cell

    Key = Mapping[str, Cell]

TRAFFICS = ("CBR", "VBR", "SVD")
LOADS = (1.25, 2.0)
LINKS = [f"bottleneck_{i}" for i in range(1, 6)]
ROWS_OF_TWO = ("C.1", "C.2", "C.3", "C.4")
ALIKE = 3.0  # points
SLIGHTLY_LONGER = 0.35  # s
ALMOST_AS_FAST = 0.25  # s
INTERVAL = 0.02  # s


def low_overload(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c11."""
    lead = {traffic: _over(outcome, "C.1", {"load_over_sr": 1.25, "traffic": traffic}) for traffic in TRAFFICS}
    tests = [above("CBR", lead["CBR"], 0)]
    tests += [within(traffic, lead[traffic], -ALIKE, ALIKE) for traffic in ("VBR", "SVD")]
    return _told(tests, "STM - CL in points")


def high_overload(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c12."""
    tests = [
        below(f"{table} {row.name}", _over(outcome, table, row.key), 0)
        for table in ROWS_OF_TWO
        for row in outcome.rows(table)
        if row.key["load_over_sr"] == 2.0
    ]
    for traffic in TRAFFICS:
        for link in LINKS:
            stm, cl = (_plt(outcome, link, 2.0, traffic, name) for name in ("STM", "CL"))
            tests.append(below(f"C.5 {traffic} {link[-1]}", difference(stm, cl), 0))
    decision = decide(tests)
    return Finding.of(
        decision,
        f"STM - CL is {between(test.estimate.mean for test in tests)} points; STM is lower in {held(decision)} cells."
        f"{failures(decision.failed)}",
        unsettled(decision.open),
    )


def equal_at_all(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c13."""
    tests, told = [], []
    for load, traffic in _six():
        stm, cl = (_spread(outcome, load, traffic, name) for name in ("STM", "CL"))
        tests.append(below(f"{load:g} {traffic}", ratio(stm, cl), 0.5))
        told.append(f"{load:g} {traffic} {about(Estimate.of(stm))} and {about(Estimate.of(cl))}")
    decision = decide(tests)
    return Finding.of(
        decision,
        f"Spread over the bottlenecks in points, STM and CL: {'; '.join(told)}; {held(decision)} are below half."
        f"{failures(decision.failed)}",
        unsettled(decision.open),
    )


def worse_upstream(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c14."""
    tests = []
    for load, traffic in _six():
        first, second, *_between, last = (_plt(outcome, link, load, traffic, "CL") for link in LINKS)
        tests.append(above(f"1 over 2, {load:g} {traffic}", difference(first, second), 0))
        tests.append(above(f"1 over 5, {load:g} {traffic}", difference(first, last), 0))
    decision = decide(tests)
    return Finding.of(
        decision,
        f"CL at bottleneck 1 less bottleneck 2 is {between(t.estimate.mean for t in tests[::2])} points, "
        f"less bottleneck 5 {between(t.estimate.mean for t in tests[1::2])}; {held(decision)} hold."
        f"{failures(decision.failed)}",
        unsettled(decision.open),
    )


def slower(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c15."""
    gaps = {(table, row.name): _time(outcome, table, row.key) for table in ROWS_OF_TWO for row in outcome.rows(table)}
    gaps |= {("C.6", f"{load:g} {traffic}"): _plt_time(outcome, load, traffic) for load, traffic in _six()}
    tests = [above(f"{table} {name}", Estimate.of(values), 0) for (table, name), values in gaps.items()]
    for table in ROWS_OF_TWO:
        low, high = (_mean_gap(outcome, table, load) for load in LOADS)
        tests.append(above(f"{table}, gap at 2.0 less gap at 1.25", difference(high, low), 0))
    decision = decide(tests)
    return Finding.of(
        decision,
        f"STM takes {between(Estimate.of(values).mean for values in gaps.values())} s longer; {held(decision)} "
        f"statements hold.{failures(decision.failed)}",
        unsettled(decision.open),
    )


def cbr_low(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c16."""
    rows = _rows(outcome, "C.2", 1.25)
    tests = [above(f"points, {n}", _over(outcome, "C.2", key), 0) for n, key in rows]
    tests += [within(f"s, {n}", Estimate.of(_time(outcome, "C.2", key)), 0, SLIGHTLY_LONGER) for n, key in rows]
    return _told(tests, "STM - CL by ingresses")


def cbr_high(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c17."""
    rows = _rows(outcome, "C.2", 2.0)
    tests = [below(f"points, {n}", _over(outcome, "C.2", key), 0) for n, key in rows]
    tests += [above(f"s, {n}", Estimate.of(_time(outcome, "C.2", key)), 1) for n, key in rows]
    return _told(tests, "STM - CL by ingresses")


def vbr_low(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c18."""
    rows = _rows(outcome, "C.3", 1.25)
    tests = [(above if n == 10 else below)(f"points, {n}", _over(outcome, "C.3", key), 0) for n, key in rows]
    tests += [within(f"s, {n}", Estimate.of(_time(outcome, "C.3", key)), 0, SLIGHTLY_LONGER) for n, key in rows]
    return _told(tests, "STM - CL by ingresses")


def vbr_high(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c19."""
    rows = _rows(outcome, "C.3", 2.0)
    tests = [below(f"STM/CL, {n}", _over_ratio(outcome, "C.3", key), 0.5) for n, key in rows]
    tests += [above(f"s, {n}", Estimate.of(_time(outcome, "C.3", key)), 1) for n, key in rows]
    return _told(tests, "By ingresses")


def svd_less(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c20."""
    tests = [below(f"points at 1.25, {n}", _over(outcome, "C.4", key), 0) for n, key in _rows(outcome, "C.4", 1.25)]
    tests += [
        below(f"STM/CL at 2.0, {n}", _over_ratio(outcome, "C.4", key), 0.6) for n, key in _rows(outcome, "C.4", 2.0)
    ]
    return _told(tests, "STM - CL by ingresses")


def svd_low_time(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c21."""
    return _longer(outcome, 1.25, 1.0)


def svd_high_time(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c22."""
    return _longer(outcome, 2.0, 1.5)


def parking_lot_low_time(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c23."""
    tests = [
        within(traffic, Estimate.of(_plt_time(outcome, 1.25, traffic)), -ALMOST_AS_FAST, ALMOST_AS_FAST)
        for traffic in TRAFFICS
    ]
    return _told(tests, "Time STM - CL in s")


def parking_lot_high_time(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c24."""
    tests = [above(traffic, Estimate.of(_plt_time(outcome, 2.0, traffic)), 1) for traffic in TRAFFICS]
    return _told(tests, "Time STM - CL in s")


def whole_intervals(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """pcn-c38."""
    tests = []
    for load, span in ((1.25, 0.4), (2.0, 1.3)):
        key: Key = {"load_over_sr": load, "traffic": "CBR"}
        time = Estimate.of(outcome.values("C.1", "termination_time_stm", key))
        tests.append(within(f"{load:g} SR", time, span - INTERVAL, span + INTERVAL))
    return _told(tests, "STM's time in s")


def _told(tests: Sequence[Test], what: str) -> Finding:
    decision: Decision = decide(tests)
    each = "; ".join(f"{test.label} {signed(test.estimate)}" for test in tests)
    return Finding.of(decision, f"{what}: {each}. {held(decision)} statements hold.", unsettled(decision.open))


def _longer(outcome: Outcome, load: float, least: float) -> Finding:
    tests = [
        above(f"{n} ingresses", Estimate.of(_time(outcome, "C.4", key)), least)
        for n, key in _rows(outcome, "C.4", load)
    ]
    return _told(tests, "Time STM - CL in s")


def _rows(outcome: Outcome, table: str, load: float) -> list[tuple[int, Key]]:
    return [(int(row.key["ingresses"]), row.key) for row in outcome.rows(table) if row.key["load_over_sr"] == load]


def _over(outcome: Outcome, table: str, key: Key) -> Estimate:
    stm, cl = (outcome.values(table, f"over_termination_{name}", key) for name in ("stm", "cl"))
    return difference(stm, cl)


def _over_ratio(outcome: Outcome, table: str, key: Key) -> Estimate:
    stm, cl = (outcome.values(table, f"over_termination_{name}", key) for name in ("stm", "cl"))
    return ratio(stm, cl)


def _time(outcome: Outcome, table: str, key: Key) -> list[float]:
    stm, cl = (outcome.values(table, f"termination_time_{name}", key) for name in ("stm", "cl"))
    return [a - b for a, b in zip(stm, cl, strict=True)]


def _plt_time(outcome: Outcome, load: float, traffic: str) -> list[float]:
    stm, cl = (outcome.values("C.6", "termination_time", _key(load, traffic, name)) for name in ("STM", "CL"))
    return [a - b for a, b in zip(stm, cl, strict=True)]


def _mean_gap(outcome: Outcome, table: str, load: float) -> list[float]:
    rows = [row.key for row in outcome.rows(table) if row.key["load_over_sr"] == load]
    return [sum(values) / len(values) for values in zip(*(_time(outcome, table, key) for key in rows), strict=True)]


def _plt(outcome: Outcome, link: str, load: float, traffic: str, algorithm: str) -> list[float]:
    return outcome.values("C.5", link, _key(load, traffic, algorithm))


def _key(load: float, traffic: str, algorithm: str) -> Key:
    return {"load_over_sr": load, "traffic": traffic, "algorithm": algorithm}


def _spread(outcome: Outcome, load: float, traffic: str, algorithm: str) -> list[float]:
    links = [_plt(outcome, link, load, traffic, algorithm) for link in LINKS]
    return [max(values) - min(values) for values in zip(*links, strict=True)]


def _six() -> Iterable[tuple[float, str]]:
    return [(load, traffic) for load in LOADS for traffic in TRAFFICS]
