"""The pages that explain a name or its synonym: of the catalogue, topics, profiles and studies."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from penstock import _core, reproductions, suites
from penstock.errors import InputError
from penstock.printable import quoted, suggestion
from penstock.reference import catalogue, components_of, names, page, pages, pages_of, places, with_file
from penstock.topologies.pages import GENERATORS

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
    own = [*names(), *topic_names(), *reproductions.names(), *suites.names()]
    return list(dict.fromkeys([*own, *(name for name in SYNONYMS if " " not in name)]))


def explained_by(name: str) -> tuple[list[str], str]:
    """The pages of a name, and a sentence for a synonym. Raises InputError with the nearest name if there are none."""
    file, _, component = name.partition(".py:")
    if component or name.endswith(".py"):
        return _of_file(Path(f"{file.removesuffix('.py')}.py"), component or None), ""
    found = _own(name)
    if found:
        return found, ""
    meant = {plain(each): own for each, own in _named().items()}.get(plain(name))
    others = {plain(each): own for each, own in SYNONYMS.items()}.get(plain(name), ()) if meant is None else (meant,)
    if others:
        return [page for other in others for page in _own(other)], f"{quoted(name)} here: {', '.join(others)}."
    nearest = {plain(each): own for each, own in ABSENT.items()}.get(plain(name))
    if nearest is not None:
        raise InputError(f"Penstock has no {quoted(name)}; nearest to it: {', '.join(nearest)}.")
    own = suggestion(name, _named())
    close = own or suggestion(name, known(), ".")
    raise InputError(f"there is nothing called {quoted(name)}{close} 'penstock list' shows what there is.")


def _named() -> dict[str, str]:
    """All names with pages of their own, also of claims and open questions, and the lists of a scenario."""
    lists = {section["path"].removesuffix("[]"): section["name"] for section in catalogue()["sections"]}
    own = [*suites.names(), *reproductions.names(), *reproductions.item_names(), *topic_names()]
    own += [*catalogue()["components"], *names()]
    return {path: name for path, name in lists.items() if path and "." not in path} | {each: each for each in own}


def _own(name: str) -> list[str]:
    """The pages of a name itself; that of a kind lists its components."""
    components = catalogue()["components"].get(name)
    kind = None if components is None else page("kind", name, components, places()[name])
    others = (kind, topic_page(name), reproductions.explain(name), suites.explain(name))
    return [*pages(name), *(page for page in others if page is not None)]


def _of_file(file: Path, name: str | None) -> list[str]:
    """The pages of the components of a Python file, or of the one with this name or class."""
    from penstock.own.files import opened

    everything, components = with_file(file), opened(file).components
    known = [(it.kind, it.key) for it in components if name in (None, it.key, it.cls.__name__)]
    if not known:
        own = ", ".join(it.cls.__name__ for it in components)
        raise InputError(f"{file} has no component {quoted(name or '')}; it has {own}")
    return pages_of(everything, known)


_PAGES = re.split(r"\n(?=# \S+ \()", Path(__file__).with_name("topics.md").read_text(encoding="utf-8"))
_TOPICS = {text.split(maxsplit=2)[1]: text for text in _PAGES}  # the pages of ``topics.md`` by name


def topic_names() -> list[str]:
    """The names of topics other than components: networks, sizes of transfers, studies, and subjects of the field."""
    return [*_TOPICS, *GENERATORS]


def topic_page(name: str) -> str | None:
    """The Markdown page of a topic; None if there is none."""
    return page("topology", name, GENERATORS[name]) if name in GENERATORS else _TOPICS.get(name)


def differences(name: str, profile: str) -> list[dict[str, str]]:
    """The ``path``, ``value``, ``default`` and ``unless`` of each setting of a profile of the component `name`.

    ``unless`` is the condition under which the setting does not apply. Raises InputError if there is no such profile.

    >>> [each["path"] for each in differences("tcp", "ns-2")][:2]
    ['initial-window', 'max-window']
    """
    _, component = _with_profiles(name)
    profiles = {each["name"]: each for each in component["profiles"]}
    if profile not in profiles:
        close = suggestion(profile, profiles, ";")
        raise InputError(f"{name} has no profile {quoted(profile)}{close} one of {', '.join(profiles)}")
    found = []
    for setting in profiles[profile]["settings"]:
        unless = setting.get("unless")
        condition = "" if unless is None else f"{unless['path']} = {unless['value']}"
        default = _parameter(component, setting["path"]).get("default", "")
        found.append({"path": setting["path"], "default": default, "value": setting["value"], "unless": condition})
    return found


def profile_page(name: str, profile: str) -> str:
    """The page on a profile, a named set of parameters: a table of its differences from the defaults."""
    kind, _ = _with_profiles(name)
    return page("profile", name, kind, profile, differences(name, profile))


def _with_profiles(name: str) -> tuple[str, _core.Component]:
    found = {each["name"]: (kind, each) for kind, each in components_of(catalogue()) if "profiles" in each}
    if name not in found:
        raise InputError(f"{quoted(name)} has no profiles ({', '.join(sorted(found))} has)")
    return found[name]


def _parameter(component: _core.Component, path: str) -> _core.Parameter:
    key, _, rest = path.partition(".")
    parameter = next(each for each in component["parameters"] if each["key"] == key)
    if not rest:
        return parameter
    name, _, below = rest.partition(".")
    inner = catalogue()["components"][parameter["of"]]
    return _parameter(next(each for each in inner if each["name"] == name), below)
