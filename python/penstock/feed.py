"""Files that feed a scenario and that the core has no reader for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["parquet_as_csv"]


def parquet_as_csv(file: Path) -> bytes:
    """The rows of a Parquet file as CSV, for the core's reader, which checks them.

    Raises
    ------
    ValueError
        If it is not Parquet, or a column holds lists or tables.
    """
    import polars

    try:
        return polars.read_parquet(file).write_csv().encode()
    except (polars.exceptions.PolarsError, OSError) as error:
        raise ValueError(f"cannot be read as Parquet: {str(error).splitlines()[0]}") from error
