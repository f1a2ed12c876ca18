"""Objects through a pipe: each is its length followed by its pickle.

Both ends are processes of one command, so they may trust each other.
"""

from __future__ import annotations

import pickle
from typing import IO, Any

_LENGTH = 8


def send(pipe: IO[bytes] | None, what: Any) -> None:
    """Writes an object; raises OSError if the other end is closed."""
    assert pipe is not None
    content = pickle.dumps(what, protocol=5)
    pipe.write(len(content).to_bytes(_LENGTH, "little") + content)
    pipe.flush()


def receive(pipe: IO[bytes] | None) -> Any:
    """Reads an object; raises EOFError if the pipe ends before or within it."""
    assert pipe is not None
    length = int.from_bytes(_exactly(pipe, _LENGTH), "little")
    return pickle.loads(_exactly(pipe, length))


def _exactly(pipe: IO[bytes], length: int) -> bytes:
    content = pipe.read(length)
    if len(content) < length:
        raise EOFError
    return content
