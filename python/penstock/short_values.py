"""Short names for long parameter values, such as component tables, in tables and plots."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from penstock import toml
from penstock.printable import shortened

_LONGEST_NAME = 40


def value_text(value: Any) -> str:
    """Returns the value of a parameter as in a study file, without the quotes of a text.

    >>> value_text({"red": {"limit": "60 packets"}}), value_text("60 packets"), value_text(True), value_text(0.5)
    ('{ red = { limit = "60 packets" } }', '60 packets', 'true', '0.5')
    """
    return value if isinstance(value, str) else toml.value(value)


def is_table(text: str) -> bool:
    """Whether the text of a value is a TOML table or list."""
    return text.lstrip().startswith(("{", "["))


def short_values(texts: Iterable[str]) -> dict[str, str]:
    """Returns a distinct short name for each value: a component's name and what distinguishes it; long ones are cut.

    >>> red = '{ red = { limit = "60 packets", gentle = true } }'
    >>> short_values([red, "{ codel = {} }", "60 packets"])
    {'{ red = { limit = "60 packets", gentle = true } }': 'red', '{ codel = {} }': 'codel', '60 packets': '60 packets'}
    >>> queues = ['{ tail-drop = { limit = "20 packets" } }', '{ tail-drop = { limit = "80 packets" } }']
    >>> list(short_values(queues).values())
    ['tail-drop limit=20 packets', 'tail-drop limit=80 packets']
    """
    values = list(dict.fromkeys(texts))
    names = {text: text for text in values} | _of_tables([text for text in values if is_table(text)])
    cut = {text: shortened(names[text], _LONGEST_NAME) for text in values}
    uses, turns = Counter(cut.values()), Counter[str]()
    found = {}
    for text in values:
        name = cut[text]
        if uses[name] > 1:
            turns[name] += 1
            name = f"{name} ({turns[name]})"
        found[text] = name
    return found


def folded(names: Mapping[str, str]) -> list[tuple[str, str]]:
    """Returns the names of :func:`short_values` that omit parts of their values, with these values.

    >>> folded(short_values(['{ red = { limit = "60 packets" } }', '{ codel = {} }']))
    [('red', '{ red = { limit = "60 packets" } }')]
    """
    values = {text: _read(text) for text in names}
    whole = {text: _joined(value, _flat(value)) for text, value in values.items() if isinstance(value, Mapping)}
    return [(name, text) for text, name in names.items() if name not in (text, whole.get(text))]


def _of_tables(texts: Sequence[str]) -> dict[str, str]:
    """The names of tables: their components, and the parameters that distinguish equal ones."""
    read = {text: _read(text) for text in texts}
    tables = {text: value for text, value in read.items() if isinstance(value, Mapping) and value}
    parts = {text: _flat(value) for text, value in tables.items()}
    kinds = {text: _kind(value) for text, value in tables.items()}
    sizes = Counter(kinds.values())
    uses = Counter((kinds[text], *part) for text, own in parts.items() for part in own.items())
    names = {}
    for text, value in tables.items():
        kind = kinds[text]
        apart = {path: item for path, item in parts[text].items() if uses[kind, path, item] < sizes[kind]}
        names[text] = _joined(value, apart) or text
    return names


def _kind(table: Mapping[str, Any]) -> str:
    """The names of the components in a table; empty if it holds something else."""
    return ", ".join(table) if all(isinstance(item, Mapping) for item in table.values()) else ""


def _joined(table: Mapping[str, Any], parts: Mapping[str, str]) -> str:
    told = " ".join(f"{path.rpartition('.')[2]}={item}" for path, item in parts.items())
    return " ".join(filter(None, (_kind(table), told)))


def _read(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def _flat(table: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """The values of a table and its subtables by path; the name of a component without any."""
    found: dict[str, str] = {}
    for key, item in table.items():
        if not isinstance(item, Mapping):
            found[f"{before}{key}"] = value_text(item)
        elif item:
            found |= _flat(item, f"{before}{key}.")
        elif before.count(".") > 1:
            found[before.removesuffix(".")] = key
    return found
