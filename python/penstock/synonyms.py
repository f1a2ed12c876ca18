"""Synonyms: names from the field, RFCs and other simulators, with the pages that cover them."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_NAMES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
SYNONYMS: dict[str, list[str]] = _NAMES["synonyms"]
"""Synonyms with the pages that cover them; names are compared as :func:`plain` returns them."""
ABSENT: dict[str, list[str]] = _NAMES["absent"]
"""Names of the field that Penstock does not have, with the nearest pages."""


def plain(name: str) -> str:
    """Returns a name without capitals, hyphens, underscores and blanks.

    >>> plain("Drop-Tail") == plain("drop tail") == plain("droptail")
    True
    """
    return re.sub(r"[-_ .]", "", name.strip().lower())
