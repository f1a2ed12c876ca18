"""Suggestions for names that do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock import _core
from penstock.printable import quoted, utf8

if TYPE_CHECKING:
    from collections.abc import Iterable


def suggestion(name: str, allowed: Iterable[str], otherwise: str = "") -> str:
    """The end of a sentence about a name that does not exist: ``; did you mean 'x'?``, else `otherwise`.

    >>> suggestion("wwr", ["wrr", "drr", "fifo"])
    "; did you mean 'wrr'?"
    >>> suggestion("pigeon", ["wrr"], ".")
    '.'
    """
    nearest = _core.nearest(utf8(name), [utf8(each) for each in allowed])
    return otherwise if nearest is None else f"; did you mean {quoted(nearest)}?"
