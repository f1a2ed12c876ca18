"""Objects through a pipe: each is its length and then its pickle.

Both ends are processes of one command, so neither needs to mistrust the other.
"""

from __future__ import annotations

import pickle
from typing import IO, Any

__all__ = ["receive", "send"]

_LENGTH = 8


def send(pipe: IO[bytes] | None, what: Any) -> None:
    """Writes an object.

    Raises
    ------
    OSError
        If nobody reads any more.
    """
    assert pipe is not None
    content = pickle.dumps(what, protocol=5)
    pipe.write(len(content).to_bytes(_LENGTH, "little") + content)
    pipe.flush()


def receive(pipe: IO[bytes] | None) -> Any:
    """Reads an object.

    Raises
    ------
    EOFError
        If there is none, or only a part of it.
    """
    assert pipe is not None
    length = int.from_bytes(_exactly(pipe, _LENGTH), "little")
    return pickle.loads(_exactly(pipe, length))


def _exactly(pipe: IO[bytes], length: int) -> bytes:
    content = pipe.read(length)
    if len(content) < length:
        raise EOFError
    return content
