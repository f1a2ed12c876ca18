"""Writes results as text, CSV or Parquet to standard output or a file."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from penstock.cli.console import emit, emit_bytes, refuse_terminal, say
from penstock.cli.files import require_folder, write
from penstock.errors import InputError
from penstock.printable import path_text, printable_lines

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from penstock.cli.options import FrameFormat


def format_of(output: FrameFormat, out: Path | None) -> FrameFormat:
    """The format of --format, else that of the file's ending.

    Raises InputError if neither names one.
    """
    if out is None or output != "table":
        return output
    endings: dict[str, FrameFormat] = {".json": "json", ".csv": "csv", ".parquet": "parquet"}
    if out.suffix.lower() not in endings:
        raise InputError(f"{path_text(out)}: ends with none of .json, .csv and .parquet; write --format, too.")
    return endings[out.suffix.lower()]


def check_format(output: FrameFormat, *, dry_run: bool, out: Path | None = None) -> None:
    """Refuses a format before anything is run.

    Raises InputError if a dry run is to write a file, CSV or Parquet, or Parquet goes to a terminal.
    """
    if dry_run and out is not None:
        raise InputError("--dry-run gives no results, so --out changes nothing; leave one of them out.")
    if dry_run and output in ("csv", "parquet"):
        raise InputError("--dry-run gives no results; its --format is table or json.")
    if out is not None:
        require_folder(out)
    if output == "parquet" and out is None:
        refuse_terminal("Parquet")


def emit_frame(frame: pl.DataFrame, output: FrameFormat, out: Path | None = None) -> None:
    """Writes a frame; equal frames give equal bytes."""
    if output == "csv":
        emit_result(frame.write_csv(), out)
        return
    content = BytesIO()
    frame.write_parquet(content)
    if out is None:
        emit_bytes(content.getvalue())
    else:
        _write(out, content.getvalue())


def emit_result(text: str, out: Path | None = None) -> None:
    """Writes a text to standard output, or into a file."""
    if out is None:
        emit(text)
    else:
        _write(out, f"{printable_lines(text).removesuffix(chr(10))}\n".encode())


def _write(out: Path, content: bytes) -> None:
    write(out, content)
    say(f"{path_text(out)}: written.")
