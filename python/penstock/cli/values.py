"""Reads plain values of the command line without the library for all others, which takes long to import.

Whatever is not plainly right goes the usual way, so that what is refused, and in which words, stays the same.
"""

from __future__ import annotations

import os
import re
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

if TYPE_CHECKING:
    from collections.abc import Iterable

    from typer._coercion import TypeDescriptor

__all__ = ["read_plainly"]

_PATH_RULES = ("exists", "writable", "resolve_path", "allow_dash", "path_type")


class _Other:
    """Stands for a value that is read the usual way."""


_OTHER = _Other()


class _PlainFirst:
    """What a parameter makes of a value."""

    def __init__(self, descriptor: TypeDescriptor) -> None:
        self._descriptor = descriptor

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value as the verb takes it."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        annotation, rules = self._descriptor.annotation, self._descriptor.parameter_info
        inner = get_args(annotation)
        if several and isinstance(value, list | tuple) and len(inner) == 1:
            (one,) = inner
            found: Any = [_plain(each, one, rules) for each in value]
            found = _OTHER if _OTHER in found else found
        else:
            found = _OTHER if several else _plain(value, annotation, rules)
        if found is not _OTHER:
            return found
        from typer._coercion import build_runtime_param

        return build_runtime_param(self._descriptor).coerce(value, param=param, ctx=ctx)


def read_plainly(parameters: Iterable[Any]) -> None:
    """Makes parameters of a command read plain values by themselves."""
    for parameter in parameters:
        descriptor = getattr(parameter, "type_descriptor", None)
        if descriptor is not None and descriptor.file_annotation is None:
            parameter._runtime_param = _PlainFirst(descriptor)


def _plain(value: Any, annotation: Any, rules: Any) -> Any:
    if rules.parser is not None and isinstance(value, str):
        try:
            return rules.parser(value)
        except ValueError:
            return _OTHER
    if not isinstance(annotation, type):
        return _OTHER
    if isinstance(value, annotation):
        return value
    found: Any = _OTHER
    if issubclass(annotation, Enum):
        found = {member.value: member for member in annotation}.get(value, _OTHER)
    elif annotation is Path and isinstance(value, str):
        found = _path(Path(value), rules)
    elif annotation is int and isinstance(value, str) and re.fullmatch("[0-9]{1,18}", value, re.ASCII):
        number = int(value)
        is_within = (rules.min is None or rules.min <= number) and (rules.max is None or number <= rules.max)
        found = number if is_within else _OTHER
    return found


def _path(path: Path, rules: Any) -> Any:
    if any(getattr(rules, rule, None) for rule in _PATH_RULES):
        return _OTHER
    try:
        return path if os.access(path, os.R_OK) or not path.exists() else _OTHER
    except OSError:
        return _OTHER
