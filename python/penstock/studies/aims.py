"""Reads the precision target, warm-up, derived metrics and comparison of a study file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.studies.compare import Compare
from penstock.studies.expression import ExpressionError, parse
from penstock.studies.precision import LEAST, MOST, Precision
from penstock.studies.quantity import DIMENSIONLESS, read_quantity
from penstock.studies.warmup import FEWEST as FEWEST_WINDOWS
from penstock.studies.warmup import MOST as MOST_WINDOWS
from penstock.studies.warmup import WINDOWS, FindWarmUp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Tell = Callable[[tuple[str | int, ...], str], None]

KEYS = ("warm-up", "precision", "metrics", "compare")
_MOST_RUNS = 1_000_000


def precision_of(table: Any, tell: Tell, place: str = "precision") -> Precision | None:
    """Reads a precision target, such as ``{ metric = "goodput[near]", half-width = "5 %" }``."""
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
        tell((place, "most"), f"is less than the least number of runs, {least}")
    if metric is None or target is None:
        return None
    return Precision(metric, float(target.value), relative, target.dimension, least, most)


def warm_up_of(value: Any, tell: Tell) -> FindWarmUp | str | None:
    """Reads a warm-up: a time, or how to find it, such as ``{ mser-5 = "queue[r1-r2]" }``."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or "mser-5" not in value:
        tell(("warm-up",), 'needs a time, such as "10 s", or { mser-5 = "METRIC" } to find it')
        return None
    if not _is_table(value, "warm-up", ("mser-5", "windows"), tell):
        return None
    metric = _text(value, "warm-up", "mser-5", tell)
    windows = _count(value, "warm-up", "windows", WINDOWS, tell)
    if not FEWEST_WINDOWS <= windows <= MOST_WINDOWS:
        tell(("warm-up", "windows"), f"needs {FEWEST_WINDOWS} to {MOST_WINDOWS} of them")
    return FindWarmUp(metric, windows) if metric is not None else None


def metrics_of(table: Any, tell: Tell) -> dict[str, str]:
    """Reads derived metrics: names and expressions."""
    if not isinstance(table, dict):
        tell(("metrics",), "needs a table, [metrics]")
        return {}
    found = {}
    for name, text in table.items():
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


def comparison_of(table: Any, tell: Tell) -> Compare | None:
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
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MOST_RUNS:
        return value
    tell((place, key), f"needs a whole number from 1 to {_MOST_RUNS}")
    return usual
