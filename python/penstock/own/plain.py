"""Interpreted hooks: run by the Python interpreter, for breakpoints, ``print``, and exceptions with their lines."""

import ast
import ctypes
import math
import operator
import traceback
from collections.abc import Callable, Iterable, Mapping
from ctypes import CFUNCTYPE, c_double, c_int64, c_void_p
from functools import cache
from typing import Any, ClassVar

from penstock import _core
from penstock.own.allowed import EXACT
from penstock.own.declared import Declared
from penstock.own.kinds import FAULT, Field, Result, fields
from penstock.own.translation import method_name
from penstock.printable import quoted

HELPERS = """\
def penstock_sqrt(x):
    if x < 0:
        raise ValueError("the square root of a negative number")
    return exact_sqrt(x)


def penstock_fmod(x, y):
    return exact_copysign(abs(x) % abs(y), x)


def penstock_shift(bits):
    if bits < 0 or bits > 63:
        raise ValueError("a shift by less than 0 or more than 63 bits")
    return bits


def penstock_right(value, bits):
    return value >> penstock_shift(bits)


def penstock_left(value, bits):
    shifted = whole(value << penstock_shift(bits))
    if shifted >> bits != value:
        raise OverflowError("fault")
    return shifted


def penstock_set(is_set, value):
    if not is_set:
        raise UnboundLocalError("fault")
    return value
"""
"""Functions that are added to a file, compiled or interpreted."""

EXACT_NAMES: Mapping[str, Any] = {"exact_sqrt": math.sqrt, **EXACT}
"""Functions of ``math`` by their names in translated code."""

_HOOK = CFUNCTYPE(c_int64, c_void_p, c_void_p, c_void_p, c_int64, c_int64)
_LETTERS: dict[str, Any] = {"f": c_double, "i": c_int64}


def whole(value: Any) -> int:
    """The value as a whole number of 64 bits. Raises TypeError or OverflowError if it is none."""
    if value is None:
        raise TypeError("a whole number is needed, but there is no value")
    if not isinstance(value, int):
        raise TypeError(f"a whole number is needed, not {value!r}; write int(...)")
    if not -(2**63) <= value < 2**63:
        raise OverflowError(f"{value} does not fit into 64 bits")
    return int(value)


def fits(value: Any) -> Any:
    """The number. Raises OverflowError if its whole part has more than 64 bits, or it is infinite or NaN."""
    if isinstance(value, float) and not -(2.0**63) <= value < 2.0**63:
        raise OverflowError(f"{value} does not fit into 64 bits")
    return value


def number(value: Any) -> float:
    """The value as a floating-point number or NaN. Raises TypeError or ValueError if it is no number, or infinite."""
    if not isinstance(value, int | float):
        raise TypeError(f"a number is needed, {'but there is no value' if value is None else f'not {value!r}'}")
    if math.isinf(value):
        raise ValueError("the number is infinite")
    return float(value)


def finite(value: Any, name: str) -> Any:
    """The value, which is assigned to a floating-point number of this name. Raises ValueError if it is not finite."""
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{quoted(name)} became {value}")
    return value


def _fitting(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The operation, whose result fits into 64 bits if it is a whole number."""

    def checked(left: Any, right: Any) -> Any:
        result = operation(left, right)
        return whole(result) if isinstance(result, int) else result

    return checked


def _divided(left: Any, right: Any) -> float:
    """The quotient of the operands as floating-point numbers, as compiled code divides large whole numbers."""
    quotient: float = float(left) / float(right) if right else left / right
    return quotient


def namespace() -> dict[str, Any]:
    """The functions that translated code may call, for the interpreter."""
    names: dict[str, Any] = dict(EXACT_NAMES)
    for symbol, signature, address in _core.component_functions():
        result, *arguments = (_LETTERS[letter] for letter in signature)
        names[symbol] = CFUNCTYPE(result, *arguments)(address)
    names |= {"whole": whole, "number": number, "finite": finite, "penstock_fits": fits}
    names |= {"penstock_add": _fitting(operator.add), "penstock_subtract": _fitting(operator.sub)}
    names |= {"penstock_multiply": _fitting(operator.mul), "penstock_divide": _divided}
    exec(HELPERS, names)
    return names


@cache
def view(name: str) -> type[ctypes.Structure]:
    """The structure of a view."""
    return _structure(name, fields()[name])


def _structure(name: str, fields: Iterable[Field]) -> type[ctypes.Structure]:
    of: list[tuple[str, Any]] = []
    for each in fields:
        word: Any = c_double if each.is_float else c_int64
        of.append((each.name, word * each.length if each.is_list else word))
    return type(name, (ctypes.Structure,), {"_fields_": of})


def line_of(error: BaseException, path: str) -> int:
    """The last line of a file in the traceback of an exception."""
    frames = traceback.walk_tb(error.__traceback__)
    return next((line for frame, line in reversed([*frames]) if frame.f_code.co_filename == path), 0)


class Plain:
    """The functions of a file for the interpreter."""

    raised: ClassVar[dict[tuple[str, str, int, int], tuple[BaseException, int]]] = {}
    """Exceptions of the last run, each with its line, by component, hook and arguments: threads may raise several."""

    def __init__(self, module: ast.Module, path: str, names: Mapping[str, Any]) -> None:
        self._path = path
        self._names = {**names, **namespace()}
        exec(compile(module, path, "exec"), self._names)
        self._kept: list[Any] = []

    def addresses(self, component: Declared) -> dict[str, int]:
        """Addresses of C functions for the hooks of a component."""
        addresses = {}
        for hook in component.hooks:
            function = _HOOK(self.hook(component, hook, keeps=True))
            self._kept.append(function)
            addresses[hook] = ctypes.cast(function, c_void_p).value or 0
        return addresses

    def hook(self, component: Declared, hook: str, *, keeps: bool = False) -> Callable[..., int]:
        """A hook as the engine calls it; with `keeps`, it keeps an exception for the message, and answers `FAULT`."""
        structure, of = _structure(component.cls.__name__, component.words), component.of.hooks[hook]
        function = self._names[method_name(component.cls.__name__, hook)]
        wanted = [of.arguments[name] for name in component.arguments(hook)]

        def called(own: int, first: int, second: int, now: int, more: int) -> int:
            places = {"first": first, "second": second, "now": now, "more": more}
            try:
                given: list[Any] = []
                for each in wanted:
                    value: Any = places[each.place]
                    value = value if each.view is None else view(each.view).from_address(value)
                    given.append(value if each.field is None else getattr(value, each.field))
                answer = function(structure.from_address(own), *given)
                if of.result is not None:
                    _store(of.result, answer, places[of.result.place])
                return whole(answer) if of.answers else 1
            except BaseException as error:
                if not keeps:
                    raise
                Plain.raised[component.key, hook, now, more] = error, line_of(error, self._path)
                return FAULT

        return called


def _store(result: Result, answer: Any, place: int) -> None:
    """Stores the values that a hook returned."""
    values = answer if len(result.fields) > 1 else (answer,)
    if not isinstance(values, tuple) or len(values) != len(result.fields):
        raise TypeError(f"write return {', '.join(result.fields)}")
    floats = {each.name: each.is_float for each in fields()[result.view]}
    structure = view(result.view).from_address(place)
    for name, value in zip(result.fields, values, strict=True):
        # Not as the fields that hooks write, since there may be no number.
        ctypes.Structure.__setattr__(structure, name, number(value) if floats[name] else whole(value))
