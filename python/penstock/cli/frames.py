"""Frames on standard output, as CSV or Parquet."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from penstock.cli.console import emit, emit_bytes
from penstock.cli.options import FrameFormat

if TYPE_CHECKING:
    import polars as pl

__all__ = ["emit_frame"]


def emit_frame(frame: pl.DataFrame, output: FrameFormat) -> None:
    """Writes a frame; equal frames give equal bytes."""
    if output is FrameFormat.CSV:
        emit(frame.write_csv())
        return
    content = BytesIO()
    frame.write_parquet(content)
    emit_bytes(content.getvalue())
