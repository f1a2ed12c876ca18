"""Reads the sections of a study file: warm-up, precision, metrics, comparison, conditions, ranges and questions."""

from collections.abc import Callable, Iterable, Mapping
from numbers import Integral
from typing import Any

from penstock.printable import quoted
from penstock.studies.compare import Compare
from penstock.studies.derived import WHEN_KEYS, When
from penstock.studies.expression import parse
from penstock.studies.precision import LEAST, MOST, Precision
from penstock.studies.quantity import DIMENSIONLESS, ExpressionError, read_quantity
from penstock.studies.ranges import Range, read_range
from penstock.studies.toml_text import Mistakes, Place
from penstock.studies.warmup import FEWEST_WINDOWS, MOST_WINDOWS, WINDOWS, FindWarmUp

Tell = Callable[[Place, str], None]

AIMS = ("warm-up", "precision", "metrics", "compare")
METHODS = ("morris", "sobol")
MOST_TRIALS = 10_000  # maximum number of trials of a search; its sampler considers all earlier ones for each new one
_MOST_SAMPLES = 65_536
_MOST_RUNS = 1_000_000
_QUESTIONS: Mapping[str, Mapping[str, str]] = {
    "sensitivity": {"method": "method", "samples": "count", "metrics": "texts", "second-order": "bool"},
    "search": {
        **{"minimise": "texts", "maximise": "texts", "subject-to": "texts"},
        **{"trials": "trials", "finalists": "count", "fresh": "count"},
    },
}


def aims_of(content: Mapping[str, Any], mistakes: Mistakes) -> dict[str, Any]:
    """Reads warm-up, precision, derived metrics and comparisons as the arguments of a plan."""
    found: dict[str, Any] = {"metrics": {}, "precision": None, "warm_up": None, "compare": None}
    readers = (_warm_up, precision_of, _metrics, _comparison)
    for key, read in zip(AIMS, readers, strict=True):
        if key in content:
            found[key.replace("-", "_")] = read(content[key], mistakes.add)
    if "precision" in content and "runs" in content:
        mistakes.add(("runs",), "changes nothing, as the precision target says how many runs there are")
    return found


def refuse_beside_ranges(aimed: Mapping[str, Any], mistakes: Mistakes) -> None:
    """Refuses aims that need their own points, next to ranges."""
    for key in ("precision", "compare"):
        if aimed[key] is not None:
            mistakes.add((key,), "does not go together with ranges, whose points are sampled")
    if aimed["warm_up"] is not None and not isinstance(aimed["warm_up"], str):
        mistakes.add(("warm-up",), "cannot be found for ranges, whose points are sampled; give a time")


def precision_of(table: Any, tell: Tell) -> Precision | None:
    """Reads a precision target, such as ``{ metric = "goodput[near]", half-width = "5 %" }``."""
    place = "precision"
    if not _is_table(table, place, ("metric", "half-width", "least", "most"), tell):
        return None
    metric = _text(table, place, "metric", tell)
    width = table.get("half-width")
    target = read_quantity(width) if isinstance(width, str) else None
    if target is None:
        tell((place, "half-width"), 'needs a share of the mean, such as "5 %", or a number with its unit')
    elif target.value <= 0:
        tell((place, "half-width"), "is not above zero, so no number of runs would reach it")
    relative = target is not None and target.dimension == DIMENSIONLESS and str(width).rstrip().endswith("%")
    if relative and target is not None and target.value >= 1:
        tell((place, "half-width"), "is not below 100 %, which says nothing")
    least, most = (_count(table, place, key, usual, tell) for key, usual in (("least", LEAST), ("most", MOST)))
    if least < 2:
        tell((place, "least"), "needs two runs at least: nothing is known about the error of a single one")
    elif most < least:
        tell((place, "most"), f"is less than the minimum number of runs, {least}")
    if metric is None or target is None:
        return None
    return Precision(metric, float(target.value), relative, target.dimension, least, most)


def _warm_up(value: Any, tell: Tell) -> FindWarmUp | str | None:
    """Reads a time, or how to find it, such as ``{ mser-5 = "queue[r1-r2]" }``."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or "mser-5" not in value:
        tell(("warm-up",), 'needs a time, such as "10 s", or { mser-5 = "METRIC" } to find it')
        return None
    _is_table(value, "warm-up", ("mser-5", "windows"), tell)
    metric = _text(value, "warm-up", "mser-5", tell)
    windows = _count(value, "warm-up", "windows", WINDOWS, tell)
    if not FEWEST_WINDOWS <= windows <= MOST_WINDOWS:
        tell(("warm-up", "windows"), f"needs {FEWEST_WINDOWS} to {MOST_WINDOWS} of them")
    return FindWarmUp(metric, windows) if metric is not None else None


def _metrics(table: Any, tell: Tell) -> dict[str, str]:
    if not isinstance(table, dict):
        tell(("metrics",), "needs a table, [metrics]")
        return {}
    found = {}
    for name, text in table.items():
        if name != name.strip() or not name or "[" in name:
            tell(("metrics", name), "needs a name without brackets and blanks around it, which numbers are picked by")
            continue
        if not isinstance(text, str):
            tell(("metrics", name), 'is not an expression; write it in quotes, such as "goodput[near] / goodput[far]"')
            continue
        try:
            parse(text)
        except ExpressionError as error:
            tell(("metrics", name), str(error))
            continue
        found[name] = text
    return found


def _comparison(table: Any, tell: Tell) -> Compare | None:
    """Reads ``{ parameter = "queue", baseline = "tail-drop", metrics = ["goodput[near]"] }``."""
    if not _is_table(table, "compare", ("parameter", "baseline", "metrics"), tell):
        return None
    parameter = _text(table, "compare", "parameter", tell)
    if "baseline" not in table:
        tell(("compare", "baseline"), "is missing: the value with which the others are compared")
    metrics = table.get("metrics")
    if not isinstance(metrics, list) or not metrics or not all(isinstance(each, str) for each in metrics):
        tell(("compare", "metrics"), 'needs a list of metrics, such as ["goodput[near]"]')
        return None
    return Compare(parameter, table["baseline"], tuple(metrics)) if parameter and "baseline" in table else None


def whens_of(content: Mapping[str, Any], flat: Callable[..., dict[str, Any]], mistakes: Mistakes) -> list[When]:
    """Reads the tables ``[[when]]``; `flat` turns nested tables into paths."""
    tables = content.get("when", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        mistakes.add(("when",), "needs tables, [[when]]")
        return []
    found = []
    for number, table in enumerate(tables):
        _refuse_unknown(table, ("when", number), WHEN_KEYS, mistakes)
        condition = table.get("if")
        if not isinstance(condition, str) or not condition.strip():
            mistakes.add(("when", number, "if"), "needs a condition in quotes, such as \"discipline == 'RED'\"")
            continue
        parts: dict[str, dict[str, Any]] = {}
        for key in WHEN_KEYS[1:]:
            part = table.get(key, {})
            if not isinstance(part, dict) or (key in table and not part):
                mistakes.add(("when", number, key), f"needs a table, [when.{key}], that is not empty")
                part = {}
            parts[key] = flat(part, ("when", number, key), mistakes)
        if not set(table) - {"if"}:
            mistakes.add(("when", number), "sets nothing; write [when.set], [when.grid] or [when.derived] below it")
        found.append(When(condition, parts["set"], parts["grid"], parts["derived"]))
    return found


def ranges_of(table: Mapping[str, Any], mistakes: Mistakes) -> dict[str, Range]:
    """Reads the ranges in a flat table of paths."""
    found = {}
    for name, written in table.items():
        try:
            found[name] = read_range(written)
        except ValueError as error:
            mistakes.add(("ranges", name), str(error))
    return found


def asks_of(content: Mapping[str, Any], mistakes: Mistakes) -> dict[str, dict[str, Any]]:
    """Reads ``[sensitivity]`` and ``[search]``; texts that may be several become lists."""
    found = {}
    for section, keys in _QUESTIONS.items():
        if section not in content:
            continue
        table = content[section]
        if not isinstance(table, dict) or not table:
            mistakes.add((section,), f"needs a table, [{section}]")
            continue
        _refuse_unknown(table, (section,), keys, mistakes)
        found[section] = {
            key: _answer(table[key], kind, (section, key), mistakes.add) for key, kind in keys.items() if key in table
        }
        if "ranges" not in content:
            mistakes.add((section,), "needs [ranges]: nothing varies")
    return found


def _answer(value: Any, kind: str, place: Place, tell: Tell) -> Any:
    if kind == "texts":
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not texts or not all(isinstance(each, str) and each for each in texts):
            tell(place, "needs a text in quotes, or a list of them")
            return []
        return texts
    if kind == "method":
        if value not in METHODS:
            tell(place, f"is none of {', '.join(METHODS)}")
    elif kind == "bool":
        if not isinstance(value, bool):
            tell(place, "needs true or false")
    else:
        _is_count(value, MOST_TRIALS if kind == "trials" else _MOST_SAMPLES, place, tell)
    return value


def _refuse_unknown(table: Mapping[str, Any], place: Place, keys: Iterable[str], mistakes: Mistakes) -> None:
    for key in table:
        if key not in keys:
            mistakes.add((*place, key), f"unknown key {quoted(key)} ({place[0]} has {', '.join(keys)})")


def _is_table(value: Any, place: str, keys: tuple[str, ...], tell: Tell) -> bool:
    if not isinstance(value, dict):
        tell((place,), f"needs a table with {', '.join(keys)}")
        return False
    for key in value:
        if key not in keys:
            tell((place, key), f"is unknown there; there are {', '.join(keys)}")
    return True


def _text(table: Mapping[str, Any], place: str, key: str, tell: Tell) -> str | None:
    value = table.get(key)
    if isinstance(value, str) and value.strip():
        return value
    tell((place, key), "is missing" if value is None else "needs a text in quotes")
    return None


def _count(table: Mapping[str, Any], place: str, key: str, usual: int, tell: Tell) -> int:
    value = table.get(key, usual)
    return int(value) if _is_count(value, _MOST_RUNS, (place, key), tell) else usual


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, in its type too."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_count(value: Any, most: int, place: Place, tell: Tell) -> bool:
    if is_whole(value) and 1 <= value <= most:
        return True
    tell(place, f"needs a whole number from 1 to {most}")
    return False
