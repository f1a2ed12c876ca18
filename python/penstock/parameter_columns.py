"""Columns of a table that identify the points of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from penstock.printable import one_line, printable
from penstock.short_values import folded, is_table, short_values, value_text
from penstock.studies.definition import is_path

_MOST_IN_LEGEND = 12
_MOST_NAMED = 4


@dataclass(frozen=True)
class ParameterColumns:
    """The parameters with a column in a table, and the form of their values."""

    paths: list[str]  # the parameters
    heads: list[str]  # column headers
    names: dict[str, dict[str, str]]  # short names of the values of each parameter
    notes: list[str]  # lines below the table: left-out columns, and the meaning of short names

    def cell(self, path: str, value: Any) -> str:
        """Returns the value of a parameter as the table shows it."""
        text = value_text(value)
        return self.names.get(path, {}).get(text, text)

    def cells(self, point: Mapping[str, Any]) -> tuple[str, ...]:
        """Returns the cells of a point; empty if it lacks a parameter."""
        return tuple(self.cell(path, point[path]) if path in point else "" for path in self.paths)


def parameter_columns(points: Sequence[Mapping[str, Any]], paths: Sequence[str]) -> ParameterColumns:
    """Chooses the columns that distinguish points, among `paths` in the order of the table.

    Parameters that do not vary have none. A label, which is no setting, represents the settings that have one value for
    each of its values. A component likewise represents other components.

    >>> points = [{"scheme": "old", "a-b.queue": {"red": {}}}, {"scheme": "new", "a-b.queue": {"codel": {}}}]
    >>> found = parameter_columns(points, ["scheme", "a-b.queue"])
    >>> found.heads, [found.cells(point) for point in points], found.notes
    (['scheme'], [('old',), ('new',)], ['scheme names the values of a-b.queue.'])
    """
    texts = {path: [value_text(point[path]) if path in point else "" for point in points] for path in paths}
    varying = [path for path in paths if len(set(texts[path])) > 1]
    stands = stand_for(varying, texts)
    left_out = {path for others in stands.values() for path in others}
    shown = [path for path in varying if path not in left_out]
    names = {path: short_values(texts[path]) for path in shown}
    heads = short_names(shown)
    notes = [_named(path, others) for path, others in stands.items()]
    notes += _constants([path for path in paths if path not in varying], texts)
    for head, path in zip(heads, shown, strict=True):
        notes += _legend(head, names[path])
    return ParameterColumns(shown, heads, names, notes)


def stand_for(varying: Sequence[str], texts: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Returns the columns that each column represents, of those that vary.

    >>> stand_for(["scheme", "a-b.rate"], {"scheme": ["old", "new"], "a-b.rate": ["1 Mbit/s", "2 Mbit/s"]})
    {'scheme': ['a-b.rate']}
    """
    labels = [path for path in varying if not is_path(path)]
    tables = [path for path in varying if path not in labels and any(map(is_table, texts[path]))]
    # The column with the most values stands for others; of like ones, the first.
    tables.sort(key=lambda path: -len(set(texts[path])))
    stands: dict[str, list[str]] = {}
    left_out: set[str] = set()
    for kind, others in ((labels, [path for path in varying if path not in labels]), (tables, tables)):
        for path in kind:
            if path in left_out:
                continue
            left = [other for other in others if other not in (path, *left_out)]
            # Each value has one value of the other column.
            own = [
                other for other in left if len({*zip(texts[path], texts[other], strict=True)}) == len({*texts[path]})
            ]
            if own:
                stands[path] = own
                left_out.update(own)
    return stands


def _named(path: str, others: Sequence[str]) -> str:
    more = f" and {len(others) - _MOST_NAMED} more" if len(others) > _MOST_NAMED else ""
    says = "names the values of" if not is_path(path) else "varies together with"
    return one_line(f"{path} {says} {', '.join(others[:_MOST_NAMED])}{more}.")


def _constants(paths: Sequence[str], texts: Mapping[str, Sequence[str]]) -> list[str]:
    told = [f"{path} = {texts[path][0]}" for path in paths if texts[path]]
    more = [f"and {len(told) - _MOST_NAMED} more at every point."] if len(told) > _MOST_NAMED else []
    return [one_line(f"{each} at every point.") for each in told[:_MOST_NAMED]] + more


def _legend(head: str, names: Mapping[str, str]) -> list[str]:
    found = folded(names)
    lines = [printable(f"{head} {name}: {text}") for name, text in found[:_MOST_IN_LEGEND]]
    more = len(found) - _MOST_IN_LEGEND
    return [*lines, f"{more} more values of {head} are in the CSV and JSON forms."] if more > 0 else lines


def short_names(paths: Sequence[str]) -> list[str]:
    """Returns the shortest ends of paths that distinguish them.

    >>> short_names(["r1-r2.queue.red.limit", "r1-r2.rate", "r2-r3.rate"])
    ['limit', 'r1-r2.rate', 'r2-r3.rate']
    """
    parts = [path.split(".") for path in paths]

    def end(own: Sequence[str], length: int) -> str:
        return ".".join(own[-length:])

    return [
        next(
            (end(own, n) for n in range(1, len(own)) if sum(end(other, n) == end(own, n) for other in parts) == 1),
            ".".join(own),
        )
        for own in parts
    ]
