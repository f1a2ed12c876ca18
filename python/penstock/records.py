"""The records of a run: its request, and its result or failure."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from penstock.printable import command_text, printable_lines, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "RUNS",
    "Decided",
    "Metric",
    "MetricRow",
    "RunFailure",
    "RunRequest",
    "RunResult",
    "Status",
    "collection_paused",
    "collection_resumed",
]


_pauses: list[bool] = []
"""For each pause that is under way, whether it has begun it."""


@contextmanager
def collection_paused() -> Iterator[None]:
    """Leaves out looking for circles among objects, which takes most of the time where very many records are made.

    Records have no circles.
    """
    _pauses.append(gc.isenabled())
    gc.disable()
    try:
        yield
    finally:
        if _pauses.pop():
            gc.enable()


@contextmanager
def collection_resumed() -> Iterator[None]:
    """Looks for circles again within a pause, for as long as something else is done that may take hours."""
    is_paused = any(_pauses)
    if is_paused:
        gc.enable()
    try:
        yield
    finally:
        if is_paused:
            gc.disable()


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run to be made.

    Parameters
    ----------
    scenario : str
        The scenario's TOML text.
    sets : tuple of (str, str)
        Settings changed after reading, as path and value.
    seed : int
        Root of the random streams.
    replication : int
        Which of several statistically independent runs this is, from 0.
    name : str
        What the scenario is called in results and messages.
    hops : float
        About how many packet-hops it takes, 0 if unknown; only for estimating the remaining time.
    folder : str, optional
        Where the files are that the scenario names; the current one if left out.
    """

    scenario: str
    sets: tuple[tuple[str, str], ...] = ()
    seed: int = 1
    replication: int = 0
    name: str = "scenario"
    hops: float = 0.0
    folder: str | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """One number of one run, in `unit`; the labels tell it from others of its name."""

    name: str
    labels: dict[str, str]
    unit: str
    value: float


class MetricRow(Sequence[Metric]):
    """The metrics of one of many runs that measure the same; each is put together when it is looked at.

    Parameters
    ----------
    shape : sequence of (str, dict of str to str, str)
        Name, labels and unit of each; one object that all these runs share.
    values : sequence of float
        Their values.
    """

    __slots__ = ("shape", "values")

    def __init__(self, shape: Sequence[tuple[str, dict[str, str], str]], values: Sequence[float]) -> None:
        if len(shape) != len(values):
            raise ValueError(f"{len(values)} values of {len(shape)} metrics")
        self.shape = shape
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Metric]:
        for (name, labels, unit), value in zip(self.shape, self.values, strict=True):
            yield Metric(name, labels, unit, value)

    @overload
    def __getitem__(self, index: int) -> Metric: ...
    @overload
    def __getitem__(self, index: slice) -> list[Metric]: ...
    def __getitem__(self, index: int | slice) -> Metric | list[Metric]:
        if isinstance(index, slice):
            return list(self)[index]
        return Metric(*self.shape[index], self.values[index])

    def __eq__(self, other: Any) -> bool:
        return list(self) == list(other) if isinstance(other, (list, MetricRow)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # equal to lists, which have none

    def __repr__(self) -> str:
        return repr(list(self))


RUNS = {"of": "runs"}
"""The labels of a condition, which is 1 in a run that meets it and 0 in others, so that its mean is a share of runs."""


Decided = tuple[str, str, str, float]
"""What decided the numbers of a run without showing in them: the kind, of what, what it was, its share of the run."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """What one run gave.

    Parameters
    ----------
    request : RunRequest
        What was asked for.
    metrics : sequence of Metric
        The numbers, in the scenario's order.
    digest : str
        Hash of everything that happened, hexadecimal.
    packet_hops : int
        Packets that reached the far end of a link.
    cached : bool
        Whether it came from the store.
    threads : int or None
        On how many cores it was made, for the most part; unknown if it came from the store.
    window : (float, float) or None, s
        From when to when was counted: the end of the warm-up and of the run.
    decided : sequence of Decided or None
        What decided the numbers without showing in them; unknown if an older version has stored the run.
    """

    request: RunRequest
    metrics: Sequence[Metric]
    digest: str
    packet_hops: int
    cached: bool = False
    threads: int | None = None
    window: tuple[float, float] | None = None
    decided: Sequence[Decided] | None = None


@dataclass(frozen=True, slots=True)
class RunFailure:
    """A run that failed, why, and how to repeat it; `ours` if the fault is the simulator's."""

    request: RunRequest
    message: str
    ours: bool
    file: str | None = None

    def __str__(self) -> str:
        request = self.request
        whose = " (a bug in Penstock, please report it)" if self.ours else ""
        sets = [word for path, value in request.sets for word in ("--set", f"{path}={value}")]
        which = ["--seed", str(request.seed), "--replication", str(request.replication)]
        command = command_text(["penstock", "run", self.file or f"{request.name}.toml", *sets, *which])
        return (
            f"{shortened(request.name, 100)}, seed {request.seed}, replication {request.replication} failed{whose}: "
            f"{printable_lines(self.message)}\n  repeat that one run: {command}"
        )


@dataclass(slots=True)
class Status:
    """How far :func:`run_all` is: counts of runs, and packet-hops of those that were computed now.

    `work` and `worked` are the expected packet-hops of all runs to be computed and of those that have ended; both 0 if
    not all requests tell theirs. `replaced` are worker processes that ended before their runs, which are made again;
    `notes` is what people should know meanwhile, such as where a cluster shows what it does.
    """

    total: int
    done: int = 0
    cached: int = 0
    failed: int = 0
    packet_hops: int = 0
    work: float = 0.0
    worked: float = 0.0
    replaced: int = 0
    notes: tuple[str, ...] = ()
