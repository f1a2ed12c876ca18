"""A run's file: JSON that people and programs can read, ending in a checksum of every byte before it.

The checksum is compared before anything is decoded, so no decoder sees what the disk, a copy or an editor has altered.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.records import Metric

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.records import RunRequest

__all__ = ["DamagedError", "StoredRun", "encode", "load"]

FORMAT = 2
"""Counts changes of the file's layout; runs of another layout count as missing."""
LARGEST = 1 << 30
"""Bytes; about ten million metrics, and well below what a damaged size field may claim."""

_SEAL = re.compile(rb'"([0-9a-f]{32})"\n}\n')
_SEAL_LENGTH = 37
_OLD = re.compile(rb'\{\n "format": 1,\n "key": "[0-9a-f]{64}",\n')
"""How files of format 1 begin, whose checksum was of another file."""
_UNUSUAL = ("nan", "inf", "-inf")
"""Values that JSON has no numbers for."""


class DamagedError(Exception):
    """A run's file is not what was written; the text says why, as in "it ...", without the file's name."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run found in the store."""

    metrics: list[Metric]
    digest: str
    packet_hops: int


def encode(key: str, request: RunRequest, digest: str, packet_hops: int, metrics: Iterable[Metric]) -> bytes:
    """The content of a run's file."""
    head: dict[str, Any] = {
        "format": FORMAT,
        "key": key,
        "model_version": _core.MODEL_VERSION,
        "seed": request.seed,
        "replication": request.replication,
        "digest": digest,
        "packet_hops": packet_hops,
    }
    rows = (
        {"name": metric.name, "labels": metric.labels, "unit": metric.unit, "value": _written(metric.value)}
        for metric in metrics
    )
    lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in head.items()]
    table = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    text = "\n".join(["{", *lines, ' "metrics": [', table, " ],", ' "checksum": '])
    content = text.encode("ascii")
    return content + _seal(content)


def load(file: int, size: int, key: str) -> StoredRun | None:
    """Reads the run called `key` from an open file.

    Parameters
    ----------
    file : int
        Descriptor of a regular file.
    size : int, bytes
        The file's size.
    key : str
        The run's name, which the content must bear too.

    Returns
    -------
    StoredRun or None
        None if the file is of another format.

    Raises
    ------
    DamagedError
        If the content is not what was written.
    """
    if size > LARGEST:
        raise DamagedError(f"has {size} bytes, more than any run")
    # The seal first: what does not end in one need not be read, however large it claims to be.
    if not _SEAL.fullmatch(os.pread(file, _SEAL_LENGTH, max(0, size - _SEAL_LENGTH))):
        if _OLD.match(os.pread(file, 256, 0)):
            return None
        raise DamagedError("does not end in a checksum" if size else "is empty")
    try:
        content = _read(file, size)
        if _seal(content[:-_SEAL_LENGTH]) != content[-_SEAL_LENGTH:]:
            raise DamagedError("does not match its checksum")
        return _decode(json.loads(content), key)
    except (DamagedError, OSError):
        raise
    except Exception as error:  # whatever a decoder may raise: RecursionError and MemoryError are among it
        raise DamagedError(f"matches its checksum but cannot be decoded ({type(error).__name__})") from error


def _read(file: int, size: int) -> bytes:
    """All of it, and not more than the size that was looked at."""
    pieces = []
    offset = 0
    while offset < size and (piece := os.pread(file, min(size - offset, 1 << 24), offset)):
        pieces.append(piece)
        offset += len(piece)
    return b"".join(pieces)


def _decode(data: Any, key: str) -> StoredRun | None:
    if type(data["format"]) is not int:
        raise TypeError("format")
    if data["format"] != FORMAT:
        return None
    if data["key"] != key:
        raise DamagedError(f"is the file of another run, {str(data['key'])[:64]!r}")
    digest, packet_hops = data["digest"], data["packet_hops"]
    integers = (data["seed"], data["replication"], packet_hops)
    if type(digest) is not str or type(data["model_version"]) is not str or any(type(it) is not int for it in integers):
        raise TypeError("head")
    if packet_hops < 0:
        raise ValueError("packet_hops")
    if type(data["metrics"]) is not list:
        raise TypeError("metrics")
    return StoredRun([_metric(row) for row in data["metrics"]], digest, packet_hops)


def _metric(row: Any) -> Metric:
    name, labels, unit, value = row["name"], row["labels"], row["unit"], row["value"]
    if type(name) is not str or type(unit) is not str or type(labels) is not dict:
        raise TypeError("metric")
    if any(type(label) is not str for label in labels.values()):
        raise TypeError("labels")
    if type(value) is not float and value not in _UNUSUAL:
        raise TypeError("value")
    return Metric(name, labels, unit, float(value))


def _written(value: float) -> float | str:
    """The value as JSON writes it; Python's digits give back every finite number to the last bit."""
    value = float(value)
    return value if math.isfinite(value) else repr(value)


def _seal(content: bytes) -> bytes:
    return b'"%s"\n}\n' % hashlib.blake2b(content, digest_size=16).hexdigest().encode()
