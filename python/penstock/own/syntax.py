"""Nodes of Python's syntax trees."""

from __future__ import annotations

import ast
from typing import Any

__all__ = ["at", "parsed", "without_docstring"]


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
    statements = ast.parse(text).body
    for each in [each for statement in statements for each in ast.walk(statement)]:
        if "lineno" in each._attributes:
            ast.copy_location(each, other)
    return statements
