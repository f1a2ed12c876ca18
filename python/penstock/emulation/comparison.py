"""A scenario with Linux hosts next to the same scenario with simulated hosts, and the flows of iperf3 in both."""

import json
import math
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from penstock import _core, toml
from penstock.emulation.making import Emulated, check, emulate
from penstock.emulation.namespaces import may_raise_priority
from penstock.emulation.opened import Opened, opened
from penstock.emulation.programs import Program
from penstock.errors import InputError, PenstockError
from penstock.explained import differences
from penstock.printable import path_text
from penstock.records import Metric
from penstock.results import grouped
from penstock.series import TimeSeries
from penstock.statistics import Interval, interval, paired
from penstock.studies.plan import StudyPlan, document_of
from penstock.studies.quantity import read_quantity
from penstock.workers.job import Stop, metrics_of

_SERVER_SECONDS = 0.3
_FIRST_PORT = 5201
_NEEDED = {"iperf3": "iperf3", "ss": "iproute2", "chrt": "util-linux"}
"""Programs of a comparison, with their packages."""
_SAMPLING_SECONDS = 0.2
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
        return [server, Program(self.start, f"{prompt} -c {self.end} {words}", _SERVER_SECONDS)]


def transfers_of(file: Path, document: Mapping[str, Any], found: Opened) -> list[Transfer]:
    """The flows between real nodes, as transfers of iperf3.

    Raises PenstockError if a program is missing, InputError if iperf3 or Linux cannot make a flow, or there is none.
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
        start = group.get("start", "0 s")  # a time or a uniform law
        last = read_quantity(str(start["uniform"][-1] if isinstance(start, dict) else start))
        if "stop" in group or last is None or last.value > found.asked.scenario.window[0]:
            wrong.append(
                f"flows '{group['name']}': iperf3 sends all the time; leave out stop, and a start after warm-up."
            )
        control = _control(tcp)
        if control not in there:
            wrong.append(f"flows '{group['name']}': Linux has no control '{control}' here; {', '.join(there)}.")
        count, port = int(group.get("count", 1)), _FIRST_PORT + len(made)
        made.append(Transfer(group["name"], group["from"], group["to"], count, control, port))
    if not (made or wrong):
        wrong = ["has no flows between two real nodes, so there is nothing to compare."]
    if wrong:
        raise InputError("\n".join(f"{path_text(file)}: {each}" for each in wrong))
    return made


def _control(tcp: Mapping[str, Any]) -> str:
    """The congestion control of a transport: as written, else that of its profile."""
    of_profile = differences("tcp", tcp.get("profile", "rfc"))
    default = next((each["value"] for each in of_profile if each["path"] == "congestion-control"), "reno")
    written = tcp.get("congestion-control", default)
    return written if isinstance(written, str) else str(next(iter(written)))


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
    return Program(transfer.start, _SAMPLING.format(transfer.port, _SAMPLING_SECONDS), _SERVER_SECONDS)


def samples_of(transfer: Transfer, output: str) -> list[Sample]:
    """The samples in the output of a :func:`sampler`, without iperf3's control connection: it has the fewest bytes."""
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
            seen.append((_SERVER_SECONDS + time - (first or 0.0), port, window, acknowledged))
    ports = sorted(sorted(most, key=lambda port: -most[port])[: transfer.count])
    flows = {port: f"{transfer.name}[{number}]" for number, port in enumerate(ports)}
    return [Sample(round(time, 2), flows[port], *state) for time, port, *state in seen if port in flows]


def simulated_windows(scenario: _core.Scenario, transfers: Sequence[Transfer], seed: int, number: int) -> list[Sample]:
    """The windows of a simulation with these random numbers, at the same interval."""
    names = [transfer.name for transfer in transfers]
    series = TimeSeries(scenario, of=names, what="cwnd", every=f"{_SAMPLING_SECONDS} s", seed=seed, replication=number)
    rows = series.frame().select("time_ps", "flow", "value").drop_nulls().iter_rows()
    return [Sample(time / 1e12, str(flow), value) for time, flow, value in rows]


def mean_window(samples: Iterable[Sample], name: str, warm_up: float) -> float | None:
    """The mean window of a connection of flows `name` after the warm-up; None without samples."""
    windows = [each.window for each in samples if each.time >= warm_up and each.group == name]
    return sum(windows) / len(windows) if windows else None


def goodput(samples: Iterable[Sample], transfer: Transfer, warm_up: float) -> float | None:
    """Bits per second that were acknowledged after the warm-up, of all flows of a transfer; None if there are none."""
    rate = 0.0
    counted = [each for each in samples if each.time >= warm_up and each.group == transfer.name]
    for own in grouped(counted, lambda each: each.flow).values():
        first, last = own[0], own[-1]
        if last.time > first.time:
            rate += 8 * (last.acknowledged - first.acknowledged) / (last.time - first.time)
    return rate or None


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
    """The points of a plan, each opened for Linux hosts; raises as :func:`opened`, :func:`transfers_of` and `check`."""
    made = []
    # A canonical scenario leaves the sections on measurements out.
    observed = {name: value for name, value in document_of(plan.text).items() if name in _OBSERVING}
    for point, asked in zip(plan.points, plan.read([0]), strict=True):
        # Settings are applied before flows are replaced, since they may concern flows that Linux makes itself.
        document = {**observed, **json.loads(asked.scenario.canonical)}
        text = "\n".join(toml.lines({toml.key(name): value for name, value in document.items()}))
        later = [each for each in point.sets if each[0].split(".")[0].split("[")[0] in _OBSERVING]
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
    """Runs both kinds of hosts in pairs with the same random numbers; `tell` gets a line after each emulation.

    `mtu` is in bytes; `settings` are kernel settings of the Linux hosts, whose sockets begin with Reno by default.
    """
    warm_up, seconds = cell.linux.asked.scenario.window
    settings = [_UNPACED, *settings]
    programs = [each for transfer in cell.transfers for each in transfer.programs(seconds)]
    samplers = [sampler(transfer) for transfer in cell.transfers]
    numbers, windows = [], []
    for number in range(runs):
        of_run = replace(cell.linux, asked=replace(cell.linux.asked, replications=(number,)))
        made = emulate(of_run, [*programs, *samplers], mtu=mtu, settings=settings)
        late = made.json()
        median = "none" if late["lateness"] is None else f"{1e6 * late['lateness']['p50']:.0f} us"
        share = f"{100 * late['share_above_1_ms']:.2g} % above 1 ms"
        tell(f"pair {number + 1} of {runs}: lateness {median} (median), {share}.")
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
    clients = made.programs[1 : 2 * len(transfers) : 2]
    return "; ".join(each.errors.strip() or each.output.strip() for each in clients) or "iperf3 gave no reason"
