"""Encoding and nesting of text files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

DEEPEST = 60
"""Maximum nesting of brackets; readers recurse for each level."""

_MARKS = re.compile(r'"(?:\\.|[^"\\])*"|[\[{(<]|[\]})>]', re.DOTALL)


_SHOWN = 8
"""Maximum number of mistakes of a file that are listed."""


def refuse(mistakes: Sequence[str]) -> None:
    """Raises InputError with the first mistakes, if there are any."""
    if mistakes:
        more = len(mistakes) - _SHOWN
        raise InputError("\n".join([*mistakes[:_SHOWN], *([f"... and {more} more."] if more > 0 else [])]))


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


def check_depth(text: str, shown: str, brackets: str) -> None:
    """Raises InputError with the line if these brackets, such as ``[]``, are nested too deeply."""
    depth = 0
    for mark in _MARKS.finditer(text):
        if mark[0] in brackets[::2]:
            depth += 1
        elif mark[0] in brackets[1::2]:
            depth -= 1
        if depth > DEEPEST:
            line = text.count("\n", 0, mark.start()) + 1
            raise InputError(f"{shown}:{line}: is nested deeper than {DEEPEST} levels.")
