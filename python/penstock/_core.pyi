"""The simulator's core, compiled from Rust."""

from typing import Final

__all__ = ["MODEL_VERSION", "version"]

MODEL_VERSION: Final[str]
"""A digest of every crate's sources and of the versions they are built with, in hexadecimal."""

def version() -> str:
    """The version of the core, e.g. "0.1.0"."""
