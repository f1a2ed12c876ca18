"""Encoding and lines of text files."""

from collections.abc import Hashable, Sequence
from typing import Any

from penstock.errors import InputError

Lines = dict[tuple[Hashable, Hashable], list[int]]
"""The lines of the edges between two nodes, since networkx and pydot do not report them."""
Read = tuple[Any, str | None, Lines]
"""A graph, the attribute of nodes that holds their names, and the lines of its edges."""

ROUTING = "routing of the simulator"
"""Attribute of a graph: the scenario's `routing`, where a format implies it."""

_MOST_MISTAKES = 8


def nth_line(lines: Lines, a: Hashable, b: Hashable, number: int, *, directed: bool) -> int | None:
    """Returns the line of the edge with this number; the first between its nodes if there are fewer."""
    there = sorted([*lines.get((a, b), []), *([] if directed else lines.get((b, a), []))])
    return there[number if number < len(there) else 0] if there else None


def refuse(mistakes: Sequence[str]) -> None:
    """Raises InputError with the first mistakes, if there are any."""
    if mistakes:
        more = len(mistakes) - _MOST_MISTAKES
        raise InputError("\n".join([*mistakes[:_MOST_MISTAKES], *([f"... and {more} more."] if more > 0 else [])]))


def decoded(content: bytes, shown: str) -> str:
    """Returns the text of a UTF-8 file. Raises InputError with the line if it is something else."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(f"{shown}: is UTF-16 text; save it as UTF-8.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"{shown}:{line}: is not UTF-8.") from None
    if "\0" in text:
        raise InputError(f"{shown}:{text.count(chr(10), 0, text.index(chr(0))) + 1}: has a NUL byte; it is no text.")
    return text
