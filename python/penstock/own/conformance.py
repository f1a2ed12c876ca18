"""The conformance kit: properties that every component must have, and the first difference to another component."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.errors import InputError, ScenarioError
from penstock.own.files import DEBUG
from penstock.own.recorded import Recorded
from penstock.own.subjects import CLASSES, NEEDS, RECORDED, SCENARIOS, Subject
from penstock.printable import quoted
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

    Parameters that `settings` do not have are those of the example of `against`, or else of the component, or the
    defaults. Runs with `arrivals` come first. `progress` is called before each run.

    Raises InputError if a parameter is missing or wrong, or if the kind has no arrivals or no runs.
    """
    subject.check(settings)
    found = Conformance(subject.key, against.key if against else None)
    cases = list(_cases(subject, against, settings, arrivals))
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
    use = f'use = "{subject.file.name}"\n' if subject.file else ""
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
    try:
        scenario = _core.Scenario(text, "conformance", [], folder)
        return scenario if arrivals is None else arrivals.opened(scenario)
    except _core.ScenarioError as error:
        raise ScenarioError(error.mistakes) from None


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
