"""The catalogue of components, metrics and sections, as pages for people."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any

from penstock import _core
from penstock.errors import InputError
from penstock.toml import value as toml_value

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


_MEASURED = {"flows": "bulk", "links": "r1-r2", "calls": "voice"}  # the names in the examples of metrics
_REQUIRED: dict[str, dict[str, Any]] = {
    "ef-error": {"classes": ["ef"], "rate": "450 kbit/s"},
    "termination-time": {"below": "1 Mbit/s"},
    "meter-state": {"sample": "10 ms"},
}
"""Keys that the measurement of a metric must have, with the values of its example."""


@cache
def catalogue(*, formulas: bool = False) -> _core.Catalogue:
    """The core's catalogue, its kinds in the order of :data:`PLACES`; `formulas` keeps the dollar signs around them."""
    return _read(_core.catalogue(), formulas=formulas)


def with_file(file: str | Path) -> _core.Catalogue:
    """The catalogue with the components of a Python file. Raises InputError with all of its mistakes."""
    try:
        return _read(_core.catalogue(file), formulas=False)
    except ValueError as error:
        raise InputError(str(error)) from None


def _read(text: str, *, formulas: bool) -> _core.Catalogue:
    made: _core.Catalogue = json.loads(text if formulas else re.sub(r"\$([^$]+)\$", r"\1", text))
    components = made["components"]
    order = [*(kind for kind in PLACES if kind in components), *(kind for kind in components if kind not in PLACES)]
    made["components"] = {kind: components[kind] for kind in order}
    return made


def places(everything: _core.Catalogue | None = None) -> dict[str, list[str]]:
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


def components_of(everything: _core.Catalogue) -> list[tuple[str, _core.Component]]:
    """All components, each with its kind."""
    return [(kind, component) for kind, of_kind in everything["components"].items() for component in of_kind]


def names() -> list[str]:
    """All names that have a page."""
    everything = catalogue()
    components = [component["name"] for _, component in components_of(everything)]
    others = [entry["name"] for entry in (*everything["metrics"], *everything["sections"])]
    return list(dict.fromkeys([*components, *others]))


def pages_of(everything: _core.Catalogue, known: Collection[tuple[str, str]]) -> list[str]:
    """The Markdown pages about the components and metrics of these kinds and names."""
    components, metrics = components_of(everything), everything["metrics"]
    found = [
        page("component", each, kind, places()[kind]) for kind, each in components if (kind, each["name"]) in known
    ]
    measured = [each for each in metrics if ("metric", each["name"]) in known]
    return found + [page("metric", each, statistics_of(each), _measure(each)) for each in measured]


def pages(name: str, *, formulas: bool = False) -> list[str]:
    """The Markdown pages about `name`, which may have several meanings or none."""
    everything = catalogue(formulas=formulas)
    found = pages_of(everything, [*((kind, name) for kind in everything["components"]), ("metric", name)])
    sections = [section for section in everything["sections"] if section["name"] == name]
    return found + [page("section", section, catalogue()["state"]) for section in sections]


@cache
def _template() -> Any:
    from jinja2 import Environment

    environment = Environment(trim_blocks=True, lstrip_blocks=True)
    environment.globals["used"] = _used
    environment.globals["kind_of"] = kind_of
    return environment.from_string(Path(__file__).with_suffix(".md.j2").read_text(encoding="utf-8"))


def page(macro: str, *described: Any) -> str:
    """A page by this macro of ``reference.md.j2``."""
    text: str = getattr(_template().module, macro)(*described)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def statistics_of(metric: _core._Metric) -> str:
    """The statistics that ``take`` accepts, the default ones in bold (Markdown); empty if there is no choice."""
    return ", ".join(f"**{word}**" if word in metric["default-take"] else word for word in metric["take"])


def _measure(metric: _core._Metric) -> str:
    # Links have numbers by class or cause.
    of = "links" if metric["by"] else metric["applies-to"][0]
    keys: dict[str, Any] = {"metric": metric["name"], "of": _MEASURED[of]}
    keys |= _REQUIRED.get(metric["name"], {})
    keys |= {"take": metric["default-take"]} if len(metric["take"]) > 1 else {}
    keys |= {"quantiles": [0.5, 0.99]} if metric["quantiles"] else {}
    keys |= {"by": metric["by"][:1]} if metric["by"] else {}
    return "[[measure]]\n" + "".join(f"{key} = {toml_value(value)}\n" for key, value in keys.items())


def kind_of(parameter: _core.Parameter) -> str:
    """The kind of a parameter's value in words; a law is a value, a table or a list."""
    return "several forms" if parameter["kind"] == "law" else parameter["kind"]


def _used(key: str, usual: str, doc: str) -> str:
    """The value of a parameter in the component's example if it has the `usual` unit, else `usual`."""
    unit = usual.rpartition(" ")[2]
    found = re.search(rf'(?<![\w-]){re.escape(key)} = "([^"]* {re.escape(unit)})"', doc.partition("## Example")[2])
    return found[1] if found is not None else usual
