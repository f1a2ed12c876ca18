"""Files of classes that were defined in a notebook, in IPython or in a program."""

import ast
import hashlib
import linecache
import sys
import textwrap
from collections.abc import Mapping
from types import FunctionType, ModuleType
from typing import Any

from penstock.errors import ArgumentError, InputError
from penstock.own.compiled import folder
from penstock.own.vocabulary import mark_of
from penstock.printable import quoted
from penstock.whole_file import write_whole


def file_of(*classes: type) -> str:
    """Writes components into a file, with the functions and constants that they use, for scenarios and networks.

    The file is in the user's cache, and its name depends on its text: a class that is changed has another file, and
    its runs are other runs.

    Parameters
    ----------
    *classes : type
        Classes with a decorator of this package, defined in a notebook, in IPython or in a program.

    Returns
    -------
    str
        The path, for ``use`` and :func:`load`.

    Raises
    ------
    InputError
        If the text of a class is not known, as at the prompt of Python, or if it uses what cannot be written.
    ArgumentError
        If a class is no component.

    Examples
    --------
    >>> from pathlib import Path
    >>> from penstock import own
    >>> MOST = 20
    >>> @own.discipline
    ... class Short:
    ...     \"\"\"Drops arrivals above a threshold.\"\"\"
    ...
    ...     def on_arrival(self, now, packet, queue):
    ...         return own.ACCEPT if queue.packets < MOST else own.DROP_OVERFLOW
    >>> print(Path(own.file_of(Short)).name)
    short.py
    """
    if not classes:
        raise ArgumentError("file_of: give a class.")
    text = _Text()
    for cls in classes:
        if mark_of(cls) is None:
            raise ArgumentError(
                f"file_of: {cls!r} is no component; decorate a class, for example with @own.discipline."
            )
        text.add(cls)
    content = text.whole()
    name = f"{classes[0].__name__.lower()}.py"
    file = folder().parent / "penstock-classes" / hashlib.sha256(content.encode()).hexdigest()[:16] / name
    try:
        if not file.is_file() or file.read_text(encoding="utf-8") != content:
            file.parent.mkdir(parents=True, exist_ok=True)
            write_whole(file, content.encode())
    except OSError as error:
        raise InputError(f"{name} cannot be written: {error}") from None
    return str(file)


class _Text:
    """The text of a file: imports, constants, and the functions and classes that use them."""

    def __init__(self) -> None:
        self._heads: dict[str, str] = {}
        self._bodies: dict[str, str] = {}

    def whole(self) -> str:
        return "\n".join([*self._heads.values(), "", "\n\n".join(self._bodies.values()), ""])

    def add(self, it: type | FunctionType) -> None:
        """Adds a class or a function, behind what it uses. Raises InputError if one of these has no text."""
        text, names = _source(it)
        # Functions may call each other.
        self._bodies[it.__name__] = ""
        used = [node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)]
        for name in dict.fromkeys(used):
            if name in names and name not in self._heads and name not in self._bodies:
                self._add_global(name, names[name], it.__name__)
        del self._bodies[it.__name__]
        self._bodies[it.__name__] = text

    def _add_global(self, name: str, value: Any, user: str) -> None:
        module = sys.modules.get(getattr(value, "__module__", None) or "")
        its_name = getattr(value, "__name__", "")
        if isinstance(value, ModuleType):
            self._heads[name] = f"import {value.__name__} as {name}"
        elif isinstance(module, ModuleType) and module.__name__.partition(".")[0] in ("math", "penstock", "typing"):
            self._heads[name] = f"from {module.__name__} import {its_name} as {name}"
        elif isinstance(value, FunctionType) and its_name == name:
            self.add(value)
        elif _is_literal(value):
            self._heads[name] = f"{name} = {value!r}"
        elif not isinstance(value, type):
            kinds = "numbers, texts, tuples of them, functions and modules can be used"
            raise InputError(f"{user} uses {quoted(name)}, which is of the type {type(value).__name__}; {kinds}")


def _is_literal(value: object) -> bool:
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError):
        return False


def _source(it: type | FunctionType) -> tuple[str, Mapping[str, Any]]:
    """The text of a class or function, and the global names of its place."""
    functions = (
        [it] if isinstance(it, FunctionType) else [each for each in vars(it).values() if isinstance(each, FunctionType)]
    )
    for function in functions:
        code = function.__code__
        lines = linecache.getlines(code.co_filename, function.__globals__)
        try:
            tree = ast.parse("".join(lines))
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if not isinstance(node, ast.ClassDef | ast.FunctionDef) or node.name != it.__name__:
                continue
            first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
            last = node.end_lineno or first
            if first <= code.co_firstlineno <= last:
                return textwrap.dedent("".join(lines[first - 1 : last])), function.__globals__
    where = "write it into a file, which `use` and own.load name, or define it in a notebook or in IPython"
    raise InputError(f"{it.__name__}: its text is not known; {where}")
