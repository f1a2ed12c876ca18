"""Components that the conformance kit runs (of a Python file, built in, or of a plug-in), and their scenarios by kind.

In a scenario, ``COMPONENT`` stands for ``name = { ... }`` and the parameters of classes, or for the name of a metric.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from pathlib import Path
from typing import Any

from penstock import toml
from penstock.errors import InputError
from penstock.own.files import opened
from penstock.printable import quoted, suggestion
from penstock.reference import catalogue, with_file

CLASSES = ("ef", "default")
"""The classes of schedulers."""

_TEXTS = tomllib.loads(Path(__file__).with_name("scenarios.toml").read_text(encoding="utf-8"))


def _network(port: str) -> str:
    return str(_TEXTS["network"]).replace("PORT", _TEXTS["ports"][port])


def _by_class(flows: str) -> str:
    """The flows once in each class, whose name precedes theirs."""
    return "".join(
        flows.replace('from = "hosts"', f'from = "hosts"\nclass = "{name}"').replace('name = "', f'name = "{name}-')
        for name in CLASSES
    )


def _scenario(kind: str, port: str, *traffic: str) -> str:
    words = (each.partition(" ") for each in traffic)
    flows = "".join(_TEXTS["traffic"][name].replace("RATE", rate) for name, _, rate in words)
    return _network(port) + (_by_class(flows) if kind == "scheduler" else flows)


SCENARIOS: dict[str, dict[str, str]] = {
    kind: {name: _scenario(kind, *parts) for name, parts in of_kind.items()}
    for kind, of_kind in _TEXTS["scenarios"].items()
}
"""By kind and name."""

RECORDED = {kind: _network(kind) for kind in ("discipline", "meter", "scheduler", "impairment")}
"""The network for recorded arrivals at its bottleneck, for kinds that have arrivals."""

NEEDS: dict[str, str] = _TEXTS["needs"]
"""The hook without which a component cannot be in a scenario."""


@dataclass(frozen=True)
class Subject:
    """A component."""

    kind: str
    key: str  # its name in a scenario
    entry: Any  # its entry in the catalogue
    hooks: frozenset[str]  # hooks that a scenario may need
    file: Path | None = None  # the Python file that has it

    @property
    def parameters(self) -> dict[str, Any]:
        """The entries of its parameters by key; a metric has none."""
        return {each["key"]: each for each in self.entry.get("parameters", ())}

    @property
    def class_parameters(self) -> dict[str, Any]:
        """The entries of the parameters of a scheduler's classes, by key."""
        return {each["key"]: each for each in self.entry.get("classes", {}).get("parameters", ())}

    def written(self, settings: Mapping[str, Any], models: Sequence[Subject], classes: Sequence[str]) -> str:
        """The component as a scenario has it. Raises InputError if a parameter that must be given has no value.

        A parameter has its value in `settings`, or else in the example of the last of `models` with its name
        and type, or else its own example, or 1 if it is a whole number.
        """
        if self.kind == "metric":
            return self.key
        known, of_class = self.parameters, self.class_parameters
        values = _examples(known)
        tables = {name: _examples(of_class) for name in classes}
        for model in models:
            example, theirs = _example(model.entry["doc"]), model.parameters
            same = [key for key in known if key in theirs and known[key]["kind"] == theirs[key]["kind"]]
            values |= {key: value for key, value in _table(example, model.key).items() if key in same}
            given = {name: table for name, table in _table(example, "class").items() if isinstance(table, dict)}
            for (name, table), other in zip(tables.items(), cycle(given.values() or [{}]), strict=False):
                table.update(given.get(name, other))
        lines = [f"{self.key} = {toml.value(self._chosen(known, values | dict(settings)))}"]
        for name, table in tables.items():
            chosen = self._chosen(of_class, table | dict(settings))
            lines += [f"class.{toml.key(name)}.{key} = {toml.value(value)}" for key, value in chosen.items()]
        return "\n".join(lines)

    def _chosen(self, known: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of known parameters."""
        for key, each in known.items():
            if each["required"] and key not in values:
                raise InputError(f"{self.key}: {key} has no default; give it with --set {key}=VALUE ({each['range']})")
        return {key: value for key, value in values.items() if key in known}

    def like(self, other: Subject) -> Subject:
        """Leaves out optional parameters that the other component does not have."""
        kept = [each for key, each in self.parameters.items() if each["required"] or key in other.parameters]
        return replace(self, entry={**self.entry, "parameters": kept})

    def check(self, settings: Mapping[str, Any]) -> None:
        """Refuses settings that name no parameter. Raises InputError with the parameters."""
        known = [*self.parameters, *self.class_parameters]
        unknown = next((key for key in settings if key not in known), None)
        if unknown is not None:
            message = f"{self.key} has no parameter {quoted(unknown)}{suggestion(unknown, known)} ({', '.join(known)})"
            raise InputError(message)


def in_file(file: Path, name: str | None) -> Subject:
    """The one component of a Python file, of this class or key if given. Raises InputError if there is not just one."""
    components = opened(file).components
    found = [it for it in components if name in (None, it.cls.__name__, it.key)]
    names = [it.cls.__name__ for it in components]
    if not found:
        raise InputError(f"{file.name} has no component {quoted(name or '')}; it has {', '.join(names)}")
    if len(found) > 1:
        raise InputError(f"{file.name} has {', '.join(names)}; choose one: {file.name}:{names[0]}")
    [it] = found
    entry = next(each for each in _entries(with_file(file), it.kind) if each["name"] == it.key)
    return Subject(it.kind, it.key, entry, frozenset(it.hooks), file)


def built_in(name: str, kind: str | None = None) -> Subject:
    """The component of the core, or of a plug-in, with this key. Raises InputError if the kit has no such component."""
    everything = catalogue()
    kinds = [kind] if kind else list(SCENARIOS)
    found = [(of, each) for of in kinds for each in _entries(everything, of) if each["name"] == name]
    if not found:
        known = [each["name"] for of in kinds for each in _entries(everything, of)]
        listed = f" ({', '.join(known)})" if kind else f"; conform runs components of the kinds {', '.join(kinds)}"
        raise InputError(f"there is no {kind or 'component'} {quoted(name)}{suggestion(name, known)}{listed}")
    of, entry = found[0]
    targets = {"flows": "of_flow", "links": "of_link"}
    return Subject(of, name, entry, frozenset(targets[it] for it in entry.get("applies-to", ()) if it in targets))


def _entries(everything: Any, kind: str) -> list[Any]:
    entries: list[Any] = everything["metrics"] if kind == "metric" else everything["components"][kind]
    return entries


def _examples(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Examples of the parameters that must be given, as far as there are any."""
    needed = {key: each for key, each in parameters.items() if each["required"]}
    return {
        key: each.get("example", 1) for key, each in needed.items() if "example" in each or each["kind"] == "integer"
    }


def _example(doc: str) -> dict[str, Any]:
    """The first example of a page."""
    block = doc.partition("## Example")[2].partition("```toml")[2].partition("```")[0]
    lines = block.strip().splitlines()
    for length in range(len(lines), 0, -1):
        try:
            return tomllib.loads("\n".join(lines[:length]))
        except tomllib.TOMLDecodeError:  # another example follows
            continue
    return {}


def _table(tables: Any, name: str) -> dict[str, Any]:
    """The table under a name, at any depth; empty if there is none."""
    if isinstance(tables, list):
        tables = dict(enumerate(tables))
    if not isinstance(tables, dict):
        return {}
    if isinstance(tables.get(name), dict):
        return dict(tables[name])
    return next(filter(None, (_table(each, name) for each in tables.values())), {})
