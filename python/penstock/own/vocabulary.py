"""The words in which a component is written: declarations, answers and constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from penstock.errors import ArgumentError
from penstock.printable import represented, shortened

__all__ = [
    "ACCEPT",
    "CLASSES",
    "DROPPED",
    "DROP_EARLY",
    "DROP_FORCED",
    "DROP_OVERFLOW",
    "ECN",
    "EVICTED",
    "LOSS",
    "MARK",
    "MICROSECOND",
    "MILLISECOND",
    "NEVER",
    "NO_VALUE",
    "SECOND",
    "SEND",
    "SENT",
    "UNCHANGED",
    "WAIT",
    "class_parameter",
    "mul_div",
    "parameter",
    "state",
    "stream",
]

ACCEPT = 1
"""The queue accepts the packet."""
SEND = 1
"""The transmission of the packet begins."""
MARK = 2
"""As ACCEPT or SEND, and the packet gets a congestion mark; it must be ECN-capable."""
DROP_OVERFLOW = 3
"""The packet is dropped since there is no room."""
DROP_EARLY = 4
"""The packet is dropped by active queue management, at random or at departure."""
DROP_FORCED = 5
"""The packet is dropped by active queue management with certainty."""

SENT, DROPPED, EVICTED = 1, 2, 3
"""Why a packet leaves the queue."""

LOSS, ECN = 1, 2
"""Causes of congestion: a lost segment, an echoed mark."""
WAIT = -1
"""No queue may send before the time in the state ``not_before``."""
UNCHANGED = 0
"""The last packet keeps its size."""
NO_VALUE = float("nan")
"""There is no number, such as the mean delay of no packets."""
CLASSES = 32
"""The maximum number of classes of a scheduler, and the length of lists over them."""

MICROSECOND, MILLISECOND, SECOND = 10**6, 10**9, 10**12
"""Times in picoseconds, the unit of all times in hooks."""
NEVER = 2**63 - 1
"""A time that does not come."""


@dataclass(frozen=True)
class Parameter:
    """A declared parameter."""

    kind: str
    default: str | None
    doc: str
    changeable: bool
    words: tuple[tuple[str, str], ...]


class ClassParameter(Parameter):
    """A declared parameter of the classes of a scheduler."""


@dataclass(frozen=True)
class State:
    """A declared variable of the state."""

    initial: Any
    unit: str
    doc: str


@dataclass(frozen=True)
class Stream:
    """A declared random stream; its methods exist in hooks only."""

    name: str


@dataclass(frozen=True)
class Mark:
    """What a decorator leaves at a class: the kind of the component, its scenario key, further facts and arguments."""

    kind: str
    name: str
    facts: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)


def parameter(
    kind: str,
    default: str | float | bool | None = None,
    *,
    doc: str,
    changeable: bool = False,
    words: Mapping[str, str] | Sequence[str] = (),
) -> Any:
    """Declares a parameter.

    Parameters
    ----------
    kind : str
        What a scenario may write, and what a hook sees:

        =============  ======================  ================================
        kind           in a scenario           in a hook
        =============  ======================  ================================
        limit          "60 packets", "64 KiB"  packets or bytes
        packets        "20 packets"            packets
        bytes          "1500 bytes"            bytes
        time           "5 ms"                  picoseconds
        rate           "10 Mbit/s"             bit/s
        probability    0.1, "1/30"             float from 0 to 1
        weight         0.002                   float above 0, at most 1
        number         2.5                     float
        count          3                       whole number, zero or more
        switch         true                    1 or 0
        choice         one of `words`          position of the word, from 0
        =============  ======================  ================================
    default : str, float or bool, optional
        As a scenario would write it; without it the parameter must be given.
    doc : str
        Its meaning.
    changeable : bool, optional
        Whether it can change during a run.
    words : mapping or sequence of str, optional
        The words of a choice, each with its meaning.

    Raises
    ------
    ArgumentError
        If an argument is of another type, or a choice has no words or another default.
    """
    _require("parameter", str, "a text", kind=kind, doc=doc)
    _require("parameter", bool, "True or False", changeable=changeable)
    if default is not None:
        _require("parameter", (str, int, float), "a text, a number, True or False", default=default)
    _require("parameter", (Mapping, list, tuple), "a list of texts, or texts with their meanings", words=words)
    text = str(default).lower() if isinstance(default, bool) else None if default is None else str(default)
    pairs = tuple(words.items() if isinstance(words, Mapping) else ((word, word) for word in words))
    for word in (each for pair in pairs for each in pair):
        _require("parameter", str, "a text", word=word)
    if kind == "choice" and not pairs:
        raise ArgumentError("parameter: a choice needs words; write words=[...]")
    allowed = [word for word, _ in pairs]
    if len(set(allowed)) < len(allowed):
        raise ArgumentError(f"parameter: words has a word twice ({', '.join(allowed)})")
    if kind == "choice" and text not in (None, *allowed):
        raise ArgumentError(f"parameter: default is {_shown(default)}, not one of {', '.join(allowed)}")
    return Parameter(kind, text, doc, changeable, pairs)


def class_parameter(
    kind: str,
    default: str | float | bool | None = None,
    *,
    doc: str,
    changeable: bool = False,
    words: Mapping[str, str] | Sequence[str] = (),
) -> Any:
    """Declares a parameter of each class of a scheduler, with the arguments of :func:`parameter`.

    A hook sees a list over the classes in their order, ``self.weight[queue]``.
    """
    return ClassParameter(**vars(parameter(kind, default, doc=doc, changeable=changeable, words=words)))


def state(initial: Any, *, unit: str = "1", doc: str = "") -> Any:
    """Declares a variable of the state, whose type is its annotation: ``int``, ``float``, ``bool``, or a list of one.

    With `doc`, time series and traces show it. Raises ArgumentError if `unit` or `doc` is no text.
    """
    _require("state", str, "a text", unit=unit, doc=doc)
    if not unit:
        raise ArgumentError("state: unit is empty; write '1' for a number without one")
    return State(initial, unit, doc)


def stream(name: str) -> Any:
    """Declares a random stream of the engine, which no built-in component uses.

    A hook draws by ``self.NAME.unit()`` (0 to 1), ``.chance(p)`` (true with probability p), ``.exponential()`` (mean 1)
    and ``.below(n)`` (a whole number below n). Raises ArgumentError if `name` is empty or no text.
    """
    _require("stream", str, "a text", name=name)
    if not name:
        raise ArgumentError("stream: name is empty")
    return Stream(name)


def mul_div(a: int, b: int, c: int) -> int:
    """Returns a b / c rounded down, exactly even if the product has more than 64 bits; 0 for c = 0.

    Examples
    --------
    >>> mul_div(10**15, 10**9, 10**12)
    1000000000000
    """
    if c == 0:
        return 0
    return min(max(a * b // c, -(2**63)), NEVER)


def _require(function: str, types: type | tuple[type, ...], wanted: str, **given: object) -> None:
    """Raises ArgumentError if an argument is not of these types."""
    for name, value in given.items():
        if not isinstance(value, types):
            raise ArgumentError(f"{function}: {name} is {_shown(value)}; it must be {wanted}")


def _shown(value: object) -> str:
    return shortened(repr(value) if isinstance(value, str) else represented(value), 60)


def mark_of(cls: object) -> Mark | None:
    """What a decorator left at a class; nothing at its subclasses."""
    found = vars(cls).get("__penstock_own__") if isinstance(cls, type) else None
    return found if isinstance(found, Mark) else None
