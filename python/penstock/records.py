"""Records of a run: request, result, failure and progress."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from penstock.printable import command_text, file_word, printable_lines, shortened

MOST_RUNS = 100_000  # maximum number of runs of one scenario; the results of all of them are held in memory


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A run to be made.

    Parameters
    ----------
    scenario : str
        TOML text of the scenario.
    sets : tuple of (str, str)
        Settings changed after reading, as path and value.
    seed : int
        Root of the random streams.
    replication : int
        Number of the independent run, from 0.
    name : str
        Name of the scenario in results and messages.
    hops : float
        Estimated number of packet-hops, 0 if unknown; only for estimating the remaining time.
    folder : str, optional
        Folder of the files that the scenario names; the current one if left out.
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
    """A number of a run, in `unit`; the labels distinguish it from others of the same name."""

    name: str
    labels: dict[str, str]
    unit: str
    value: float

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles it four times as fast as a dataclass with slots."""
        return Metric, (self.name, self.labels, self.unit, self.value)

    @property
    def selector(self) -> str:
        """Its name and its labels, which distinguish it."""
        return f"{self.name}[{', '.join(self.labels.values())}]" if self.labels else self.name


RUNS = {"of": "runs"}
"""Labels of a condition, which is 1 in a run that meets it and 0 in others, so that its mean is a share of runs."""


Measured = Sequence[tuple[str, int]]
"""The measures of a run, in order: each in canonical form, with its number of values."""

Decided = tuple[str, str, str, float]
"""A cause of a run's numbers that they do not show: kind, component, value, and its share of the run."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The result of a run.

    Parameters
    ----------
    request : RunRequest
        The request.
    metrics : sequence of Metric
        The numbers, in the order of the scenario; each once, even if several measurements ask for it.
    digest : str
        Hash of everything that happened, hexadecimal.
    packet_hops : int
        Number of packets that reached the far end of a link.
    cached : bool
        Whether it came from the store.
    threads : int or None
        Number of cores that mostly worked on it; None if it came from the store.
    window : (float, float) or None, s
        Counted interval: the ends of the warm-up and of the run.
    decided : sequence of Decided or None
        What shaped the numbers without showing in them; None if unknown.
    """

    request: RunRequest
    metrics: Sequence[Metric]
    digest: str
    packet_hops: int
    cached: bool = False
    threads: int | None = None
    window: tuple[float, float] | None = None
    decided: Sequence[Decided] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "metrics", each_once(self.metrics))


def each_once(metrics: Sequence[Metric]) -> Sequence[Metric]:
    """Returns the numbers of a run, each once: repetitions, of several measurements, would count as further runs."""
    distinct: dict[tuple[object, ...], Metric] = {}
    for metric in metrics:
        distinct.setdefault((metric.name, metric.unit, *metric.labels.items()), metric)
    return metrics if len(distinct) == len(metrics) else list(distinct.values())


@dataclass(frozen=True, slots=True)
class RunFailure:
    """A failed run with the reason and the file of its scenario; `ours` if the fault is the simulator's."""

    request: RunRequest
    message: str
    ours: bool
    file: str | None = None

    def __str__(self) -> str:
        request = self.request
        whose = " (a bug in Penstock, please report it)" if self.ours else ""
        sets = [word for path, value in request.sets for word in ("--set", f"{path}={value}")]
        which = ["--seed", str(request.seed), "--replication", str(request.replication)]
        command = command_text(["penstock", "run", file_word(self.file or f"{request.name}.toml"), *sets, *which])
        return (
            f"{shortened(request.name, 100)}, seed {request.seed}, replication {request.replication} failed{whose}: "
            f"{printable_lines(self.message)}\n  repeat that one run: {command}"
        )


@dataclass(slots=True)
class Status:
    """Progress of :func:`run_all`.

    Parameters
    ----------
    total, done, cached, failed : int
        Number of runs in all, finished, taken from the store (these count as finished), and failed.
    packet_hops : int
        Packet-hops of the runs that were computed.
    work, worked : float
        Expected packet-hops of all runs to be computed, and of those that have ended; 0 if one is unknown.
    replaced : int
        Number of worker processes that died; their runs are repeated.
    notes : tuple of str
        Messages for the user, such as the address of a cluster's dashboard.
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
