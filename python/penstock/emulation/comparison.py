"""A scenario with Linux hosts next to the same scenario with simulated hosts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from penstock import _core, toml
from penstock.emulation.making import Emulated, check, emulate
from penstock.emulation.opened import Opened, opened
from penstock.emulation.transfers import (
    Sample,
    Transfer,
    goodput,
    mean_window,
    sampler,
    samples_of,
    simulated_windows,
    transfers_of,
)
from penstock.errors import PenstockError
from penstock.records import Metric
from penstock.statistics import Interval, interval, paired
from penstock.studies.plan import StudyPlan, document_of
from penstock.workers.job import Stop, metrics_of

_OBSERVING = ("measure", "trace", "series")
_UNPACED = ("net.ipv4.tcp_congestion_control", "reno")
"""Control of sockets until iperf3 chooses one. BBR would request pacing, which stays with the socket [`bbr_init`]."""


@dataclass(frozen=True)
class Compared:
    """A number of Linux hosts and of simulated ones, over paired runs."""

    metric: str
    of: str
    unit: str
    linux: Sequence[float]
    simulated: Sequence[float]

    def intervals(self) -> tuple[Interval, Interval]:
        """Means with their intervals: of Linux, and of simulated hosts."""
        return interval(self.linux), interval(self.simulated)

    def relative(self) -> float | None:
        """The difference of the means, simulated less Linux, as a share of Linux; None if that is 0."""
        linux, simulated = (each.mean for each in self.intervals())
        return None if linux == 0 else (simulated - linux) / linux

    def json(self) -> dict[str, Any]:
        """Returns it as plain values."""
        values = {"linux": list(self.linux), "simulated": list(self.simulated), "relative_difference": self.relative()}
        if len(self.linux) > 1:
            found = paired(self.simulated, self.linux)
            values |= {"difference": found.difference, "ci_low": found.low, "ci_high": found.high}
        return {"metric": self.metric, "of": self.of, "unit": self.unit, **values}


@dataclass(frozen=True)
class Cell:
    """A point that is compared: its parameters, its scenario for both kinds of hosts, and its flows."""

    parameters: dict[str, Any]
    linux: Opened
    simulated: _core.Scenario
    seed: int
    transfers: list[Transfer]


@dataclass(frozen=True)
class Windows:
    """The congestion windows of one run."""

    hosts: str
    number: int
    samples: list[Sample]


def cells_of(plan: StudyPlan, file: Path, mtu: int) -> list[Cell]:
    """The points of a plan, each opened for Linux hosts.

    Raises InputError if a point has no two real nodes, or flows that Linux hosts cannot make; PenstockError if this
    machine cannot emulate; ScenarioError if a point has mistakes.
    """
    made = []
    # A canonical scenario leaves the sections on measurements out.
    observed = {name: value for name, value in document_of(plan.text).items() if name in _OBSERVING}
    for point, asked in zip(plan.points, plan.read([0]), strict=True):
        # Settings are applied before flows are replaced, since they may concern flows that Linux makes itself.
        document = {**observed, **json.loads(asked.scenario.canonical)}
        text = "\n".join(toml.lines({toml.key(name): value for name, value in document.items()}))
        later = [each for each in point.sets if each[0].startswith(_OBSERVING)]
        found = opened(file, text, later, seed=asked.seed, mtu=mtu)
        made.append(Cell(point.parameters, found, asked.scenario, asked.seed, transfers_of(file, document, found)))
    for cell in made:
        check(cell.linux)
    return made


def compare(
    cell: Cell,
    runs: int,
    mtu: int,
    settings: Sequence[tuple[str, str]] = (),
    tell: Callable[[str], None] = lambda _: None,
) -> tuple[list[Compared], list[Windows]]:
    """Runs both kinds of hosts in pairs, whose networks have the same random numbers.

    `mtu` is in bytes; `settings` are kernel settings of the Linux hosts, whose sockets begin with Reno unless these say
    otherwise; `tell` is called with a line after each emulation.
    """
    warm_up, seconds = cell.linux.asked.scenario.window
    settings = [_UNPACED, *settings]
    programs = [each for transfer in cell.transfers for each in transfer.programs(seconds)]
    samplers = [sampler(transfer) for transfer in cell.transfers]
    numbers, windows = [], []
    for number in range(runs):
        of_run = replace(cell.linux, asked=replace(cell.linux.asked, replications=(number,)))
        made = emulate(of_run, [*programs, *samplers], mtu=mtu, settings=settings)
        tell(f"pair {number + 1} of {runs}: {_lateness(made)}")
        run = cell.simulated.run(cell.seed, number)
        outputs = [each.output for each in made.programs[len(programs) :]]
        pairs = zip(cell.transfers, outputs, strict=True)
        sampled = [each for transfer, output in pairs for each in samples_of(transfer, output)]
        simulated = simulated_windows(cell.simulated, cell.transfers, cell.seed, number)
        windows += [Windows("linux", number, sampled), Windows("simulated", number, simulated)]
        of_linux = _with_goodput(made, cell.transfers, sampled, warm_up)
        of_linux += _window_metrics(sampled, cell.transfers, warm_up)
        of_simulated = [*metrics_of(run, Stop()), *_window_metrics(simulated, cell.transfers, warm_up)]
        numbers.append((_numbers(of_linux), _numbers(of_simulated)))
    rows = [
        Compared(*key, [linux[key] for linux, _ in numbers], [simulated[key] for _, simulated in numbers])
        for key in numbers[0][1]
        if key[0] != "fairness" and all(key in linux and key in simulated for linux, simulated in numbers)
    ]
    return rows, windows


def _lateness(made: Emulated) -> str:
    late = made.json()
    median = "none" if late["lateness"] is None else f"{1e6 * late['lateness']['p50']:.0f} us"
    return f"lateness {median} (median), {100 * late['share_above_1_ms']:.2g} % above 1 ms."


def _numbers(metrics: Sequence[Metric]) -> dict[tuple[str, str, str], float]:
    def label(metric: Metric) -> str:
        return " ".join(value if key == "of" else f"{key}={value}" for key, value in metric.labels.items())

    return {(metric.name, label(metric), metric.unit): metric.value for metric in metrics}


def _window_metrics(samples: Sequence[Sample], transfers: Sequence[Transfer], warm_up: float) -> Iterator[Metric]:
    for name in (transfer.name for transfer in transfers):
        if (mean := mean_window(samples, name, warm_up)) is not None:
            yield Metric("window", {"of": name, "statistic": "mean"}, "segments", mean)


def _with_goodput(
    made: Emulated, transfers: Sequence[Transfer], samples: Sequence[Sample], warm_up: float
) -> list[Metric]:
    """The numbers of the network, with the goodput of Linux: the network does not look into packets."""
    [run] = made.result.runs
    kept = [metric for metric in run.metrics if metric.name not in ("goodput", "transfers")]
    for transfer in transfers:
        rate = goodput(samples, transfer, warm_up)
        if rate is None:
            raise PenstockError(f"no data of flows '{transfer.name}' were acknowledged: {_said(made, transfers)}")
        theirs = (each for each in run.metrics if each.name == "goodput" and each.labels.get("of") == transfer.name)
        kept += [Metric("goodput", each.labels, "bit/s", rate) for each in theirs]
    return kept


def _said(made: Emulated, transfers: Sequence[Transfer]) -> str:
    """The messages of the clients of iperf3."""
    clients = made.programs[1 : 2 * len(transfers) : 2]
    return "; ".join(each.errors.strip() or each.output.strip() for each in clients) or "iperf3 gave no reason"
