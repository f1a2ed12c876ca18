"""File of a run, named by its simulation: readable JSON with numbers, what it was made from, and a checksum."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

from penstock import _core, toml
from penstock.printable import utf8
from penstock.records import Decided, Measured, Metric, RunRequest, RunResult
from penstock.store.folder import FORMAT, DamagedError, opened, sealed
from penstock.store.manifest import Made, Manifest, origin, origin_of

LARGEST = 1 << 30  # maximum size of a run's file in an archive, in bytes; about ten million metrics


@dataclass(frozen=True, slots=True)
class Record:
    """A finished run as its file holds it."""

    key: str
    content: bytes


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run found in the store."""

    metrics: Sequence[Metric]  # its numbers
    manifest: Manifest  # everything it was made from
    measured: Measured | None = None  # which numbers belong to which measure
    decided: Sequence[Decided] | None = None  # what decided the numbers without showing in them

    def with_measures(self, asked: Sequence[str]) -> Self | None:
        """Returns the run with the numbers of these measures only; None if some are missing."""
        if (metrics := pick(asked, self.metrics, self.measured)) is None:
            return None
        return self if metrics is self.metrics else replace(self, metrics=metrics, measured=None)

    def result(self, request: RunRequest, window: tuple[float, float]) -> RunResult:
        """Returns the run as the result of `request`; `window` is the counted interval in seconds."""
        of = (request, self.metrics, self.manifest.digest, self.manifest.packet_hops)
        return RunResult(*of, cached=True, window=window, decided=self.decided)


def encode(
    key: str,
    request: RunRequest,
    digest: str,
    packet_hops: int,
    metrics: Iterable[Metric],
    made: Made | None = None,
    measured: Measured | None = None,
    decided: Sequence[Decided] | None = None,
) -> bytes:
    """Returns the content of a run's file."""
    head: dict[str, Any] = {
        "format": FORMAT,
        **origin(key, request, made).members(),
        "digest": digest,
        "packet_hops": packet_hops,
        "measured": None if measured is None else [list(pair) for pair in measured],
        "decided": None if decided is None else [list(each) for each in decided],
    }
    rows = (
        {"name": metric.name, "labels": metric.labels, "unit": metric.unit, "value": _written(metric.value)}
        for metric in metrics
    )
    lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    table = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    return sealed([*lines, ' "metrics": [', table, " ],"])


def decode(content: bytes, key: str) -> StoredRun | None:
    """Reads the run `key`; None if its format is earlier. Raises DamagedError if altered, NewerError if it is later."""
    data = opened(content)
    if data["format"] < FORMAT:
        return None
    try:
        metrics = list(map(_metric, data["metrics"]))
        manifest = Manifest(**origin_of(data), digest=data["digest"], packet_hops=data["packet_hops"])
        run = StoredRun(metrics, manifest, _tuples(data["measured"]), _tuples(data["decided"]))
        counts = [len(metrics)] if run.measured is None else [count for _, count in run.measured]
        is_whole = min(counts, default=0) >= 0 and sum(counts) == len(metrics)
    except Exception as error:  # a file with a correct checksum that no release has written
        raise DamagedError(f"matches its checksum but cannot be decoded ({type(error).__name__})") from error
    if run.manifest.key != key:
        raise DamagedError(f"is the file of another run, {run.manifest.key[:64]!r}")
    if not is_whole:
        raise DamagedError(f"has {len(metrics)} numbers but claims others")
    return run


def _metric(row: dict[str, Any]) -> Metric:
    return Metric(*_label(row["name"], tuple(row["labels"].items()), row["unit"]), float(row["value"]))


@lru_cache(maxsize=4096)
def _label(name: str, labels: tuple[tuple[str, str], ...], unit: str) -> tuple[str, dict[str, str], str]:
    """Returns the name, labels and unit of a metric; all runs share one copy."""
    return name, dict(labels), unit


def _tuples(data: list[list[Any]] | None) -> Any:
    return None if data is None else [tuple(each) for each in data]


def _written(value: float) -> float | str:
    """Returns the value as JSON writes it; Python's digits restore every finite number to the last bit."""
    value = float(value)
    return value if math.isfinite(value) else repr(value)


def pick(asked: Sequence[str], metrics: Sequence[Metric], measured: Measured | None) -> Sequence[Metric] | None:
    """Returns the numbers of the `asked` measures, in canonical form, of a run with others too; None if some miss."""
    if measured is None or [text for text, _ in measured] == list(asked):
        return metrics
    places: dict[str, range] = {}
    at = 0
    for text, count in measured:
        places.setdefault(text, range(at, at + count))
        at += count
    if any(text not in places for text in asked):
        return None
    return [metrics[place] for text in asked for place in places[text]]


def measuring(
    request: RunRequest, scenario: _core.Scenario, measures: Iterable[str]
) -> tuple[RunRequest, _core.Scenario] | None:
    """Returns the same run with other measures, in canonical form; None if no scenario can have all of them."""
    texts = [text for text in dict.fromkeys(measures) if text != scenario.measures[-1]]
    try:
        value = toml.value([json.loads(text) for text in texts])
    except ValueError:  # the default measures of a scenario that names none
        return None
    kept = tuple(pair for pair in request.sets if pair[0].partition("[")[0] != "measure")
    sets = (*kept, ("measure", value))
    try:
        read = _core.Scenario(request.scenario, utf8(request.name), list(sets), request.folder, leave_out=True)
    except _core.ScenarioError:
        return None
    same = read.canonical == scenario.canonical and read.measures == [*texts, scenario.measures[-1]]
    return (replace(request, sets=sets), read) if same else None
