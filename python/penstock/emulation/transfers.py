"""Flows that iperf3 makes between Linux hosts, and TCP connections over time as ``ss`` reports and a run has them."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from penstock import _core
from penstock.emulation.machine import may_raise_priority
from penstock.emulation.opened import Opened
from penstock.emulation.programs import Program
from penstock.errors import InputError, PenstockError
from penstock.printable import path_text
from penstock.series import TimeSeries

_SERVING = 0.3
"""Seconds that servers have to listen before the first client starts."""
_FIRST_PORT = 5201
_NEEDED = {"iperf3": "iperf3", "ss": "iproute2", "chrt": "util-linux"}
"""Programs of a comparison, with their packages."""
_INTERVAL = 0.2
"""Seconds between two samples."""
# /proc/uptime has the time without another process; -O keeps a connection on one line, -H leaves the header out.
_SAMPLING = (
    "while :; do read up idle < /proc/uptime; echo up $up; ss -tinHO state established dport = :{}; sleep {}; done"
)
_CONNECTION = re.compile(r":(\d+)\s+\S+:\d+\s.*?\bcwnd:(\d+)(?:.*?\bbytes_acked:(\d+))?")


@dataclass(frozen=True)
class Transfer:
    """Flows of the file that iperf3 makes between Linux hosts: a group of endless TCP flows."""

    name: str
    start: str
    end: str
    count: int
    control: str
    port: int

    def programs(self, seconds: float) -> list[Program]:
        """The server, and a client that sends for longer than the `seconds` of a run."""
        words = f"-p {self.port} -P {self.count} -C {self.control} -t {math.ceil(seconds) + 1}"
        # A receiver that waits for its core reads late, so its host sends fewer acknowledgements [__tcp_ack_snd_check].
        prompt = "chrt --rr 1 iperf3" if may_raise_priority() else "iperf3"
        server = Program(self.end, f"{prompt} -s -1 -p {self.port}")
        return [server, Program(self.start, f"{prompt} -c {self.end} {words}", _SERVING)]


def transfers_of(file: Path, document: Mapping[str, Any], found: Opened) -> list[Transfer]:
    """The flows between real nodes, as transfers of iperf3.

    Raises PenstockError if a program is not installed, or there are no flows; InputError if one is no endless TCP
    flow, or Linux has no such congestion control here.
    """
    for program, package in _NEEDED.items():
        if shutil.which(program) is None:
            raise PenstockError(f"comparing hosts needs the program '{program}' of the package {package}.")
    there = _controls()
    made: list[Transfer] = []
    wrong = []
    groups = [each for each in document.get("flows", []) if each.get("name") in found.replaced]
    for group in groups:
        transport, source = group.get("transport"), group.get("source")
        tcp = transport.get("tcp") if isinstance(transport, dict) else None
        if not isinstance(tcp, dict) or source != {"ftp": {}}:
            wrong.append(f"flows '{group['name']}': iperf3 replaces only source.ftp = {{}} with transport.tcp.")
            continue
        control = next(iter(tcp.get("congestion-control", {"reno": {}})))
        if control not in there:
            wrong.append(f"flows '{group['name']}': Linux has no control '{control}' here; {', '.join(there)}.")
        count, port = int(group.get("count", 1)), _FIRST_PORT + len(made)
        made.append(Transfer(group["name"], group["from"], group["to"], count, control, port))
    if wrong:
        raise InputError("\n".join(f"{path_text(file)}: {each}" for each in wrong))
    if not made:
        raise InputError(f"{path_text(file)}: has no flows between two real nodes, so there is nothing to compare.")
    return made


def _controls() -> list[str]:
    return Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text(encoding="utf-8").split()


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
    return Program(transfer.start, _SAMPLING.format(transfer.port, _INTERVAL), _SERVING)


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
            seen.append((_SERVING + time - (first or 0.0), port, window, acknowledged))
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
