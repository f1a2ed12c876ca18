"""Settings of a study that hold only at points that meet a condition: ``[[when]]``."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.printable import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.studies.mistakes import Mistakes

KEYS = ("if", "set", "grid", "derived")


@dataclass(frozen=True)
class When:
    """Settings that hold where a condition is met."""

    condition: str  # evaluated with the study's own values, not with those that other conditions set
    settings: dict[str, Any] = field(default_factory=dict)  # settings with one value
    grid: dict[str, Any] = field(default_factory=dict)
    """Settings with several values, all of whose combinations are points."""
    derived: dict[str, str] = field(default_factory=dict)  # settings and auxiliary values as expressions

    def names(self) -> Iterator[tuple[str, str]]:
        """All names that get a value, each with the key of its table."""
        for key, table in (("set", self.settings), ("grid", self.grid), ("derived", self.derived)):
            yield from ((name, key) for name in table)


def whens_of(content: Mapping[str, Any], flat: Any, mistakes: Mistakes) -> list[When]:
    """Reads the tables ``[[when]]`` of a study file; `flat` turns nested tables into paths."""
    tables = content.get("when", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        mistakes.add(("when",), "needs tables, [[when]]")
        return []
    found = []
    for number, table in enumerate(tables):
        for key in table:
            if key not in KEYS:
                mistakes.add(("when", number, key), f"unknown key {quoted(key)} (when has {', '.join(KEYS)})")
        condition = table.get("if")
        if not isinstance(condition, str) or not condition.strip():
            mistakes.add(("when", number, "if"), "needs a condition in quotes, such as \"discipline == 'RED'\"")
            continue
        parts: dict[str, dict[str, Any]] = {}
        for key in KEYS[1:]:
            part = table.get(key, {})
            if not isinstance(part, dict) or (key in table and not part):
                mistakes.add(("when", number, key), f"needs a table, [when.{key}], that is not empty")
                part = {}
            parts[key] = flat(part)
        if not set(table) - {"if"}:
            mistakes.add(("when", number), "sets nothing; write [when.set], [when.grid] or [when.derived] below it")
        found.append(When(condition, parts["set"], parts["grid"], parts["derived"]))
    return found
