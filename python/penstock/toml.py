"""Writes plain values as TOML; reading it is the core's business alone."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from penstock.printable import printable, shortened

__all__ = ["key", "lines", "value"]


def key(name: str) -> str:
    """A key, quoted where it must be.

    Examples
    --------
    >>> key("max-threshold"), key("two words")
    ('max-threshold', '"two words"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def value(what: Any) -> str:
    """A value on one line.

    Raises
    ------
    TypeError
        If TOML has nothing like it.

    Examples
    --------
    >>> value({"limit": "60 packets", "weights": {"ef": 31}, "levels": [0.5, 1.0], "on": True})
    '{ limit = "60 packets", weights = { ef = 31 }, levels = [0.5, 1.0], on = true }'
    """
    if isinstance(what, str):
        return _text(what)
    if isinstance(what, bool):
        return "true" if what else "false"
    if isinstance(what, int):
        return str(what)
    if isinstance(what, float):
        return repr(what) if math.isfinite(what) else str(what)
    if isinstance(what, Mapping):
        pairs = [f"{key(name)} = {value(item)}" for name, item in what.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    if isinstance(what, Sequence):
        return f"[{', '.join(value(item) for item in what)}]"
    raise TypeError(
        f"{shortened(repr(what), 60)} cannot stand in a scenario; write a text, a number, a switch, a list or a table"
    )


def lines(table: Mapping[str, Any]) -> list[str]:
    """A table as ``key = value`` lines; keys may be dotted paths already."""
    return [f"{name} = {value(item)}" for name, item in table.items()]


def _text(text: str) -> str:
    return printable(json.dumps(text, ensure_ascii=False))
