"""Files that end in a checksum of every byte before it, which is compared before anything is decoded.

So no decoder sees what the disk, a copy or an editor has altered.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "FORMAT",
    "DamagedError",
    "NewerError",
    "checked",
    "content_of",
    "decoded",
    "read",
    "sealed",
    "sealed_bytes",
    "sealed_json",
]

FORMAT = 5
"""Counts changes of the layout of what is in a store; all that is older is read, except the first."""

SEAL_LENGTH = 37
_SEAL = re.compile(rb'"([0-9a-f]{32})"\n}\n')


class DamagedError(Exception):
    """A file is not what was written; the text says why, as in "it ...", without the file's name."""


class NewerError(Exception):
    """A file was written by a newer version, whose format is the argument."""

    def __init__(self, written: int) -> None:
        super().__init__(written)
        self.format = written


def sealed(lines: list[str]) -> bytes:
    """The members of a JSON object, a line or more each and with their commas, as a file with its checksum."""
    return sealed_bytes("\n".join(["{", *lines, ' "checksum": ']).encode("ascii"))


def sealed_bytes(content: bytes) -> bytes:
    """Any content with its checksum behind it."""
    return content + _seal(content)


def sealed_json(members: Mapping[str, Any]) -> bytes:
    """A JSON object as a file with its checksum, a line a member."""
    return sealed([f" {json.dumps(name)}: {json.dumps(value)}," for name, value in members.items()])


def content_of(file: int, size: int, largest: int) -> bytes:
    """Reads an open file of `size` bytes whose checksum is right.

    Raises
    ------
    DamagedError
        If it is too large, or not what was written.
    """
    if size > largest:
        raise DamagedError(f"has {size} bytes, more than any run")
    # The seal first: what does not end in one need not be read, however large it claims to be.
    if not _SEAL.fullmatch(os.pread(file, SEAL_LENGTH, max(0, size - SEAL_LENGTH))):
        raise DamagedError("does not end in a checksum" if size else "is empty")
    return checked(read(file, size))


def checked(content: bytes) -> bytes:
    """The content itself if its checksum is right.

    Raises
    ------
    DamagedError
        If it is not what was written.
    """
    if not _SEAL.fullmatch(content[-SEAL_LENGTH:]):
        raise DamagedError("does not end in a checksum" if content else "is empty")
    if _seal(content[:-SEAL_LENGTH]) != content[-SEAL_LENGTH:]:
        raise DamagedError("does not match its checksum")
    return content


def decoded(content: bytes) -> dict[str, Any]:
    """The members of a file whose checksum is right.

    Raises
    ------
    NewerError
        If it is of a later format than :data:`FORMAT`.
    TypeError, ValueError, KeyError, RecursionError
        If it is no such object.
    """
    data = json.loads(content)
    written = data["format"]
    if type(written) is not int:
        raise TypeError("format")
    if written > FORMAT:
        raise NewerError(written)
    return dict(data)


def read(file: int, size: int) -> bytes:
    """All of an open file, and not more than the size that was looked at."""
    pieces = []
    offset = 0
    while offset < size and (piece := os.pread(file, min(size - offset, 1 << 24), offset)):
        pieces.append(piece)
        offset += len(piece)
    return b"".join(pieces)


def _seal(content: bytes) -> bytes:
    return b'"%s"\n}\n' % hashlib.blake2b(content, digest_size=16).hexdigest().encode()
