"""What code of a component may use, the messages about other code, and what all checks of its syntax tree need."""

import ast
import math
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from penstock.own.declared import Mistakes
from penstock.own.vocabulary import mul_div

_ALLOWED = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

EXACT: dict[str, Any] = {f"exact_{name}": getattr(math, name) for name in _ALLOWED["exact"]}
"""Functions of `math` that give the same on every machine, by their names in translated code."""
FUNCTIONS: dict[Any, str] = {
    **{getattr(math, name): f"penstock_{name}" for name in _ALLOWED["engine"]},
    **{of: name for name, of in EXACT.items()},
    math.sqrt: "penstock_sqrt",
    math.fmod: "penstock_fmod",
    mul_div: "penstock_mul_div",
}
"""Allowed functions, with their names in translated code."""
WHOLE, BUILTINS = set[str](_ALLOWED["whole"]), set[str](_ALLOWED["builtins"])
DRAWS: dict[str, int] = _ALLOWED["draws"]
OPERATIONS: dict[type[ast.operator], str] = {getattr(ast, name): to for name, to in _ALLOWED["operations"].items()}
REFUSED: dict[type[ast.AST], str] = {getattr(ast, name): message for name, message in _ALLOWED["refused"].items()}
ASSIGNED = "{} is a parameter and cannot be assigned; keep the value in the state"
"""The message about a parameter that is assigned."""


def at(node: Any, other: ast.AST) -> Any:
    """The node, and all in it without a place, at the place of another."""
    return ast.fix_missing_locations(ast.copy_location(node, other))


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
