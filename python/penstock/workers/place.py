"""Kinds of workers: threads or processes of this machine, or a Dask cluster."""

from __future__ import annotations

import importlib.util
import os
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from penstock.errors import ArgumentError, InputError, advice
from penstock.printable import path_text, quoted

FORMS = "threads, processes, dask, dask://HOST:PORT or dask:NAME"
_ADDRESS = re.compile(r"dask://(\[[0-9a-fA-F:.]+\]|[^\s/:\[\]]+):(\d{1,5})/?", re.ASCII)
_CLASS = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", re.ASCII)
_KEYS = ("address", "deployer", "options", "workers")


@dataclass(frozen=True)
class Place:
    """Where runs are made, as `--on` says it."""

    kind: str = "threads"  # kind of the workers
    address: str = ""  # address of a running scheduler, such as `tcp://head:8786`
    deployer: str = ""  # class, with its module, that starts a cluster
    options: dict[str, Any] = field(default_factory=dict)  # arguments of that class
    workers: int | None = None  # number of workers to which it is scaled

    @property
    def is_elsewhere(self) -> bool:
        """Whether runs use memory and cores of other machines."""
        return bool(self.address or self.deployer)

    @classmethod
    def read(cls, text: str) -> Place:
        """Reads `--on`. Raises ArgumentError for unknown workers, InputError for wrong settings or if Dask is missing.

        >>> Place.read("processes").kind
        'processes'
        """
        if text in ("threads", "processes"):
            return cls(text)
        if text != "dask" and not text.startswith("dask:"):
            raise ArgumentError(f"there are no workers {quoted(text)}; allowed are {FORMS}.")
        needed = ("distributed", "cryptography") if text == "dask" else ("distributed",)
        if any(importlib.util.find_spec(each) is None for each in needed):
            raise InputError(f"{quoted(text)} needs Dask; install it with: {advice('cluster')}")
        if text == "dask":
            return cls("dask")
        if text.startswith("dask://"):
            found = _ADDRESS.fullmatch(text)
            if found is None or not 1 <= int(found[2]) <= 65535:
                raise ArgumentError(f"{quoted(text)} is no address of a scheduler, such as dask://head.lab:8786.")
            return cls("dask", address=f"tcp://{found[1]}:{found[2]}")
        return _entry(text.removeprefix("dask:"))


def _entry(name: str) -> Place:
    """The cluster of this name in PENSTOCK_CLUSTERS, else in penstock/clusters.toml of the user's settings."""
    chosen = os.environ.get("PENSTOCK_CLUSTERS")
    file = Path(chosen or Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "penstock/clusters.toml")
    shown = path_text(file)
    try:
        known = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        example = f'{name} = {{ address = "tcp://head.lab:8786" }}'
        raise InputError(
            f"{shown}: does not exist; a cluster called {quoted(name)} needs a line there: {example}"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{shown}: cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    if name not in known:
        there = ", ".join(map(quoted, known)) or "none"
        raise InputError(f"{shown}: names no cluster {quoted(name)}; there are: {there}.")
    entry = known[name]
    mistakes = _mistakes(entry)
    if mistakes:
        raise InputError("\n".join(f"{shown}: {name}: {mistake}" for mistake in mistakes))
    return Place("dask", **entry)


def _mistakes(entry: Any) -> list[str]:
    if not isinstance(entry, dict):
        return [f"must be a table with {', '.join(_KEYS)}."]
    found = [f"unknown key {quoted(key)}; allowed are {', '.join(_KEYS)}." for key in entry if key not in _KEYS]
    if ("address" in entry) == ("deployer" in entry):
        found.append("needs either address, of a scheduler that is there, or deployer, a class that starts one.")
    address, deployer = entry.get("address", "tcp://h:1"), entry.get("deployer", "a.B")
    if not isinstance(address, str) or re.fullmatch(r"(tcp|tls|ws|wss|ucx)://\S+:\d+", address) is None:
        found.append(f"address {quoted(str(address))} is not of the form tcp://head.lab:8786.")
    if not isinstance(deployer, str) or _CLASS.fullmatch(deployer) is None:
        found.append(f"deployer {quoted(str(deployer))} is no class with its module, such as distributed.SSHCluster.")
    if not isinstance(entry.get("options", {}), dict):
        found.append("options must be a table: what the deployer is called with.")
    workers = entry.get("workers", 1)
    if type(workers) is not int or workers < 1:
        found.append("workers must be a whole number from 1.")
    if "address" in entry:
        found += [f"{key} is for a deployer; leave it out." for key in ("options", "workers") if key in entry]
    return found
