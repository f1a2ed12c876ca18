"""Reads a Python file with components, for the core and for networks."""

from __future__ import annotations

import ast
import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from inspect import cleandoc
from pathlib import Path
from threading import RLock
from types import ModuleType, SimpleNamespace
from typing import Any

from penstock.component import entries, made
from penstock.errors import InputError, PenstockError
from penstock.own.compiled import addresses as compiled_addresses
from penstock.own.compiled import compiler
from penstock.own.declared import Declared, Mistakes, declared, refuse_repeated
from penstock.own.plain import Plain, line_of
from penstock.own.translation import Translated, translate
from penstock.own.vocabulary import mark_of
from penstock.printable import quoted
from penstock.reference import with_file

DEBUG = "PENSTOCK_DEBUG_COMPONENT"
"""Environment variable that makes hooks run in the interpreter, also in worker processes."""

_ALLOWED = ("__future__", "math", "penstock", "typing")
"""Modules that a file may import."""
_LARGEST = 1 << 20
"""Most bytes of a file."""

_files: dict[tuple[str, str, bool], OwnFile] = {}
_lock = RLock()
_refused: list[list[Path]] = []
"""For each `none_executed` in progress, the files that were to be executed."""


class OwnFile:
    """A file with components. `identity`: digest of its text, and the versions of the compiler."""

    def __init__(self, path: Path, text: str) -> None:
        self.path = path
        digest = hashlib.sha256(text.encode()).hexdigest()
        self.identity = f"{digest}, {compiler()}"
        mistakes = Mistakes(path.name)
        self._text = text
        try:
            tree = ast.parse(text, str(path))
        except SyntaxError as error:
            # A null byte has no line.
            raise InputError(f"{path.name}:{error.lineno or 1}: {error.msg}") from None
        _check_imports(tree, mistakes)
        mistakes.raise_any()
        self._names = _executed(path, tree)
        refuse_repeated((node for node in tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)), mistakes)
        mistakes.raise_any()
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        _refuse_nested(tree, mistakes)
        mistakes.raise_any()
        found = [self._names[name] for name in classes if mark_of(self._names.get(name))]
        if not found:
            raise InputError(f"{path.name}: has no component; decorate a class, for example with @own.discipline")
        self.components = [declared(cls, classes[cls.__name__], mistakes) for cls in found]
        _check_names(self.components, mistakes)
        mistakes.raise_any()
        translated = self._translated(is_compiled=False)
        self._facts = translated.facts
        self.plain = Plain(translated.module, str(path), self._names)

    def _translated(self, *, is_compiled: bool) -> Translated:
        """The functions, from a new tree: translation changes it."""
        mistakes, tree = Mistakes(self.path.name), ast.parse(self._text, str(self.path))
        translated = translate(tree, self.components, self._names, mistakes, compiled=is_compiled)
        mistakes.raise_any()
        return translated

    @cached_property
    def for_core(self) -> dict[str, Any]:
        """What the core needs: declarations, and addresses of the hooks."""
        debug = _is_debug()
        if debug:
            addresses = {it.cls.__name__: self.plain.addresses(it) for it in self.components}
        else:
            module = self._translated(is_compiled=True).module
            addresses = compiled_addresses(module, str(self.path), self.components, self.identity)
        components = [self._component(it, addresses[it.cls.__name__]) for it in self.components]
        return {"key": f"{self.identity}, {id(self)}, {debug}", "identity": self.identity, "components": components}

    def _component(self, it: Declared, addresses: dict[str, int]) -> dict[str, Any]:
        return {
            "kind": it.kind,
            "name": it.key,
            "doc": cleandoc(it.cls.__doc__ or ""),
            "streams": list(it.streams.values()),
            "parameters": [{"name": name, **vars(each)} for name, each in it.parameters.items()],
            "class_parameters": [{"name": name, **vars(each)} for name, each in it.class_parameters.items()],
            "state": [vars(each) | {"is_float": each.is_float, "initial": each.words} for each in it.state.values()],
            "hooks": addresses,
            "facts": sorted({*it.facts, *self._facts[it.cls.__name__]}),
            "settings": dict(it.settings),
        }


def _check_names(components: list[Declared], mistakes: Mistakes) -> None:
    first: dict[tuple[str, str], Declared] = {}
    for it in components:
        if (other := first.setdefault((it.kind, it.key), it)) is not it:
            message = f"is a {it.kind} of the name {quoted(it.key)}, as {other.cls.__name__} is"
            mistakes.add(it.node.lineno, f"{it.cls.__name__} {message}; give it another: name=...")


def _refuse_nested(tree: ast.Module, mistakes: Mistakes) -> None:
    """Refuses decorated classes within other statements, which would be left out silently."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.decorator_list and node not in tree.body:
            message = f"{node.name} is within another statement; write a component at the top level of the file"
            mistakes.add(node.lineno, message)


def _check_imports(tree: ast.Module, mistakes: Mistakes) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "." if not node.level else "."]
        else:
            continue
        for name in names:
            if name.partition(".")[0] not in _ALLOWED:
                message = f"imports {quoted(name)}; a file with components may import {', '.join(_ALLOWED[1:])} only"
                mistakes.add(node.lineno, f"{message}, so that it decides its numbers alone")


def _executed(path: Path, tree: ast.Module) -> dict[str, Any]:
    """The global names of the file once it has run."""
    module = ModuleType(f"penstock_own_{path.stem}")
    module.__file__ = str(path)
    # Classes look their module up, for example to print themselves.
    sys.modules[module.__name__] = module
    try:
        exec(compile(tree, str(path), "exec"), vars(module))
    except (Exception, SystemExit) as error:
        line = line_of(error, str(path))
        if isinstance(error, SyntaxError) and not line:  # the compiler's, such as for a return outside a function
            raise InputError(f"{path.name}:{error.lineno or 1}: {error.msg}") from None
        of = "" if isinstance(error, PenstockError) else f"{type(error).__name__}: "
        raise InputError(f"{path.name}:{line}: {of}{error}") from None
    return vars(module)


def source(path: Path) -> str:
    """The text of a file. Raises InputError if it cannot be read."""
    try:
        if not path.is_file():
            raise InputError(f"{path.name}: there is no such file; names are relative to the scenario's folder")
        if path.stat().st_size > _LARGEST:
            raise InputError(f"{path.name}: is larger than 1 MiB, the most of a file with components")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name}: cannot be read: {error}") from None


def _is_debug() -> bool:
    return bool(os.environ.get(DEBUG))


def opened(path: Path) -> OwnFile:
    """The file, executed once for each version of its text."""
    path = path.absolute()
    text = source(path)
    key = str(path), text, _is_debug()
    with _lock:
        if key not in _files:
            try:
                _files[key] = OwnFile(path, text)
            except (MemoryError, RecursionError):  # of the parser
                raise InputError(f"{path.name}: is nested too deeply; split its longest expression") from None
        return _files[key]


def read(path: Path) -> dict[str, Any]:
    """The components of a file, for the core. Raises InputError with all mistakes, a line each."""
    with _lock:
        if _refused:
            _refused[-1].append(path)
            raise InputError(f"{path.name}: may not be executed here")
        return opened(Path(path)).for_core


@contextmanager
def none_executed() -> Iterator[list[Path]]:
    """Refuses to execute files until the end, and yields those that were refused."""
    _refused.append([])
    try:
        yield _refused[-1]
    finally:
        _refused.pop()


def by_identity(name: str, identity: str) -> OwnFile | None:
    """The file of this name with this text that was read last."""
    with _lock:
        found = (it for it in reversed(_files.values()) if (it.path.name, it.identity) == (name, identity))
        return next(found, None)


def load(file: str | Path) -> SimpleNamespace:
    """Makes classes of the components of a file, for building a `Network`.

    Parameters
    ----------
    file : str or Path
        The file; the attribute ``use`` of the network names it too.

    Returns
    -------
    SimpleNamespace
        The classes by the names that they have in the file, with the parameters as arguments. A metric has none: a
        measurement names it.

    Raises
    ------
    InputError
        If the file has mistakes.
    """
    everything = with_file(file)
    names = {(kind, entry["name"]): name for name, (kind, entry) in entries(everything).items()}
    components = [it for it in opened(Path(file)).components if (it.kind, it.key) in names]
    found = {it.cls.__name__: made(names[it.kind, it.key], everything) for it in components}
    return SimpleNamespace(**found)
