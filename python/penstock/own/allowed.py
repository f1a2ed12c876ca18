"""What code of a component may use, the messages about other code, and what all checks of its syntax tree need."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable
from typing import Any

from penstock.own.declared import Mistakes
from penstock.own.vocabulary import mul_div

_OURS = ["exp", "expm1", "log", "log1p", "log2", "log10", "cbrt", "sin", "cos", "tan", "atan", "atan2", "tanh", "pow"]
"""Functions of `math` that the engine has too."""
EXACT: dict[str, Any] = {
    f"exact_{name}": getattr(math, name)
    for name in ["floor", "ceil", "trunc", "fabs", "copysign", "isfinite", "isinf", "isnan"]
}
"""Functions of `math` that give the same on every machine, by their names in translated code."""
FUNCTIONS: dict[Any, str] = {
    **{getattr(math, name): f"penstock_{name}" for name in _OURS},
    **{of: name for name, of in EXACT.items()},
    math.sqrt: "penstock_sqrt",
    math.fmod: "penstock_fmod",
    mul_div: "penstock_mul_div",
}
"""Allowed functions, with their names in translated code."""
WHOLE = {"int", "round", "exact_floor", "exact_ceil", "exact_trunc"}
"""Functions whose result is undefined in compiled code if it does not fit into 64 bits."""
OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "penstock_add",
    ast.Sub: "penstock_subtract",
    ast.Mult: "penstock_multiply",
    ast.Pow: "penstock_pow",
    ast.LShift: "penstock_left",
    ast.RShift: "penstock_right",
}
"""Functions in place of operations. Compiled code would keep the lowest 64 bits of a whole number that has more."""
BUILTINS = {"abs", "bool", "float", "int", "len", "max", "min", "range", "round"}
"""Allowed functions of Python."""
ASSIGNED = "{} is a parameter and cannot be assigned; keep the value in the state"
"""The message about a parameter that is assigned."""
DRAWS = {"unit": 0, "exponential": 0, "below": 1, "chance": 1}
"""Draws from a stream, with their numbers of arguments."""
REFUSED: dict[type[ast.AST], str] = {
    ast.Global: "globals cannot change; keep the value in the state",
    ast.Nonlocal: "nonlocal cannot be compiled",
    ast.Lambda: "a lambda cannot be compiled; write a function outside the class",
    ast.FunctionDef: "a function within a function cannot be compiled; write it outside the class",
    ast.ClassDef: "a class within a function cannot be compiled",
    ast.Try: "exceptions are faults and cannot be handled",
    ast.With: "with cannot be compiled",
    ast.Yield: "yield cannot be compiled",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
    ast.Delete: "del cannot be compiled",
    ast.Dict: "a dict cannot be compiled; keep a list in the state",
    ast.Set: "a set cannot be compiled; keep a list in the state",
    ast.ListComp: "a comprehension cannot be compiled; write a loop",
    ast.DictComp: "a comprehension cannot be compiled; write a loop",
    ast.SetComp: "a comprehension cannot be compiled; write a loop",
    ast.GeneratorExp: "a comprehension cannot be compiled; write a loop",
    ast.List: "a list cannot be made in a hook; keep one in the state",
    ast.JoinedStr: "texts cannot be compiled, except in print and raise",
}
"""Refused code, with the messages."""


def without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a function but for its docstring."""
    first = body[0]
    is_text = (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    )
    return body[1:] if is_text else body


def at(node: Any, other: ast.AST) -> Any:
    """The node, and all in it without a place, at the place of another."""
    for each in ast.walk(node):
        if "lineno" in each._attributes and not hasattr(each, "lineno"):
            ast.copy_location(each, other)
    return node


def parsed(text: str, other: ast.AST) -> list[Any]:
    """The statements of a text at the place of a node."""
    tree = ast.parse(text)
    for each in ast.walk(tree):
        if "lineno" in each._attributes:
            ast.copy_location(each, other)
    return tree.body


def is_left(body: Iterable[ast.AST], *, is_nested: bool = False) -> bool:
    """Whether a statement of a loop leaves it; a break of a loop within it does not."""
    for node in body:
        if isinstance(node, ast.Return | ast.Raise) or (isinstance(node, ast.Break) and not is_nested):
            return True
        if is_left(ast.iter_child_nodes(node), is_nested=is_nested or isinstance(node, ast.While | ast.For)):
            return True
    return False


def refuse_recursion(module: ast.Module, mistakes: Mistakes) -> None:
    """Refuses functions that call themselves, also by way of others: compiled code would leave its stack unnoticed."""
    functions = {node.name: node for node in module.body if isinstance(node, ast.FunctionDef)}
    calls = {
        name: {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and each.id in functions}
        for name, node in functions.items()
    }
    for name, node in functions.items():
        reached, left = set[str](), [name]
        while left:
            new = calls[left.pop()] - reached
            reached |= new
            left += new
        if name in reached:
            mistakes.add(node.lineno, "the function calls itself; write a loop")
