"""The page and its script and style files."""

from __future__ import annotations

import json
import pkgutil
from functools import cache
from importlib import resources
from typing import Any

from penstock.plots.style import COLOURS
from penstock.reference import catalogue


def page(beginning: dict[str, Any]) -> str:
    """Returns the page, with its initial state as JSON that cannot close its element."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    metrics = {each["name"]: each["doc"] for each in catalogue()["metrics"]}
    model = json.dumps({**beginning, "metrics": metrics, "colours": COLOURS}, allow_nan=False)
    for character in "<>&":
        model = model.replace(character, f"\\u{ord(character):04x}")
    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return made.from_string(_file("penstock.lab", "page.html.j2")).render(file=beginning["file"], model=Markup(model))


@cache
def assets() -> dict[str, tuple[str, bytes]]:
    """Returns media type and content of each file, by name."""
    plotly = pkgutil.get_data("plotly", "package_data/plotly.min.js")
    assert plotly is not None
    style = _file("penstock.report", "page.css") + _file("penstock.lab", "page.css")
    return {
        "plotly.js": ("text/javascript", plotly),
        "plots.js": ("text/javascript", _file("penstock.lab", "plots.js").encode()),
        "controls.js": ("text/javascript", _file("penstock.lab", "controls.js").encode()),
        "page.js": ("text/javascript", _file("penstock.lab", "page.js").encode()),
        "page.css": ("text/css", style.encode()),
    }


def _file(package: str, name: str) -> str:
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")
