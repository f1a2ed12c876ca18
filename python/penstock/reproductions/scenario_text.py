"""Writes scenarios as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from penstock import toml

Entries = Iterable[Mapping[str, Any]]


def head_of(description: str, duration: str, warm_up: str) -> dict[str, str]:
    """The keys at the top of a scenario; there is no warm-up if all of a run counts."""
    head = {"description": description, "duration": duration}
    return head if warm_up == "0 s" else head | {"warm-up": warm_up}


def scenario_text(
    head: Mapping[str, Any],
    nodes: Mapping[str, Any],
    links: Entries,
    flows: Entries,
    measures: Entries,
    *,
    circuits: Entries = (),
    calls: Entries = (),
) -> str:
    """The keys at the top of a scenario, its nodes, and each entry of its lists below a header.

    Examples
    --------
    >>> print(scenario_text({"duration": "2 s"}, {"a": {}, "b": {}}, [{"from": "a", "to": "b"}], [], []), end="")
    duration = "2 s"
    <BLANKLINE>
    [nodes]
    a = {}
    b = {}
    <BLANKLINE>
    [[links]]
    from = "a"
    to = "b"
    """
    lines = [*toml.lines(head), "", "[nodes]", *toml.lines(nodes)]
    lists = {"links": links, "circuits": circuits, "flows": flows, "calls": calls, "measure": measures}
    for name, entries in lists.items():
        for entry in entries:
            lines += ["", f"[[{name}]]", *toml.lines(entry)]
    return "\n".join(lines) + "\n"
