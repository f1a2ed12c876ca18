"""Suggestions for names that do not exist."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["suggestion"]


def suggestion(name: str, allowed: Sequence[str]) -> str:
    """The end of a sentence about a name that does not exist: ``; did you mean 'x' or 'y'?``, or just a full stop.

    Examples
    --------
    >>> suggestion("wwr", ["wrr", "drr", "fifo"])
    "; did you mean 'wrr'?"
    >>> suggestion("pigeon", ["wrr"])
    '.'
    """
    close = difflib.get_close_matches(name.lower(), allowed, n=2, cutoff=0.6)
    return f"; did you mean {' or '.join(repr(match) for match in close)}?" if close else "."
