"""Reads files of results: JSON of ``penstock run``, CSV and Parquet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.memory import require_file
from penstock.plots.data import from_frame, from_json
from penstock.plots.over_time import data_of, is_series
from penstock.printable import path_text, shortened

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.plots.data import Data


def read_results(file: Path) -> Data:
    """Returns the numbers in a file. Raises InputError if it cannot be read, or has none."""
    shown = path_text(file)
    try:
        require_file(file, is_read_whole=True)
        content = file.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{shown}: there is no such file.") from None
    except OSError as error:
        raise InputError(f"{shown}: cannot be read: {error.strerror or error}.") from None
    if not content.strip():
        raise InputError(f"{shown}: is empty, so there is nothing to plot.")
    if file.suffix.lower() == ".json":
        try:
            data = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{shown}: is no JSON: {shortened(str(error), 200)}.") from None
        return from_json(data, shown)
    import polars as pl

    try:
        read = pl.read_csv if file.suffix.lower() == ".csv" else pl.read_parquet
        frame = read(content)
    except pl.exceptions.PolarsError as error:
        what = file.suffix.lower().lstrip(".")
        raise InputError(f"{shown}: is no {what} file that can be read: {shortened(str(error), 200)}.") from None
    return data_of(frame, shown) if is_series(frame) else from_frame(frame, shown)
