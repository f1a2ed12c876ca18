"""A run's file: JSON that people and programs can read, with all that the run was made from, and its checksum."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.records import Metric, RunResult
from penstock.store.folder import located
from penstock.store.manifest import Manifest, members_of
from penstock.store.sealed import FORMAT, DamagedError, NewerError, content_of, decoded, sealed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from penstock.records import Decided, RunRequest
    from penstock.store.manifest import Made
    from penstock.store.measured import Measured

__all__ = ["DamagedError", "NewerError", "StoredRun", "encode", "load", "load_below"]

LARGEST = 1 << 30
"""Bytes; about ten million metrics, and well below what a damaged size field may claim."""

_OLD = re.compile(rb'\{\n "format": 1,\n "key": "[0-9a-f]{64}",\n')
"""How files of format 1 begin, whose checksum was of another file."""
_UNREADABLE = (errno.EIO, errno.EBADMSG, errno.EUCLEAN, errno.ENXIO, errno.ENODEV)
"""What the system says of a file whose blocks are lost, or that is a socket or a device without a driver."""
_UNUSUAL = ("nan", "inf", "-inf")
"""Values that JSON has no numbers for."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run found in the store; `manifest` is what it was made from."""

    metrics: Sequence[Metric]
    digest: str
    packet_hops: int
    manifest: Manifest | None = None
    measured: Measured | None = None
    """Which numbers belong to which measure; unknown in files of format 3 and before."""
    decided: Sequence[Decided] | None = None
    """What decided the numbers without showing in them; unknown in files of format 4 and before."""

    def result(self, request: RunRequest, window: tuple[float, float]) -> RunResult:
        """The result of `request`, which counts from and to `window`, in s."""
        of = (request, self.metrics, self.digest, self.packet_hops)
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
    """The content of a run's file."""
    head: dict[str, Any] = {
        "format": FORMAT,
        "key": key,
        "model_version": _core.MODEL_VERSION,
        **members_of(request, made),
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
        None if the file is of the first format.

    Raises
    ------
    DamagedError
        If the content is not what was written.
    NewerError
        If a newer version has written it.
    """
    try:
        return decode(content_of(file, size, LARGEST), key)
    except DamagedError as error:
        if str(error).startswith("does not end") and _OLD.match(os.pread(file, 256, 0)):
            return None
        raise


def load_below(folder: int, path: Path, key: str) -> StoredRun | None:
    """Reads the run's file at `path`, of which `folder` is the open parent; see :func:`load`."""
    # A pipe would wait for a writer.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    with located(path):
        try:
            file = os.open(path.name, flags, dir_fd=folder)
            try:
                status = os.fstat(file)
                if not stat.S_ISREG(status.st_mode):
                    raise DamagedError("is not a file but something else")
                return load(file, status.st_size, key)
            finally:
                os.close(file)
        except OSError as error:
            if error.errno in _UNREADABLE:
                raise DamagedError(f"cannot be read ({error.strerror})") from error
            raise


def decode(content: bytes, key: str) -> StoredRun | None:
    """The run in a file whose checksum is right; see :func:`load`."""
    try:
        return _decode(decoded(content), key)
    except (DamagedError, NewerError):
        raise
    except Exception as error:  # whatever a decoder may raise: RecursionError and MemoryError are among it
        raise DamagedError(f"matches its checksum but cannot be decoded ({type(error).__name__})") from error


def _decode(data: dict[str, Any], key: str) -> StoredRun | None:
    if data["format"] == 1:
        return None
    if data["format"] < 1:
        raise ValueError("format")
    if data["key"] != key:
        raise DamagedError(f"is the file of another run, {str(data['key'])[:64]!r}")
    manifest = Manifest.read(data)
    if type(data["metrics"]) is not list:
        raise TypeError("metrics")
    metrics = [_metric(row) for row in data["metrics"]]
    measured = _measured(data["measured"] if data["format"] > 3 else None, len(metrics))
    decided = _decided(data["decided"] if data["format"] > 4 else None)
    return StoredRun(metrics, manifest.digest, manifest.packet_hops, manifest, measured, decided)


def _measured(data: Any, numbers: int) -> Measured | None:
    if data is None:
        return None
    if any(type(text) is not str or type(count) is not int or count < 0 for text, count in data):
        raise TypeError("measured")
    if sum(count for _, count in data) != numbers:
        raise DamagedError(f"has {numbers} numbers and says that it has others")
    return [(text, count) for text, count in data]


def _decided(data: Any) -> list[Decided] | None:
    if data is None:
        return None
    if type(data) is not list or any([type(part) for part in each] != [str, str, str, float] for each in data):
        raise TypeError("decided")
    return [(kind, of, what, share) for kind, of, what, share in data]


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
