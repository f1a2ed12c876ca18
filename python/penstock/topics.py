"""Pages about topics other than components: networks, sizes of transfers, studies, runs, and subjects of the field."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.topologies.pages import GENERATORS

if TYPE_CHECKING:
    from penstock.topologies.pages import Generator

_SIZES = {
    "web-search": ("a web search cluster", "Alizadeh10", "1.71 MB"),
    "data-mining": ("a data mining cluster", "Greenberg09", "12.7 MB"),
    "hadoop": ("a Hadoop cluster", "Roy15", "120 kB"),
}
"""The included distributions: source, reference and mean."""

_PAGES = re.split(r"\n(?=# \S+ \(topic\)\n)", Path(__file__).with_suffix(".md").read_text(encoding="utf-8"))
_TOPICS = {text.split(maxsplit=2)[1]: text for text in _PAGES}
"""The pages of ``topics.md`` by name."""


def names() -> list[str]:
    """The names of all topics."""
    return [*_TOPICS, *GENERATORS, *_SIZES]


def page(name: str) -> str | None:
    """The Markdown page of a topic; None if there is none."""
    if name in GENERATORS:
        return _topology(name, GENERATORS[name])
    return _sizes(name) if name in _SIZES else _TOPICS.get(name)


def _topology(name: str, generator: Generator) -> str:
    settings = [f"- `{key}` (default {value})" for key, value in generator.defaults.items()]
    settings += [f"- `{key}` (may be left out)" for key in generator.optional]
    return (
        f"# {name} (topology)\n\n{generator.what}. This writes a scenario with it, to start from:\n\n"
        f"    penstock new net.toml --topology {name}\n\n"
        "`--set KEY=VALUE` changes a setting; in Python, `penstock.topologies` adds it to a network.\n\n"
        "## Settings\n\n" + "\n".join(settings) + "\n"
    )


def _sizes(name: str) -> str:
    of, source, mean = _SIZES[name]
    return (
        f"# {name} (distribution of sizes)\n\nSizes of transfers in {of} [{source}], with a mean of {mean}. In a "
        f'scenario:\n\n    [[transfers]]\n    size.distribution = "{name}"\n\nSee also: transfers, completion-time, '
        "slowdown.\n"
    )
