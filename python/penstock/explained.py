"""The pages that explain a name: of the catalogue, topics and studies, also by synonyms.

Synonyms are names from the field, RFCs and other simulators; ``synonyms.toml`` has them with the pages that cover them.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from penstock import reproductions, suites, topics
from penstock.errors import InputError
from penstock.printable import quoted
from penstock.reference import catalogue, names, pages, pages_of, places, with_file
from penstock.suggest import suggestion

_NAMES = tomllib.loads(Path(__file__).with_name("synonyms.toml").read_text(encoding="utf-8"))
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


def known() -> list[str]:
    """All names with pages of their own, and the synonyms of one word."""
    own = [*names(), *topics.names(), *reproductions.names(), *suites.names()]
    return list(dict.fromkeys([*own, *(name for name in SYNONYMS if " " not in name)]))


def explained_by(name: str) -> tuple[list[str], str]:
    """The pages that explain a name, and a sentence if it is a synonym.

    Raises InputError if there are none; the message has the nearest name.
    """
    file, _, component = name.partition(".py:")
    if component or name.endswith(".py"):
        return _of_file(Path(f"{file.removesuffix('.py')}.py"), component or None), ""
    found = _own(name)
    if found:
        return found, ""
    meant = {plain(each): each for each in (*names(), *topics.names())}.get(plain(name))
    others = {plain(each): own for each, own in SYNONYMS.items()}.get(plain(name), () if meant is None else (meant,))
    if others:
        return [page for other in others for page in _own(other)], f"{quoted(name)} here: {', '.join(others)}."
    nearest = {plain(each): own for each, own in ABSENT.items()}.get(plain(name))
    if nearest is not None:
        raise InputError(f"Penstock has no {quoted(name)}; nearest to it: {', '.join(nearest)}.")
    own = suggestion(
        name, [*names(), *catalogue()["components"], *topics.names(), *reproductions.names(), *suites.names()]
    )
    close = own or suggestion(name, known(), ".")
    raise InputError(f"there is nothing called {quoted(name)}{close} 'penstock list' shows what there is.")


def _own(name: str) -> list[str]:
    """The pages of a name itself."""
    found = [*pages(name), *_of_kind(name)]
    others = (topics.page(name), reproductions.explain(name), suites.explain(name))
    return [*found, *(page for page in others if page is not None)]


def _of_kind(name: str) -> list[str]:
    """The page of a kind of component, which lists the components."""
    components = catalogue()["components"].get(name)
    if components is None:
        return []
    keys = ", ".join(f"`{place}.NAME`" for place in places()[name])
    listed = "\n".join(f"- `{component['name']}`: {component['summary']}" for component in components)
    return [f"# {name} (kind of component)\n\nIn a scenario: {keys}.\n\n{listed}\n"]


def _of_file(file: Path, name: str | None) -> list[str]:
    """The pages of the components of a Python file, or of the one with this name or class."""
    from penstock.own.files import opened

    everything, components = with_file(file), opened(file).components
    known = [(it.kind, it.key) for it in components if name in (None, it.key, it.cls.__name__)]
    if not known:
        own = ", ".join(it.cls.__name__ for it in components)
        raise InputError(f"{file} has no component {quoted(name or '')}; it has {own}")
    return pages_of(everything, known)
