"""Reads Parquet files of scenarios as CSV for the core, which has no reader for them and checks the rows.

A process of its own reads a file (``python -m penstock.feed FILE [+NEEDED | -OPTIONAL]...``), since a damaged file can
make the library panic, and a small one can expand arbitrarily. It writes the columns to standard output, with texts in
quotes, or a line with :data:`MARK` to standard error.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

LARGEST = 2**30
"""Maximum size of the CSV in bytes, as for CSV files."""
MARK = "mistake: "
"""Start of the line that says why a file cannot be read."""
MEMORY = 4 * 2**30
"""Limit of the process's memory in bytes."""
SECONDS = 120
"""Limit of its CPU time in seconds."""
_KEPT = 64 * 2**20
"""Maximum size in bytes of rows that are cached for the next scenario, such as the next point of a study."""
_CHUNK = 2**20

_last: dict[tuple[str, ...], bytes] = {}
"""The rows read last, by digest of the file and columns."""


def parquet_as_csv(file: Path, columns: Sequence[tuple[str, bool]]) -> bytes:
    """Returns columns of a Parquet file as CSV.

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
    if key in _last:
        return _last[key]
    rows = _read([str(file), *words])
    _last.clear()
    if len(rows) <= _KEPT:
        _last[key] = rows
    return rows


def _read(words: list[str]) -> bytes:
    """Returns the output of the reading process."""
    from penstock.workers.pipe import environment

    command = [sys.executable, "-P", "-m", "penstock.feed", *words]
    chunks, size = [], 0
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said, env=environment()
        ) as reader:
            assert reader.stdout is not None  # it is a pipe
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


def main(file: str, words: list[str]) -> int:
    """Writes the named columns, or all if none is named; returns the exit code."""
    _limit()
    # One thread reserves less memory and reads small files as fast.
    os.environ["POLARS_MAX_THREADS"] = "1"
    import polars

    try:
        schema = polars.read_parquet_schema(file)
        missing = [word[1:] for word in words if word[0] == "+" and word[1:] not in schema]
        if missing:
            needed = ", ".join(word[1:] for word in words if word[0] == "+")
            return _refuse(f"has no column {_list(missing)} but {_list(schema)}; it needs {needed}")
        names = [word[1:] for word in words if word[1:] in schema] if words else list(schema)
        nested = [name for name in names if schema[name].is_nested()]
        if nested:
            return _refuse(f"holds lists or tables in the column {_list(nested)}, which must be numbers or texts")
        rows = polars.scan_parquet(file, glob=False, hive_partitioning=False).select(names)
        rows.sink_csv(sys.stdout.buffer, quote_style="non_numeric")
    except MemoryError:
        return _refuse(f"takes more than {MEMORY >> 30} GiB of memory to read")
    except Exception as error:
        first = (str(error).splitlines() or [type(error).__name__])[0][:300]
        return _refuse(f"cannot be read as Parquet: {first}")
    except BaseException:
        # A panic of the library, whose text is for the library's authors.
        return _refuse("cannot be read as Parquet: it is damaged")
    return 0


def _limit() -> None:
    """Limits memory and CPU time, if the system supports it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        for what, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_CORE, 0)):
            _, hard = resource.getrlimit(what)
            resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _refuse(message: str) -> int:
    sys.stderr.write(f"\n{MARK}{message}\n")
    return 3


def _list(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in list(names)[:20])


if __name__ == "__main__":
    # An exit without the library's threads having ended.
    code = main(sys.argv[1], sys.argv[2:])
    sys.stdout.flush()
    os._exit(code)
