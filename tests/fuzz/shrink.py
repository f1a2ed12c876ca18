"""Makes a failing case small: what can be left out or made simpler without the failure going away."""

from __future__ import annotations

import copy
import time
import tomllib

from corpus import text_of
from mutations import QUANTITY, places


def shrink(text, sets, fails, seconds=60.0):
    """The smallest case found in the time.

    `fails(text, sets)` says whether a case fails in the same way; it must hold for the given case.
    """
    end = time.monotonic() + seconds
    sets = _fewer(sets, lambda fewer: fails(text, fewer), end)
    try:
        tree = tomllib.loads(text)
        is_tree = fails(text_of(tree), sets)
    except (tomllib.TOMLDecodeError, TypeError, RecursionError, ValueError):
        is_tree = False
    if not is_tree:
        return "".join(_fewer(text.splitlines(keepends=True), lambda lines: fails("".join(lines), sets), end)), sets
    while time.monotonic() < end:
        smaller = next((it for it in _candidates(tree) if time.monotonic() < end and fails(text_of(it), sets)), None)
        if smaller is None:
            break
        tree = smaller
    return text_of(tree), sets


def _fewer(items, fails, end):
    """Without the items that do not matter, large pieces first."""
    items = list(items)
    size = len(items)
    while size:
        at = 0
        while at < len(items) and time.monotonic() < end:
            fewer = items[:at] + items[at + size :]
            if fails(fewer):
                items = fewer
            else:
                at += size
        size //= 2
    return items


def _candidates(tree):
    """Smaller trees, those without much of it first."""
    found = places(tree)
    paths = sorted(range(len(found)), key=lambda i: -_size(found[i][0][found[i][1]]))
    for number in paths:
        smaller = copy.deepcopy(tree)
        container, key = places(smaller)[number]
        del container[key]
        yield smaller
    for number in paths:
        container, key = found[number]
        for simpler in _simpler(container[key]):
            smaller = copy.deepcopy(tree)
            container, key = places(smaller)[number]
            container[key] = simpler
            yield smaller


def _size(value):
    if isinstance(value, dict):
        return 1 + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1


def _simpler(value):
    """Values that are simpler; none of them leads back."""
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int):
        return [it for it in (1, value // 2) if 0 < it < value]
    if isinstance(value, str):
        found = QUANTITY.fullmatch(value)
        if found and found[1].isdigit():
            digits = found[1]
            return [
                f"{it} {found[2]}"
                for it in ("1", digits[: len(digits) // 2])
                if it and it < digits and len(it) < len(digits)
            ]
        return [value[: len(value) // 2]] if len(value) > 8 and not found else []
    return []
