"""Observations of a stepped run, and rewards that are computed from them."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.printable import quoted
from penstock.studies.expression import ExpressionError, parse
from penstock.studies.quantity import Quantity, dimension_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.studies.expression import Expression

    Function = Callable[[Sequence[float]], float]

_FORM = re.compile(
    r"\s*(?P<what>[\w.-]+)\s*\[(?P<of>[^\[\]]+(?:\[\d+\])?[^\[\]]*)\]\s*(?P<step>per\s+step)?\s*", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Observation:
    """A variable of a link, node or group of flows."""

    of: str  # name of a link, node or group of flows, as in `[[series]]`
    what: str  # variable, such as `"queue"` or `"queue.red.average"`
    per_step: bool = False  # whether to take its increase since the step before

    @classmethod
    def read(cls, text: str) -> Observation:
        """Reads ``"queue[r1-r2]"`` or ``"drops[r1-r2] per step"``; raises InputError."""
        found = _FORM.fullmatch(text)
        if found is None:
            raise InputError(
                f"observation {quoted(text)}: write a variable and of what, such as 'queue[r1-r2]', "
                "or 'drops[r1-r2] per step' for the increase of a counter."
            )
        return cls(found["of"].strip(), found["what"], found["step"] is not None)


def read_observations(given: Sequence[str] | Mapping[str, str]) -> dict[str, Observation]:
    """Returns observations by name; in a sequence each is its own name."""
    texts = given if isinstance(given, Mapping) else {text: text for text in given}
    return {name: Observation.read(text) for name, text in texts.items()}


def reward_function(text: str, units: Mapping[str, str]) -> tuple[tuple[str, ...], Function]:
    """Compiles an expression over observations; returns the observations that it names, in order, and a function.

    `text` is arithmetic with units, as in a study's ``[derived]``, and `units` has the unit of each observation. The
    function returns the reward in base units (s, bit, bit/s, packets). Raises InputError if the text cannot be read,
    its units do not match, or a name is not observed.
    """
    try:
        expression = parse(text)
        names = tuple(dict.fromkeys(expression.names()))
        for name in names:
            if name not in units:
                raise InputError(f"reward: {quoted(name)} is not observed; one of {', '.join(units)}.")
        one = {name: Quantity(*dimension_of(units[name])) for name in names}
        # Any value shows whether units match; zero differences would be divided by.
        trial = {name: Quantity(value.value * (3 + i), value.dimension) for i, (name, value) in enumerate(one.items())}
        try:
            expression.evaluate(trial.__getitem__)
        except ExpressionError as error:
            if "division by zero" not in str(error) and "square root" not in str(error):
                raise
    except ExpressionError as error:
        raise InputError(f"reward: {error}.") from None
    positions = {name: (i, float(one[name].value)) for i, name in enumerate(names)}
    return names, _compiled(expression, positions)


def _compiled(node: Expression, positions: Mapping[str, tuple[int, float]]) -> Function:
    """A function of plain numbers in base units; conditions are 1 and 0."""
    if node.kind == "value":
        if not isinstance(node.value, Quantity):
            raise InputError("reward: a text is no number.")
        constant = float(node.value.value)
        return lambda _: constant
    if node.kind == "name":
        place, scale = positions[node.what]
        return (lambda values: values[place]) if scale == 1 else (lambda values: values[place] * scale)
    function = _FUNCTIONS[node.what or node.kind]
    parts = [_compiled(operand, positions) for operand in node.operands]
    return lambda values: float(function(*(part(values) for part in parts)))


_FUNCTIONS: dict[str, Callable[..., float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda above, below: above / below if below else math.nan,
    "^": operator.pow,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "and": lambda left, right: bool(left) and bool(right),
    "or": lambda left, right: bool(left) or bool(right),
    "minus": operator.neg,
    "not": operator.not_,
    "min": lambda *values: min(values),
    "max": lambda *values: max(values),
    "sqrt": lambda value: math.sqrt(value) if value >= 0 else math.nan,
    "abs": abs,
    "round": lambda value: math.floor(value + 0.5),
    "floor": math.floor,
    "ceil": math.ceil,
}
