"""A scenario with Linux hosts next to the same scenario with simulated hosts."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.emulation.making import emulate
from penstock.emulation.programs import Program
from penstock.errors import InputError, PenstockError
from penstock.printable import path_text
from penstock.records import Metric
from penstock.statistics import Interval, interval, paired
from penstock.studies.plan import document_of
from penstock.workers.job import Stop, metrics_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from penstock import _core
    from penstock.emulation.making import Emulated
    from penstock.emulation.opened import Opened

__all__ = ["Compared", "Transfer", "compare", "transfers_of"]

SERVING = 0.3
"""Seconds that servers have to listen before the first client starts."""
_FIRST_PORT = 5201


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
        """The server and the client."""
        words = f"-p {self.port} -P {self.count} -C {self.control} -t {seconds:g} -J"
        server = Program(self.end, f"iperf3 -s -1 -p {self.port}")
        return [server, Program(self.start, f"iperf3 -c {self.end} {words}", SERVING)]


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


def transfers_of(file: Path, text: str, found: Opened) -> list[Transfer]:
    """The flows between real nodes, as transfers of iperf3.

    Raises
    ------
    PenstockError
        If iperf3 is not installed, or there are no flows.
    InputError
        If one is no endless TCP flow, or Linux has no such congestion control here.
    """
    if shutil.which("iperf3") is None:
        raise PenstockError("comparing hosts needs the program 'iperf3' of the package of that name.")
    there = _controls()
    made: list[Transfer] = []
    wrong = []
    groups = [each for each in document_of(text).get("flows", []) if each.get("name") in found.replaced]
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
    from pathlib import Path

    return Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text(encoding="utf-8").split()


def compare(
    found: Opened,
    simulated: _core.Scenario,
    transfers: Sequence[Transfer],
    runs: int,
    mtu: int,
    tell: Callable[[str], None] = lambda _: None,
) -> list[Compared]:
    """Runs both kinds of hosts, one pair after the other.

    Parameters
    ----------
    found : Opened
        The scenario for Linux hosts.
    simulated : Scenario
        The scenario as it is.
    transfers : sequence of Transfer
        Its flows.
    runs : int
        Number of pairs; the i-th of both have the same random numbers in the network.
    mtu : int, bytes
        The largest IP packet.
    tell : callable, optional
        Called with a line after each emulation.
    """
    from dataclasses import replace

    seconds = found.asked.scenario.window[1]
    programs = [each for transfer in transfers for each in transfer.programs(max(0.1, seconds - SERVING))]
    numbers: dict[tuple[str, str, str], tuple[list[float], list[float]]] = {}
    for number in range(runs):
        of_run = replace(found, asked=replace(found.asked, replications=(number,)))
        made = emulate(of_run, programs, mtu=mtu)
        tell(_lateness(number, runs, made))
        run = simulated.run(found.asked.seed, number)
        linux, ours = (_numbers(each) for each in (_with_goodput(made, transfers), metrics_of(run, Stop())))
        for key in (key for key in ours if key in linux):
            pair = numbers.setdefault(key, ([], []))
            pair[0].append(linux[key])
            pair[1].append(ours[key])
    return [Compared(*key, *pair) for key, pair in numbers.items() if len(pair[0]) == runs and key[0] != "fairness"]


def _lateness(number: int, runs: int, made: Emulated) -> str:
    late = made.json()
    median = "none" if late["lateness"] is None else f"{1e6 * late['lateness']['p50']:.0f} us"
    return (
        f"pair {number + 1} of {runs}: lateness {median} (median), {100 * late['share_above_1_ms']:.2g} % above 1 ms."
    )


def _numbers(metrics: Sequence[Metric]) -> dict[tuple[str, str, str], float]:
    def label(metric: Metric) -> str:
        return " ".join(value if key == "of" else f"{key}={value}" for key, value in metric.labels.items())

    return {(metric.name, label(metric), metric.unit): metric.value for metric in metrics}


def _with_goodput(made: Emulated, transfers: Sequence[Transfer]) -> list[Metric]:
    """The numbers of the network, with the goodput that iperf3 reports: the network does not look into packets."""
    [run] = made.result.runs
    kept = [metric for metric in run.metrics if metric.name not in ("goodput", "transfers")]
    for transfer, client in zip(transfers, made.programs[1::2], strict=True):
        try:
            rate = json.loads(client.output)["end"]["sum_received"]["bits_per_second"]
        except (ValueError, KeyError):
            raise PenstockError(f"iperf3 of flows '{transfer.name}' gave no result: {client.errors.strip()}") from None
        kept += [Metric("goodput", labels, "bit/s", rate) for labels in _goodput_labels(run.metrics, transfer.name)]
    return kept


def _goodput_labels(metrics: Sequence[Metric], name: str) -> list[dict[str, str]]:
    return [metric.labels for metric in metrics if metric.name == "goodput" and metric.labels.get("of") == name]
