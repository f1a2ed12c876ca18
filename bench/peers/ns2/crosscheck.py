"""Runs the assured-forwarding study in ns-2 and in Penstock with the same settings, side by side.

    python crosscheck.py                                 six rows, ten runs a side, the settings `1999`
    python crosscheck.py --variant all                   every family of settings, one after the other
    python crosscheck.py --rows "128k none" --seeds 30   one row, more runs
    python crosscheck.py --set r1-r2.queue.red-n.spacing=wait --ns2 tick=0.01
                                                         settings of one side only, to find what a difference is due to

Every cell is a test of equal means (Welch, adjusted by Holm over all cells of a family). A difference is a finding, not
an error: the exit code is 1 only if something could not be run. README.md says where the differences come from.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import ns2

from penstock.errors import PenstockError
from penstock.reproductions.loading import load
from penstock.reproductions.reading import Readings, Settings
from penstock.running import RunRequest, run_all
from penstock.statistics import holm, welch
from penstock.store import Store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.reproductions.document import Row, Table

LEVEL = 0.05
AF = load("af")


@dataclass(frozen=True)
class Variant:
    """A family of settings, written once for each simulator.

    Parameters
    ----------
    about : str
        What it is.
    ns2 : mapping
        Settings of af.tcl that differ from its defaults.
    readings : mapping
        Answers to the study's open questions; the others are those that the study has chosen.
    settings : mapping
        Settings of the study that no answer gives.
    sets : mapping
        Paths and values changed in Penstock's scenario.
    """

    about: str
    ns2: Mapping[str, Any]
    readings: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    sets: Mapping[str, str] = field(default_factory=dict)


# With a minimum timeout of two ticks, which is below any estimate, both back-off rules are equivalent.
OF_1999 = Variant(
    "TCP of ns-2 in 1999, buckets of 8,000 bytes, TCP at 0, UDP within 0.1 s and at random spacing",
    ns2={"min_rto": 0, "max_rto": 100_000, "tcp_starts": 0, "udp_starts": 0.1, "udp_random": 1},
    readings={"af-a02": "wait", "af-a03": "bits", "af-a06": "tcp-first", "af-a07": "ns-1999", "af-a08": "random"},
)
# ns-2 acknowledges packet 0 at once, since it stands for the SYN even if there is none; here it is like any other.
DELAYED_ACKS = {"delayed_ack": 1, "first_ack_at_once": 0}
# Doubling up to 64 s equals doubling up to 64 times if no timeout is below 1 s.
FIT = Variant(
    "delayed ACKs, timeouts of 1 to 64 s, buckets of 16,000 bytes: the settings that came nearest to the printed rows",
    ns2={**OF_1999.ns2, "min_rto": 1, "max_rto": 64, "rfc2988": 1, "bucket": 16_000, **DELAYED_ACKS},
    readings={**OF_1999.readings, "af-a03": "16-kb", "af-a07": "delayed-acks-min-1s"},
    settings={"tcp.max_rto": "64 s"},
)
DE_PHASED = replace(
    OF_1999,
    about="as 1999, but entry links of 1.53 Mb/s: no group's packets arrive in step with the core link",
    ns2={**OF_1999.ns2, "entry_rate": "1.53Mb"},
    sets={f"ar{group}-r1.rate": "1.53 Mbit/s" for group in range(1, 6)},
)
STUDY = replace(
    OF_1999,
    about="the readings that the study has chosen: as 1999, with delayed ACKs and drops spaced without wait_",
    ns2={**OF_1999.ns2, "wait": 0, **DELAYED_ACKS},
    readings={},
)
VARIANTS = {"1999": OF_1999, "fit": FIT, "de-phased": DE_PHASED, "study": STUDY}


@dataclass(frozen=True)
class Cell:
    """One metric of one row on both sides.

    Parameters
    ----------
    ns2, penstock : tuple of float, kb/s or 1
        Mean and standard deviation of single runs.
    difference : float
        Penstock's mean less ns-2's.
    standardised : float or None
        The difference in standard deviations of single runs, pooled; None if no run differs from another.
    p : float
        Probability of a difference as great if the means were equal, adjusted for the number of cells.
    """

    row: str
    metric: str
    ns2: tuple[float, float]
    penstock: tuple[float, float]
    difference: float
    standardised: float | None
    p: float

    @property
    def differs(self) -> bool:
        """Whether the difference is significant."""
        return self.p < LEVEL


def scenario(variant: Variant, row: str) -> RunRequest:
    """Penstock's scenario with the settings that af.tcl has in this row and family."""
    values = {**Readings(AF.document, variant.readings).settings(), **variant.settings}
    # DropTail with a limit of 60 holds 59 packets and one in service, RED 60 and one in service.
    values["queue.queue_limit_packets"] = 59
    table, printed = printed_row(row)
    text = AF.build(Settings(values), table, printed)[""]
    core = "red" if ns2.ROWS[row]["precedences"] == "none" else "red-n"
    sets = {f"r1-r2.queue.{core}.limit": "60 packets", f"r1-r2.queue.{core}.mean-packet": "576 bytes"}
    if core == "red-n":
        # dsRED has no wait_, and refuses packets that do not fit before it checks anything else.
        sets |= {"r1-r2.queue.red-n.spacing": "count", "r1-r2.queue.red-n.when-full": "ignore"}
    sets["ties"] = "random"  # ns-2 leaves the order within an instant to the rounding of times
    return RunRequest(text, tuple({**sets, **variant.sets}.items()), name=row)


def printed_row(row: str) -> tuple[Table, Row]:
    """The row of the printed table to which a row of ns2.py belongs."""
    settings = ns2.ROWS[row]
    key = {
        "udp_rate": row.split(maxsplit=1)[0],
        "drop_precedences": str(settings["precedences"]),
        "cir_kbps": str(settings["cir"] // 1000) if "cir" in settings else "N/A",
    }
    table = AF.document.table("2")
    return table, next(printed for printed in table.rows if printed.matches(key))


def in_penstock(
    variant: Variant, rows: Sequence[str], seeds: range, jobs: int, store: Store | None
) -> dict[str, list[Any]]:
    """The metrics of every run, by row."""
    requests = [replace(scenario(variant, row), replication=seed - 1) for row in rows for seed in seeds]
    settings = Readings(AF.document, variant.readings).settings()
    found: dict[str, list[Any]] = {row: [] for row in rows}
    for result in run_all(requests, jobs=jobs, store=store):
        row = result.request.name
        found[row].append(AF.measure(settings, *printed_row(row), {"": result}))
    return found


def in_ns2(variant: Variant, rows: Sequence[str], seeds: range, jobs: int) -> dict[str, list[Any]]:
    """The metrics of every run, by row."""
    return ns2.replicate([(row, {**ns2.ROWS[row], **variant.ns2}) for row in rows], seeds, jobs)


def compare(theirs: Mapping[str, Sequence[Any]], ours: Mapping[str, Sequence[Any]]) -> list[Cell]:
    """A cell for every row and metric."""
    samples = {
        (row, metric): ([run[metric] for run in ours[row]], [run[metric] for run in theirs[row]])
        for row in ours
        for metric in ns2.METRICS
    }
    tests = [welch(*sample) for sample in samples.values()]
    adjusted = holm([test.p_two_sided for test in tests])
    cells = []
    for ((row, metric), (mine, other)), test, p in zip(samples.items(), tests, adjusted, strict=True):
        spread = math.sqrt((statistics.variance(mine) + statistics.variance(other)) / 2)
        standardised = test.difference / spread if spread > 0 else None
        cells.append(Cell(row, metric, summary(other), summary(mine), test.difference, standardised, p))
    return cells


def summary(values: Sequence[float]) -> tuple[float, float]:
    return statistics.fmean(values), statistics.stdev(values)


def verdict(cells: Sequence[Cell]) -> str:
    """Number of cells that differ, in one line."""
    differing = [cell for cell in cells if cell.differs]
    if not differing:
        return f"None of {len(cells)} means differs significantly ({LEVEL:.0%}, Holm)."
    return f"{len(differing)} of {len(cells)} means differ significantly ({LEVEL:.0%}, Holm): marked with *."


def show(name: str, about: str, cells: Sequence[Cell], runs: int) -> None:
    """A table for people, which is Markdown too."""
    print(f"**{name}**: {about}. {runs} runs a side; mean (standard deviation of single runs), kb/s.\n")
    print("| row | metric | ns-2 | Penstock | difference | standardised | p |")
    print("|---|---|---|---|---|---|---|")
    for cell in cells:
        digits = 3 if cell.metric == "fairness" else 2
        sides = " | ".join(f"{mean:.{digits}f} ({spread:.{digits}f})" for mean, spread in (cell.ns2, cell.penstock))
        shift = "-" if cell.standardised is None else f"{cell.standardised:+.1f}"
        star = "*" if cell.differs else ""
        print(
            f"| {cell.row} | {cell.metric} | {sides} | {cell.difference:+.{digits}f} | {shift} | {cell.p:.3f}{star} |"
        )
    print(f"\n{verdict(cells)}\n")


def pairs(arguments: Sequence[str]) -> dict[str, str]:
    """NAME=VALUE, several times."""
    return dict(argument.split("=", 1) for argument in arguments)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--variant", choices=[*VARIANTS, "all"], default="1999", help="family of settings")
    parser.add_argument("--seeds", type=int, default=10, help="runs a side, at least 2")
    parser.add_argument("--first", type=int, default=1, help="first seed, for runs that no one has looked at yet")
    parser.add_argument("--rows", nargs="+", choices=list(ns2.ROWS), default=list(ns2.ROWS), metavar="ROW")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--store", help="folder where Penstock's runs are kept; nowhere if left out")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    parser.add_argument("--set", nargs="+", default=[], metavar="PATH=VALUE", help="Penstock only")
    parser.add_argument("--ns2", nargs="+", default=[], metavar="NAME=VALUE", help="ns-2 only")
    given = parser.parse_args(arguments)
    if given.first < 1:
        parser.error("seeds begin at 1")
    if given.seeds < 2:
        parser.error("a test needs at least 2 runs a side")
    if not all("=" in pair for pair in [*given.set, *given.ns2]):
        parser.error("--set and --ns2 take NAME=VALUE")
    return given


def main(arguments: Sequence[str] | None = None) -> int:
    given = parse(arguments)
    store = Store(given.store) if given.store else None
    seeds = range(given.first, given.first + given.seeds)
    answers = []
    try:
        for name in VARIANTS if given.variant == "all" else [given.variant]:
            variant = VARIANTS[name]
            variant = replace(
                variant, ns2={**variant.ns2, **pairs(given.ns2)}, sets={**variant.sets, **pairs(given.set)}
            )
            theirs = in_ns2(variant, given.rows, seeds, given.jobs)
            ours = in_penstock(variant, given.rows, seeds, given.jobs, store)
            cells = compare(theirs, ours)
            answers.append({"variant": name, "runs": given.seeds, "cells": [cell_data(cell) for cell in cells]})
            if given.format == "text":
                show(name, variant.about, cells, given.seeds)
    except (PenstockError, RuntimeError, OSError) as error:
        print(f"crosscheck: {error}", file=sys.stderr)
        return 1
    if given.format == "json":
        print(json.dumps(answers, indent=2))
    return 0


def cell_data(cell: Cell) -> dict[str, Any]:
    return {**asdict(cell), "differs": cell.differs}


if __name__ == "__main__":
    sys.exit(main())
