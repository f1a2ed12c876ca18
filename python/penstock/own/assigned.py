"""Checks that local variables have a value where they are read: compiled code would read an undefined one.

A variable that has a value on every way through a function needs no check. Others get a flag, which their assignments
set and their reads check.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from penstock.own.allowed import at, parsed


def check_reads(function: ast.FunctionDef, names: set[str]) -> None:
    """Adds the checks of these local variables to a translated function."""
    reads = _Reads(names)
    reads.follow(function.body, set())
    if reads.unsure:
        marked = _marked(function.body, reads.unsure)
        function.body = [flag for name in sorted(reads.unsure) for flag in _flag(name, function, value=False)] + marked


class _Reads(ast.NodeTransformer):
    """Follows the ways through a function, and checks reads of variables that may have no value."""

    def __init__(self, names: set[str]) -> None:
        self._names = names
        self._known: set[str] = set()
        self.unsure: set[str] = set()
        """Variables with a checked read."""

    def follow(self, body: Iterable[ast.stmt], known: set[str]) -> set[str] | None:
        """The variables that have a value behind the statements; None if these end in a jump."""
        for node in body:
            if (after := self._follow_one(node, known)) is None:
                return None
            known = after
        return known

    def _follow_one(self, node: ast.stmt, known: set[str]) -> set[str] | None:
        self._known = known
        match node:
            case ast.If():
                node.test = self.visit(node.test)
                ways = [self.follow(node.body, known), self.follow(node.orelse, known)]
                ends = [way for way in ways if way is not None]
                return set.intersection(*ends) if ends else None
            case ast.While():
                node.test = self.visit(node.test)
                self.follow(node.body, known)
                self.follow(node.orelse, known)
                return known
            case ast.For():
                node.iter = self.visit(node.iter)
                self.follow(node.body, known | _stored(node.target))
                self.follow(node.orelse, known)
                return known
            case ast.Match():
                node.subject = self.visit(node.subject)
                for case in node.cases:
                    self._known = known
                    case.guard = None if case.guard is None else self.visit(case.guard)
                    self.follow(case.body, known)
                return known
            case ast.Break() | ast.Continue():
                return None
            case _:
                self.generic_visit(node)
                return None if isinstance(node, ast.Return | ast.Raise) else known | _stored(node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Checks a read of a variable that may have no value."""
        if not isinstance(node.ctx, ast.Load) or node.id not in self._names or node.id in self._known:
            return node
        self.unsure.add(node.id)
        flag = ast.Name(f"{node.id}__set", ast.Load())
        checked: ast.expr = at(ast.Call(ast.Name("penstock_set", ast.Load()), [flag, node], []), node)
        return checked


def _stored(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def _flag(name: str, place: ast.AST, *, value: bool) -> list[ast.stmt]:
    found: list[ast.stmt] = parsed(f"{name}__set = {value}", place)
    return found


def _marked(body: list[ast.stmt], names: set[str]) -> list[ast.stmt]:
    """The statements, and behind each assignment of a variable the flag that it has a value."""
    found: list[ast.stmt] = []
    for node in body:
        found.append(node)
        if isinstance(node, ast.If | ast.While | ast.For):
            node.body, node.orelse = _marked(node.body, names), _marked(node.orelse, names)
        if isinstance(node, ast.Match):
            for case in node.cases:
                case.body = _marked(case.body, names)
        target = node.target if isinstance(node, ast.For) else node if isinstance(node, ast.Assign) else None
        stored = sorted(names & _stored(target)) if target is not None else []
        flags = [flag for name in stored for flag in _flag(name, node, value=True)]
        if isinstance(node, ast.For):
            node.body[:0] = flags
        else:
            found += flags
    return found
