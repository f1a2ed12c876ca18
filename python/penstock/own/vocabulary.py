"""The words in which a component is written: decorators, declarations, answers and constants."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, overload

from penstock.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "ACCEPT",
    "CLASSES",
    "DROPPED",
    "DROP_EARLY",
    "DROP_FORCED",
    "DROP_OVERFLOW",
    "EVICTED",
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
    "ClassParameter",
    "Mark",
    "Parameter",
    "State",
    "Stream",
    "class_parameter",
    "discipline",
    "mark_of",
    "meter",
    "metric",
    "mul_div",
    "parameter",
    "scheduler",
    "source",
    "state",
    "stream",
]

_T = TypeVar("_T")

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
    """What a decorator leaves at a class: the kind of the component, its scenario key, and further arguments."""

    kind: str
    name: str
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
    """
    return _declared(Parameter, kind, default, doc, changeable, words)


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
    return _declared(ClassParameter, kind, default, doc, changeable, words)


def _declared(
    of: type[Parameter],
    kind: str,
    default: str | float | bool | None,
    doc: str,
    changeable: bool,
    words: Mapping[str, str] | Sequence[str],
) -> Parameter:
    text = str(default).lower() if isinstance(default, bool) else None if default is None else str(default)
    pairs = words.items() if hasattr(words, "items") else ((word, word) for word in words)
    return of(kind, text, doc, changeable, tuple(pairs))


def state(initial: Any, *, unit: str = "1", doc: str = "") -> Any:
    """Declares a variable of the state, whose type is its annotation: ``int``, ``float``, ``bool``, or a list of one.

    With `doc`, time series and traces show it.
    """
    return State(initial, unit, doc)


def stream(name: str) -> Any:
    """Declares a random stream of the engine; built-in components of this place draw from other names.

    A hook draws by ``self.NAME.unit()`` (0 to 1), ``.chance(p)`` (true with probability p), ``.exponential()`` (mean 1)
    and ``.below(n)`` (a whole number below n).
    """
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


@overload
def discipline(cls: type[_T], /) -> type[_T]: ...


@overload
def discipline(*, name: str) -> Callable[[type[_T]], type[_T]]: ...


def discipline(cls: Any = None, /, *, name: str | None = None) -> Any:
    """Makes a class a queue discipline; its scenario key is `name`, or the name of the class in lower case.

    A hook names the arguments that it uses:

    ===============  ==============================  ===========================================================
    hook             arguments                       called
    ===============  ==============================  ===========================================================
    on_arrival       now, packet, queue              for each arriving packet; must exist
    on_departure     now, packet, waited, queue      when the transmission of the head could begin
    on_leave         now, packet, why                when a packet no longer counts as queued
    on_timer         now, queue                      at the time in the state ``next_timer``
    on_start         queue                           before the run
    ===============  ==============================  ===========================================================
    """
    return _marked("discipline", cls, name)


@overload
def meter(cls: type[_T], /) -> type[_T]: ...


@overload
def meter(*, name: str) -> Callable[[type[_T]], type[_T]]: ...


def meter(cls: Any = None, /, *, name: str | None = None) -> Any:
    """Makes a class a meter; its scenario key is `name`, or the name of the class in lower case.

    A hook names the arguments that it uses:

    ===============  ==============================  ===========================================================
    hook             arguments                       called
    ===============  ==============================  ===========================================================
    colour           now, packet                     for each packet; returns its colour from 0 to 3; must exist
    on_start                                         before the run
    ===============  ==============================  ===========================================================
    """
    return _marked("meter", cls, name)


@overload
def scheduler(cls: type[_T], /) -> type[_T]: ...


@overload
def scheduler(*, name: str) -> Callable[[type[_T]], type[_T]]: ...


def scheduler(cls: Any = None, /, *, name: str | None = None) -> Any:
    """Makes a class a scheduler over classes; its scenario key is `name`, or the name of the class in lower case.

    A hook names the arguments that it uses:

    ===============  ==============================  ===========================================================
    hook             arguments                       called
    ===============  ==============================  ===========================================================
    next_queue       now, queues                     while the wire is free and a packet waits; must exist
    on_backlog       now, queue, queues              when a packet arrives at an empty queue
    on_sent          now, queue, size, queues        when the packet of the named queue begins its transmission
    on_drop          now, queue, size, queues        when a waiting packet was dropped
    on_head_change   queue, queues                   when a class of a tree has another packet to send, or none
    on_start         queues                          before the run
    ===============  ==============================  ===========================================================

    ``next_queue`` returns the position of a queue with packets, or :data:`WAIT`. It may be called again before the
    packet is sent, and must then return the same queue.
    """
    return _marked("scheduler", cls, name)


@overload
def source(cls: type[_T], /) -> type[_T]: ...


@overload
def source(*, name: str) -> Callable[[type[_T]], type[_T]]: ...


def source(cls: Any = None, /, *, name: str | None = None) -> Any:
    """Makes a class a source; its scenario key is `name`, or the name of the class in lower case.

    A hook names the arguments that it uses:

    ===============  ==============================  ===========================================================
    hook             arguments                       called
    ===============  ==============================  ===========================================================
    first_packet                                     at the start of the flow; must exist
    next_packet      elapsed                         after each packet; must exist
    mean_rate                                        before the run; returns bit/s; must exist
    largest_packet                                   before the run; returns bytes
    on_rate_request  now, rate                       when another rate is requested
    on_start                                         before the run
    ===============  ==============================  ===========================================================

    ``first_packet`` and ``next_packet`` return two numbers: the time since the start of the flow or since the previous
    packet, :data:`NEVER` after the last one, and the size in bytes.
    """
    return _marked("source", cls, name)


def metric(*, unit: str, statistic: str = "mean", name: str | None = None) -> Any:
    """Makes a class a metric; its name in ``[[measure]]`` is `name`, or the name of the class in lower case.

    The hook ``of_flow`` gets the argument ``flow``, with the counts of a flow, and ``of_link`` the argument ``link``.
    Each returns a number, or :data:`NO_VALUE`. At least one must exist.

    Parameters
    ----------
    unit : str
        The unit of the number; ``"1"`` if it has none.
    statistic : str, optional
        The default statistic over several flows or links: ``"mean"``, ``"sum"``, or ``"share"``, the mean of numbers
        from 0 to 1.
    name : str, optional
        The name.
    """
    if statistic not in _STATISTICS:
        raise ArgumentError(f"metric: statistic={statistic!r} is not one of {', '.join(_STATISTICS)}")
    return _marked("metric", None, name, {"unit": unit, "statistic": statistic})


_STATISTICS = ("mean", "sum", "share")


def _marked(kind: str, cls: Any, name: str | None, settings: Mapping[str, str] | None = None) -> Any:
    def mark(cls: type) -> type:
        if not isinstance(cls, type):
            raise ArgumentError(f"{kind}: decorates a class, not {type(cls).__name__}")
        key = name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
        setattr(cls, "__penstock_own__", Mark(kind, key, settings or {}))  # noqa: B010, the type checker knows no such attribute
        return cls

    return mark if cls is None else mark(cls)


def mark_of(cls: object) -> Mark | None:
    """What a decorator left at a class; nothing at its subclasses."""
    found = vars(cls).get("__penstock_own__") if isinstance(cls, type) else None
    return found if isinstance(found, Mark) else None
