"""TCP connections over time: of Linux hosts as ``ss`` reports them, and of simulated hosts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.emulation.programs import Program
from penstock.emulation.transfers import SERVING
from penstock.series import TimeSeries

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock import _core
    from penstock.emulation.transfers import Transfer

_INTERVAL = 0.2
"""Seconds between two samples."""
# /proc/uptime has the time without another process; -O keeps a connection on one line, -H leaves the header out.
_SAMPLING = (
    "while :; do read up idle < /proc/uptime; echo up $up; ss -tinHO state established dport = :{}; sleep {}; done"
)
_CONNECTION = re.compile(r":(\d+)\s+\S+:\d+\s.*?\bcwnd:(\d+)(?:.*?\bbytes_acked:(\d+))?")


@dataclass(frozen=True)
class Sample:
    """The state of one connection at a time."""

    time: float  # s after the beginning of the run
    flow: str  # the member of a group of flows, such as ``tcp[0]``
    window: float  # segments: the congestion window
    acknowledged: int = 0  # bytes: data that were acknowledged; 0 for simulated hosts

    @property
    def group(self) -> str:
        """The group of flows."""
        return self.flow.rpartition("[")[0]


def sampler(transfer: Transfer) -> Program:
    """A program at the sender that prints the state of its connections again and again."""
    return Program(transfer.start, _SAMPLING.format(transfer.port, _INTERVAL), SERVING)


def samples_of(transfer: Transfer, output: str) -> list[Sample]:
    """The samples in the output of a :func:`sampler`.

    iperf3 has a connection of its own for control, which is the one with the fewest acknowledged bytes.
    """
    first: float | None = None
    time = 0.0
    seen: list[tuple[float, int, int, int]] = []
    most: dict[int, int] = {}
    for line in output.splitlines():
        if line.startswith("up "):
            time = float(line.split()[1])
            first = time if first is None else first
        elif (found := _CONNECTION.search(line)) is not None:
            port, window, acknowledged = (int(each or 0) for each in found.groups())
            most[port] = max(acknowledged, most.get(port, 0))
            seen.append((SERVING + time - (first or 0.0), port, window, acknowledged))
    ports = sorted(sorted(most, key=lambda port: -most[port])[: transfer.count])
    flows = {port: f"{transfer.name}[{number}]" for number, port in enumerate(ports)}
    return [Sample(round(time, 2), flows[port], *state) for time, port, *state in seen if port in flows]


def simulated_windows(scenario: _core.Scenario, transfers: Sequence[Transfer], seed: int, number: int) -> list[Sample]:
    """The windows of a simulation with these random numbers, at the same interval."""
    names = [transfer.name for transfer in transfers]
    series = TimeSeries(scenario, of=names, what="cwnd", every=f"{_INTERVAL} s", seed=seed, replication=number)
    rows = series.frame().select("time_ps", "flow", "value").drop_nulls().iter_rows()
    return [Sample(time / 1e12, str(flow), value) for time, flow, value in rows]


def mean_window(samples: Iterable[Sample], name: str, warm_up: float) -> float | None:
    """The mean window of a connection of flows `name` after the warm-up; None without samples."""
    windows = [each.window for each in samples if each.time >= warm_up and each.group == name]
    return sum(windows) / len(windows) if windows else None


def goodput(samples: Iterable[Sample], transfer: Transfer, warm_up: float) -> float | None:
    """Bits per second that were acknowledged after the warm-up, of all flows of a transfer; None if there are none."""
    rate = 0.0
    of: dict[str, list[Sample]] = {}
    for each in samples:
        if each.time >= warm_up and each.group == transfer.name:
            of.setdefault(each.flow, []).append(each)
    for first, last in ((each[0], each[-1]) for each in of.values()):
        if last.time > first.time:
            rate += 8 * (last.acknowledged - first.acknowledged) / (last.time - first.time)
    return rate or None
