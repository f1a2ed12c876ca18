"""The catalogue of components, metrics and sections, as pages for people."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock import _core
from penstock.errors import InputError
from penstock.toml import value as toml_value

if TYPE_CHECKING:
    from penstock._core import Catalogue, Classes, Component, Section, Variable
    from penstock._core import _Metric as Metric

PLACES = {
    "discipline": "queue",
    "scheduler": "scheduler",
    "buffer": "buffer",
    "congestion-point": "congestion-point",
    "reaction-point": "reaction-point",
    "shaper": "shaper",
    "policer": "policer",
    "meter": "marker",
    "pcn-meter": "pcn",
    "source": "source",
    "transport": "transport",
    "impairment": "impairment",
    "arrival": "arrivals",
    "holding": "holding",
    "admission": "admission",
    "termination": "termination",
}
"""The kinds of components with the keys that accept them, in the order of a packet's path, then of calls.

For kinds that only other components contain, see :func:`places`.
"""


_MEASURED = {"flows": "bulk", "links": "r1-r2", "calls": "voice"}
"""The names in the examples of metrics."""
_REQUIRED: dict[str, dict[str, Any]] = {
    "ef-error": {"classes": ["ef"], "rate": "450 kbit/s"},
    "termination-time": {"below": "1 Mbit/s"},
    "meter-state": {"sample": "10 ms"},
}
"""Keys that the measurement of a metric must have, with the values of its example."""


@cache
def catalogue(*, formulas: bool = False) -> Catalogue:
    """The core's catalogue, its kinds in the order of :data:`PLACES`.

    Texts mark formulas with dollar signs, which stay where `formulas` is set, for pages that typeset them.
    """
    return _read(_core.catalogue(), formulas=formulas)


def with_file(file: str | Path) -> Catalogue:
    """The catalogue with the components of a Python file.

    Raises InputError if the file has mistakes; the message has all, a line each.
    """
    try:
        return _read(_core.catalogue(file), formulas=False)
    except ValueError as error:
        raise InputError(str(error)) from None


def _read(text: str, *, formulas: bool) -> Catalogue:
    made: Catalogue = json.loads(text if formulas else re.sub(r"\$([^$]+)\$", r"\1", text))
    components = made["components"]
    order = [*(kind for kind in PLACES if kind in components), *(kind for kind in components if kind not in PLACES)]
    made["components"] = {kind: components[kind] for kind in order}
    return made


def places(everything: Catalogue | None = None) -> dict[str, list[str]]:
    """The keys that accept a component of each kind: ``queue``, or inside other components ``scheduler.NAME.queue``."""
    everything = everything or catalogue()
    found = {kind: [PLACES[kind]] if kind in PLACES else [] for kind in everything["components"]}
    nested = [
        (kind, component["name"], parameter["key"], parameter["of"])
        for kind, component in components_of(everything)
        for parameter in component["parameters"]
        if parameter["kind"] == "component"
    ]
    # Each round finds components that are nested one level deeper.
    for _ in range(len(nested)):
        for outer, name, key, kind in nested:
            if found[outer] and (place := f"{found[outer][0]}.{name}.{key}") not in found[kind]:
                found[kind].append(place)
    return found


def components_of(everything: Catalogue) -> list[tuple[str, Component]]:
    """All components, each with its kind."""
    return [(kind, component) for kind, of_kind in everything["components"].items() for component in of_kind]


def names() -> list[str]:
    """All names that have a page."""
    everything = catalogue()
    components = [component["name"] for _, component in components_of(everything)]
    others = [entry["name"] for entry in (*everything["metrics"], *everything["sections"])]
    return list(dict.fromkeys([*components, *others]))


def pages_of(everything: Catalogue, known: Collection[tuple[str, str]]) -> list[str]:
    """The Markdown pages about the components and metrics of these kinds and names."""
    components = components_of(everything)
    found = [_component_page(kind, component) for kind, component in components if (kind, component["name"]) in known]
    return found + [_metric_page(metric) for metric in everything["metrics"] if ("metric", metric["name"]) in known]


def pages(name: str, *, formulas: bool = False) -> list[str]:
    """The Markdown pages about `name`, which may have several meanings or none."""
    everything = catalogue(formulas=formulas)
    found = pages_of(everything, [*((kind, name) for kind in everything["components"]), ("metric", name)])
    return found + [_section_page(section) for section in everything["sections"] if section["name"] == name]


def _component_page(kind: str, component: Component) -> str:
    title = f"# {component['name']} ({kind})"
    written = " or ".join(f"`{place}.{component['name']} = {{ ... }}`" for place in places()[kind])
    place = f"In a scenario: {written}"
    doc, found, after = component["doc"].strip().partition("## State")
    state, departures, rest = after.partition("## Departures")
    shown = _variables(component.get("state", []))
    remembered = "\n\n".join(part for part in (f"{found}{state}".strip(), shown) if part)
    of_classes = _parameters(component["classes"], "Classes") if "classes" in component else ""
    parts = [title, place, doc.strip(), _parameters(component), of_classes, remembered, f"{departures}{rest}".strip()]
    return "\n\n".join(part for part in parts if part) + "\n"


def _variables(state: list[Variable]) -> str:
    """The state variables, with the names of ``penstock series``."""
    if not state:
        return ""
    items = [f"- `{variable['name']}` ({variable['unit']}): {' '.join(variable['doc'].split())}" for variable in state]
    return "In series:\n\n" + "\n".join(items)


def _section_page(section: Section) -> str:
    place = f"In a scenario: `{section['path']}`" if section["path"] else ""
    parts = [f"# {section['name']} (section)", place, section["doc"].strip(), _parameters(section)]
    if section["parts"]:
        items = []
        for part in section["parts"]:
            given = "must be given" if part["required"] else "may be left out"
            items.append(f"- `{part['key']}` ({part['takes']}: {part['of']}; {given}): {' '.join(part['doc'].split())}")
        parts.append("## Parts\n\n" + "\n".join(items))
    parts += [_variables(of["state"]) for of in catalogue()["state"] if of["name"] == section["name"]]
    return "\n\n".join(part for part in parts if part) + "\n"


def statistics_of(metric: Metric) -> str:
    """The statistics that ``take`` accepts, the default ones in bold (Markdown); empty if there is no choice."""
    return ", ".join(f"**{word}**" if word in metric["default-take"] else word for word in metric["take"])


def _metric_page(metric: Metric) -> str:
    take = statistics_of(metric)
    accepted = [f"Unit: {metric['unit']}", f"Of: {', '.join(metric['applies-to'])}"]
    accepted += [f"Take: {take}{' (bold: the default)' * (len(metric['take']) > 1)}"] if take else []
    accepted += ["Quantiles: any, such as `quantiles = [0.5, 0.99]`"] if metric["quantiles"] else []
    accepted += [f"By: {', '.join(metric['by'])}"] if metric["by"] else []
    lines = "\n".join(f"- {line}" for line in accepted)
    parts = [f"# {metric['name']} (metric)", lines, metric["doc"].strip()]
    if "## Example" not in metric["doc"]:
        parts.append(f"## Example\n\n```toml\n{_measure(metric)}```")
    return "\n\n".join(parts) + "\n"


def _measure(metric: Metric) -> str:
    """A ``[[measure]]`` with every key that the metric accepts."""
    # Links have numbers by class or cause.
    of = "links" if metric["by"] else metric["applies-to"][0]
    keys: dict[str, Any] = {"metric": metric["name"], "of": _MEASURED[of]}
    keys |= _REQUIRED.get(metric["name"], {})
    keys |= {"take": metric["default-take"]} if len(metric["take"]) > 1 else {}
    keys |= {"quantiles": [0.5, 0.99]} if metric["quantiles"] else {}
    keys |= {"by": metric["by"][:1]} if metric["by"] else {}
    return "[[measure]]\n" + "".join(f"{key} = {toml_value(value)}\n" for key, value in keys.items())


def kind_of(parameter: Parameter) -> str:
    """The kind of a parameter's value in words; a law is a value, a table or a list."""
    return "several forms" if parameter["kind"] == "law" else parameter["kind"]


def _used(key: str, usual: str, doc: str) -> str:
    """The value of a parameter in the component's example if it has the `usual` unit, else `usual`."""
    unit = usual.rpartition(" ")[2]
    found = re.search(rf'(?<![\w-]){re.escape(key)} = "([^"]* {re.escape(unit)})"', doc.partition("## Example")[2])
    return found[1] if found is not None else usual


def _parameters(described: Component | Classes, title: str = "Parameters") -> str:
    parameters, doc = described["parameters"], described["doc"]
    if not parameters:
        return f"## {title}\n\nNone."
    items = []
    for parameter in parameters:
        facts = [kind_of(parameter)]
        if "example" in parameter:
            facts.append(f"such as {_used(parameter['key'], parameter['example'], doc)}")
        if "names" in parameter:
            facts.append(f"{parameter['of']}: {', '.join(parameter['names'])}")
        if "range" in parameter:
            facts.append(parameter["range"])
        if "default" in parameter:
            facts.append(f"default {parameter['default']}")
        else:
            facts.append("must be given" if parameter["required"] else "may be left out")
        if parameter.get("changeable"):
            facts.append("changeable")
        items.append(f"- `{parameter['key']}` ({'; '.join(facts)}): {' '.join(parameter['doc'].split())}")
        items += [
            f"    - `{choice['word']}`: {' '.join(choice['doc'].split())}" for choice in parameter.get("choices", [])
        ]
    return f"## {title}\n\n" + "\n".join(items)
