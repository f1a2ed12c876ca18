"""Mistakes drawn at random from the syntax tree of Rust files, for code without a list.

The operators are the usual ones of mutation testing (Offutt, Lee, Rothermel, Untch and Zapf 1996; for the deletion of
statements Deng, Offutt and Li 2013). A draw takes each possible mistake with the same probability, but for those that
overlap one already drawn, since all are compiled side by side.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import tree_sitter_rust
from mistakes import ROOT, Mistake
from tree_sitter import Language, Parser

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tree_sitter import Node

BINARY = {
    "<": ("<=", "relational"),
    "<=": ("<", "relational"),
    ">": (">=", "relational"),
    ">=": (">", "relational"),
    "==": ("!=", "relational"),
    "!=": ("==", "relational"),
    "+": ("-", "arithmetic"),
    "-": ("+", "arithmetic"),
    "*": ("+", "arithmetic"),
    "/": ("*", "arithmetic"),
    "%": ("/", "arithmetic"),
    "&&": ("||", "logical"),
    "||": ("&&", "logical"),
    "&": ("|", "bitwise"),
    "|": ("&", "bitwise"),
    "<<": (">>", "bitwise"),
    ">>": ("<<", "bitwise"),
}
"""The replacement of an operator, and the class of the mistake."""
METHODS = {
    "min": "max",
    "max": "min",
    "is_some": "is_none",
    "is_none": "is_some",
    "any": "all",
    "all": "any",
    "saturating_sub": "wrapping_sub",
    "first": "last",
    "last": "first",
}
"""Methods that are taken for one another."""
CONSTANT = {
    "const_item",
    "static_item",
    "array_type",
    "type_arguments",
    "attribute_item",
    "enum_variant",
    "range_pattern",
}
"""Places that admit no choice at run time."""
NAMED = {"field_expression", "match_pattern", "tuple_struct_pattern"}
"""Where a number is a name or a pattern, not a value."""


def random_mistakes(folders: list[str], count: int, seed: int, root: Path = ROOT) -> list[Mistake]:
    """Draws mistakes from all files below folders; the same seed and sources give the same draw."""
    files = [file for folder in folders for file in sorted((root / folder).rglob("*.rs")) if file.stem != "tests"]
    possible = [it for file in files for it in possible_in(file, root)]
    random.Random(seed).shuffle(possible)
    drawn: list[Mistake] = []
    taken: dict[str, list[tuple[int, int]]] = {}
    for it in possible:
        begin, end = it.span("")
        spans = taken.setdefault(it.file, [])
        if len(drawn) < count and all(end <= other[0] or other[1] <= begin for other in spans):
            spans.append((begin, end))
            drawn.append(it)
    return drawn


def possible_in(file: Path, root: Path = ROOT) -> Iterator[Mistake]:
    """All mistakes of one file."""
    source = file.read_bytes()
    name = file.relative_to(root).as_posix()
    tree = Parser(Language(tree_sitter_rust.language())).parse(source)
    for node in walk(tree.root_node):
        for kind, mistake in mistakes_of(node):
            # Positions in characters, since the text may have characters of several bytes.
            begin = len(source[: node.start_byte].decode())
            line = node.start_point[0] + 1
            original = text_of(node)
            yield Mistake(
                area=file.relative_to(root).parts[3],
                name=f"{file.relative_to(root / 'crates').with_suffix('')}:{line}:{node.start_point[1] + 1} {kind}",
                file=name,
                text=original,
                mistake=mistake,
                means=f"line {line}: `{' '.join(original.split())}` becomes `{' '.join(mistake.split()) or 'nothing'}`",
                asks=("goldens",),
                at=begin,
            )


def walk(node: Node) -> Iterator[Node]:
    """The nodes that run as part of the program, outermost first."""
    if node.type in CONSTANT or is_test(node) or is_const(node):
        return
    yield node
    for child in node.children:
        yield from walk(child)


def is_test(node: Node) -> bool:
    """Whether an item is compiled only for tests or debug checks."""
    before = node.prev_named_sibling
    while before is not None and before.type == "attribute_item":
        if "test" in text_of(before) or "debug_assertions" in text_of(before):
            return True
        before = before.prev_named_sibling
    return False


def is_const(node: Node) -> bool:
    """Whether a function may run at compile time."""
    modifiers = [it for it in node.children if it.type == "function_modifiers"]
    return node.type == "function_item" and any("const" in text_of(it) for it in modifiers)


def mistakes_of(node: Node) -> Iterator[tuple[str, str]]:
    """The kinds of mistakes that are possible in one node, and the replacements."""
    if node.type == "binary_expression" and not has_let(node):
        left, operator, right = node.children
        if found := BINARY.get(text_of(operator)):
            yield found[1], f"{text_of(left)} {found[0]} {text_of(right)}"
    elif node.type == "call_expression":
        function = node.child_by_field_name("function")
        if function is not None and function.type == "field_expression":
            value, field = function.child_by_field_name("value"), function.child_by_field_name("field")
            if value is not None and field is not None and text_of(field) in METHODS:
                rest = node.text[field.end_byte - node.start_byte :].decode() if node.text else ""
                yield "method", f"{text_of(value)}.{METHODS[text_of(field)]}{rest}"
    elif node.type == "unary_expression" and text_of(node).startswith("!"):
        yield "negation", text_of(node)[1:]
    elif node.type in {"if_expression", "while_expression"}:
        return
    elif is_condition(node) and not has_let(node):
        yield "condition", f"!({text_of(node)})"
    elif node.type == "integer_literal" and node.parent is not None and node.parent.type not in NAMED:
        yield "literal", f"({text_of(node)} + 1)"
    elif node.type == "expression_statement" and is_removable(node):
        yield "statement", ""


def is_condition(node: Node) -> bool:
    """Whether this is the condition of a branch or loop."""
    parent = node.parent
    return (
        parent is not None
        and parent.type in {"if_expression", "while_expression"}
        and parent.child_by_field_name("condition") == node
    )


def has_let(node: Node) -> bool:
    """Whether it binds names."""
    return any(it.type in {"let_condition", "let_chain"} for it in descendants(node))


def descendants(node: Node) -> Iterator[Node]:
    """A node and all below it."""
    yield node
    for child in node.children:
        yield from descendants(child)


def is_removable(node: Node) -> bool:
    """Whether the program may lack this statement: an assignment or a call, but not an assertion or a jump."""
    kinds = {"assignment_expression", "compound_assignment_expr", "call_expression"}
    return text_of(node).endswith(";") and node.children[0].type in kinds


def text_of(node: Node) -> str:
    """The source of a node."""
    return node.text.decode() if node.text is not None else ""
