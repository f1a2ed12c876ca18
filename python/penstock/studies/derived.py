"""Derived values and conditions of a study, evaluated at each of its points."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from penstock import toml
from penstock.printable import quoted, shortened, suggestion
from penstock.studies.expression import Expression, Value, parse
from penstock.studies.quantity import ExpressionError, Quantity, read_quantity, setting_value
from penstock.studies.toml_text import Place

Tell = Callable[[Place, str], None]

WHEN_KEYS = ("if", "set", "grid", "derived")
_LONGEST_CHAIN = 50  # maximum length of a chain of derived values that use one another

_LISTS = ("links", "flows", "transfers", "calls")


@dataclass(frozen=True)
class When:
    """Settings that hold only at points that meet a condition: ``[[when]]``."""

    condition: str  # evaluated with the study's own values, not with those that other conditions set
    settings: dict[str, Any] = field(default_factory=dict)  # settings with one value
    grid: dict[str, Any] = field(default_factory=dict)
    """Settings with several values, all of whose combinations are points."""
    derived: dict[str, str] = field(default_factory=dict)  # settings and auxiliary values as expressions

    def names(self) -> Iterator[tuple[str, str]]:
        """All names that get a value, each with the key of its table."""
        for key, table in (("set", self.settings), ("grid", self.grid), ("derived", self.derived)):
            yield from ((name, key) for name in table)


class Derived:
    """The expressions of a study, which may use one another and the settings of the scenario `document` by path."""

    def __init__(
        self,
        derived: Mapping[str, str],
        where: Sequence[str],
        document: Mapping[str, Any],
        tell: Tell,
        when: Sequence[When] = (),
    ) -> None:
        self._document = document
        self._tell = tell
        self._expressions = self._read_all(derived, ("derived",))
        conditions = ((number, self._read(("where", number), text)) for number, text in enumerate(where))
        self._where = [(number, expression) for number, expression in conditions if expression is not None]
        self._when = [
            (self._read(("when", n, "if"), each.condition), self._read_all(each.derived, ("when", n, "derived")))
            for n, each in enumerate(when)
        ]
        conditional = [expression for _, own in self._when for expression in own.values()]
        counts = len(derived) + sum(len(each.derived) for each in when)
        self.are_read = len(self._expressions) + len(conditional) == counts
        """Whether all derived values could be read; else not all names that they use are known."""
        users = [*self._expressions.values(), *conditional, *(condition for condition, _ in self._when if condition)]
        self.used = {name for expression in users for name in expression.names()}
        """The names on which derived values and conditional settings depend."""
        self.compared = {name for _, condition in self._where for name in condition.names()}
        """The names in conditions that points must meet."""

    def met(self, parameters: Mapping[str, Any], fixed: Mapping[str, Any]) -> list[int] | None:
        """Returns the numbers of the conditions of ``when`` that a point meets; None after a mistake."""
        if not self._when:
            return []
        evaluation = _Evaluation(self._document, self._expressions, fixed)
        met = [self._is_met(("when", n, "if"), each, evaluation, parameters) for n, (each, _) in enumerate(self._when)]
        return None if None in met else [number for number, is_met in enumerate(met) if is_met]

    def values(
        self, parameters: Mapping[str, Any], fixed: Mapping[str, Any], met: Sequence[int] = ()
    ) -> dict[str, Any] | None:
        """Returns the derived values of a point that meets the conditions `met` of ``when``; None if it is left out."""
        expressions = dict(self._expressions)
        places: dict[str, Place] = dict.fromkeys(expressions, ("derived",))
        for number in met:
            expressions |= self._when[number][1]
            places |= dict.fromkeys(self._when[number][1], ("when", number, "derived"))
        evaluation = _Evaluation(self._document, expressions, fixed)
        for number, condition in self._where:
            if not self._is_met(("where", number), condition, evaluation, parameters):
                return None
        found: dict[str, Any] = {}
        for name in expressions:
            try:
                value = evaluation.value(name, ())
                found[name] = setting_value(value) if isinstance(value, Quantity) else value
            except ExpressionError as error:
                self._tell((*places[name], name), f"{error}{at(parameters)}")
                return None
        return found

    def _is_met(
        self, place: Place, condition: Expression | None, evaluation: _Evaluation, parameters: Mapping[str, Any]
    ) -> bool | None:
        """Whether a condition is met; None after a mistake, which is reported."""
        if condition is None:
            return None
        try:
            met = condition.evaluate(evaluation.looking_up(()))
            if not isinstance(met, bool):
                raise ExpressionError("is no condition; write one with <, <=, >, >=, == or !=")
        except ExpressionError as error:
            self._tell(place, f"{error}{at(parameters)}")
            return None
        return met

    def _read_all(self, derived: Mapping[str, str], place: Place) -> dict[str, Expression]:
        read = {name: self._read((*place, name), text) for name, text in derived.items()}
        return {name: expression for name, expression in read.items() if expression is not None}

    def _read(self, place: Place, text: object) -> Expression | None:
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


@dataclass
class _Evaluation:
    """Evaluates expressions at one point, each once."""

    _document: Mapping[str, Any]
    _expressions: Mapping[str, Expression]
    _fixed: Mapping[str, Any]
    _known: dict[str, Value] = field(default_factory=dict)

    def value(self, name: str, on_the_way: tuple[str, ...]) -> Value:
        """The value of an expression; `on_the_way` are the names whose values need it. Raises ExpressionError."""
        if name not in self._known:
            if name in on_the_way:
                raise ExpressionError(f"goes round in a circle: {' -> '.join((*on_the_way, name))}")
            if len(on_the_way) == _LONGEST_CHAIN:
                raise ExpressionError(f"uses a chain of more than {_LONGEST_CHAIN} derived values, each of the next")
            try:
                self._known[name] = self._expressions[name].evaluate(self.looking_up((*on_the_way, name)))
            except RecursionError:
                raise ExpressionError("uses derived values that are nested too deeply in one another") from None
        return self._known[name]

    def looking_up(self, on_the_way: tuple[str, ...]) -> Callable[[str], Value]:
        def look_up(name: str) -> Value:
            if name in self._expressions:
                return self.value(name, on_the_way)
            found = _setting_value(self._fixed, self._document, name)
            if (value := as_value(found)) is not None:
                return value
            if found is not None:
                is_number = isinstance(found, float)
                what = "is a table or a list" if isinstance(found, (dict, list)) else f"is {toml.value(found)}"
                raise ExpressionError(f"{quoted(name)} {what}, no {'finite ' * is_number}number, text or switch")
            hint = suggestion(name, [*self._fixed, *self._expressions])
            raise ExpressionError(f"{quoted(name)} is unknown: neither a parameter, nor in the scenario{hint}")

        return look_up


def _setting_value(fixed: Mapping[str, Any], document: Mapping[str, Any], name: str) -> Any:
    """Returns the value of a name: one of the study, a part of one, or one of the scenario.

    >>> fixed = {"links.a-b.rate": 1, "a-b.queue": {"red": {"limit": 2}}}
    >>> [_setting_value(fixed, {}, name) for name in ("a-b.rate", "a-b.queue.red.limit", "a-b.queue.codel.limit")]
    [1, 2, None]
    """
    if name in fixed:
        return fixed[name]
    asked = _without_list(name)
    for path, value in fixed.items():
        own = _without_list(path)
        if own == asked[: len(own)]:
            return _below(value, asked[len(own) :])
    return scenario_value(document, name)


def _without_list(path: str) -> list[str]:
    """The parts of a path, without the list that its first name belongs to."""
    parts = path.split(".")
    return parts[1:] if len(parts) > 2 and parts[0] in _LISTS else parts


def as_value(found: Any) -> Value | None:
    """Returns a TOML value as a value of expressions; None for a table or a list."""
    if isinstance(found, bool):
        return found
    if isinstance(found, float):
        return Quantity(Fraction(repr(found))) if math.isfinite(found) else None
    if isinstance(found, int):
        return read_quantity(str(found))
    if isinstance(found, str):
        return read_quantity(found) or found
    return None


def scenario_value(document: Mapping[str, Any], path: str) -> Any:
    """Returns the value at a path of a scenario; None if there is none.

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
        entries = document.get(each)
        for entry in entries if isinstance(entries, list) else ():
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
    """Returns the parameters of a point in brackets; empty if nothing varies."""
    where = ", ".join(
        f"{name} = {shortened(toml.value(value), 60) if isinstance(value, (dict, list)) else value}"
        for name, value in parameters.items()
    )
    return f" (at {where})" if where else ""
