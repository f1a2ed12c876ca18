"""Reads Parquet files of scenarios as CSV for the core, which has no reader for them and checks the rows."""

import hashlib
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

LARGEST = 2**30  # maximum size of the CSV in bytes, as for CSV files
_KEPT = 64 * 2**20
"""Maximum size in bytes of rows that are cached for the next scenario, such as the next point of a study."""

_last: dict[tuple[str, ...], bytes] = {}  # the rows read last, by digest of the file and columns


def parquet_as_csv(file: Path, columns: Sequence[tuple[str, bool]]) -> bytes:
    """Returns the `columns` of a Parquet file (all if empty; each with whether it is required) as CSV, texts in quotes.

    Raises ValueError if the file is not Parquet, lacks a column, has a nested column, or expands too much.
    """
    try:
        with file.open("rb") as opened:
            digest = hashlib.file_digest(opened, "blake2b").hexdigest()
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from error
    key = (digest, *(f"{name} {required}" for name, required in columns))
    if key in _last:
        return _last[key]
    rows = _read(file, dict(columns))
    _last.clear()
    if len(rows) <= _KEPT:
        _last[key] = rows
    return rows


class _Rows(BytesIO):
    """The CSV as it is written; a small file can expand arbitrarily."""

    is_full = False

    def write(self, data: Any) -> int:
        content = bytes(data)
        self.is_full = self.tell() + len(content) > LARGEST
        if self.is_full:
            raise OSError("too large")
        return super().write(content)


def _read(file: Path, columns: dict[str, bool]) -> bytes:
    import polars as pl

    rows = _Rows()
    try:
        schema = pl.read_parquet_schema(file)
        needed = [name for name, required in columns.items() if required]
        if missing := [name for name in needed if name not in schema]:
            raise ValueError(f"has no column {_list(missing)} but {_list(schema)}; it needs {', '.join(needed)}")
        names = [name for name in columns or schema if name in schema]
        if nested := [name for name in names if schema[name].is_nested()]:
            raise ValueError(f"holds lists or tables in the column {_list(nested)}, which must be numbers or texts")
        pl.scan_parquet(file, glob=False, hive_partitioning=False).select(names).sink_csv(
            rows, quote_style="non_numeric"
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        if rows.is_full:
            raise ValueError(f"becomes more than {LARGEST >> 20} MiB of rows, which is the most that is read") from None
        first = (str(error).splitlines() or [type(error).__name__])[0][:300]
        raise ValueError(f"cannot be read as Parquet: {first}") from None
    return rows.getvalue()


def _list(names: Iterable[str]) -> str:
    return ", ".join(f"'{name}'" for name in list(names)[:20])
