"""The kinds of components: the hooks of each, with their arguments and answers, from ``kinds.toml``.

The core calls every hook as ``hook(own, first, second, now, more)``: the words of the component, up to two views, the
time and another number.
"""

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

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
    fields: Sequence[str]


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


def _argument(text: str) -> Argument:
    place, _, rest = text.partition(" ")
    view, _, name = rest.partition(".")
    return Argument(place, view or None, name or None)


def _hook(arguments: dict[str, str], result: dict[str, Any] | None = None, **more: bool) -> Hook:
    given = {name: _argument(text) for name, text in arguments.items()}
    return Hook(given, result=None if result is None else Result(**result), **more)


def _kind(hooks: dict[str, Any], facts: dict[str, str] | None = None, **more: Any) -> Kind:
    return Kind({name: _hook(**hook) for name, hook in hooks.items()}, facts or {}, **more)


KINDS = {
    name: _kind(**kind)
    for name, kind in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
}
"""The kinds by name."""
