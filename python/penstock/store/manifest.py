"""What a run was made from, as its file says it: the scenario, the settings, the versions, where and when."""

from __future__ import annotations

import hashlib
import re
import socket
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import _core

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from penstock.records import RunRequest

__all__ = ["Made", "Manifest", "Origin", "folder_of", "members_of", "origin_of", "scenario_hash"]

_HASH = re.compile(r"[0-9a-f]{64}")
_FILE = re.compile(r"\b(file|distribution|matrix)\b")
_BEGIN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@dataclass(frozen=True, slots=True)
class Made:
    """Where and when a run was made.

    Parameters
    ----------
    host : str
        The machine.
    begin : str
        When it began: UTC, as in ``2026-11-22T18:10:00Z``.
    seconds : float, s
        How long it took by the clock.
    folder : str, optional
        Where the files are that the scenario names; none if it names none.
    """

    host: str
    begin: str
    seconds: float
    folder: str | None = None

    @classmethod
    def now(cls, seconds: float, request: RunRequest) -> Made:
        """Of a run that has just ended."""
        begin = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))
        folder = folder_of(request.scenario, request.sets, request.folder)
        return cls(socket.gethostname(), begin, round(seconds, 6), folder)

    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        known: dict[str, Any] = {"host": self.host, "begin": self.begin, "seconds": self.seconds}
        return known if self.folder is None else known | {"folder": self.folder}


@dataclass(frozen=True, slots=True)
class Origin:
    """What a run is made from, whether it has ended or failed.

    Parameters
    ----------
    key : str
        The name of its result in the store.
    model_version : str
        Of the simulator: runs of one model version give the same numbers.
    seed, replication : int
        Root of the random streams, and which of several independent runs.
    name : str
        What the scenario was called; empty in files of format 2.
    scenario : str
        Hash of the scenario's text, which the store has in ``scenarios/``; empty in files of format 2.
    settings : tuple of (str, str)
        What was changed in that text, as path and value.
    version : str
        Of the package; empty in files of format 2.
    made : Made or None
        Where and when, if that was noted.
    """

    key: str
    model_version: str
    seed: int
    replication: int
    name: str
    scenario: str
    settings: tuple[tuple[str, str], ...]
    version: str
    made: Made | None

    @property
    def folder(self) -> str | None:
        """Where the files are that the scenario names; None if it names none."""
        return None if self.made is None else self.made.folder

    def described(self, **more: Any) -> dict[str, Any]:
        """As JSON has it, with `more` before where and when."""
        return {
            "key": self.key,
            "name": self.name,
            "scenario": self.scenario,
            "settings": dict(self.settings),
            "seed": self.seed,
            "replication": self.replication,
            "version": self.version,
            "model_version": self.model_version,
            **more,
            "made": None if self.made is None else self.made.data(),
        }


@dataclass(frozen=True, slots=True)
class Manifest(Origin):
    """All that a run was made from, and what it came to.

    Parameters
    ----------
    key, model_version, seed, replication, name, scenario, settings, version, made
        As in :class:`Origin`.
    digest : str
        Hash of everything that happened.
    packet_hops : int
        Packets that reached the far end of a link.
    """

    digest: str
    packet_hops: int

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Manifest:
        """From the members of a run's file.

        Raises
        ------
        KeyError, TypeError, ValueError
            If one is missing, or is not of its type.
        """
        key, digest, version = data["key"], data["digest"], data["model_version"]
        integers = (data["seed"], data["replication"], data["packet_hops"])
        if any(type(it) is not str for it in (key, digest, version)) or any(type(it) is not int for it in integers):
            raise TypeError("head")
        if min(integers) < 0:
            raise ValueError("negative")
        seed, replication, packet_hops = integers
        origin = ("", "", (), "", None) if data["format"] == 2 else origin_of(data)
        return cls(key, version, seed, replication, *origin, digest, packet_hops)

    @property
    def point(self) -> tuple[str, str, tuple[tuple[str, str], ...], int, str]:
        """What runs have in common that differ only in their replication."""
        return self.name, self.scenario, self.settings, self.seed, self.model_version

    def data(self) -> dict[str, Any]:
        """As JSON has it."""
        return self.described(digest=self.digest, packet_hops=self.packet_hops)


def members_of(request: RunRequest, made: Made | None) -> dict[str, Any]:
    """What a file says of where a run comes from."""
    return {
        "name": request.name,
        "scenario": scenario_hash(request.scenario),
        "settings": list(request.sets),
        "seed": request.seed,
        "replication": request.replication,
        "version": _core.version(),
        "made": None if made is None else made.data(),
    }


def origin_of(data: Mapping[str, Any]) -> tuple[str, str, tuple[tuple[str, str], ...], str, Made | None]:
    """Name, scenario, settings, version, and where and when, from a file's members.

    Raises
    ------
    KeyError, TypeError, ValueError
        If one is missing, or is not of its type.
    """
    name, scenario, settings, version = data["name"], data["scenario"], data["settings"], data["version"]
    if type(name) is not str or type(version) is not str or type(settings) is not list:
        raise TypeError("head")
    if not _HASH.fullmatch(scenario):
        raise ValueError("scenario")
    pairs = []
    for path, value in settings:
        if type(path) is not str or type(value) is not str:
            raise TypeError("settings")
        pairs.append((path, value))
    return name, scenario, tuple(pairs), version, _made(data["made"])


@lru_cache(maxsize=16)
def scenario_hash(text: str) -> str:
    """The name of a scenario's text in the store: 64 hexadecimal digits."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()


def folder_of(text: str, sets: Sequence[tuple[str, str]], folder: str | None) -> str | None:
    """Where the files are that a scenario names, as an absolute path; None if it cannot name any.

    A text that has none of the keys that may name one certainly names none.
    """
    named = _names_files(text) or any(_FILE.search(f"{path} {value}") for path, value in sets)
    return str(Path(folder or ".").resolve()) if named else None


@lru_cache(maxsize=16)
def _names_files(text: str) -> bool:
    return _FILE.search(text) is not None


def _made(data: Any) -> Made | None:
    if data is None:
        return None
    host, begin, seconds = data["host"], data["begin"], data["seconds"]
    if type(host) is not str or type(seconds) not in (int, float) or not _BEGIN.fullmatch(begin):
        raise TypeError("made")
    folder = data.get("folder")
    if folder is not None and type(folder) is not str:
        raise TypeError("folder")
    return Made(host, begin, float(seconds), folder)
