"""Profiles of components: named sets of parameters, compared with the defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.printable import quoted
from penstock.reference import catalogue, components_of
from penstock.suggest import suggestion

if TYPE_CHECKING:
    from penstock.reference import Component, Parameter


def differences(name: str, profile: str) -> list[dict[str, str]]:
    """The settings of a profile of the component `name`: a dictionary for each.

    It has the `path`, the `value`, the `default` (empty if the parameter may be left out), and the condition `unless`
    which it applies, empty if it always does. Raises InputError if there is no such component or profile.

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


def page(name: str, profile: str) -> str:
    """The page on a profile: a table of its differences from the defaults."""
    kind, _ = _with_profiles(name)
    rows = differences(name, profile)
    title = f'# {name} ({kind}) with profile = "{profile}"'
    if not rows:
        return f"{title}\n\nAll parameters have their defaults.\n"
    table = ["| parameter | default | this profile |", "|---|---|---|"]
    for row in rows:
        unless = f" (unless `{row['unless']}` is written)" if row["unless"] else ""
        table.append(f"| `{row['path']}` | {row['default'] or 'left out'} | {row['value']}{unless} |")
    written = f"What a scenario writes next to `profile` takes precedence, parameter by parameter: `{kind}.{name}."
    return f"{title}\n\n" + "\n".join(table) + f"\n\n{written}{rows[-1]['path']} = ...`.\n"


def _with_profiles(name: str) -> tuple[str, Component]:
    """The component of this name that has profiles, with its kind."""
    found = {each["name"]: (kind, each) for kind, each in components_of(catalogue()) if "profiles" in each}
    if name not in found:
        raise InputError(f"{quoted(name)} has no profiles ({', '.join(sorted(found))} has)")
    return found[name]


def _parameter(component: Component, path: str) -> Parameter:
    """The parameter at a path, through the components in between."""
    key, _, rest = path.partition(".")
    parameter = next(each for each in component["parameters"] if each["key"] == key)
    if not rest:
        return parameter
    name, _, below = rest.partition(".")
    inner = catalogue()["components"][parameter["of"]]
    return _parameter(next(each for each in inner if each["name"] == name), below)
