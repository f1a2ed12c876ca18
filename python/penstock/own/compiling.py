"""Compiles hooks by numba; imported only when code is not in the cache."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from llvmlite import binding
from numba import types
from numba.core import errors
from numba.extending import overload

from penstock import _core
from penstock.errors import InputError
from penstock.own.kinds import FAULT, fields
from penstock.own.plain import EXACT_NAMES, FLOATS, HELPERS, fits, number, whole
from penstock.own.translation import method_name
from penstock.own.vocabulary import CLASSES

if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from penstock.own.declared import Code, Declared
    from penstock.own.kinds import Hook

__all__ = ["compiled"]

_WHOLE = "a whole number is needed, not"
_NUMBER = "a number is needed, not"
_LETTERS = {"f": types.float64, "i": types.int64}


def compiled(module: ast.Module, path: str, components: Iterable[Declared]) -> Code:
    """The code of all hooks.

    Raises
    ------
    InputError
        If numba cannot compile one; the message has the line.
    """
    names = _namespace(module, path)
    code: Code = {}
    for component in components:
        for hook in component.hooks:
            try:
                function = _entry(component, hook, names)
            except errors.NumbaError as error:
                raise InputError(_told(error, component, hook, path)) from None
            symbol = function._wrapper_name
            code.setdefault(component.cls.__name__, {})[hook] = symbol, function._library._get_compiled_object()
    return code


def _whole(value: Any) -> int:
    """Stands for :func:`penstock.own.plain.whole` in compiled code."""
    return whole(value)


@overload(_whole)  # type: ignore[untyped-decorator]  # numba has no types
def _compiled_whole(value: Any) -> Any:
    def made(value: Any) -> Any:  # its signature must be that of the other
        return int(value)

    if isinstance(value, types.Integer | types.Boolean):
        return made
    if isinstance(value, types.NoneType | types.Optional):
        given = "nothing, as on some way through the method"
    else:
        given = f"{value}; write int(...)"
    raise errors.TypingError(f"{_WHOLE} {given}")


def _number(value: Any) -> float:
    """Stands for :func:`penstock.own.plain.number` in compiled code."""
    return number(value)


@overload(_number)  # type: ignore[untyped-decorator]  # numba has no types
def _compiled_number(value: Any) -> Any:
    def made(value: Any) -> Any:
        made = float(value)
        if made in (math.inf, -math.inf):
            raise ValueError("infinite")
        return made

    if isinstance(value, types.Integer | types.Boolean | types.Float):
        return made
    is_nothing = isinstance(value, types.NoneType | types.Optional)
    raise errors.TypingError(f"{_NUMBER} {'nothing, as on some way through the method' if is_nothing else value}")


def _fits(value: Any) -> Any:
    """Stands for :func:`penstock.own.plain.fits` in compiled code."""
    return fits(value)


@overload(_fits)  # type: ignore[untyped-decorator]  # numba has no types
def _compiled_fits(value: Any) -> Any:
    def unchanged(value: Any) -> Any:
        return value

    def checked(value: Any) -> Any:
        if not -9223372036854775808.0 <= value < 9223372036854775808.0:
            raise ValueError("fault")
        return value

    return checked if isinstance(value, types.Float) else unchanged


_FINITE = """\
def finite(x):
    if x - x != 0.0:
        raise ValueError("fault")
    return x
"""
"""Stands for :func:`penstock.own.plain.finite` in compiled code. The message of a fault comes from that function."""


def _namespace(module: ast.Module, path: str) -> dict[str, Any]:
    """The functions of a file, to be compiled when they are first used."""
    names: dict[str, Any] = dict(EXACT_NAMES)
    for symbol, signature, address in _core.component_functions():
        binding.add_symbol(symbol, address)
        result, *arguments = (_LETTERS[letter] for letter in signature)
        names[symbol] = types.ExternalFunction(symbol, result(*arguments))
    names |= {"whole": _whole, "number": _number, "penstock_fits": _fits, "carray": vars(numba)["carray"]}
    made = numba.njit(error_model="python", boundscheck=True, forceinline=True)
    for code in (compile(HELPERS + _FINITE, "<penstock>", "exec"), compile(module, path, "exec")):
        known = set(names)
        exec(code, names)
        names |= {name: made(names[name]) for name in set(names) - known - {"__builtins__"}}
    return names


def _entry(component: Declared, hook: str, names: dict[str, Any]) -> Any:
    """The compiled C function of a hook."""
    of = component.of.hooks[hook]
    arguments = ["carray(own, 1)[0]"]
    for each in (of.arguments[name] for name in component.arguments(hook)):
        value = each.place if each.view is None else f"carray({each.place}, 1)[0]"
        arguments.append(value if each.field is None else f"{value}.{each.field}")
    call = f"{method_name(component.cls.__name__, hook)}({', '.join(arguments)})"
    text = f"def entry(own, first, second, now, more):\n try: {_answer(of, call)}\n except Exception: return {FAULT}"
    exec(compile(text, "<penstock>", "exec"), names)
    pointer = vars(types)["CPointer"]
    views = [of.view_at(place) for place in ("first", "second")]
    pointers = [types.voidptr if name is None else pointer(_view(name)) for name in views]
    signature = types.int64(pointer(_own(component)), *pointers, types.int64, types.int64)
    return numba.cfunc(signature)(names.pop("entry"))


def _answer(hook: Hook, call: str) -> str:
    """The statements that call a hook and pass on what it returns."""
    if hook.result is None:
        return f"return whole({call})" if hook.answers else f"{call}; return 1"
    values = [f"value{i}" for i in range(len(hook.result.fields))]
    kinds = {each.name: "number" if each.is_float else "whole" for each in fields()[hook.result.view]}
    stored = [
        f"carray({hook.result.place}, 1)[0].{name} = {kinds[name]}({value})"
        for name, value in zip(hook.result.fields, values, strict=True)
    ]
    return "; ".join([f"{', '.join(values)} = {call}", *stored, "return 1"])


def _view(name: str) -> Any:
    """The type of a view."""
    return _record(
        [(each.name, "f8" if each.is_float else "i8", each.length, each.length > 1) for each in fields()[name]]
    )


def _own(component: Declared) -> Any:
    """The type of a component's words: addresses of streams, parameters, state."""
    fields = [(name, "i8", 1, False) for name in component.streams]
    fields += [(name, "f8" if it.kind in FLOATS else "i8", 1, False) for name, it in component.parameters.items()]
    of_classes = component.class_parameters.items()
    fields += [(name, "f8" if it.kind in FLOATS else "i8", CLASSES, True) for name, it in of_classes]
    for it in component.state.values():
        fields.append((it.name, "f8" if it.type is float else "i8", len(it.initial), it.is_list))
    return _record(fields)


def _record(fields: list[tuple[str, str, int, bool]]) -> Any:
    """The type of a structure with these fields: name, type, length, and whether it is a list."""
    return numba.from_dtype(
        np.dtype([(name, of, (length,)) if is_list else (name, of) for name, of, length, is_list in fields])
    )


def _told(error: errors.NumbaError, component: Declared, hook: str, path: str) -> str:
    """The message about code that numba cannot compile."""
    name, text = Path(path).name, str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(("Failed in", ">>>", "During:"))] or ["cannot be compiled"]
    ours = next((line[line.index(each) :] for line in lines for each in (_WHOLE, _NUMBER) if each in line), None)
    reason = ours or " ".join([said[0], *(line for line in lines if line.startswith(">>>"))][:2])
    place = re.search(rf'{re.escape(name)}(?:", line | \()(\d+)', text)
    line = int(place[1]) if place else component.methods[hook].lineno
    return f"{name}:{line}: {hook}: {reason.removesuffix('.')}"
