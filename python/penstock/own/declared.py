"""Declarations of a class: its parameters, state, streams and hooks."""

from __future__ import annotations

import ast
import math
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from penstock import _core
from penstock.errors import InputError
from penstock.own.kinds import KINDS, Field, Kind
from penstock.own.vocabulary import CLASSES, ClassParameter, Mark, Parameter, State, Stream, mark_of
from penstock.printable import quoted, represented, shortened

_FLOATS = ("probability", "weight", "number")
"""Kinds of parameters that are floating-point numbers in hooks."""
_READ_BY_THE_ENGINE = {
    "congestion-control": ("pacing_rate", "limits_rate"),
    "scheduler": ("not_before",),
    "source": ("frame", "frame_packet", "frame_packets"),
}
"""States that the engine reads as whole numbers, by kind."""
_TYPES = {"int": int, "float": float, "bool": bool}


class Mistakes:
    """Collects mistakes in a file, each with its line."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._found: dict[str, int] = {}

    def add(self, line: int, message: str) -> None:
        """Adds a mistake."""
        self._found.setdefault(f"{self._file}:{line}: {message}", line)

    def raise_any(self) -> None:
        """Raises InputError with all mistakes, a line each."""
        if self._found:
            raise InputError("\n".join(sorted(self._found, key=lambda message: self._found[message])))


@dataclass(frozen=True)
class Variable:
    """A variable of the state: its type and its words at the beginning."""

    name: str
    type: type
    initial: tuple[Any, ...]
    is_list: bool
    unit: str
    doc: str

    @property
    def is_float(self) -> bool:
        """Whether it is a floating-point number, or a list of these."""
        return self.type is float

    @property
    def words(self) -> list[int]:
        """Its initial values as words of 64 bits."""
        form = "=d" if self.is_float else "=q"
        return [struct.unpack("=Q", struct.pack(form, each))[0] for each in self.initial]


@dataclass
class Declared:
    """A declared component."""

    kind: str
    key: str
    cls: type
    node: ast.ClassDef
    facts: tuple[str, ...]
    settings: Mapping[str, str]  # what its decorator was given besides the name
    streams: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, Parameter] = field(default_factory=dict)
    class_parameters: dict[str, Parameter] = field(default_factory=dict)
    state: dict[str, Variable] = field(default_factory=dict)
    methods: dict[str, ast.FunctionDef] = field(default_factory=dict)

    def arguments(self, method: str) -> list[str]:
        """The arguments of a method after `self`."""
        return [each.arg for each in self.methods[method].args.args[1:]]

    @property
    def words(self) -> list[Field]:
        """Its words: addresses of streams, parameters, state."""
        found = [Field(name, is_float=False) for name in self.streams]
        found += [Field(name, it.kind in _FLOATS) for name, it in self.parameters.items()]
        found += [Field(name, it.kind in _FLOATS, CLASSES, is_list=True) for name, it in self.class_parameters.items()]
        state = self.state.values()
        return [*found, *(Field(it.name, it.is_float, len(it.initial), it.is_list) for it in state)]

    @property
    def of(self) -> Kind:
        """Its kind."""
        return KINDS[self.kind]

    @property
    def hooks(self) -> list[str]:
        """The hooks that it has."""
        return [name for name in self.of.hooks if name in self.methods]


def symbol(cls: str, hook: str) -> str:
    """The symbol of a hook in compiled code."""
    return f"penstock_hook_{cls.encode('ascii', 'backslashreplace').decode()}_{hook}"


def declared(cls: type, node: ast.ClassDef, mistakes: Mistakes) -> Declared:
    """Reads the declarations of a class."""
    mark = mark_of(cls)
    assert isinstance(mark, Mark)
    it = Declared(mark.kind, mark.name, cls, node, mark.facts, mark.settings)
    lines = {name: each.lineno for each in node.body for name in _names(each)}
    annotations = {
        each.target.id: ast.unparse(each.annotation).strip("'\"")
        for each in node.body
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    }
    _check_class(cls, node, mistakes)
    for name in dict.fromkeys([*annotations, *vars(cls)]):
        value, line = vars(cls).get(name), lines.get(name, node.lineno)
        if name.startswith("__"):
            continue
        if isinstance(value, Parameter):
            _add_parameter(it, name, value, mistakes, line)
        elif isinstance(value, Stream):
            if value.name in it.streams.values():
                mistakes.add(
                    line, f"{quoted(name)} draws the numbers of another stream {quoted(value.name)}; rename it"
                )
            it.streams[name] = value.name
        elif isinstance(value, FunctionType):
            _add_method(it, name, mistakes, line)
        elif isinstance(value, staticmethod | classmethod | property):
            _refuse_decorated(name, mistakes, line)
        elif name not in annotations:
            what = "declares no type; write, for example, " + f"{name}: int = 0"
            mistakes.add(line, f"{quoted(name)} {what}")
        else:
            _add_state(it, name, annotations[name], value, mistakes, line)
    _check_hooks(it, mistakes)
    declarations: dict[str, Mapping[str, object]] = {
        "parameters": it.parameters,
        "class parameters": it.class_parameters,
        "random streams": it.streams,
    }
    for what, names in declarations.items():
        most = it.of.most.get(what)
        if most is not None and len(names) > most:
            line = lines[list(names)[most]]
            mistakes.add(line, f"a {it.kind} has at most one of {what}" if most else f"a {it.kind} has no {what}")
    return it


def _check_class(cls: type, node: ast.ClassDef, mistakes: Mistakes) -> None:
    """Checks the docstring, and refuses parts that would be left out silently."""
    if not (cls.__doc__ or "").strip():
        mistakes.add(node.lineno, f"{cls.__name__} has no docstring; write in a sentence what it does")
    if cls.__bases__ != (object,):
        base = cls.__bases__[0].__name__
        message = f"{cls.__name__} inherits from {base}; write all parts of a component in its own class"
        mistakes.add(node.lineno, message)
    refuse_repeated(node.body, mistakes)
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name.startswith("__"):
            mistakes.add(each.lineno, f"{each.name} is never called; write initial values into the declarations")


def refuse_repeated(body: Iterable[ast.stmt], mistakes: Mistakes) -> None:
    """Refuses a class, function or declaration under a name that an earlier one has, which it would replace."""
    first: dict[str, int] = {}
    for each in body:
        for name in _names(each):
            if (line := first.setdefault(name, each.lineno)) != each.lineno:
                mistakes.add(each.lineno, f"{quoted(name)} is declared in line {line} already; rename one of them")


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []


def _add_parameter(it: Declared, name: str, value: Parameter, mistakes: Mistakes, line: int) -> None:
    kinds = _core.component_parameter_kinds()
    if value.kind not in kinds:
        message = f"parameter {quoted(name)}: there is no kind {quoted(value.kind)}; one of {', '.join(kinds)}"
        mistakes.add(line, message)
    elif value.words and value.kind != "choice":
        mistakes.add(line, f"parameter {quoted(name)}: only a choice has words")
    of = it.class_parameters if isinstance(value, ClassParameter) else it.parameters
    of[name] = value


def _add_method(it: Declared, name: str, mistakes: Mistakes, line: int) -> None:
    methods = [each for each in it.node.body if isinstance(each, ast.FunctionDef) and each.name == name]
    if methods:
        it.methods[name] = methods[-1]
    else:
        mistakes.add(line, f"{name}: write a method, with def at the top of the class")


def _refuse_decorated(name: str, mistakes: Mistakes, line: int) -> None:
    mistakes.add(line, f"{name}: write a method without decorators and defaults, with self as its first argument")


def _add_state(it: Declared, name: str, annotation: str, value: object, mistakes: Mistakes, line: int) -> None:
    of = value if isinstance(value, State) else State(value, "1", "")
    element = annotation.removeprefix("list[").removesuffix("]")
    is_list = element != annotation
    if element not in _TYPES:
        mistakes.add(
            line,
            f"{quoted(name)} is of the type {annotation}; one of int, float, bool, or a list of one, such as list[int]",
        )
        return
    values = of.initial if is_list else [of.initial]
    if not isinstance(values, list | tuple) or not values:
        mistakes.add(line, f"{quoted(name)} has no value at the beginning; write {annotation} = ...")
        return
    for each in values:
        if not _fits(each, _TYPES[element]):
            shown = repr(each) if isinstance(each, str) else shortened(represented(each), 60)
            mistakes.add(line, f"{quoted(name)} begins as {shown}, which is not a finite {element} of 64 bits")
            return
    it.state[name] = Variable(name, _TYPES[element], tuple(map(_TYPES[element], values)), is_list, of.unit, of.doc)


def _fits(value: object, of: type) -> bool:
    """Whether a value fits into 64 bits of this type."""
    if of is not float:
        return isinstance(value, int) and -(2**63) <= value < 2**63
    try:
        return isinstance(value, int | float) and math.isfinite(value)
    except OverflowError:  # a whole number too large for a float
        return False


def _check_hooks(it: Declared, mistakes: Mistakes) -> None:
    hooks = it.of.hooks
    if not it.of.needed and not it.hooks:
        mistakes.add(it.node.lineno, f"{it.cls.__name__} has no method {' or '.join(hooks)}")
    for needed in it.of.needed:
        if needed not in it.methods:
            named = ", ".join(["self", *hooks[needed].arguments])
            mistakes.add(it.node.lineno, f"{it.cls.__name__} has no method {needed}({named})")
    timer = it.state.get("next_timer")
    if "on_timer" in it.methods and (timer is None or timer.type is not int or timer.is_list):
        message = "on_timer needs the state next_timer, the time of its next call; write next_timer: int = own.NEVER"
        mistakes.add(it.methods["on_timer"].lineno, message)
    for name in _READ_BY_THE_ENGINE.get(it.kind, ()):
        if name in it.state and (it.state[name].is_float or it.state[name].is_list):
            what = "list" if it.state[name].is_list else "float"
            mistakes.add(it.node.lineno, f"the state {name} is a {what}; write {name}: int")
    for name, method in it.methods.items():
        arguments = method.args
        given = [each.arg for each in arguments.args]
        plain = not (
            arguments.posonlyargs or arguments.kwonlyargs or arguments.vararg or arguments.kwarg or arguments.defaults
        )
        if method.decorator_list or not plain or given[:1] != ["self"]:
            _refuse_decorated(name, mistakes, method.lineno)
        elif name.startswith("on_") and name not in hooks:
            mistakes.add(method.lineno, f"a {it.kind} has no hook {quoted(name)}; one of {', '.join(hooks)}")
        elif name in hooks and (unknown := [each for each in given[1:] if each not in hooks[name].arguments]):
            known = ", ".join(hooks[name].arguments)
            mistakes.add(method.lineno, f"{name} has no argument {quoted(unknown[0])}; it has {known}")
