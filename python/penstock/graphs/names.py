"""Valid node names for the nodes of a graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock.printable import printable, quoted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

_LONGEST = 100
"""Maximum number of characters of a name."""
_SHOWN = 5
"""Maximum number of renamed nodes that a remark lists."""


def is_name(text: str) -> bool:
    """Whether a scenario allows a text as the name of a node.

    Examples
    --------
    >>> is_name("r-1"), is_name("Zürich"), is_name("New York"), is_name("")
    (True, True, False, False)
    """
    sound = all((character.isalnum() or character in "-_") and printable(character) == character for character in text)
    return 0 < len(text) <= _LONGEST and sound


def mapped_names(texts: Iterable[tuple[Hashable, str]]) -> dict[Hashable, str]:
    """Returns a unique name for each node: its own if that is allowed, else a similar one.

    Examples
    --------
    >>> mapped_names([(1, "New York"), (2, "New-York"), (3, "São Paulo (2)"), (4, "?!")])
    {1: 'New-York-2', 2: 'New-York', 3: 'São-Paulo-2', 4: 'node'}
    """
    given = list(texts)
    taken = {text for _, text in given if is_name(text)}
    first: set[str] = set()
    names: dict[Hashable, str] = {}
    for node, text in given:
        if is_name(text) and text not in first:
            names[node] = text
            first.add(text)
        else:
            names[node] = free_name(_similar(text), taken)
    return names


def free_name(name: str, taken: set[str]) -> str:
    """Returns `name`, or `name` with a number if that is taken, and adds it to `taken`."""
    found, number = name, 1
    while found in taken:
        number += 1
        end = f"-{number}"
        found = name[: _LONGEST - len(end)] + end
    taken.add(found)
    return found


def _similar(text: str) -> str:
    kept = "".join(character if is_name(character) else "-" for character in text[: 2 * _LONGEST])
    return re.sub("-{2,}", "-", kept).strip("-")[:_LONGEST] or "node"


def renaming_remark(renamed: dict[str, str]) -> str:
    """Returns the remark on renamed nodes.

    Examples
    --------
    >>> renaming_remark({"New York": "New-York"})
    "1 node has another name here, as names have letters, digits, '-' and '_' only: 'New York' is New-York"
    """
    pairs = [f"{quoted(text)} is {name}" for text, name in list(renamed.items())[:_SHOWN]]
    more = f", and {len(renamed) - _SHOWN} more" if len(renamed) > _SHOWN else ""
    have = "node has another name" if len(renamed) == 1 else "nodes have other names"
    return f"{len(renamed)} {have} here, as names have letters, digits, '-' and '_' only: {', '.join(pairs)}{more}"
