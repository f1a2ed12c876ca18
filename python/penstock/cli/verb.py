"""Makes a verb of a function: the annotations of its parameters declare the options and arguments."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args, get_origin

import click

from penstock.cli.console import emit

if TYPE_CHECKING:
    from collections.abc import Callable


class Declaration(NamedTuple):
    """An option, or an argument where `names` is empty; the rest follows from the annotation and the default."""

    names: str
    metavar: str | None
    help: str
    bounds: tuple[int, int | None] | None
    parser: Callable[[str], Any] | None
    complete: Callable[[str], list[str]] | None

    def parameter(self, name: str, annotation: Any, default: Any) -> click.Parameter:
        """The parameter of a command that fills the parameter `name` of a function."""
        words = get_args(annotation)
        kind = next(each for each in words if each is not NoneType) if NoneType in words else annotation
        several = get_origin(kind) is list
        kind = get_args(kind)[0] if several else kind
        complete = self.complete
        more: dict[str, Any] = {
            "help": self.help,
            "type": self._type(kind),
            "shell_complete": None if complete is None else lambda ctx, parameter, word: complete(word),  # noqa: ARG005  (click's)
        }
        if not self.names and default is inspect.Parameter.empty:
            return click.Argument([name], metavar=self.metavar, **more)
        more["default"] = default
        if not self.names:
            return click.Argument([name], metavar=f"[{self.metavar}]", **more)
        if several:
            more |= {"multiple": True, "callback": lambda ctx, parameter, value: list(value) or None}  # noqa: ARG005  (click's)
        return _Option([name, *self.names.split()], is_flag=kind is bool, metavar=self.metavar, **more)

    def _type(self, kind: Any) -> Any:
        if self.parser is not None:
            return click.types.FuncParamType(self.parser)
        if get_origin(kind) is Literal:
            return click.Choice(get_args(kind))
        if kind is Path:
            return click.Path(path_type=Path)
        if self.bounds is None:
            return kind
        found = click.IntRange(*self.bounds)
        found.name = "integer"
        return found


def option(
    names: str,
    metavar: str | None,
    text: str,
    *,
    bounds: tuple[int, int | None] | None = None,
    parser: Callable[[str], Any] | None = None,
) -> Declaration:
    """An option with a value.

    Parameters
    ----------
    names : str
        Such as ``--out -o``.
    metavar : str or None
        Stands for the value in the help; None where the annotation is a ``Literal``, whose words are shown.
    text : str
        The help.
    bounds : (int, int or None), optional
        The smallest and the largest value.
    parser : callable, optional
        Reads the value; raises :class:`click.BadParameter`.
    """
    return Declaration(names, metavar, text, bounds, parser, None)


def flag(names: str, text: str) -> Declaration:
    """An option without a value."""
    return Declaration(names, None, text, None, None, None)


def argument(metavar: str, text: str, complete: Callable[[str], list[str]] | None = None) -> Declaration:
    """A positional argument; `complete` lists what the shell offers for the beginning of a word."""
    return Declaration("", metavar, text, None, None, complete)


def verb(name: str, function: Callable[..., int | None]) -> Verb:
    """The verb that calls `function`, whose result is the exit code (None for 0)."""
    parameters = inspect.signature(function, eval_str=True).parameters.values()
    made = [
        each.annotation.__metadata__[0].parameter(each.name, each.annotation.__origin__, each.default)
        for each in parameters
    ]
    return Verb(name, callback=function, params=made, help=function.__doc__)


def _show_help(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
    if is_asked and not ctx.resilient_parsing:
        emit(ctx.get_help())
        ctx.exit()


_HELP = click.Option(
    ["--help"], is_flag=True, is_eager=True, expose_value=False, callback=_show_help, help="Show this message and exit."
)


class _Option(click.Option):
    """An option whose help needs no addition: bounds and default are in the text."""

    def get_help_extra(self, ctx: click.Context) -> Any:  # noqa: ARG002  (click's)
        """Nothing behind the text."""
        return {}


class _Helped(click.Command):
    """A command with `_HELP`."""

    def get_help_option(self, ctx: click.Context) -> click.Option:  # noqa: ARG002  (click's)
        """The option that shows the help as a result is shown."""
        return _HELP


class Verb(_Helped):
    """A verb."""


class Verbs(_Helped, click.Group):
    """All verbs; without one, the help is shown."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's)
        """The verbs in their order, not in that of the alphabet."""
        return [*self.commands]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the words before the verb."""
        return super().parse_args(ctx, args or ["--help"])
