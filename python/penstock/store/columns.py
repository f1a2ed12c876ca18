"""A table of runs as a file: a line of JSON, then each column in one piece, then the checksum of all of it.

Numbers are little-endian and of eight or four bytes, texts have lines. Reading makes no object for a number, as that of
JSON does.
"""

from __future__ import annotations

import json
import sys
from array import array
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.store.sealed import FORMAT, SEAL_LENGTH, sealed_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Columns", "decode", "encode"]

_TEXTS = ("key", "digest", "begin")
_NUMBERS = {
    "size": "q",
    "time": "q",
    "packet_hops": "Q",
    "shape": "I",
    "head": "I",
    "place": "I",
    "measured": "I",
    "decided": "I",
    "replication": "Q",
    "seconds": "d",
}
"""The columns of numbers, and their types as the `array` module has them."""
_TABLES = ("shapes", "heads", "places", "measures", "decisions")


class Columns:
    """What is known of many runs; number i of each column belongs to one run, whose values are one behind another.

    Parameters
    ----------
    shapes : list of list of (name, labels, unit)
        What runs measure, each once.
    heads : list of list
        What runs are made from, without their replications, each once.
    places : list of [host, folder]
        Where runs were made; None stands for one of which nothing was noted.
    measures : list of list of [str, int]
        Which numbers belong to which measure; see `Measured`.
    decisions : list of list of [str, str, str, float]
        What decided numbers without showing in them; see `Decided`.
    """

    def __init__(
        self,
        shapes: Iterable[Any] = (),
        heads: Iterable[Any] = (),
        places: Iterable[Any] = (),
        measures: Iterable[Any] = (),
        decisions: Iterable[Any] = (),
    ) -> None:
        self.shapes, self.heads, self.places = list(shapes), list(heads), list(places)
        self.measures, self.decisions = list(measures), list(decisions)
        self._texts: dict[str, bytes] = {}
        self.size, self.time, self.packet_hops = array("q"), array("q"), array("Q")
        self.shape, self.head, self.place = array("I"), array("I"), array("I")
        self.measured, self.decided = array("I"), array("I")
        self.replication, self.seconds = array("Q"), array("d")
        self.values = array("d")
        self._ends: Sequence[int] = [0]

    @cached_property
    def key(self) -> list[str]:
        """The names of the runs."""
        return self._lines("key")

    @cached_property
    def digest(self) -> list[str]:
        """Their digests."""
        return self._lines("digest")

    @cached_property
    def begin(self) -> list[str]:
        """When they began."""
        return self._lines("begin")

    @cached_property
    def _packed(self) -> bytes:
        """The values as a file has them."""
        return _little(self.values).tobytes()

    def hold(self, name: str, content: bytes, runs: int) -> None:
        """Takes a column of so many texts as a file has it; they become texts once somebody looks at them.

        Raises
        ------
        ValueError
            If it is no such column.
        """
        if content.count(b"\n") + 1 != runs or not content.isascii():
            raise ValueError(name)
        self._texts[name] = content

    def _lines(self, name: str) -> list[str]:
        return self._texts.pop(name).decode("ascii").split("\n") if name in self._texts else []

    def measure(self) -> None:
        """Works out where the values of each run stand; to be called after rows were added."""
        lengths = [len(shape) for shape in self.shapes]
        if len(lengths) == 1:
            self._ends = range(0, len(self.shape) * lengths[0] + 1, max(lengths[0], 1))
        else:
            self._ends = list(accumulate((lengths[shape] for shape in self.shape), initial=0))
        if self._ends[-1] != len(self.values):
            raise ValueError("values")

    def values_of(self, row: int) -> array[float]:
        """The values of one run."""
        return self.values[self._ends[row] : self._ends[row + 1]]

    def numbers(self, rows: Sequence[int], count: int) -> list[list[float]]:
        """The values of so many numbers, a list each, of runs that have so many."""
        return _core.transposed(self._packed, list(map(self._ends.__getitem__, rows)), count)

    def take(self, other: Columns, rows: Sequence[int]) -> None:
        """Adds rows of a table whose tables of what many runs share are the same."""
        for name in (*_TEXTS, *_NUMBERS):
            column, given = getattr(self, name), getattr(other, name)
            column.extend(given if len(rows) == len(other.key) else (given[row] for row in rows))
        for row in rows:
            self.values.extend(other.values_of(row))


def encode(columns: Columns) -> bytes:
    """The content of a file."""
    pieces = ["\n".join(getattr(columns, name)).encode("ascii") for name in _TEXTS]
    pieces += [_little(getattr(columns, name)).tobytes() for name in (*_NUMBERS, "values")]
    tables = {name: getattr(columns, name) for name in _TABLES}
    head = {"format": FORMAT, "runs": len(columns.key), "bytes": [len(piece) for piece in pieces], **tables}
    return sealed_bytes(b"".join([json.dumps(head).encode("ascii"), b"\n", *pieces, b"\n"]))


def decode(content: bytes) -> Columns | None:
    """The table in a file whose checksum is right; None if it is of another format.

    Raises
    ------
    ValueError, KeyError, TypeError
        If it is no such table.
    """
    at = content.index(b"\n") + 1
    head = json.loads(content[:at])
    if head["format"] != FORMAT:
        return None
    found = Columns(*(head[name] for name in _TABLES))
    lengths = iter(head["bytes"])
    if at + sum(head["bytes"]) + 1 + SEAL_LENGTH != len(content):
        raise ValueError("bytes")
    for name in _TEXTS:
        end = at + next(lengths)
        found.hold(name, content[at:end], head["runs"])
        at = end
    for name, kind in {**_NUMBERS, "values": "d"}.items():
        end = at + next(lengths)
        numbers: array[Any] = array(kind)
        numbers.frombytes(content[at:end])
        setattr(found, name, _little(numbers))
        at = end
    if any(len(getattr(found, name)) != head["runs"] for name in _NUMBERS):
        raise ValueError("runs")
    found.measure()
    return found


def _little(numbers: array[Any]) -> array[Any]:
    """From the order of bytes of this machine to that of files, or back."""
    if sys.byteorder == "little":
        return numbers
    other = numbers[:]
    other.byteswap()
    return other
