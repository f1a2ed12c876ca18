"""The sections ``[ranges]``, ``[sensitivity]`` and ``[search]`` of a study file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.printable import quoted
from penstock.studies.ranges import Range, read_range

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.studies.mistakes import Mistakes

METHODS = ("morris", "sobol")
MOST_TRIALS = 10_000
"""Maximum number of trials of a search; its sampler considers all earlier ones for each new one."""
_MOST_SAMPLES = 65_536
_SECTIONS: Mapping[str, Mapping[str, str]] = {
    "sensitivity": {"method": "method", "samples": "count", "metrics": "texts", "second-order": "bool"},
    "search": {
        **{"minimise": "texts", "maximise": "texts", "subject-to": "texts"},
        **{"trials": "trials", "finalists": "count", "fresh": "count"},
    },
}


def ranges_of(table: Mapping[str, Any], mistakes: Mistakes) -> dict[str, Range]:
    """Reads the ranges in a flat table of paths."""
    found = {}
    for name, written in table.items():
        try:
            found[name] = read_range(written)
        except ValueError as error:
            mistakes.add(("ranges", name), str(error))
    return found


def asks_of(content: Mapping[str, Any], mistakes: Mistakes) -> dict[str, dict[str, Any]]:
    """Reads the sections that ask for something; texts that may be several become lists."""
    found = {}
    for section, keys in _SECTIONS.items():
        if section not in content:
            continue
        table = content[section]
        if not isinstance(table, dict) or not table:
            mistakes.add((section,), f"needs a table, [{section}]")
            continue
        for key in table:
            if key not in keys:
                mistakes.add((section, key), f"unknown key {quoted(key)} ({section} has {', '.join(keys)})")
        found[section] = {
            key: _value(table[key], kind, (section, key), mistakes) for key, kind in keys.items() if key in table
        }
        if "ranges" not in content:
            mistakes.add((section,), "needs [ranges]: nothing varies")
    return found


def _value(value: Any, kind: str, place: tuple[str, str], mistakes: Mistakes) -> Any:
    if kind == "texts":
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not texts or not all(isinstance(each, str) and each for each in texts):
            mistakes.add(place, "needs a text in quotes, or a list of them")
            return []
        return texts
    if kind == "method":
        if value not in METHODS:
            mistakes.add(place, f"is none of {', '.join(METHODS)}")
    elif kind == "bool":
        if not isinstance(value, bool):
            mistakes.add(place, "needs true or false")
    else:
        most = MOST_TRIALS if kind == "trials" else _MOST_SAMPLES
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
            mistakes.add(place, f"needs a whole number from 1 to {most}")
    return value
