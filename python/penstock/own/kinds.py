"""The kinds of components: the hooks of each, with their arguments and answers.

The core calls every hook as ``hook(own, first, second, now, more)``: the words of the component, up to two views, the
time and another number. A kind says what of that its hooks name as arguments.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from penstock import _core

FAULT = -(2**63)
"""The answer of a hook that failed."""


@dataclass(frozen=True)
class Argument:
    """Where an argument of a hook comes from."""

    place: str  # an argument of the C function: ``first``, ``second``, ``now`` or ``more``
    view: str | None = None  # the view at `first` or `second`, by its name in the core
    field: str | None = None  # the field of the view that is the argument; else the whole view is


@dataclass(frozen=True)
class Result:
    """The fields of a view that receive the values which a hook returns."""

    place: str  # the argument of the C function that is the view: ``first`` or ``second``
    view: str  # its name in the core
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Hook:
    """A hook."""

    arguments: Mapping[str, Argument]  # the arguments after `self`, by name
    answers: bool = False  # whether it returns a whole number, the answer of the C function
    is_needed: bool = False  # whether every component of the kind must have it
    result: Result | None = None  # where other values go that it returns

    def view_at(self, place: str) -> str | None:
        """The view at a place, by its name in the core; none if no argument comes from there."""
        views: list[Argument | Result] = [*self.arguments.values(), *([self.result] if self.result else [])]
        return next((each.view for each in views if each.place == place), None)


@dataclass(frozen=True)
class Kind:
    """A kind of components."""

    hooks: Mapping[str, Hook]  # its hooks, in the order of their calls
    facts: Mapping[str, str] = field(default_factory=dict)
    """What the core must know if code uses a constant of `penstock.own` (``MARK``), a field of a view
    (``Queue.head_since``), or a view (``Packet``)."""
    most: Mapping[str, int] = field(default_factory=lambda: {"class parameters": 0})
    """Maximum numbers of ``parameters``, ``class parameters`` and ``random streams``, where there is one."""

    def facts_of(self, used: Iterable[str]) -> set[str]:
        """The facts of code that uses these constants and fields, where ``?.field`` is one of an unknown object."""
        names = set(used)
        return {fact for of, fact in self.facts.items() if names & {of, f"?.{of.partition('.')[2]}"}}

    @property
    def needed(self) -> list[str]:
        """The hooks that every component must have."""
        return [name for name, hook in self.hooks.items() if hook.is_needed]


@dataclass(frozen=True)
class Field:
    """A field of a view, or of the words of a component."""

    name: str
    is_float: bool
    length: int = 1
    is_list: bool = False
    is_written: bool = False  # whether hooks may assign it


@cache
def fields() -> dict[str, list[Field]]:
    """The fields of each view, in the order of its layout."""
    return {
        view: [Field(name, letter == "f", length, length > 1, is_written) for name, letter, length, is_written in all_]
        for view, all_ in _core.component_views()
    }


_NOW, _MORE = Argument("now"), Argument("more")
_PACKET = Argument("first", "Packet")
_QUEUE = Argument("second", "Queue")

_DISCIPLINE = Kind(
    {
        "on_start": Hook({"queue": _QUEUE}),
        "on_arrival": Hook({"now": _NOW, "packet": _PACKET, "queue": _QUEUE}, answers=True, is_needed=True),
        "on_departure": Hook({"now": _NOW, "packet": _PACKET, "waited": _MORE, "queue": _QUEUE}, answers=True),
        "on_leave": Hook({"now": _NOW, "packet": _PACKET, "why": _MORE}),
        "on_timer": Hook({"now": _NOW, "queue": _QUEUE}),
    },
    facts={
        "MARK": "marks",
        "Queue.head_since": "head-age",
        "Queue.of_precedence": "precedences",
        "Packet": "packets",
    },
)

_WINDOW = Argument("second", "WindowView")


def _event(*names: str) -> dict[str, Argument]:
    """The time, and fields of the view of smaller events."""
    return {"now": _NOW, **{name: Argument("first", "Event", name) for name in names}}


def _first(**views: str) -> dict[str, Argument]:
    """The time, and a view of a larger event."""
    return {"now": _NOW, **{name: Argument("first", view) for name, view in views.items()}}


_CONGESTION_CONTROL = Kind(
    {
        "on_start": Hook({"connection": Argument("first", "Connection")}),
        "on_rtt_sample": Hook({**_event("rtt", "smoothed"), "window": _WINDOW}),
        "on_marks": Hook(_first(marks="Marks")),
        "on_ack": Hook({**_first(ack="Ack"), "window": _WINDOW}, is_needed=True),
        "on_congestion": Hook({**_event("cause", "in_flight"), "window": _WINDOW}, is_needed=True),
        "on_timeout": Hook({**_event("in_flight", "repeated"), "window": _WINDOW}, is_needed=True),
        "on_lost": Hook(_event("segments")),
        "on_recovery_start": Hook({"now": _NOW, "window": _WINDOW}),
        "on_recovery_end": Hook({"now": _NOW, "window": _WINDOW}),
        "on_resume": Hook({"now": _NOW, "window": _WINDOW}),
        "on_sent": Hook({**_first(segment="Sent"), "window": _WINDOW}),
        "on_lost_segment": Hook(_first(segment="Lost")),
        "on_report": Hook({**_first(report="Report"), "window": _WINDOW}),
    },
    facts={"Ack.rtt": "every-ack"},
)

_METER = Kind(
    {
        "on_start": Hook({}),
        "colour": Hook({"now": _NOW, "packet": _PACKET}, answers=True, is_needed=True),
        "on_change": Hook({"now": _NOW}),
    },
)

_SUBJECT = {"queue": Argument("first", "Subject", "queue"), "size": Argument("first", "Subject", "size")}
_QUEUES = Argument("second", "Queues")
_SCHEDULER = Kind(
    {
        "on_start": Hook({"queues": _QUEUES}),
        "next_queue": Hook({"now": _NOW, "queues": _QUEUES}, answers=True, is_needed=True),
        "on_backlog": Hook({"now": _NOW, "queue": _SUBJECT["queue"], "queues": _QUEUES}),
        "on_sent": Hook({"now": _NOW, **_SUBJECT, "queues": _QUEUES}),
        "on_drop": Hook({"now": _NOW, **_SUBJECT, "queues": _QUEUES}),
        "on_head_change": Hook({"queue": _SUBJECT["queue"], "queues": _QUEUES}),
    },
    facts={"Queues.head": "heads"},
    most={},
)

_EMITTED = Result("first", "Emitted", ("after", "size"))
_SOURCE = Kind(
    {
        "on_start": Hook({}),
        "mean_rate": Hook({}, answers=True, is_needed=True),
        "largest_packet": Hook({}, answers=True),
        "first_packet": Hook({}, result=_EMITTED, is_needed=True),
        "next_packet": Hook({"elapsed": _NOW}, result=_EMITTED, is_needed=True),
        "on_rate_request": Hook({"now": _NOW, "rate": _MORE}, answers=True),
    },
    most={"class parameters": 0, "random streams": 1},
)

_NUMBER = Result("second", "Number", ("value",))
_METRIC = Kind(
    {
        "of_flow": Hook({"flow": Argument("first", "Flow")}, result=_NUMBER),
        "of_link": Hook({"link": Argument("first", "Link")}, result=_NUMBER),
    },
    facts={f"Flow.delay_p{percent}": "delays" for percent in (50, 90, 95, 99, 999)},
    most={"parameters": 0, "class parameters": 0, "random streams": 0},
)

KINDS: dict[str, Kind] = {
    "discipline": _DISCIPLINE,
    "congestion-control": _CONGESTION_CONTROL,
    "meter": _METER,
    "metric": _METRIC,
    "scheduler": _SCHEDULER,
    "source": _SOURCE,
}
"""The kinds by name."""
