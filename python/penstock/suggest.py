"""Suggestions for names that do not exist."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["suggestion"]


def suggestion(name: str, allowed: Sequence[str], *, ignore_case: bool = False) -> str:
    """The end of a sentence about a name that does not exist: ``; did you mean 'x' or 'y'?``, or just a full stop.

    Examples
    --------
    >>> suggestion("wwr", ["wrr", "drr", "fifo"])
    "; did you mean 'wrr'?"
    >>> suggestion("pigeon", ["wrr"])
    '.'
    >>> suggestion("taildrop", ["TailDrop"], ignore_case=True)
    "; did you mean 'TailDrop'?"
    """
    written = {each.lower() if ignore_case else each: each for each in allowed}
    close = [written[match] for match in difflib.get_close_matches(name.lower(), list(written), n=2, cutoff=0.6)]
    return f"; did you mean {' or '.join(repr(match) for match in close)}?" if close else "."
