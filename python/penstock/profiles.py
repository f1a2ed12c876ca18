"""Profiles of components: named sets of parameters, compared with the defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.printable import quoted
from penstock.reference import catalogue
from penstock.suggest import suggestion

if TYPE_CHECKING:
    from penstock.reference import Component, Parameter, Profile


def differences(name: str, profile: str) -> list[dict[str, str]]:
    """The settings of a profile of the component `name`: a dictionary for each.

    It has the `path`, the `value`, the `default` (empty if the parameter may be left out), and the condition `unless`
    which it applies, empty if it always does. Raises InputError if there is no such component or profile.

    >>> [each["path"] for each in differences("tcp", "ns-2")][:2]
    ['initial-window', 'max-window']
    """
    component = _component(name)
    settings = _chosen(component, profile)["settings"]
    found = []
    for setting in settings:
        unless = setting.get("unless")
        condition = "" if unless is None else f"{unless['path']} = {unless['value']}"
        default = _parameter(component, setting["path"]).get("default", "")
        found.append({"path": setting["path"], "default": default, "value": setting["value"], "unless": condition})
    return found


def page(name: str, profile: str) -> str:
    """The page on a profile: a table of its differences from the defaults."""
    kind = _kind_of(_component(name))
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


def _component(name: str) -> Component:
    found = [each for of_kind in catalogue()["components"].values() for each in of_kind if each["name"] == name]
    with_profiles = next((each for each in found if "profiles" in each), None)
    if with_profiles is None:
        has = sorted(each["name"] for of in catalogue()["components"].values() for each in of if "profiles" in each)
        raise InputError(f"{quoted(name)} has no profiles ({', '.join(has)} has)")
    return with_profiles


def _kind_of(component: Component) -> str:
    components = catalogue()["components"]
    return next(kind for kind, of_kind in components.items() if component in of_kind)


def _chosen(component: Component, profile: str) -> Profile:
    profiles = {each["name"]: each for each in component["profiles"]}
    if profile not in profiles:
        close = suggestion(profile, profiles, ";")
        raise InputError(f"{component['name']} has no profile {quoted(profile)}{close} one of {', '.join(profiles)}")
    return profiles[profile]


def _parameter(component: Component, path: str) -> Parameter:
    """The parameter at a path, through the components in between."""
    key, _, rest = path.partition(".")
    parameter = next(each for each in component["parameters"] if each["key"] == key)
    if not rest:
        return parameter
    name, _, below = rest.partition(".")
    inner = catalogue()["components"][parameter["of"]]
    return _parameter(next(each for each in inner if each["name"] == name), below)
