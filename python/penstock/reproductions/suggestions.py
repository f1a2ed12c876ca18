"""Errors about names that do not exist, with what is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.printable import quoted
from penstock.suggest import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable


def unknown(kind: str, given: str, allowed: Iterable[str], where: str = "") -> InputError:
    """The error for a name that does not exist: the given name, a close one, and all that are allowed.

    Examples
    --------
    >>> str(unknown("reading", "af-a7", ["af-a06", "af-a07"], "in af"))
    "no reading 'af-a7' in af; did you mean 'af-a07'? Its readings are af-a06 and af-a07."
    >>> str(unknown("table", "9", ["2", "3"], "in af")), str(unknown("study", "x", ["af"]))
    ("no table '9' in af; its tables are 2 and 3.", "no study 'x'; the only study is af.")
    """
    names = list(allowed)
    place = f" {where}" if where else ""
    owner = "its" if where else "the"
    if len(names) == 1:
        known = f"{owner} only {kind} is {names[0]}."
    else:
        many = f"{kind.removesuffix('y')}ies" if kind.endswith("y") else f"{kind}s"
        known = f"{owner} {many} are {', '.join(names[:-1])} and {names[-1]}."
    hint = suggestion(given, names)
    rest = f"{hint} {known[0].upper()}{known[1:]}" if hint else f"; {known}"
    return InputError(f"no {kind} {quoted(given)}{place}{rest}")
