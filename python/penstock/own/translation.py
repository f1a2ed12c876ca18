"""Translates the methods of a component and the other functions of its file, compiled or interpreted.

Transcendental functions become the engine's, since the platform's differ between machines. Loops get a budget of steps.
What cannot be compiled, or could make two runs differ, is a mistake with its line.
"""

import ast
import builtins
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any

from penstock import _core
from penstock.own.allowed import (
    ASSIGNED,
    BUILTINS,
    DRAWS,
    FUNCTIONS,
    OPERATIONS,
    REFUSED,
    WHOLE,
    at,
    is_left,
    parsed,
    refuse_recursion,
)
from penstock.own.assigned import check_reads
from penstock.own.declared import Declared, Mistakes
from penstock.own.kinds import Field, fields
from penstock.printable import quoted, suggestion, things

VERSION = 7
"""Number of the translation; another one means that runs are repeated."""

_COUNTS = {name: len(signature) - 1 for name, signature, _ in _core.component_functions()}
"""Numbers of arguments of the engine's functions."""

STEPS = 1_000_000
"""Most steps of the loops of one call."""


@dataclass(frozen=True)
class Translated:
    """The functions of a file after translation."""

    module: ast.Module
    facts: dict[str, set[str]]  # by class, facts about its hooks that its kind knows


def method_name(cls: str, method: str) -> str:
    """The name of a method's function."""
    return f"{cls}__{method}"


def translate(
    tree: ast.Module, components: Iterable[Declared], names: Mapping[str, Any], mistakes: Mistakes, *, compiled: bool
) -> Translated:
    """Translates all functions of a file, whose `tree` is changed; only interpreted ones keep prints and messages."""
    result = Translated(ast.Module([], []), {})
    others = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    fresh = {node.lineno: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    shared: set[str] = set()
    for node in others.values():
        function = _Function(names, others, None, mistakes, compiled)
        result.module.body.append(function.translated(node, node.name))
        shared |= function.used
    for component in components:
        used = set(shared)
        for method in component.methods.values():
            function = _Function(names, others, component, mistakes, compiled)
            name = method_name(component.cls.__name__, method.name)
            result.module.body.append(function.translated(fresh[method.lineno], name))
            used |= function.used
        result.facts[component.cls.__name__] = component.of.facts_of(used)
    refuse_recursion(result.module, mistakes)
    ast.fix_missing_locations(result.module)
    return result


@dataclass(eq=False)
class _Function(ast.NodeTransformer):
    """Translates one function."""

    _names: Mapping[str, Any]
    _others: Mapping[str, ast.FunctionDef]
    _own: Declared | None
    _mistakes: Mistakes
    _compiled: bool
    _locals: set[str] = field(default_factory=set)
    _views: dict[str, str] = field(default_factory=dict)
    _results: Sequence[str] = ()
    _has_loop: bool = False
    used: set[str] = field(default_factory=set)
    """Constants, views, and fields of views and of other arguments."""

    def translated(self, node: ast.FunctionDef, name: str) -> ast.FunctionDef:
        """The function under another name."""
        arguments = [each.arg for each in node.args.args]
        stored = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
        self._locals = {*arguments, *stored}
        if self._own is not None and (hook := self._own.of.hooks.get(node.name)):
            self._results = hook.result.fields if hook.result else ()
            views = {name: of.view for name, of in hook.arguments.items() if name in arguments and of.field is None}
            self._views = {name: view for name, view in views.items() if view is not None}
            self.used.update(self._views.values())
        body: list[ast.stmt] = []
        for statement in node.body[ast.get_docstring(node) is not None :]:
            found = self.visit(statement)
            body.extend(found if isinstance(found, list) else [] if found is None else [found])
        bare = [ast.arg(each.arg) for each in node.args.args]
        plain = ast.arguments([], bare, None, [], [], None, [])
        made = ast.FunctionDef(name, plain, body or [ast.Pass()], [], None)
        vars(made).setdefault("type_params", [])
        if self._compiled:
            check_reads(made, stored - set(arguments))
        if self._has_loop:
            made.body[:0] = parsed("steps__ = 0", node)
        for each in ast.walk(made):
            if isinstance(each, ast.Constant) and isinstance(each.value, int) and not -(2**63) <= each.value < 2**63:
                self._refuse(each, f"{each.value} does not fit into 64 bits")
        return ast.copy_location(made, node)

    def _refuse(self, node: ast.AST, message: str) -> None:
        self._mistakes.add(getattr(node, "lineno", 0), message)

    def visit(self, node: ast.AST) -> Any:
        """Translates a node, or refuses it."""
        if type(node) in REFUSED:
            self._refuse(node, REFUSED[type(node)])
            return node
        return super().visit(node)

    # Names

    def _found(self, node: ast.expr, name: str, value: object) -> Any:
        """What stands for a global value in a function."""
        self.used.add(name)
        if isinstance(value, int | float):
            return at(ast.Constant(value), node)
        if isinstance(value, tuple) and value and all(isinstance(each, int | float) for each in value):
            return at(ast.Tuple([ast.Constant(each) for each in value], ast.Load()), node)
        symbol = next((symbol for function, symbol in FUNCTIONS.items() if function is value), None)
        if symbol is not None:
            return at(ast.Name(symbol, ast.Load()), node)
        if isinstance(value, FunctionType) and name in self._others:
            return node
        allowed = "numbers, tuples of numbers, functions of this file, of math and of penstock.own"
        self._refuse(node, f"{quoted(name)} cannot be used in a hook; it can use {allowed}")
        return node

    def visit_Name(self, node: ast.Name) -> Any:
        """Replaces a global name by its value."""
        if isinstance(node.ctx, ast.Store) or node.id in self._locals:
            return node
        if node.id in self._names and node.id not in BUILTINS:
            return self._found(node, node.id, self._names[node.id])
        if node.id in BUILTINS or node.id == "print":
            return node
        known = [*self._locals, *self._names, *BUILTINS]
        why = "is not allowed" if hasattr(builtins, node.id) else f"is not known{suggestion(node.id, known)}"
        self._refuse(node, f"{quoted(node.id)} {why}")
        return node

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Checks an attribute of `self` or of a view, or replaces one of a module by its value."""
        base = node.value
        if isinstance(base, ast.Name) and base.id == "self" and self._own is not None:
            return self._of_self(node)
        if isinstance(base, ast.Name) and base.id in self._locals:
            self.used.add(f"{self._views.get(base.id, '?')}.{node.attr}")
        if isinstance(base, ast.Name) and base.id in self._views:
            return self._of_view(node, base.id)
        module = self._module(base)
        if module is not None:
            if not hasattr(module, node.attr):
                self._refuse(node, f"{module.__name__} has no {quoted(node.attr)}{suggestion(node.attr, dir(module))}")
                return node
            if not isinstance(node.ctx, ast.Load):
                self._refuse(node, f"{ast.unparse(node)} cannot be assigned; keep the value in the state")
                return node
            return self._found(node, node.attr, getattr(module, node.attr))
        self.generic_visit(node)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        """Refuses an index of a parameter that is one number."""
        own, name = self._own, ast.unparse(node.value).removeprefix("self.")
        if own is not None and isinstance(node.value, ast.Attribute) and name in own.parameters:
            of_classes = "; for one per class, use own.class_parameter" if own.kind == "scheduler" else ""
            self._refuse(node, f"{quoted(name)} is a single number, not a list{of_classes}")
            return node
        self.generic_visit(node)
        return node

    def _of_view(self, node: ast.Attribute, name: str) -> Any:
        of = self._fields(name)
        known, written = [each.name for each in of], [each.name for each in of if each.is_written]
        if node.attr not in known:
            self._refuse(node, f"{name} has no {quoted(node.attr)}{suggestion(node.attr, known)} ({', '.join(known)})")
        elif not isinstance(node.ctx, ast.Load) and node.attr not in written:
            allowed = f"; of {name}, {', '.join(written)}" if written else ""
            self._refuse(node, f"{name}.{node.attr} cannot be assigned{allowed}")
        return node

    def _fields(self, name: str) -> list[Field]:
        """The fields of a view that is an argument; empty for other names."""
        return fields()[self._views[name]] if name in self._views else []

    def _module(self, node: ast.expr) -> ModuleType | None:
        """The module that an expression names."""
        if isinstance(node, ast.Name) and node.id not in self._locals:
            value = self._names.get(node.id)
        elif isinstance(node, ast.Attribute):
            value = getattr(self._module(node.value), node.attr, None)
        else:
            value = None
        return value if isinstance(value, ModuleType) else None

    def _of_self(self, node: ast.Attribute) -> Any:
        own = self._own
        assert own is not None
        known = [*own.parameters, *own.class_parameters, *own.state, *own.streams, *own.methods]
        parameters = {**own.parameters, **own.class_parameters}
        if node.attr in own.state or (node.attr in parameters and isinstance(node.ctx, ast.Load)):
            return node
        if node.attr in parameters:
            self._refuse(node, ASSIGNED.format(quoted(node.attr)))
        elif node.attr in own.streams:
            self._refuse(node, f"draw from a stream, as in self.{node.attr}.unit()")
        elif node.attr in own.methods:
            self._refuse(node, f"call the method: self.{node.attr}(...)")
        else:
            self._refuse(
                node, f"self has no {quoted(node.attr)}{suggestion(node.attr, known)}; declare {node.attr}: int = 0"
            )
        return node

    # Calls

    def visit_Call(self, node: ast.Call) -> Any:
        """Translates calls of methods and draws from streams."""
        if node.keywords or any(isinstance(each, ast.Starred) for each in node.args):
            self._refuse(node, "write arguments by position")
            return node
        called, own = node.func, self._own
        self._check_count(node)
        if own is not None and isinstance(called, ast.Attribute):
            base = called.value
            if isinstance(base, ast.Name) and base.id == "self" and called.attr in own.methods:
                arguments = [base, *(self.visit(each) for each in node.args)]
                function = ast.Name(method_name(own.cls.__name__, called.attr), ast.Load())
                return at(ast.Call(function, arguments, []), node)
            of = base.value if isinstance(base, ast.Attribute) and base.attr in own.streams else None
            if isinstance(of, ast.Name) and of.id == "self":
                return self._draw(node, called.attr, base)
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _COUNTS:
            self._require_count(node, node.func.id.removeprefix("penstock_"), _COUNTS[node.func.id])
        if isinstance(node.func, ast.Name) and node.func.id == "range":
            # Compiled code would cut floating-point numbers off.
            node.args = [at(ast.Call(ast.Name("whole", ast.Load()), [each], []), each) for each in node.args]
        if isinstance(node.func, ast.Name) and node.func.id in WHOLE:
            if len(node.args) != 1:
                self._refuse(node, "write one argument, as in round(10.0 * x) / 10.0")
                return node
            node.args[0] = at(ast.Call(ast.Name("penstock_fits", ast.Load()), [*node.args], []), node)
        return node

    def _check_count(self, node: ast.Call) -> None:
        """Refuses a call of a method or function of the file with another number of arguments."""
        called, own = node.func, self._own
        function, bound = None, 0
        if isinstance(called, ast.Name) and called.id not in self._locals:
            function = self._others.get(called.id)
        elif own is not None and isinstance(called, ast.Attribute) and ast.unparse(called.value) == "self":
            function, bound = own.methods.get(called.attr), 1
        if function is not None:
            self._require_count(node, function.name, len(function.args.args) - bound)

    def _require_count(self, node: ast.Call, name: str, wanted: int) -> None:
        if len(node.args) != wanted:
            self._refuse(node, f"{name} is called with {things(len(node.args), 'argument')}; it has {wanted}")

    def _draw(self, node: ast.Call, name: str, stream: ast.expr) -> Any:
        if name not in DRAWS or len(node.args) != DRAWS[name]:
            self._refuse(node, f"a stream has unit(), exponential(), below(n) and chance(p), not {quoted(name)}")
            return node
        arguments = [self.visit(each) for each in node.args]
        symbol = "unit" if name == "chance" else name
        drawn = ast.Call(
            ast.Name(f"penstock_{symbol}", ast.Load()), [stream, *([] if name == "chance" else arguments)], []
        )
        return at(ast.Compare(drawn, [ast.Lt()], arguments) if name == "chance" else drawn, node)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Replaces operations by functions, which check them; a power of constants is a constant."""
        self.generic_visit(node)
        sides = [each.value for each in (node.left, node.right) if isinstance(each, ast.Constant)]
        numbers = [each for each in sides if isinstance(each, int | float)]
        if isinstance(node.op, ast.Pow) and len(numbers) == 2 and abs(numbers[1]) < 64:
            try:
                power = numbers[0] ** numbers[1]
            except ArithmeticError:
                power = None
            if isinstance(power, int | float):
                return at(ast.Constant(power), node)
            self._refuse(node, f"{ast.unparse(node)} is no number that a float holds")
            return node
        function = OPERATIONS.get(type(node.op))
        if function is None:
            return node
        return at(ast.Call(ast.Name(function, ast.Load()), [node.left, node.right], []), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        """Makes a negative constant one, and inverts whole numbers only."""
        self.generic_visit(node)
        value = node.operand.value if isinstance(node.operand, ast.Constant) else None
        if isinstance(node.op, ast.Invert):
            # Compiled code would negate a condition.
            node.operand = at(ast.Call(ast.Name("whole", ast.Load()), [node.operand], []), node)
        if isinstance(node.op, ast.USub) and isinstance(value, int | float):
            return at(ast.Constant(-value), node)
        return node

    # Statements

    def _stored(self, target: ast.expr, value: ast.expr) -> Any:
        """A value that is assigned to a target: checked to be whole or finite if the target is state or of a view."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            value.elts = [self._stored(*pair) for pair in zip(target.elts, value.elts, strict=True)]
            return value
        if isinstance(target, ast.Tuple) and not all(isinstance(each, ast.Name) for each in target.elts):
            self._refuse(target, "assign to the state one value at a time")
        name = target.value if isinstance(target, ast.Subscript) else target
        if self._own is None or not (isinstance(name, ast.Attribute) and isinstance(name.value, ast.Name)):
            return value
        if name.value.id == "self":
            if name.attr in self._own.class_parameters:
                self._refuse(name, ASSIGNED.format(quoted(name.attr)))
            variable = self._own.state.get(name.attr)
            found = [] if variable is None else [variable.type is float]
        else:
            found = [each.is_float for each in self._fields(name.value.id) if each.name == name.attr]
        if not found:
            return value
        of = [ast.Constant(name.attr)] if found[0] and not self._compiled else []
        checked = at(ast.Call(ast.Name("finite" if found[0] else "whole", ast.Load()), [value, *of], []), value)
        if name.value.id != "self" or self._own.state[name.attr].type is not bool:
            return checked
        return at(
            ast.Call(ast.Name("int", ast.Load()), [ast.Compare(checked, [ast.NotEq()], [ast.Constant(0)])], []), value
        )

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Checks assignments to whole numbers."""
        if len(node.targets) != 1:
            self._refuse(node, "assign to one target at a time")
        self.generic_visit(node)
        node.value = self._stored(node.targets[0], node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Becomes an assignment."""
        first, target = [], node.target
        if isinstance(target, ast.Subscript) and any(isinstance(each, ast.Call) for each in ast.walk(target.slice)):
            # The index is computed once, since it may draw or change the state.
            self._locals.add("index__")
            first = [self.visit_Assign(at(ast.Assign([ast.Name("index__", ast.Store())], target.slice), node))]
            target.slice = at(ast.Name("index__", ast.Load()), node)
        read = parsed(ast.unparse(node.target), node)[0].value
        assigned = self.visit_Assign(at(ast.Assign([target], at(ast.BinOp(read, node.op, node.value), node)), node))
        return [*first, assigned]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """Loses its annotation."""
        if node.value is None:
            return at(ast.Pass(), node)
        return self.visit_Assign(at(ast.Assign([node.target], node.value), node))

    def visit_Expr(self, node: ast.Expr) -> Any:
        """Drops what only prints, if compiled."""
        called = node.value.func if isinstance(node.value, ast.Call) else None
        if isinstance(called, ast.Name) and called.id in ("print", "breakpoint"):
            return at(ast.Pass(), node) if self._compiled else node
        self.generic_visit(node)
        return node

    def visit_Return(self, node: ast.Return) -> Any:
        """Checks that a hook returns as many values as it must."""
        wanted, given = self._results, node.value
        fits = isinstance(given, ast.Call) or (isinstance(given, ast.Tuple) and len(given.elts) == len(wanted))
        if len(wanted) > 1 and not fits:
            self._refuse(node, f"write return {', '.join(wanted)}")
        self.generic_visit(node)
        return node

    def visit_Raise(self, node: ast.Raise) -> Any:
        """Loses its message, if compiled: the call is repeated uncompiled to get it."""
        return parsed("raise RuntimeError('fault')", node)[0] if self._compiled else node

    def visit_Assert(self, node: ast.Assert) -> Any:
        """Loses its message, if compiled."""
        node.test = self.visit(node.test)
        node.msg = None if self._compiled else node.msg
        return node

    def visit_While(self, node: ast.While) -> Any:
        """Counts the steps, and refuses a loop without a way out."""
        if isinstance(node.test, ast.Constant) and node.test.value and not is_left(node.body):
            self._refuse(node, "the loop never ends; give it a condition, a break or a return")
        return self.visit_For(node)

    def visit_For(self, node: ast.While | ast.For) -> Any:
        """Counts the steps."""
        self._has_loop = True
        self.generic_visit(node)
        count = f"steps__ += 1\nif steps__ > {STEPS}: raise RuntimeError('the loop takes more than {STEPS} steps')"
        node.body[:0] = parsed(count, node)
        return node
