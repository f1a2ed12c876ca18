"""The words in which a component is written: decorators, declarations, answers and constants."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from penstock.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = [
    "ACCEPT",
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
    "SECOND",
    "SEND",
    "SENT",
    "Mark",
    "Parameter",
    "State",
    "Stream",
    "congestion_control",
    "discipline",
    "mark_of",
    "mul_div",
    "parameter",
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

LOSS, ECN = 1, 2
"""Causes of congestion: a lost segment, an echoed mark."""

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
    """What a decorator leaves at a class: the kind of the component, its scenario key, and further facts."""

    kind: str
    name: str
    facts: tuple[str, ...] = ()


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
    text = str(default).lower() if isinstance(default, bool) else None if default is None else str(default)
    pairs = words.items() if hasattr(words, "items") else ((word, word) for word in words)
    return Parameter(kind, text, doc, changeable, tuple(pairs))


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
def congestion_control(cls: type[_T], /) -> type[_T]: ...


@overload
def congestion_control(
    *, name: str | None = None, marks: Literal["exact", "count"] | None = None
) -> Callable[[type[_T]], type[_T]]: ...


def congestion_control(cls: Any = None, /, *, name: str | None = None, marks: str | None = None) -> Any:
    """Makes a class a congestion control; its scenario key is `name`, or the name of the class in lower case.

    It sets ``window.size`` and ``window.threshold``, in segments. A hook names the arguments that it uses; all but
    `on_start` have `now` too:

    =================  =========================  =======================================================
    hook               arguments                  called
    =================  =========================  =======================================================
    on_ack             ack, window                with an acknowledgement of new data; must exist
    on_congestion      cause, in_flight, window   once per window with a loss or an echoed mark; must exist
    on_timeout         in_flight, repeated,       when the retransmission timer expires; must exist
                       window
    on_rtt_sample      rtt, smoothed, window      with a measured round trip, before `on_ack`
    on_marks           marks                      with the marks that an acknowledgement reports
    on_lost            segments                   when segments are considered lost
    on_recovery_start  window                     when a fast recovery starts, which has set the window
    on_recovery_end    window                     when it ends; without it, the window is the threshold
    on_resume          window                     when it sends again after nothing was outstanding
    on_sent            segment, window            when a segment leaves (needs SACK)
    on_lost_segment    segment                    when a segment is considered lost (needs SACK)
    on_report          report, window             after an acknowledgement, with its delivery rate (needs SACK)
    on_start           connection                 before the connection begins
    =================  =========================  =======================================================

    Parameters
    ----------
    name : str, optional
        The scenario key.
    marks : str, optional
        What receivers echo: ``"exact"``, whether the acknowledged segments were marked (DCTCP), or ``"count"``, the
        number of marks (AccECN). The scenario must use ECN then. Without it, one echo per window [RFC3168 s6.1].
    """
    if marks not in (None, "exact", "count"):
        raise ArgumentError(f"congestion_control: marks is {marks!r}; 'exact' or 'count'")
    return _marked("congestion-control", cls, name, () if marks is None else (f"marks-{marks}",))


def _marked(kind: str, cls: Any, name: str | None, facts: tuple[str, ...] = ()) -> Any:
    def mark(cls: type) -> type:
        if not isinstance(cls, type):
            raise ArgumentError(f"{kind}: decorates a class, not {type(cls).__name__}")
        key = name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
        setattr(cls, "__penstock_own__", Mark(kind, key, facts))  # noqa: B010, the type checker knows no such attribute
        return cls

    return mark if cls is None else mark(cls)


def mark_of(cls: object) -> Mark | None:
    """What a decorator left at a class; nothing at its subclasses."""
    found = vars(cls).get("__penstock_own__") if isinstance(cls, type) else None
    return found if isinstance(found, Mark) else None
