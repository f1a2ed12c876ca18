"""The conformance kit: properties that every component must have, and the first difference to another component.

Arrivals at a queue may be recorded: read from a trace or from the log of an emulation.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import accumulate, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import _core, toml
from penstock.emulation.opened import read_log
from penstock.errors import InputError, ScenarioError, core_faults
from penstock.own.files import DEBUG
from penstock.own.subjects import CLASSES, NEEDS, RECORDED, SCENARIOS, Subject
from penstock.printable import path_text, quoted
from penstock.records import Status
from penstock.trace import PacketTrace

if TYPE_CHECKING:
    import polars as pl

_SEEDS = (1, 2)
_EVENTS_PER_HOP, _EVENTS_PER_SECOND = 8, 10_000
"""Most events of a run: for each packet on a link, and for timers in each simulated second."""


@dataclass
class Conformance:
    """What was found of a component."""

    component: str
    against: str | None = None  # the other component
    properties: dict[str, bool] = field(default_factory=dict)  # whether it has each property
    runs: int = 0  # of each property
    packets: int = 0  # that passed a link in these runs
    difference: str | None = None  # the first difference to the other component

    @property
    def conforms(self) -> bool:
        """Whether it has all properties, and does not differ."""
        return all(self.properties.values()) and self.difference is None


def conformance(
    subject: Subject,
    against: Subject | None,
    settings: Mapping[str, Any],
    arrivals: Recorded | None = None,
    progress: Callable[[Status], None] = lambda _: None,
) -> Conformance:
    """Compares runs of a component with each other, and with the runs of another one of its kind.

    Parameters that `settings` do not have come from the example of `against`, or else of the component, or are
    defaults. Runs with `arrivals` come first. `progress` is called before each run.

    Raises InputError if a parameter is missing or wrong, or if the kind has no arrivals or no runs.
    """
    subject.check(settings)
    found = Conformance(subject.key, against.key if against else None)
    try:
        cases = list(_cases(subject, against, settings, arrivals))
    except ScenarioError as error:
        raise ScenarioError(_placed(each, settings) for each in error.mistakes) from None
    total = len(cases) * len(_SEEDS)
    for case in cases:
        for seed in _SEEDS:
            progress(Status(total, done=found.runs, packet_hops=found.packets))
            run = case.mine.run(seed, 0)
            found.runs += 1
            found.packets += run.packet_hops
            for name, holds in _properties(case, run, seed):
                found.properties[name] = found.properties.get(name, True) and holds
            if case.other is None or against is None or found.difference:
                continue
            other = case.other.run(seed, 0)
            if _numbers(other) != _numbers(run):
                same = other.digest == run.digest
                pair = _metrics(run, other) if same else _events(case.mine, case.other, seed)
                first = "; ".join(f"{key}: {what}" for key, what in zip((subject.key, against.key), pair, strict=True))
                found.difference = f"in {quoted(case.name)} with seed {seed}: {first}"
    if not found.runs:
        raise InputError(f"{subject.key} has nothing that flows or links of a test network have")
    return found


def _placed(mistake: _core.Mistake, settings: Mapping[str, Any]) -> _core.Mistake:
    """Moves a mistake of a parameter that was given to its option: nobody knows the scenario that has it."""
    key = mistake["path"].rpartition(".")[2]
    return {**mistake, "file": f"--set {key}", "line": None} if key in settings else mistake


@dataclass(frozen=True)
class _Case:
    """A scenario with the component, compiled and in the interpreter, and with the other component."""

    name: str
    text: str
    folder: str
    is_recorded: bool
    mine: _core.Scenario
    interpreted: _core.Scenario | None
    other: _core.Scenario | None


def _cases(
    subject: Subject, against: Subject | None, settings: Mapping[str, Any], arrivals: Recorded | None
) -> Iterator[_Case]:
    if arrivals is not None and subject.kind not in RECORDED:
        listed = ", ".join(RECORDED)
        raise InputError(f"{subject.key} is a {subject.kind}, which has no arrivals; leave --arrivals out ({listed})")
    folder = str(subject.file.parent if subject.file else Path())
    use = f"use = {toml.value(subject.file.name)}\n" if subject.file else ""
    models = [subject, against] if against else [subject]
    has_classes = subject.kind == "scheduler"
    groups: list[tuple[Recorded | None, dict[str, str]]] = [(None, SCENARIOS[subject.kind])]
    if arrivals is not None:
        groups.insert(0, (arrivals, arrivals.networks(RECORDED[subject.kind], by_class=has_classes)))
    for record, networks in groups:
        classes = sorted(set(record.classes.values())) if record else CLASSES
        mine = subject.written(settings, models, classes if has_classes else ())
        other = against and against.like(subject).written(settings, models, classes if has_classes else ())
        for name, network in networks.items():
            if NEEDS.get(name) not in (None, *subject.hooks):
                continue
            text = use + network.replace("COMPONENT", mine)
            built_in = _read(network.replace("COMPONENT", other), folder, record) if other else None
            interpreted = None
            if subject.file is not None:
                with _slow():
                    interpreted = _read(text, folder, record)
            yield _Case(name, text, folder, record is not None, _read(text, folder, record), interpreted, built_in)


def _properties(case: _Case, run: _core.Run, seed: int) -> Iterator[tuple[str, bool]]:
    """The properties of a run, and whether it has them."""
    numbers = _numbers(run)
    yield "repeated runs agree", _numbers(case.mine.run(seed, 0)) == numbers
    yield "both executors agree", _numbers(case.mine.run(seed, 0, None, "plain")) == numbers
    yield "one and two cores agree", _numbers(case.mine.run(seed, 0, None, "horizon", 2)) == numbers
    if not case.is_recorded:
        yield "runs from a snapshot agree", _digest_from_snapshot(case, seed) == run.digest
    if case.interpreted is not None:
        yield "compiled and interpreted agree", _numbers(case.interpreted.run(seed, 0)) == numbers
    yield "packets are conserved", _conserves(case.mine, seed)
    most = _EVENTS_PER_HOP * run.packet_hops + _EVENTS_PER_SECOND * case.mine.window[1]
    yield "events are bounded", sum(run.events.values()) <= most


def _digest_from_snapshot(case: _Case, seed: int) -> str:
    """The digest of a run that goes on from a copy, while the original goes on to another instant."""
    run = _core.SteppedRun(case.text, "conformance", [], [], case.folder, seed)
    run.run_until(run.end // 3)
    copy = run.copy()
    run.run_until(run.end // 2)
    copy.run_until(copy.end)
    return copy.finish().digest


def _conserves(scenario: _core.Scenario, seed: int) -> bool:
    """Whether no packet is received or dropped more often than it was sent."""
    import polars as pl

    events = PacketTrace(scenario, events=["send", "duplicate", "receive", "drop"], seed=seed).frame()
    packets = ["flow", "packet", "sequence", "acknowledgement", "retransmission"]
    sign = pl.when(pl.col("event").is_in(["send", "duplicate"])).then(1).otherwise(-1)
    left = events.group_by(packets).agg(sign.sum().alias("left"))
    return not (left["left"] < 0).any()


def _numbers(run: _core.Run) -> tuple[str, list[str]]:
    """The digest and the metrics of a run, as texts: a metric without a value equals another one."""
    return run.digest, [repr(value) for *_, value in run.metrics]


def _metrics(run: _core.Run, other: _core.Run) -> tuple[str, str]:
    """The first metric that differs, of each run."""
    pairs = zip(run.metrics, other.metrics, strict=True)
    mine, theirs = next(pair for pair in pairs if repr(pair[0][-1]) != repr(pair[1][-1]))
    return f"{mine[-1]} of {mine[1][-1][1]}", f"{theirs[-1]}"


def _read(text: str, folder: str, arrivals: Recorded | None) -> _core.Scenario:
    with core_faults():
        scenario = _core.Scenario(text, "conformance", [], folder)
        return scenario if arrivals is None else arrivals.opened(scenario)


@contextmanager
def _slow() -> Iterator[None]:
    """Components that are read meanwhile run in the interpreter."""
    before = os.environ.get(DEBUG, "")
    os.environ[DEBUG] = "1"
    try:
        yield
    finally:
        os.environ[DEBUG] = before


def _events(mine_of: _core.Scenario, other_of: _core.Scenario, seed: int) -> tuple[str, str]:
    """The first event at the bottleneck that differs, of each scenario."""
    traces = [PacketTrace(each, at="bottleneck", seed=seed, name="conformance") for each in (mine_of, other_of)]
    mine, other = (trace.frame() for trace in traces)
    columns = [column for column in mine.columns if mine.schema[column] == other.schema[column]]
    pairs = zip_longest(mine.select(columns).iter_rows(), other.select(columns).iter_rows())
    at = next((i for i, (row, of_other) in enumerate(pairs) if row != of_other), None)
    if at is None:
        return "the same events at the bottleneck", "other numbers elsewhere"
    return _event(mine, at), _event(other, at)


def _event(frame: pl.DataFrame, at: int) -> str:
    if at == frame.height:
        return "no further event"
    row = frame.row(at, named=True)
    time = next(value for name, value in row.items() if name.startswith("time"))
    seconds = time / 1e12 if isinstance(time, int) else time
    return f"{row['event']} of packet {row['sequence']} of {row['flow']} at {seconds:.12g} s"


_LOG = ["time_ps", "flow", "size", "ecn", "precedence"]
_IDENTITY = ["flow", "packet", "sequence", "acknowledgement", "retransmission"]
"""Columns of a trace that tell packets apart."""
_TRACE = {"time_ps", "event", "cause", "place", "class", "size", "precedence", "ecn", *_IDENTITY}
_SECOND = 10**12
_SIZES = 28, 65_535
"""Smallest and largest packet in bytes."""
_MOST_FLOWS = 1 << 20
_ECN = ("not-ect", "ect1", "ect0", "ce")
"""ECN codepoints in the order of their numbers."""
_HEADER = "arrivals are what 'penstock trace FILE --at LINK --format csv' or 'penstock emulate --log' writes"


@dataclass
class Recorded:
    """Arrivals at a queue in ascending order."""

    arrivals: list[tuple[int, str, int, int, int, int]] = field(default_factory=list)
    """Of each packet the time in ps, group and number of its flow, bytes, ECN codepoint, and drop precedence."""
    classes: dict[str, str] = field(default_factory=dict)  # class of each group of flows

    def add(self, time: int, flow: tuple[str, int], size: int, ecn: int, precedence: int) -> None:
        """Adds an arrival.

        Raises ValueError if it is before the last one, or has no size, codepoint or precedence of a packet; says why.
        """
        if self.arrivals and time < self.arrivals[-1][0]:
            raise ValueError(f"{time} ps is before the arrival before it, at {self.arrivals[-1][0]} ps")
        for name, value, (lowest, highest) in (
            ("size", size, _SIZES),
            ("ecn", ecn, (0, len(_ECN) - 1)),
            ("precedence", precedence, (0, 3)),
            ("flow", flow[1], (0, _MOST_FLOWS - 1)),
            ("time_ps", time, (0, 1 << 62)),
        ):
            if not lowest <= value <= highest:
                raise ValueError(f"{name} {value} is not from {lowest} to {highest}")
        self.arrivals.append((time, *flow, size, ecn, precedence))

    def networks(self, network: str, *, by_class: bool) -> dict[str, str]:
        """The network at two loads, from a rate of its bottleneck below and above that of the arrivals."""
        groups = [
            "\n".join(
                ["", "[[flows]]", f"name = {toml.value(name)}", 'from = "router"', 'to = "sink"', f"count = {count}"]
                + ([f"class = {toml.value(self.classes[name])}"] if by_class else [])
                + [f'source.packets = {{ at = ["0 s", "0 s"], sizes = ["28 bytes", "{self._largest} bytes"] }}', ""]
            )
            for name, count in self._counts().items()
        ]
        first, last = self.arrivals[0][0], self.arrivals[-1][0]
        bits = 8 * sum(size for _, _, _, size, *_ in self.arrivals)
        seconds = max(last - first, _SECOND // 1000) / _SECOND
        text = network.replace('duration = "5 s"', f'duration = "{last // _SECOND + 2} s"') + "".join(groups)
        return {
            f"recorded arrivals at a load of {load}": text.replace(
                'rate = "5 Mbit/s"', f'rate = "{max(1, round(bits / seconds / load))} bit/s"'
            )
            for load in (0.95, 1.25)
        }

    def opened(self, scenario: _core.Scenario) -> _core.Scenario:
        """A scenario of :meth:`networks` with the arrivals."""
        flows = self._counts()
        first = dict(zip(flows, accumulate(flows.values(), initial=0), strict=False))
        lines = [
            f"{time},{first[group] + number},{size},{ecn},{precedence}"
            for time, group, number, size, ecn, precedence in self.arrivals
        ]
        return _core.with_arrivals(scenario, list(flows), self._largest, "\n".join([",".join(_LOG), *lines, ""]))

    @property
    def _largest(self) -> int:
        return max(size for _, _, _, size, *_ in self.arrivals)

    def _counts(self) -> dict[str, int]:
        """Number of flows of each group."""
        counts: dict[str, int] = {}
        for _, group, number, *_ in self.arrivals:
            counts[group] = max(counts.get(group, 0), number + 1)
        return counts


def recorded(file: Path) -> Recorded:
    """The arrivals in a file.

    Raises InputError if it cannot be read, or is no trace of one link and no log of arrivals; the message has the
    line.
    """
    shown = path_text(str(file))
    rows = csv.reader(io.StringIO(read_log(file), newline=""), strict=True)
    found = Recorded()
    try:
        header = next(rows, [])
        if header == _LOG:
            for row in _rows(rows, header):
                time, flow, size, ecn, precedence = (_number(row, name) for name in _LOG)
                found.classes["real"] = "default"
                found.add(time, ("real", flow), size, ecn, precedence)
        elif set(header) >= _TRACE:
            _add_of_trace(found, _rows(rows, header))
        else:
            raise ValueError(f"has the columns {quoted(','.join(header))}; {_HEADER}")
    except (ValueError, csv.Error) as error:
        raise InputError(f"{shown}:{max(rows.line_num, 1)}: {error}.") from None
    if not found.arrivals:
        raise InputError(f"{shown}: has no arrivals; {_HEADER}.")
    return found


def _rows(rows: Iterable[list[str]], header: list[str]) -> Iterator[dict[str, str]]:
    for row in rows:
        if len(row) != len(header):
            raise ValueError(f"has {len(row)} columns, and the first line {len(header)}")
        yield dict(zip(header, row, strict=True))


def _number(row: Mapping[str, str], name: str) -> int:
    if not re.fullmatch(r"[0-9]{1,19}", row[name], re.ASCII):
        raise ValueError(f"{name} is {quoted(row[name])}, and not a number")
    return int(row[name])


def _add_of_trace(found: Recorded, rows: Iterable[Mapping[str, str]]) -> None:
    """Adds the packets that the port of a trace accepted, or dropped or marked without accepting them."""
    place = ""
    waiting: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        event, packet = row["event"], tuple(row[name] for name in _IDENTITY)
        if event == "transmit":
            waiting[packet] -= 1
        if event not in ("accept", "mark", "drop") or row["cause"] == "loss":
            continue
        if place and row["place"] != place:
            raise ValueError(
                f"is at {quoted(row['place'])}, and the lines before at {quoted(place)}; trace one link: --at"
            )
        place = row["place"]
        if event != "accept" and waiting[packet] > 0:
            waiting[packet] -= event == "drop"
            continue
        waiting[packet] += event != "drop"
        if row["ecn"] not in _ECN:
            raise ValueError(f"ecn is {quoted(row['ecn'])}, and not one of {', '.join(_ECN)}")
        # A mark by the queue is a mark of a packet that was ECN-capable.
        ecn = "ect0" if event == "mark" and row["cause"] == "discipline" else row["ecn"]
        flow = re.fullmatch(r"(.+)\[([0-9]{1,9})\]", row["flow"], re.ASCII)
        if flow is None:
            raise ValueError(f"flow is {quoted(row['flow'])}, and not a member of a group, such as tcp[3]")
        if found.classes.setdefault(flow[1], row["class"]) != row["class"]:
            raise ValueError(f"{quoted(row['flow'])} has the class {quoted(row['class'])}, and another one before")
        time, size, precedence = (_number(row, name) for name in ("time_ps", "size", "precedence"))
        found.add(time, (flow[1], int(flow[2])), size, _ECN.index(ecn), precedence)
