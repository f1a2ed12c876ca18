"""Reads input files of scenarios that the core has no reader for."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from typing import IO, TYPE_CHECKING

from penstock.parquet_reader import MARK, MEMORY, SECONDS
from penstock.workers.environment import environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LARGEST = 2**30
"""Maximum size of the CSV in bytes, as for CSV files."""
_KEPT = 64 * 2**20
"""Maximum size in bytes of rows that are cached for the next scenario, such as the next point of a study."""
_CHUNK = 2**20

_last: dict[tuple[str, ...], bytes] = {}
"""The rows read last, by digest of the file and columns."""


def parquet_as_csv(file: Path, columns: Sequence[tuple[str, bool]]) -> bytes:
    """Returns columns of a Parquet file as CSV for the core, which checks the rows.

    A separate process reads the file, since a damaged file can make the library panic, and a small one can expand
    arbitrarily.

    Raises ValueError if the file is not Parquet, lacks a column, has a nested column, or expands too much.

    `columns`: the columns, each with whether it is required; all columns if empty.
    """
    try:
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "blake2b").hexdigest()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from error
    words = [f"{'+' if required else '-'}{name}" for name, required in columns]
    key = (digest, *words)
    kept = _last.get(key)
    if kept is not None:
        return kept
    rows = _read([str(file), *words])
    _last.clear()
    if len(rows) <= _KEPT:
        _last[key] = rows
    return rows


def _read(words: list[str]) -> bytes:
    """Returns the output of the reading process."""
    command = [sys.executable, "-P", "-m", "penstock.parquet_reader", *words]
    chunks, size = [], 0
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said, env=environment()
        ) as reader:
            if reader.stdout is None:
                raise ValueError("cannot be read as Parquet: no process to read it")
            while chunk := reader.stdout.read(_CHUNK):
                chunks.append(chunk)
                size += len(chunk)
                if size > LARGEST:
                    reader.kill()
                    raise ValueError(f"becomes more than {LARGEST >> 20} MiB of rows, which is the most that is read")
        if reader.returncode == 0:
            return b"".join(chunks)
        raise ValueError(_reason(said, reader.returncode))


def _reason(said: IO[bytes], code: int) -> str:
    """Returns why nothing could be read: the message of the process, or its exit code."""
    said.seek(0)
    for line in said.read().decode(errors="replace").splitlines():
        if line.startswith(MARK):
            return line.removeprefix(MARK)
    limits = f"{MEMORY >> 30} GiB of memory and {SECONDS} s"
    return f"cannot be read as Parquet within {limits} (the process that read it ended with {code})"
