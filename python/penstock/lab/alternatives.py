"""Valid replacements for a component of a scenario, each as the settings that make the replacement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from penstock import _core, toml
from penstock.lab.parameters import Number, Slot, read_number
from penstock.reference import catalogue
from penstock.studies.derived import scenario_value

_LIMIT_OF_EXAMPLES = 60  # packets
Sets = list[tuple[str, str]]


def alternatives(
    text: str, sets: Sequence[tuple[str, str]], folder: str, document: Mapping[str, Any], slot: Slot
) -> list[dict[str, Any]]:
    """Returns the components that could fill a slot of `document`; they keep parameters that the old one has, too."""
    tried = list(_candidates(slot, document))
    checked = _core.scenarios(text, "scenario", [_merged(sets, own) for *_, own in tried], folder)
    found: dict[str, dict[str, Any]] = {}
    for (name, summary, own), scenario in zip(tried, checked, strict=True):
        if not isinstance(scenario, list) and not scenario.left_out:
            found.setdefault(name, {"name": name, "doc": summary, "sets": own})
    return list(found.values())


def _merged(sets: Sequence[tuple[str, str]], more: Sequence[tuple[str, str]]) -> Sets:
    """Settings with more appended; the new ones replace any at or below their paths."""
    replaced = [path for path, _ in more]
    kept = [(path, value) for path, value in sets if not any(f"{path}.".startswith(f"{each}.") for each in replaced)]
    return [*kept, *more]


def _candidates(slot: Slot, document: Mapping[str, Any]) -> Iterator[tuple[str, str, Sets]]:
    path, present = slot["path"], scenario_value(document, slot["path"])
    old = present.get(slot["name"], {}) if isinstance(present, dict) else {}
    for component in catalogue()["components"].get(slot["kind"], []):
        name = component["name"]
        if name == slot["name"]:
            continue
        made = {name: _values(component["parameters"], old if isinstance(old, dict) else {})}
        yield name, component["summary"], [(path, toml.value(made))]
        outer = scenario_value(document, path.rpartition(".")[0])
        if slot["kind"] == "scheduler" and isinstance(outer, dict) and isinstance(outer.get("class"), dict):
            yield name, component["summary"], _with_classes(path, component, made, outer["class"])
        parent = None if slot["parent"] is None else scenario_value(document, slot["parent"])
        if isinstance(parent, dict) and "variant" in parent:
            # A TCP variant fixes recovery and congestion control: replace it by the part that stays.
            kept = {key: value for key, value in parent.items() if key != "variant"}
            if slot["kind"] == "congestion-control":
                kept.setdefault("recovery", {parent["variant"]: {}})
            kept[path.rpartition(".")[2]] = made
            yield name, component["summary"], [(slot["parent"], toml.value(kept))]


def _with_classes(path: str, component: Any, made: dict[str, Any], classes: Mapping[str, Any]) -> Sets:
    """Settings of a scheduler and of its classes, whose keys depend on the scheduler."""
    schedulers = catalogue()["components"]["scheduler"]
    of_class = {parameter["key"] for each in schedulers for parameter in _of_classes(each)}
    own = made[component["name"]]
    if any(parameter["key"] == "order" and parameter["required"] for parameter in component["parameters"]):
        own["order"] = list(classes)
    sets = [(path, toml.value(made))]
    outer = path.rpartition(".")[0]
    for name, table in classes.items():
        if isinstance(table, dict):
            kept = {key: value for key, value in table.items() if key not in of_class}
            kept = {**_values(_of_classes(component), table), **kept}
            sets.append((f"{outer}.class.{name}", toml.value(kept)))
    return sets


def _of_classes(scheduler: Any) -> Sequence[_core.Parameter]:
    parameters: Sequence[_core.Parameter] = scheduler["classes"]["parameters"] if "classes" in scheduler else []
    return parameters


def _values(parameters: Sequence[_core.Parameter], old: Mapping[str, Any]) -> dict[str, Any]:
    """Values for a new component: from the old one where it has them, else usual ones for required parameters."""
    made: dict[str, Any] = {}
    for parameter in parameters:
        key = parameter["key"]
        if key in old:
            made[key] = old[key]
        elif parameter["required"] and (value := _usual(parameter, read_number(old.get("limit")))) is not None:
            made[key] = value
    return made


def _usual(parameter: _core.Parameter, limit: Number | None) -> Any:
    """Returns a usual value; thresholds of a queue keep the ratio to its limit that the examples have."""
    if "example" in parameter:
        example = parameter["example"].split('",')[0].strip('" ')
        number = read_number(example)
        if limit is not None and number is not None and number.unit == "packets":
            return f"{max(1, round(limit.value * number.value / _LIMIT_OF_EXAMPLES))} {limit.unit}"
        return example
    if parameter.get("choices"):
        return parameter["choices"][0]["word"]
    if parameter["kind"] == "number":
        return 0.1
    return 1 if parameter["kind"].startswith("integer") else None
