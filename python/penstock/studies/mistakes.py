"""Mistakes in a study, each with its place there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import ScenarioError
from penstock.printable import utf8

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock._core import Mistake

    Place = tuple[str | int, ...]
    Locate = Callable[[Place], int | None]
    """The line of a place; None if it is in no file."""


class Mistakes:
    """Mistakes by their places in a study, at most one per place."""

    def __init__(self) -> None:
        self.found: dict[Place, str] = {}

    def add(self, place: Place, message: str) -> None:
        """Adds a mistake, unless its place already has one."""
        self.found.setdefault(place, message)

    def raise_any(self, file: str, locate: Locate = lambda _: None) -> None:
        """Raises ScenarioError with all mistakes in the order of their lines, if there are any."""
        if self.found:
            found: list[Mistake] = [
                {"file": utf8(file), "line": locate(place), "path": path_of(place), "message": message}
                for place, message in self.found.items()
            ]
            raise ScenarioError(sorted(found, key=lambda mistake: mistake["line"] or 0))


def path_of(place: Place) -> str:
    """Returns how messages name a place.

    Examples
    --------
    >>> path_of(("grid", "flows")), path_of(("list", 2, "a-b.rate"))
    ('grid.flows', 'list[2].a-b.rate')
    """
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")
