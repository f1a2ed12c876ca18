"""Name of a run, and everything that it was made from, as its file says it: scenario, settings, versions, host."""

import hashlib
import json
import re
import socket
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from penstock import _core
from penstock.records import RunRequest

_FILE = re.compile(r"\b(file|distribution|matrix|use)\b")


@dataclass(frozen=True, slots=True)
class Made:
    """Where and when a run was made."""

    host: str  # name of the machine
    begin: str  # start in UTC, such as `2026-11-22T18:10:00Z`
    seconds: float  # elapsed time (s)
    folder: str | None = None  # folder of the files that the scenario names; None if it names none

    @classmethod
    def now(cls, seconds: float, request: RunRequest) -> Self:
        """Returns the values for a run that has just ended."""
        begin = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))
        folder = folder_of(request.scenario, request.sets, request.folder)
        return cls(socket.gethostname(), begin, round(seconds, 6), folder)

    def data(self) -> dict[str, Any]:
        """Returns the JSON form."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True, slots=True)
class PointOf:
    """The part of an origin that runs share that differ only in their replication."""

    scenario: str
    settings: tuple[tuple[str, str], ...]
    seed: int
    model_version: str

    @property
    def text_and_model(self) -> tuple[str, str]:
        """Everything but the settings and the seed."""
        return self.scenario, self.model_version


def point_of(request: RunRequest) -> PointOf:
    """Returns the point of a run that is made with this version."""
    return PointOf(scenario_hash(request.scenario), request.sets, request.seed, _core.MODEL_VERSION)


@dataclass(frozen=True, slots=True)
class Origin:
    """Everything that a run is made from, whether it finished or failed."""

    key: str  # name of its result in the store
    model_version: str  # version of the simulator: runs of one model version give the same numbers
    name: str  # name of the scenario
    scenario: str  # hash of the scenario's text, which the store keeps in `scenarios/`
    settings: tuple[tuple[str, str], ...]  # settings that were changed in that text, as path and value
    seed: int  # root of the random streams
    replication: int  # number of the independent run
    version: str  # version of the package
    made: Made | None  # where and when, if recorded

    @property
    def folder(self) -> str | None:
        """Folder of the files that the scenario names; None if it names none."""
        return None if self.made is None else self.made.folder

    @property
    def point(self) -> PointOf:
        """Its point."""
        return PointOf(self.scenario, self.settings, self.seed, self.model_version)

    def members(self) -> dict[str, Any]:
        """Returns the members of a file that say it."""
        own = {each.name: getattr(self, each.name) for each in fields(Origin)}
        return own | {"made": None if self.made is None else self.made.data()}

    def described(self, **more: Any) -> dict[str, Any]:
        """Returns the JSON form with `more` members before ``made``."""
        own = self.members()
        version, made = own.pop("model_version"), own.pop("made")
        return {**own, "settings": dict(self.settings), "model_version": version, **more, "made": made}


@dataclass(frozen=True, slots=True)
class Manifest(Origin):
    """Everything that a finished run was made from, and what identifies its outcome."""

    digest: str  # hash of everything that happened
    packet_hops: int  # number of packets that reached the far end of a link

    def data(self) -> dict[str, Any]:
        """Returns the JSON form."""
        return self.described(digest=self.digest, packet_hops=self.packet_hops)


def origin(key: str, request: RunRequest, made: Made | None) -> Origin:
    """Returns the origin of a run that is made with this version."""
    own = (key, _core.MODEL_VERSION, request.name, scenario_hash(request.scenario), request.sets)
    return Origin(*own, request.seed, request.replication, _core.version(), made)


def origin_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Reads the fields of an :class:`Origin` from the members of a file."""
    settings, made = data["settings"], data["made"]
    read = {"settings": tuple((path, value) for path, value in settings), "made": made and Made(**made)}
    return {each.name: data[each.name] for each in fields(Origin)} | read


class RunKeys:
    """The names of the runs of one scenario, whose common part is hashed once."""

    def __init__(self, canonical: str) -> None:
        self._started = hashlib.blake2b(f"[{json.dumps(canonical)}".encode(), digest_size=32)
        self._end = f", {json.dumps(_core.MODEL_VERSION)}]"

    def of(self, seed: int, replication: int) -> str:
        """Returns the name of a run; see :func:`run_key`."""
        started = self._started.copy()
        started.update(f', "{seed}", "{replication}"{self._end}'.encode())
        return started.hexdigest()


def run_key(canonical: str, seed: int, replication: int) -> str:
    """Returns the name of a run's result: 64 hexadecimal digits, which also depend on the model version."""
    return _keys(canonical, _core.MODEL_VERSION).of(seed, replication)


@lru_cache(maxsize=16)
def _keys(canonical: str, _version: str) -> RunKeys:
    return RunKeys(canonical)


@lru_cache(maxsize=16)
def scenario_hash(text: str) -> str:
    """Returns the name of a scenario's text in the store: 64 hexadecimal digits."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()


def folder_of(text: str, sets: Sequence[tuple[str, str]], folder: str | None) -> str | None:
    """Returns the absolute folder of the files that a scenario names; None if it has no key that could name one."""
    named = _names_files(text) or any(_FILE.search(f"{path} {value}") for path, value in sets)
    return str(Path(folder or ".").resolve()) if named else None


@lru_cache(maxsize=16)
def _names_files(text: str) -> bool:
    return _FILE.search(text) is not None


def in_order(run: Manifest) -> tuple[object, ...]:
    """Returns the sort key of a run in listings."""
    return run.name, run.scenario, run.settings, run.seed, run.model_version, run.replication, run.key


@dataclass(frozen=True, slots=True)
class StoredRuns:
    """Stored runs of one point."""

    first: Manifest  # what the run with the lowest number was made from
    count: int  # number of runs
    begun: str  # start of the last one; empty if not recorded
    size: int  # size of their files (bytes)


def merged(runs: Iterable[tuple[Manifest, int]]) -> list[StoredRuns]:
    """Joins the runs of each point, each given with the size of its file, in the order of :func:`in_order`."""
    points: dict[object, list[tuple[Manifest, int]]] = {}
    for run in sorted(runs, key=lambda each: in_order(each[0])):
        points.setdefault((run[0].name, run[0].point), []).append(run)
    found = []
    for own in points.values():
        begun = max("" if run.made is None else run.made.begin for run, _ in own)
        found.append(StoredRuns(own[0][0], len(own), begun, sum(size for _, size in own)))
    return found
