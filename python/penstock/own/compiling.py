"""Compiles hooks by numba; imported only when code is not in the cache."""

import ast
import operator
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import compiler, errors
from numba.core.codegen import AOTCPUCodegen
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from penstock import _core
from penstock.errors import InputError
from penstock.own.declared import Declared, symbol
from penstock.own.kinds import FAULT, Field, Hook, fields
from penstock.own.plain import EXACT_NAMES, HELPERS
from penstock.own.translation import method_name

_WHOLE = "a whole number is needed,"
_NUMBER = "a number is needed,"
_NO_VALUE = "but some way through the method gives no value"
_LETTERS = {"f": types.float64, "i": types.int64}


@global_compiler_lock  # type: ignore[untyped-decorator]  # numba has no types
def compiled(module: ast.Module, path: str, components: Iterable[Declared]) -> bytes:
    """An object file with the hooks of all classes. Raises InputError with the line if numba cannot compile one."""
    names = _namespace(module, path)
    entries = []
    library = AOTCPUCodegen("penstock", "host").create_library("penstock")
    for component in components:
        for hook in component.hooks:
            try:
                entry = _entry(component, hook, names, library)
            except Exception as error:
                raise InputError(_told(error, component, hook, path)) from None
            _add_function(library, symbol(component.cls.__name__, hook), entry)
            entries.append(entry.fndesc.llvm_func_name)
    for name in entries:  # so that LLVM inlines them into the functions and drops them
        library.get_function(name).linkage = "internal"
    library.finalize()
    return bytes(library.emit_native_object())


def _add_function(library: Any, name: str, entry: Any) -> None:
    """Adds the C function of a compiled hook, into which LLVM inlines it; it answers an exception by `FAULT`."""
    module = library.create_ir_module(name)
    convention, described = cpu_target.target_context.call_conv, entry.fndesc
    of_entry = convention.get_function_type(described.restype, described.argtypes)
    word = ir.IntType(64)
    address = word.as_pointer()
    function = ir.Function(module, ir.FunctionType(word, [address, address, address, word, word]), name)
    builder = ir.IRBuilder(function.append_basic_block())
    callee = ir.Function(module, of_entry, described.llvm_func_name)
    # The first two arguments of an entry receive its answer and its exception.
    of_arguments = of_entry.args[2:]
    arguments = [
        builder.bitcast(each, of) if isinstance(of, ir.PointerType) else each
        for each, of in zip(function.args, of_arguments, strict=True)
    ]
    status, answer = convention.call_function(builder, callee, described.restype, described.argtypes, arguments)
    # A function that always fails has no answer.
    is_word = entry.fndesc.restype == types.int64
    builder.ret(builder.select(status.is_error, word(FAULT), answer) if is_word else word(FAULT))
    library.add_ir_module(module)


# Checks of values: code in place of the functions of `plain` with these names. Messages of faults come from those.


def _fail_unless(context: Any, builder: Any, is_right: Any) -> None:
    """Code that fails unless a condition holds."""
    with builder.if_then(builder.not_(is_right), likely=False):
        context.call_conv.return_user_exc(builder, ValueError, ("fault",))


def _cast(value: Any, to: Any, is_right: Callable[[Any, Any], Any] | None = None) -> Any:
    """The signature and the code of a function that casts its argument, which must be right."""
    of = types.unliteral(value)

    def code(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        if is_right is not None:
            _fail_unless(context, builder, is_right(builder, arguments[0]))
        return context.cast(builder, arguments[0], of, to)

    return to(of), code


def _is_nothing(value: Any) -> bool:
    return isinstance(value, types.NoneType | types.Optional)


_NO_NUMBERS = {
    types.Record: "an object",
    types.UnicodeType: "a text",
    types.BaseTuple: "a tuple",
    types.Array: "a list",
}
"""Names of types in messages."""


def _type_name(value: Any) -> str:
    return next((name for of, name in _NO_NUMBERS.items() if isinstance(types.unliteral(value), of)), str(value))


def _is_finite(builder: Any, value: Any) -> Any:
    difference = builder.fsub(value, value)
    return builder.fcmp_ordered("==", difference, difference)


def _is_not_infinite(builder: Any, value: Any) -> Any:
    infinities = [builder.fcmp_unordered("!=", value, ir.DoubleType()(text)) for text in ("inf", "-inf")]
    return builder.and_(*infinities)


def _fits(builder: Any, value: Any) -> Any:
    lowest, highest = (ir.DoubleType()(each) for each in (-(2.0**63), 2.0**63))
    return builder.and_(builder.fcmp_ordered(">=", value, lowest), builder.fcmp_ordered("<", value, highest))


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _whole(_typing: Any, value: Any) -> Any:
    if isinstance(value, types.Integer | types.Boolean):
        return _cast(value, types.int64)
    given = _NO_VALUE if _is_nothing(value) else f"not {_type_name(value)}"
    given += "; write int(...)" if isinstance(value, types.Float) else ""
    raise errors.TypingError(f"{_WHOLE} {given}")


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _number(_typing: Any, value: Any) -> Any:
    if isinstance(value, types.Float):
        return _cast(value, types.float64, _is_not_infinite)
    if isinstance(value, types.Integer | types.Boolean):
        return _cast(value, types.float64)
    given = _NO_VALUE if _is_nothing(value) else f"not {_type_name(value)}"
    raise errors.TypingError(f"{_NUMBER} {given}")


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _finite(_typing: Any, value: Any) -> Any:
    is_float = isinstance(value, types.Float)
    if isinstance(types.unliteral(value), tuple(_NO_NUMBERS)):
        raise errors.TypingError(f"{_NUMBER} not {_type_name(value)}")
    if isinstance(value, types.NoneType):
        raise errors.TypingError(f"{_NUMBER} {_NO_VALUE}")
    return _cast(value, types.float64, _is_finite) if is_float else _cast(value, types.unliteral(value))


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _fitting(_typing: Any, value: Any) -> Any:
    return _cast(value, types.unliteral(value), _fits if isinstance(value, types.Float) else None)


def _arithmetic(operation: Any, checked: str) -> Any:
    """An operation, which fails if a whole number of more than 64 bits results; `checked` is its name in LLVM."""

    @intrinsic  # type: ignore[untyped-decorator]  # numba has no types
    def compute(typing: Any, left: Any, right: Any) -> Any:
        given = tuple(map(types.unliteral, (left, right)))
        if all(isinstance(each, types.Integer | types.Boolean) for each in given):
            return types.int64(*given), whole

        def plain(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            operands = [context.cast(builder, *each) for each in zip(arguments, given, of.args, strict=True)]
            return context.get_function(operation, of)(builder, operands)

        of = typing.resolve_function_type(operation, given, {})
        if of is None:
            raise errors.TypingError(f"cannot {operation.__name__} {_type_name(left)} and {_type_name(right)}")
        return of.return_type(*given), plain

    def whole(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        of = zip(arguments, signature.args, strict=True)
        words = [context.cast(builder, value, given, types.int64) for value, given in of]
        result = getattr(builder, checked)(*words)
        _fail_unless(context, builder, builder.not_(builder.extract_value(result, 1)))
        return builder.extract_value(result, 0)

    return compute


_CHECKS = {
    "whole": _whole,
    "number": _number,
    "finite": _finite,
    "penstock_fits": _fitting,
    "penstock_add": _arithmetic(operator.add, "sadd_with_overflow"),
    "penstock_subtract": _arithmetic(operator.sub, "ssub_with_overflow"),
    "penstock_multiply": _arithmetic(operator.mul, "smul_with_overflow"),
    "penstock_divide": operator.truediv,
}

_OPTIONS = {"error_model": "python", "boundscheck": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Options of the compiler: divisions and indices are checked; the interpreter calls nothing."""


def _namespace(module: ast.Module, path: str) -> dict[str, Any]:
    """The functions of a file, to be compiled when they are first used."""
    names: dict[str, Any] = dict(EXACT_NAMES)
    for name, signature, address in _core.component_functions():
        binding.add_symbol(name, address)
        result, *arguments = (_LETTERS[letter] for letter in signature)
        names[name] = types.ExternalFunction(name, result(*arguments))
    names |= _CHECKS
    made = numba.njit(inline="always", **_OPTIONS)
    for code in (compile(HELPERS, "<penstock>", "exec"), compile(module, path, "exec")):
        known = set(names)
        exec(code, names)
        names |= {name: made(names[name]) for name in set(names) - known - {"__builtins__"}}
    return names


def _entry(component: Declared, hook: str, names: dict[str, Any], library: Any) -> Any:
    """A compiled hook, with the arguments of the C function."""
    of = component.of.hooks[hook]
    arguments = ["own"]
    for each in (of.arguments[name] for name in component.arguments(hook)):
        arguments.append(each.place if each.field is None else f"{each.place}.{each.field}")
    call = f"{method_name(component.cls.__name__, hook)}({', '.join(arguments)})"
    text = f"def entry(own, first, second, now, more): {_answer(of, call)}"
    exec(compile(text, "<penstock>", "exec"), names)
    flags = compiler.Flags()
    cpu_target.options.parse_as_flags(flags, {"nopython": True, **_OPTIONS})
    flags.no_compile = True
    views = [of.view_at(place) for place in ("first", "second")]
    pointers = [types.voidptr if name is None else _record(fields()[name]) for name in views]
    given = (_record(component.words), *pointers, types.int64, types.int64)
    contexts = cpu_target.typing_context, cpu_target.target_context
    return compiler.compile_extra(*contexts, names.pop("entry"), given, types.int64, flags, {}, library)


def _answer(hook: Hook, call: str) -> str:
    """The statements that call a hook and pass on what it returns."""
    if hook.result is None:
        return f"return whole({call})" if hook.answers else f"{call}; return 1"
    values = [f"value{i}" for i in range(len(hook.result.fields))]
    kinds = {each.name: "number" if each.is_float else "whole" for each in fields()[hook.result.view]}
    stored = [
        f"{hook.result.place}.{name} = {kinds[name]}({value})"
        for name, value in zip(hook.result.fields, values, strict=True)
    ]
    return "; ".join([f"{', '.join(values)} = {call}", *stored, "return 1"])


def _record(fields: Iterable[Field]) -> Any:
    """The type of a structure with these fields."""
    of = [(it.name, "f8" if it.is_float else "i8", (it.length,) if it.is_list else ()) for it in fields]
    return numba.from_dtype(np.dtype(of))


def _told(error: Exception, component: Declared, hook: str, path: str) -> str:
    """The message about code that numba cannot compile."""
    name, text = Path(path).name, str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = [line for line in lines if not line.startswith(("Failed in", ">>>", "During:"))] or ["cannot be compiled"]
    ours = next((line[line.index(each) :] for line in lines for each in (_WHOLE, _NUMBER) if each in line), None)
    reason = ours or " ".join([said[0], *(line for line in lines if line.startswith(">>>"))][:2])
    reason = re.sub(r"^(Cannot cast .+? to \w+): .*", r"\1", reason)  # leaves out the code of LLVM
    place = re.search(rf'{re.escape(name)}(?:", line | \()(\d+)', text)
    line = int(place[1]) if place else component.methods[hook].lineno
    return f"{name}:{line}: {hook}: {reason.removesuffix('.')}"
