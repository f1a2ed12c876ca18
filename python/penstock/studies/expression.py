"""Arithmetic with units, as derived values and conditions are written: a grammar of its own, never ``eval``.

::

    condition  = both ("or" both)*           both = negation ("and" negation)*
    negation   = "not" negation | relation
    relation   = sum (("<" | "<=" | ">" | ">=" | "==" | "!=") sum)?
    sum        = product (("+" | "-") product)*
    product    = sign (("*" | "/") sign)*    sign = "-" sign | power                  power = atom ("^" sign)?
    atom       = NUMBER UNIT? | 'TEXT' | NAME | FUNCTION "(" condition ("," condition)* ")" | "(" condition ")"

A name may have hyphens, dots and brackets, as paths and metrics do; so a minus has blanks around it.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from penstock.printable import quoted
from penstock.studies.quantity import DIMENSIONLESS, UNITS, ExpressionError, Quantity

Value = Quantity | str | bool  # values of expressions

LONGEST = 1000
DEEPEST = 50
FUNCTIONS = ("sqrt", "min", "max", "abs", "round", "floor", "ceil")
_WORDS = ("and", "or", "not")
RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
ARITHMETIC: dict[str, Callable[[Quantity, Quantity], Quantity]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": operator.pow,
}
_UNIT = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
_END = r"(?![A-Za-z0-9_])"
_TOKEN = re.compile(
    rf"""\s*(?:
    (?P<number>(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?:\s*(?P<unit>{_UNIT})(?:/(?P<per>{_UNIT}){_END})?{_END})?(?![A-Za-z_%])
    |'(?P<text>[^']*)'
    |(?P<name>(?u:[^\W\d](?:[\w.-]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*))
    |(?P<mark><=|>=|==|!=|\*\*|[-+*/^()<>,])
    )""",
    re.VERBOSE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Expression:
    """A node of the syntax tree: an operator or function with operands, a name, or a value."""

    kind: str
    what: str = ""
    operands: tuple[Expression, ...] = ()
    value: Value | None = None

    def names(self) -> Iterator[str]:
        """The names in it, from left to right."""
        if self.kind == "name":
            yield self.what
        for operand in self.operands:
            yield from operand.names()

    def evaluate(self, look_up: Callable[[str], Value]) -> Value:
        """Returns its value; `look_up` resolves names. Raises ExpressionError if units or types do not match."""
        if self.kind == "value" and self.value is not None:
            return self.value
        if self.kind == "name":
            return look_up(self.what)
        if self.kind == "operator" and self.what in _WORDS:
            left = _truth(self.operands[0].evaluate(look_up))
            # Of "false and ..." and "true or ..." the rest need not have a value.
            return left if left == (self.what == "or") else _truth(self.operands[1].evaluate(look_up))
        return _computed(self, [operand.evaluate(look_up) for operand in self.operands])

    def evaluate_number(self, look_up: Callable[[str], Value]) -> Quantity:
        """As :meth:`evaluate`, for a value that must be a number."""
        return _as_number(self.evaluate(look_up))


def parse(text: str) -> Expression:
    """Reads an expression. Raises ExpressionError, which says where it is wrong.

    >>> from penstock.studies.quantity import read_quantity
    >>> buffer = parse("0.5 * rate * 100 ms / sqrt(flows) / (1500 bytes/packet)")
    >>> list(buffer.names())
    ['rate', 'flows']
    >>> str(buffer.evaluate({"rate": read_quantity("30 Mbit/s"), "flows": read_quantity("25")}.__getitem__))
    '25 packet'
    """
    if len(text) > LONGEST:
        raise ExpressionError(f"is longer than {LONGEST} characters")
    parser = _Parser(text)
    found = parser.alternatives()
    parser.expect_end()
    return found


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = 0
        self.tokens: list[tuple[str, re.Match[str]]] = []
        position, end = 0, len(text.rstrip())
        while position < end:
            found = _TOKEN.match(text, position)
            if found is None:
                raise ExpressionError(self._unreadable(position))
            kind = "number" if found["number"] else found.lastgroup or "mark"
            self.tokens.append((kind, found))
            position = found.end()
        self.at = 0

    def alternatives(self) -> Expression:
        return self._joined(("or",), lambda: self._joined(("and",), self._negation))

    def expect_end(self) -> None:
        if self.at < len(self.tokens):
            kind, found = self.tokens[self.at]
            if kind == "name" and self.at and self.tokens[self.at - 1][0] == "number":
                raise ExpressionError(_unknown_unit(found["name"]))
            raise ExpressionError(f"{self._place()} is not expected there")

    def _negation(self) -> Expression:
        if self._take("not"):
            return self._nested(lambda: Expression("not", operands=(self._negation(),)))
        left = self._sum()
        sign = self._take(*RELATIONS)
        return Expression("relation", sign, (left, self._sum())) if sign else left

    def _sum(self) -> Expression:
        return self._joined(("+", "-"), lambda: self._joined(("*", "/"), self._sign))

    def _sign(self) -> Expression:
        if self._take("-"):
            return self._nested(lambda: Expression("minus", operands=(self._sign(),)))
        base = self._atom()
        if self._take("^", "**"):
            return Expression("operator", "^", (base, self._nested(self._sign)))
        return base

    def _atom(self) -> Expression:
        if self.at == len(self.tokens):
            raise ExpressionError("ends where a value is expected")
        kind, found = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            return Expression("value", value=_number(found["number"], found["unit"], found["per"]))
        if kind == "text":
            self.at += 1
            return Expression("value", value=found["text"])
        if kind == "name" and found["name"] not in _WORDS:
            self.at += 1
            return self._call(found["name"]) if self._take("(") else Expression("name", found["name"])
        if self._take("("):
            inner = self._nested(self.alternatives)
            self._close()
            return inner
        raise ExpressionError(f"{self._place()} is where a value is expected")

    def _call(self, name: str) -> Expression:
        if name not in FUNCTIONS:
            raise ExpressionError(f"there is no function {quoted(name)}; there are {', '.join(FUNCTIONS)}")
        operands = [self._nested(self.alternatives)]
        while self._take(","):
            operands.append(self._nested(self.alternatives))
        self._close()
        if len(operands) > 1 and name not in ("min", "max"):
            raise ExpressionError(f"{name}() takes one value, not {len(operands)}")
        return Expression("call", name, tuple(operands))

    def _joined(self, signs: Sequence[str], part: Callable[[], Expression]) -> Expression:
        left = part()
        while sign := self._take(*signs):
            left = Expression("operator", sign, (left, part()))
        return left

    def _nested(self, part: Callable[[], Expression]) -> Expression:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ExpressionError(f"is nested deeper than {DEEPEST} levels")
        inner = part()
        self.depth -= 1
        return inner

    def _take(self, *signs: str) -> str:
        """Consumes the next sign or word if it is one of these, and returns it; else returns an empty text."""
        if self.at < len(self.tokens):
            kind, found = self.tokens[self.at]
            if kind in ("mark", "name") and found[kind] in signs:
                self.at += 1
                return found[kind]
        return ""

    def _close(self) -> None:
        if not self._take(")"):
            missing = "a ')' is missing"
            raise ExpressionError(f"{missing} before {self._place()}" if self.at < len(self.tokens) else missing)

    def _place(self) -> str:
        found = self.tokens[self.at][1]
        return f"{quoted(found[0].strip())} (character {found.end() - len(found[0].strip()) + 1})"

    def _unreadable(self, position: int) -> str:
        rest = self.text[position:].lstrip()
        word = re.match(r"(?:[\d._]+\s*)?([^\s()*+,<>=^]+)", rest)
        if rest[:1].isdigit() and word:
            return _unknown_unit(word[1])
        return f"{quoted(rest[:20])} (character {len(self.text) - len(rest) + 1}) cannot be read"


def _unknown_unit(word: str) -> str:
    return f"unknown unit {quoted(word)}; units are {', '.join(sorted(UNITS, key=str.lower))}"


def _number(number: str, unit: str | None, per: str | None) -> Quantity:
    exponent = re.search(r"[eE]([+-]?\d+)", number)
    if len(number) > 100 or (exponent and abs(int(exponent[1])) > 300):
        raise ExpressionError(f"{quoted(number)} is no number that fits")
    value = Quantity(Fraction(number.replace("_", "")))
    if unit:
        value *= Quantity(*UNITS[unit])
    if per:
        value /= Quantity(*UNITS[per])
    return value


def _computed(node: Expression, values: Sequence[Value]) -> Value:
    if node.kind == "not":
        return not _truth(values[0])
    if node.kind == "relation":
        return _compare(node.what, *values)
    numbers = [_as_number(value) for value in values]
    if node.kind == "minus":
        return Quantity(-numbers[0].value, numbers[0].dimension)
    if node.kind == "call":
        return _apply(node.what, numbers)
    return ARITHMETIC[node.what](*numbers)


def _apply(name: str, numbers: Sequence[Quantity]) -> Quantity:
    first = numbers[0]
    if name in ("min", "max"):
        for other in numbers[1:]:
            other.same(first)
        choose = min if name == "min" else max
        return choose(numbers, key=lambda number: number.value)
    if name == "sqrt":
        return first.sqrt()
    if name == "abs":
        return Quantity(abs(first.value), first.dimension)
    return first.whole(name)


def _compare(sign: str, left: Value, right: Value) -> bool:
    if isinstance(left, Quantity) and isinstance(right, Quantity):
        return RELATIONS[sign](left.value, right.same(left).value)
    if type(left) is not type(right):
        raise ExpressionError(f"{_shown(left)} cannot be compared with {_shown(right)}")
    if sign not in ("==", "!="):
        raise ExpressionError(f"{_shown(left)} and {_shown(right)} have no order; use == or !=")
    return RELATIONS[sign](left, right)


def _truth(value: Value) -> bool:
    if not isinstance(value, bool):
        raise ExpressionError(f"{_shown(value)} is not a condition")
    return value


def _as_number(value: Value) -> Quantity:
    if not isinstance(value, Quantity):
        raise ExpressionError(f"{_shown(value)} is not a number")
    return value


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Quantity):
        return str(value) if value.dimension != DIMENSIONLESS else f"the number {value}"
    return quoted(value)
