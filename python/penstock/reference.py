"""The catalogue of components and metrics, as pages for people."""

from __future__ import annotations

import json
from functools import cache
from typing import TypedDict

from penstock import _core

__all__ = ["Catalogue", "Component", "Kind", "Metric", "Parameter", "catalogue", "names", "pages"]


class Choice(TypedDict):
    """One of the words that a parameter may be."""

    word: str
    doc: str


class Parameter(TypedDict):
    """A parameter of a component, as the core declares it."""

    key: str
    name: str
    doc: str
    kind: str
    example: str | None
    default: str | None
    range: str
    optional: bool
    choices: list[Choice]


class Component(TypedDict):
    """A component, as the core declares it."""

    name: str
    summary: str
    doc: str
    parameters: list[Parameter]


class Kind(TypedDict):
    """A kind of component; `key` is where a scenario puts it."""

    kind: str
    key: str
    components: list[Component]


class Metric(TypedDict):
    """A metric that a scenario may ask for."""

    name: str
    unit: str
    doc: str


class Catalogue(TypedDict):
    """Everything that a scenario may name."""

    kinds: list[Kind]
    metrics: list[Metric]


@cache
def catalogue() -> Catalogue:
    """The core's catalogue."""
    made: Catalogue = json.loads(_core.catalogue())
    return made


def names() -> list[str]:
    """All names that have a page."""
    components = [component["name"] for kind in catalogue()["kinds"] for component in kind["components"]]
    return list(dict.fromkeys([*components, *(metric["name"] for metric in catalogue()["metrics"])]))


def pages(name: str) -> list[str]:
    """The Markdown pages about `name`; several if kinds share it, none if there is no such thing."""
    found = [
        _component_page(kind, component)
        for kind in catalogue()["kinds"]
        for component in kind["components"]
        if component["name"] == name
    ]
    found += [_metric_page(metric) for metric in catalogue()["metrics"] if metric["name"] == name]
    return found


def _component_page(kind: Kind, component: Component) -> str:
    title = f"# {component['name']} ({kind['kind']})"
    key = f"In a scenario: `{kind['key']}.{component['name']} = {{ ... }}`"
    doc, found, after = component["doc"].strip().partition("## State")
    parts = [title, key, doc.strip(), _parameters(component["parameters"]), f"{found}{after}".strip()]
    return "\n\n".join(part for part in parts if part) + "\n"


def _parameters(parameters: list[Parameter]) -> str:
    if not parameters:
        return "## Parameters\n\nNone."
    items = []
    for parameter in parameters:
        facts = [parameter["kind"]]
        if parameter["example"]:
            facts.append(f"such as {parameter['example']}")
        if parameter["range"]:
            facts.append(parameter["range"])
        if parameter["default"] is not None:
            facts.append(f"default {parameter['default']}")
        else:
            facts.append("may be left out" if parameter["optional"] else "must be given")
        items.append(f"- `{parameter['key']}` ({'; '.join(facts)}): {' '.join(parameter['doc'].split())}")
        items += [f"    - `{choice['word']}`: {' '.join(choice['doc'].split())}" for choice in parameter["choices"]]
    return "## Parameters\n\n" + "\n".join(items)


def _metric_page(metric: Metric) -> str:
    return f"# {metric['name']} (metric)\n\nUnit: {metric['unit']}\n\n{metric['doc'].strip()}\n"
