"""Decorators that make classes components, one for each kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, TypeVar, overload

from penstock.errors import ArgumentError
from penstock.own.vocabulary import Mark, mark_of
from penstock.printable import represented, shortened

_T = TypeVar("_T")
_STATISTICS = ("mean", "sum", "share")


class _Decorator(Protocol):
    """A decorator, with or without parentheses."""

    @overload
    def __call__(self, cls: type[_T], /) -> type[_T]: ...

    @overload
    def __call__(self, *, name: str) -> Callable[[type[_T]], type[_T]]: ...


def _typed(function: Any) -> _Decorator:
    made: _Decorator = function
    return made


@_typed
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
    on_recovery_start  window                     when a fast recovery has started and set the window
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
        number of marks (AccECN). The scenario must use ECN then. Without `marks`, there is one echo per window
        [RFC3168 s6.1].
    """
    if marks not in (None, "exact", "count"):
        raise ArgumentError(f"congestion_control: marks is {marks!r}; 'exact' or 'count'")
    return _marked("congestion-control", cls, name, facts=() if marks is None else (f"marks-{marks}",))


@_typed
def meter(cls: Any = None, /, *, name: str | None = None) -> Any:
    """Makes a class a meter; its scenario key is `name`, or the name of the class in lower case.

    A hook names the arguments that it uses:

    ===============  ==============================  ===========================================================
    hook             arguments                       called
    ===============  ==============================  ===========================================================
    colour           now, packet                     for each packet; returns its colour from 0 to 3; must exist
    on_change        now                             before parameters change during the run
    on_start                                         before the run
    ===============  ==============================  ===========================================================
    """
    return _marked("meter", cls, name)


@_typed
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
    packet is sent, and must then return the same queue. Without `on_drop`, `on_head_change` is called after a drop too.
    """
    return _marked("scheduler", cls, name)


@_typed
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

    ``first_packet`` and ``next_packet`` return the time since the start of the flow or since the previous packet, and
    the size in bytes. After the last packet, the time is :data:`NEVER`.
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
    if not isinstance(unit, str) or not unit:
        raise ArgumentError(f"metric: unit={unit!r} is no unit; write '1' for a number without one")
    if statistic not in _STATISTICS:
        raise ArgumentError(f"metric: statistic={statistic!r} is not one of {', '.join(_STATISTICS)}")
    return _marked("metric", None, name, settings={"unit": unit, "statistic": statistic})


def _marked(
    kind: str, cls: Any, name: str | None, facts: tuple[str, ...] = (), settings: Mapping[str, str] | None = None
) -> Any:
    if not isinstance(name, str | None):
        raise ArgumentError(f"{kind}: name is {shortened(represented(name), 60)}; it must be a text")

    def mark(cls: type) -> type:
        if not isinstance(cls, type):
            raise ArgumentError(f"{kind}: decorates a class, not {type(cls).__name__}")
        if (other := mark_of(cls)) is not None:
            raise ArgumentError(f"{kind}: {cls.__name__} is a {other.kind} already; a class is one component")
        key = name if name is not None else re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", cls.__name__).lower()
        setattr(cls, "__penstock_own__", Mark(kind, key, facts, settings or {}))  # noqa: B010, the type checker knows no such attribute
        return cls

    return mark if cls is None else mark(cls)
