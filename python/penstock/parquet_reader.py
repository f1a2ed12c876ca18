"""Program that reads a Parquet file: ``python -m penstock.parquet_reader FILE [+NEEDED | -OPTIONAL]...``.

It writes the columns to standard output as CSV, with texts in quotes, or a line with :data:`MARK` to standard error.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

MARK = "mistake: "
"""Start of the line that says why a file cannot be read."""
MEMORY = 4 * 2**30
"""Limit of memory in bytes."""
SECONDS = 120
"""Limit of CPU time in seconds."""


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
        return _refuse(f"cannot be read as Parquet: {_first_line(error)}")
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


def _list(names: object) -> str:
    return ", ".join(f"'{name}'" for name in list(names)[:20])  # type: ignore[call-overload]


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:300]


if __name__ == "__main__":
    # An exit without the library's threads having ended.
    code = main(sys.argv[1], sys.argv[2:])
    sys.stdout.flush()
    os._exit(code)
