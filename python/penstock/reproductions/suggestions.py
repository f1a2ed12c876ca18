"""Errors about names that do not exist, with what is allowed."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from penstock.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["unknown"]


def unknown(kind: str, given: str, allowed: Iterable[str], where: str = "") -> InputError:
    """The error for a name that does not exist: what was given, what is close, and all that is allowed.

    Examples
    --------
    >>> str(unknown("reading", "af-a7", ["af-a06", "af-a07"], "in af"))
    "no reading 'af-a7' in af; did you mean 'af-a07'? (af-a06, af-a07)"
    """
    names = list(allowed)
    close = get_close_matches(given, names, n=1)
    place = f" {where}" if where else ""
    hint = f"; did you mean '{close[0]}'?" if close else "; there are"
    return InputError(f"no {kind} '{given}'{place}{hint} ({', '.join(names)})")
