"""How studies are shown in a notebook, and in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.display import table_html, things
from penstock.drawing import escaped
from penstock.short_values import short_values, value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.study import Study

__all__ = ["study_html", "study_line"]

_VALUES = 6
"""The most values of a parameter that are named."""


def study_line(study: Study) -> str:
    """A study in one line."""
    varies = [*study.definition.grid, *(name for table in study.definition.zips for name in table)]
    parts = [study.duration, *([f"warm-up {study.warm_up}"] if study.warm_up else [])]
    parts += [things(study.replications, "run"), *([f"varies {', '.join(varies)}"] if varies else [])]
    return f"<Study {study.name!r}: {', '.join(parts)}>"


def study_html(study: Study) -> str:
    """A study as a table, and its network."""
    definition = study.definition
    axes = {**definition.grid, **{name: values for table in definition.zips for name, values in table.items()}}
    rows = [
        ("duration", study.duration),
        ("warm-up", study.warm_up or "none"),
        ("seed", "1" if study.seed is None else str(study.seed)),
        ("runs of each point", "as its precision takes" if "precision" in study.aims else str(study.replications)),
        *((name, _some(list(short_values(map(value_text, values)).values()))) for name, values in axes.items()),
        *((name, f"= {expression}") for name, expression in definition.derived.items()),
        *(("where", condition) for condition in definition.where),
        *((f"when {each.condition}", ", ".join(name for name, _ in each.names())) for each in definition.when),
        *([("points", things(len(definition.entries), "line"))] if definition.entries else []),
    ]
    title = study.name if study.description is None else f"{study.name}: {study.description}"
    return f"<p><b>{escaped(title, 200)}</b></p>{table_html((), rows)}{study.network._repr_html_()}"


def _some(values: Sequence[str]) -> str:
    return ", ".join([*values[:_VALUES], *[f"... ({len(values)} values)"] * (len(values) > _VALUES)])
