"""Derived values and conditions of a study, worked out at each of its points."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from penstock.printable import quoted
from penstock.studies.expression import Expression, ExpressionError, Value, parse
from penstock.studies.quantity import DIMENSIONLESS, Quantity, UnitError, read_quantity, setting_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Tell = Callable[[tuple[str | int, ...], str], None]

__all__ = ["Derived", "as_value", "at", "scenario_value"]

_LISTS = ("links", "flows", "transfers", "calls")


class Derived:
    """The expressions of a study.

    Parameters
    ----------
    derived : mapping of str to str
        Names and expressions; they may use one another, without a circle.
    where : sequence of str
        Conditions.
    document : mapping
        The scenario, whose own settings they may use by their paths.
    tell : callable
        Told of mistakes: a place and a message.
    """

    def __init__(
        self, derived: Mapping[str, str], where: Sequence[str], document: Mapping[str, Any], tell: Tell
    ) -> None:
        self._document = document
        self._tell = tell
        self._expressions: dict[str, Expression] = {}
        for name, text in derived.items():
            if (expression := self._read(("derived", name), text)) is not None:
                self._expressions[name] = expression
        conditions = ((number, self._read(("where", number), text)) for number, text in enumerate(where))
        self._where = [(number, expression) for number, expression in conditions if expression is not None]
        self.are_read = len(self._expressions) == len(derived)
        """Whether all derived values could be read; else not all names that they use are known."""
        self.used = {name for expression in self._expressions.values() for name in expression.names()}
        """The names on which derived values depend."""

    def values(self, parameters: Mapping[str, Any], fixed: Mapping[str, Any]) -> dict[str, Any] | None:
        """The derived values of a point as TOML would have them, in their order; None if a condition leaves it out.

        Parameters
        ----------
        parameters : mapping
            What varies, for messages.
        fixed : mapping
            All values that are not derived.
        """
        known: dict[str, Value] = {}
        for number, condition in self._where:
            try:
                met = condition.evaluate(self._looking_up(fixed, known, ()))
                if not isinstance(met, bool):
                    raise ExpressionError("is no condition; write one with <, <=, >, >=, == or !=")
            except ExpressionError as error:
                self._tell(("where", number), f"{error}{at(parameters)}")
                return None
            if not met:
                return None
        found: dict[str, Any] = {}
        for name in self._expressions:
            try:
                value = self._value(name, fixed, known, ())
                found[name] = _plain(value) if isinstance(value, Quantity) else value
            except (ExpressionError, UnitError) as error:
                self._tell(("derived", name), f"{error}{at(parameters)}")
                return None
        return found

    def _value(
        self, name: str, fixed: Mapping[str, Any], known: dict[str, Value], on_the_way: tuple[str, ...]
    ) -> Value:
        if name not in known:
            if name in on_the_way:
                raise ExpressionError(f"goes round in a circle: {' -> '.join((*on_the_way, name))}")
            known[name] = self._expressions[name].evaluate(self._looking_up(fixed, known, (*on_the_way, name)))
        return known[name]

    def _looking_up(
        self, fixed: Mapping[str, Any], known: dict[str, Value], on_the_way: tuple[str, ...]
    ) -> Callable[[str], Value]:
        def look_up(name: str) -> Value:
            if name in self._expressions:
                return self._value(name, fixed, known, on_the_way)
            found = fixed[name] if name in fixed else scenario_value(self._document, name)
            value = as_value(found)
            if value is None:
                names = [*fixed, *self._expressions]
                similar = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
                hint = f"; did you mean {quoted(similar[0])}?" if similar else ""
                what = (
                    "is a table or a list"
                    if found is not None
                    else "is unknown: neither a parameter, nor in the scenario"
                )
                raise ExpressionError(f"{quoted(name)} {what}{hint}")
            return value

        return look_up

    def _read(self, place: tuple[str | int, ...], text: object) -> Expression | None:
        if isinstance(text, (int, float)) and not isinstance(text, bool):
            text = repr(text)
        if not isinstance(text, str):
            self._tell(place, 'is not an expression; write it in quotes, such as "0.5 * rate * 100 ms"')
            return None
        try:
            return parse(text)
        except ExpressionError as error:
            self._tell(place, str(error))
            return None


def as_value(found: Any) -> Value | None:
    """What an expression sees of a value in TOML; None of a table or a list."""
    if isinstance(found, bool):
        return found
    if isinstance(found, (int, float)):
        return read_quantity(format(found, "f") if isinstance(found, float) else str(found))
    if isinstance(found, str):
        return read_quantity(found) or found
    return None


def scenario_value(document: Mapping[str, Any], path: str) -> Any:
    """What stands in a scenario under the path of a setting; None if nothing does.

    Examples
    --------
    >>> scenario_value({"links": [{"from": "a", "to": "b", "rate": "1 Mbit/s"}]}, "a-b.rate")
    '1 Mbit/s'
    """
    segments = path.split(".")
    if segments[0] in _LISTS and len(segments) > 1:
        lists: tuple[str, ...] = (segments[0],)
        segments = segments[1:]
    elif segments[0].split("[")[0] in document:
        return _below(document, segments)
    else:
        lists = _LISTS
    for each in lists:
        for entry in document.get(each, ()):
            if isinstance(entry, dict) and segments[0] in (entry.get("name"), f"{entry.get('from')}-{entry.get('to')}"):
                return _below(entry, segments[1:])
    return None


def _below(found: Any, segments: Sequence[str]) -> Any:
    for segment in segments:
        key, bracket, index = segment.partition("[")
        found = found.get(key) if isinstance(found, dict) else None
        if bracket:
            position = index.removesuffix("]")
            inside = isinstance(found, list) and position.isdecimal() and int(position) < len(found)
            found = found[int(position)] if inside else None
    return found


def at(parameters: Mapping[str, Any]) -> str:
    """At which point something is, in brackets; nothing if nothing varies."""
    where = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    return f" (at {where})" if where else ""


def _plain(value: Quantity) -> int | float | str:
    """A number, or a text with its unit."""
    if value.dimension == DIMENSIONLESS:
        return int(value.value) if value.value.denominator == 1 else float(value.value)
    return setting_text(value)
