"""How the claims are tested: one function a claim, on the runs of all rows and of the experiments.

Rows of one replication share their random numbers, so differences are taken run by run. Margins stand in the claims'
``test`` texts in the document's data, with the same numbers.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from penstock.reproductions.ef.case import BEST_EFFORT, CAPPED, LONG, PQ, SHORT, WRR
from penstock.reproductions.ef.experiments import RATIOS, SIZES, most_flows
from penstock.reproductions.ef.measure import jitter, received, sum_of
from penstock.reproductions.ef.path import EF
from penstock.reproductions.evidence import Estimate, Test, above, below, decide, difference, ratio, within
from penstock.reproductions.finding import CONFIRMED, REFUTED, Finding
from penstock.reproductions.telling import between, failures, held, listed, unsettled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from penstock.reproductions.finding import ClaimTest
    from penstock.reproductions.outcome import Outcome
    from penstock.reproductions.tables import Cell

__all__ = ["CLAIMS"]

COLUMNS = ("p50_1500", "p90_1500", "p50_160", "p90_160")
OF_TABLE = {"1": COLUMNS, "2": COLUMNS, "3": COLUMNS[:2]}
SMALL, LEVEL_OFF, HIGH = 1.03, 1.50, 3.00
POINTS, SHARE = 4.0, 0.30
"""What counts as alike: so many points, or this share if that is more."""


def best_and_worst(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c01."""
    shares = {}
    for table, columns in OF_TABLE.items():
        for row, column in product(_wrr(outcome, table), columns):
            share = ratio(outcome.values(table, column, {"scheduler": PQ}), outcome.values(table, column, row))
            shares[_label(table, row, column)] = share
    told = _told([below(name, share, 0.5) for name, share in shares.items()], "PQ's percentiles over WRR's")
    order = decide([below(name, share, 1) for name, share in shares.items()])
    return replace(told, evidence=f"{told.evidence} That PQ's is the lower: {held(order)} hold.")


def half_a_packet_time(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c02."""
    tests = _bounded(outcome, "1", ["p90_1500"], _wrr(outcome, "1"), below, 50)
    tests += [below("36 flows, p90_1500", values, 50) for values in _with_most_flows(outcome, LONG, "p90")]
    return _told(tests, "90th percentiles")


def a_packet_time(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c03."""
    tests = _bounded(outcome, "1", ["p50_160"], _wrr(outcome, "1"), above, 95)
    tests += [above("36 flows, p50_160", values, 95) for values in _with_most_flows(outcome, SHORT, "p50")]
    return _told(tests, "Medians")


def gain_levels_off(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c04 and ef-c10."""
    tests = []
    for column in COLUMNS:
        low, middle, high = (outcome.values("2", column, _ratio(value)) for value in (SMALL, LEVEL_OFF, HIGH))
        margin = _margin(middle)
        tests += [
            below(f"{column}, 1.03 to 1.50", difference(middle, low), 0),
            within(f"{column}, 1.50 to 3.00", difference(high, middle), -margin, margin),
        ]
    return _told(tests, "Changes of percentiles in points")


def not_as_good(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c05."""
    tests = [
        above(
            column,
            difference(outcome.values("2", column, _ratio(HIGH)), outcome.values("2", column, {"scheduler": PQ})),
            0,
        )
        for column in COLUMNS
    ]
    return _told(tests, "WRR at ratio 3.00 less PQ, in points")


def less_than_a_packet_time(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c06."""
    rows = [row for row in _wrr(outcome, "2") if float(row["service_to_arrival"]) >= LEVEL_OFF]
    return _told(_bounded(outcome, "2", ["p90_160"], rows, below, 100), "90th percentiles")


def queues_raise(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c07."""
    tests = []
    for column in OF_TABLE["3"]:
        few, many = (outcome.values("3", column, {"scheduler": WRR, "queues": n}) for n in (2, 8))
        tests.append(above(column, difference(many, few), 0))
    return _told(tests, "8 queues less 2, in points")


def unstable_at_one(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c08."""
    growth = {}
    for value in RATIOS:
        short, long = (
            [sum_of(run, "queue", **{"class": EF}) for run in outcome.experiments[f"ratio-{value:.2f}-{length}"]]
            for length in ("short", "long")
        )
        growth[value] = ratio(long, short)
    one, more = RATIOS
    tests = [above(f"ratio {one:.2f}", growth[one], 2), below(f"ratio {more:.2f}", growth[more], 1.5)]
    return _told(tests, "Mean EF queue in 1280 s over that in 320 s")


def short_behind_long(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c09."""
    tests = []
    for table in ("1", "2"):
        for row, name in product([{"scheduler": PQ}, *_wrr(outcome, table)], ("p50", "p90")):
            short, long = (outcome.values(table, f"{name}_{size}", row) for size in (160, 1500))
            tests.append(above(_label(table, row, f"{name}, 160 less 1500 bytes"), difference(short, long), 0))
    mixed, alone = (_jitter(outcome, name) for name in ("mixed", "only-short"))
    tests += [below(f"{name}, without long packets", difference(alone[name], mixed[name]), 0) for name in mixed]
    return _told(tests, "Differences in points")


def capped_like_pq(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c11."""
    tests = []
    for size in SIZES:
        free, capped = (_jitter(outcome, f"{scheduler}-{size}") for scheduler in (PQ, CAPPED))
        for name, values in free.items():
            margin = _margin(values)
            tests.append(within(f"{name}_{size}", difference(capped[name], values), -margin, margin))
    return _told(tests, "Capped less free PQ, in points")


def better_than_best_effort(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c12."""
    tests = []
    for size in SIZES:
        expedited, best_effort = (_jitter(outcome, f"{scheduler}-{size}") for scheduler in (PQ, BEST_EFFORT))
        tests += [above(f"{n}_{size}", difference(best_effort[n], expedited[n]), 0) for n in expedited]
    return _told(tests, "Best effort less PQ, in points")


def nothing_dropped(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c13."""
    rows = [(table, row.key) for table in OF_TABLE for row in outcome.rows(table)]
    most = [run for size in SIZES for run in outcome.experiments[most_flows(size)]]
    drops = sum(sum(outcome.values(table, "ef_drops", key)) for table, key in rows)
    drops += sum(sum_of(run, "drops", **{"class": EF}) for run in most)
    shares = [
        value
        for table, key in rows
        for column in ("least_received", "most_received")
        for value in outcome.values(table, column, key)
    ]
    shares += [received(run) for run in most]
    sound = drops == 0 and all(abs(share - 1) <= 0.01 for share in shares)
    return Finding(
        CONFIRMED if sound else REFUTED,
        f"{drops:.0f} EF packets were dropped in all runs of tables 1 to 3 and with 36 flows; {between(shares)} of "
        "what EF sources sent was received while counting.",
    )


def like_a_wire(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c14."""
    tests = [
        within(name, ratio(vll, dedicated), 0.99, 1.01)
        for name, vll, dedicated in _leased(outcome, "vll_kbps", "dedicated_kbps")
    ]
    return _told(tests, "VLL over dedicated")


def lost_in_the_shaper(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c15."""
    counts = list(_leased(outcome, "path_drops", "shaper_drops"))
    path = sum(sum(values) for _, values, _ in counts)
    shaper = sum(sum(values) for _, _, values in counts)
    return Finding(
        CONFIRMED if path == 0 and shaper > 0 else REFUTED,
        f"{path:.0f} packets of VLLs were dropped on the path and {shaper:.0f} in front of the shapers.",
    )


def below_the_rate(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c16."""
    tests = []
    for column in ("vll_kbps", "dedicated_kbps"):
        for name, delivered, subscribed in _leased(outcome, column, "subscribed"):
            tests.append(below(f"{column}, {name}", ratio(delivered, subscribed), 0.99))
    return _told(tests, "Delivered over subscribed")


def equal_pairs(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c17."""
    tests = [below(name, Estimate.of(spread), 1) for name, spread, _ in _leased(outcome, "spread", "subscribed")]
    return _told(tests, "Best less worst pair, in kb/s")


def few_flows_are_worst(outcome: Outcome, _: Mapping[str, Finding]) -> Finding:
    """ef-c18."""
    two, four, eight = (outcome.values("1", "p90_160", {"scheduler": WRR, "ef_flows": n}) for n in (2, 4, 8))
    tests = [below("2 to 4 flows", difference(four, two), 0), below("4 to 8 flows", difference(eight, four), 0)]
    return _told(tests, "Changes of the 90th percentile in points")


CLAIMS: Mapping[str, ClaimTest] = {
    "ef-c01": best_and_worst,
    "ef-c02": half_a_packet_time,
    "ef-c03": a_packet_time,
    "ef-c04": gain_levels_off,
    "ef-c05": not_as_good,
    "ef-c06": less_than_a_packet_time,
    "ef-c07": queues_raise,
    "ef-c08": unstable_at_one,
    "ef-c09": short_behind_long,
    "ef-c10": gain_levels_off,
    "ef-c11": capped_like_pq,
    "ef-c12": better_than_best_effort,
    "ef-c13": nothing_dropped,
    "ef-c14": like_a_wire,
    "ef-c15": lost_in_the_shaper,
    "ef-c16": below_the_rate,
    "ef-c17": equal_pairs,
    "ef-c18": few_flows_are_worst,
}


def _told(tests: Sequence[Test], what: str) -> Finding:
    decision = decide(tests)
    return Finding.of(
        decision,
        f"{what}: {listed(tests)}. {held(decision)} statements hold.{failures(decision.failed)}",
        unsettled(decision.open),
    )


def _bounded(
    outcome: Outcome,
    table: str,
    columns: Sequence[str],
    rows: Iterable[Mapping[str, Cell]],
    side: Callable[[str, Estimate, float], Test],
    bound: float,
) -> list[Test]:
    return [
        side(_label(table, row, column), Estimate.of(outcome.values(table, column, row)), bound)
        for row, column in product(rows, columns)
    ]


def _wrr(outcome: Outcome, table: str) -> list[Mapping[str, Cell]]:
    return [row.key for row in outcome.rows(table) if row.key["scheduler"] == WRR]


def _ratio(value: float) -> dict[str, Cell]:
    return {"scheduler": WRR, "service_to_arrival": value}


def _margin(values: Sequence[float]) -> float:
    return max(POINTS, SHARE * Estimate.of(values).mean)


def _label(table: str, row: Mapping[str, Cell], column: str) -> str:
    varied = " ".join(str(cell) for cell in row.values())
    return f"table {table}, {varied}, {column}"


def _jitter(outcome: Outcome, experiment: str) -> dict[str, list[float]]:
    runs = [jitter(run) for run in outcome.experiments[experiment]]
    return {name: [run[name] for run in runs] for name in runs[0]}


def _with_most_flows(outcome: Outcome, size: int, percentile: str) -> list[Estimate]:
    """A percentile with 36 flows; nothing of a null model, which has numbers for what is printed alone."""
    name = most_flows(size)
    return [Estimate.of(_jitter(outcome, name)[percentile])] if name in outcome.experiments else []


def _leased(outcome: Outcome, *columns: str) -> Iterable[tuple[str, list[float], list[float]]]:
    """Two numbers of each row of table 4, with the row's name."""
    for row in outcome.rows("4"):
        first, second = (outcome.values("4", column, row.key) for column in columns)
        yield f"{row.key['subscribed_kbps']} kb/s", first, second
