"""Writes scenarios as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock import toml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def scenario_text(head: Mapping[str, Any], blocks: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
    """The keys at the top of a scenario, and each table below its header.

    Examples
    --------
    >>> print(scenario_text({"duration": "2 s"}, [("[nodes]", {"a": {}})]), end="")
    duration = "2 s"
    <BLANKLINE>
    [nodes]
    a = {}
    """
    lines = toml.lines(head)
    for header, keys in blocks:
        lines += ["", header, *toml.lines(keys)]
    return "\n".join(lines) + "\n"
