"""Writes plain values as TOML."""

import datetime
import json
import math
import re
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from penstock.printable import printable, represented, shortened


def key(name: str) -> str:
    """A key, quoted where it must be.

    >>> key("max-threshold"), key("two words")
    ('max-threshold', '"two words"')
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


_DEEPEST = 60  # maximum depth of tables and lists; the core reads few more


def native(what: Any) -> Any:
    """A number of NumPy, which prints differently, as one of Python; anything else as it is."""
    if isinstance(what, bool):
        return what
    return int(what) if isinstance(what, Integral) else float(what) if isinstance(what, Real) else what


def value(what: Any, depth: int = 0) -> str:
    """A value on one line; raises TypeError if TOML has no such value.

    >>> value({"limit": "60 packets", "weights": {"ef": 31}, "levels": [0.5, 1.0], "on": True})
    '{ limit = "60 packets", weights = { ef = 31 }, levels = [0.5, 1.0], on = true }'
    """
    if isinstance(what, str):
        return _text(what)
    if isinstance(what, bool):
        return "true" if what else "false"
    what = native(what)
    if isinstance(what, datetime.date | datetime.time) or (isinstance(what, int) and abs(what) < 10**4000):
        return str(what)
    if isinstance(what, float):
        return repr(what) if math.isfinite(what) else str(what)
    if depth > _DEEPEST:
        raise TypeError(f"a value is nested deeper than {_DEEPEST} levels, or holds itself")
    if isinstance(what, Mapping):
        pairs = [f"{key(name)} = {value(item, depth + 1)}" for name, item in what.items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    if isinstance(what, Sequence):
        return f"[{', '.join(value(item, depth + 1) for item in what)}]"
    shown = shortened(represented(what), 60)
    raise TypeError(f"{shown} cannot be written in a scenario; use a text, a number, a switch, a list or a table")


def json_value(what: Any) -> Any:
    """A value for JSON; dates, times and numbers that JSON lacks become text, as in TOML.

    >>> json_value({"from": datetime.date(2020, 1, 31), "levels": [0.5, float("inf")]})
    {'from': '2020-01-31', 'levels': [0.5, 'inf']}
    """
    if isinstance(what, Mapping):
        return {name: json_value(item) for name, item in what.items()}
    if isinstance(what, Sequence) and not isinstance(what, str):
        return [json_value(item) for item in what]
    if isinstance(what, datetime.date | datetime.time) or (isinstance(what, float) and not math.isfinite(what)):
        return value(what)
    return what


def lines(table: Mapping[str, Any]) -> list[str]:
    """A table as ``key = value`` lines; keys may be dotted paths already."""
    return [f"{name} = {value(item)}" for name, item in table.items()]


def _text(text: str) -> str:
    return printable(json.dumps(text, ensure_ascii=False))
