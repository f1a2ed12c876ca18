"""JSON files that end in a checksum of all bytes before it, which is verified before anything is decoded."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

FORMAT = 5
"""Version of the layout of files in a store."""

_LENGTH = 37
_SEAL = re.compile(rb'"([0-9a-f]{32})"\n}\n')


class DamagedError(Exception):
    """A file differs from what was written; the text is a predicate without the file's name, such as "is empty"."""


class NewerError(Exception):
    """A file was written by a newer version."""

    def __init__(self, written: int) -> None:
        super().__init__(written)
        self.format = written


def sealed(lines: list[str]) -> bytes:
    """Returns the members of a JSON object, given as lines that end in commas, as a file with its checksum."""
    content = "\n".join(["{", *lines, ' "checksum": ']).encode("ascii")
    return content + _seal(content)


def sealed_json(members: Mapping[str, Any]) -> bytes:
    """Returns a JSON object as a file with its checksum, one line per member."""
    return sealed([f" {json.dumps(name)}: {json.dumps(value)}," for name, value in members.items()])


def opened(content: bytes, newest: int = FORMAT) -> dict[str, Any]:
    """Verifies the checksum of a file and returns its members.

    Raises DamagedError if the content differs from what was written, or is no JSON object with a format; NewerError if
    its format is later than `newest`.
    """
    if not _SEAL.fullmatch(content[-_LENGTH:]):
        raise DamagedError("does not end in a checksum" if content else "is empty")
    if _seal(content[:-_LENGTH]) != content[-_LENGTH:]:
        raise DamagedError("does not match its checksum")
    try:
        data = dict(json.loads(content))
        written = data["format"]
        if type(written) is not int:
            raise TypeError("format")
    except Exception as error:  # decoders raise many types, RecursionError among them
        raise DamagedError(f"matches its checksum but cannot be decoded ({type(error).__name__})") from error
    if written > newest:
        raise NewerError(written)
    return data


def _seal(content: bytes) -> bytes:
    return b'"%s"\n}\n' % hashlib.blake2b(content, digest_size=16).hexdigest().encode()
