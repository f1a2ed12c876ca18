"""The text of a file: its encoding, and how deeply it is nested."""

from __future__ import annotations

import re

from penstock.errors import InputError

__all__ = ["DEEPEST", "check_depth", "decoded"]

DEEPEST = 60
"""Levels of brackets; readers that call themselves for each have a small stack."""

_MARKS = re.compile(r'"(?:\\.|[^"\\])*"|[\[{(<]|[\]})>]', re.DOTALL)


def decoded(content: bytes, shown: str) -> str:
    """The text of a file in UTF-8.

    Raises
    ------
    InputError
        If it is something else, with the line.
    """
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
    """Refuses a text that nests these brackets, such as ``[]``, too deeply.

    Raises
    ------
    InputError
        With the line.
    """
    depth = 0
    for mark in _MARKS.finditer(text):
        if mark[0] in brackets[::2]:
            depth += 1
        elif mark[0] in brackets[1::2]:
            depth -= 1
        if depth > DEEPEST:
            line = text.count("\n", 0, mark.start()) + 1
            raise InputError(f"{shown}:{line}: is nested deeper than {DEEPEST} levels.")
