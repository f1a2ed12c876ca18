"""Frames on standard output, as CSV or Parquet."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from penstock.cli.console import emit, emit_bytes, refuse_terminal
from penstock.cli.options import FrameFormat
from penstock.errors import InputError

if TYPE_CHECKING:
    import polars as pl

__all__ = ["check_format", "emit_frame"]


def check_format(output: FrameFormat, *, dry_run: bool) -> None:
    """Refuses a format before anything is run.

    Raises
    ------
    InputError
        If a frame is wanted of a dry run, which has none, or Parquet on a terminal.
    """
    if dry_run and output in (FrameFormat.CSV, FrameFormat.PARQUET):
        raise InputError("--dry-run gives no results; its --format is table or json.")
    if output is FrameFormat.PARQUET:
        refuse_terminal("Parquet")


def emit_frame(frame: pl.DataFrame, output: FrameFormat) -> None:
    """Writes a frame; equal frames give equal bytes."""
    if output is FrameFormat.CSV:
        emit(frame.write_csv())
        return
    content = BytesIO()
    frame.write_parquet(content)
    emit_bytes(content.getvalue())
