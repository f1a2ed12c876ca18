"""Where runs are kept."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["default_folder"]


def default_folder() -> Path:
    """Where runs are kept unless told otherwise: PENSTOCK_STORE, else penstock in the user's cache folder."""
    chosen = os.environ.get("PENSTOCK_STORE")
    if chosen:
        return Path(chosen)
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "penstock"
