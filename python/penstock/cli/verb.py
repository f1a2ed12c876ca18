"""Makes a verb of a function: the annotations of its parameters declare the options and arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Any, Literal, NamedTuple, get_args, get_origin

import click

from penstock.cli.console import emit


class Declaration(NamedTuple):
    """An option, or an argument where `names` is empty; the rest follows from the annotation and the default."""

    names: list[str]
    metavar: str | None
    help: str
    bounds: tuple[int, int | None] | None = None
    parser: Callable[[str], Any] | None = None
    complete: Callable[[], list[str]] | None = None

    def parameter(self, name: str, annotation: Any, default: Any) -> click.Parameter:
        """The parameter of a command that fills the parameter `name` of a function."""
        words = get_args(annotation)
        kind = next(each for each in words if each is not NoneType) if NoneType in words else annotation
        several = get_origin(kind) is list
        kind = get_args(kind)[0] if several else kind
        more: dict[str, Any] = {
            "help": self.help,
            "type": self._type(kind),
            "shell_complete": None if self.complete is None else self._completed,
        }
        if not self.names and default is inspect.Parameter.empty:
            return click.Argument([name], metavar=self.metavar, **more)
        more["default"] = default
        if not self.names:
            return click.Argument([name], metavar=f"[{self.metavar}]", **more)
        if several:
            more |= {"multiple": True, "callback": lambda ctx, parameter, value: list(value) or None}  # noqa: ARG005  (click's)
        return _Option([name, *self.names], is_flag=kind is bool, metavar=self.metavar, **more)

    def _completed(self, _ctx: click.Context, _parameter: click.Parameter, begun: str) -> list[str]:
        assert self.complete is not None
        return [word for word in self.complete() if word.startswith(begun)]

    def _parse(self, text: str) -> Any:
        assert self.parser is not None
        try:
            return self.parser(text)
        except ValueError as error:
            raise click.BadParameter(str(error)) from None

    def _type(self, kind: Any) -> Any:
        if self.parser is not None:
            return click.types.FuncParamType(self._parse)
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
    names: str, text: str, *, bounds: tuple[int, int | None] | None = None, parser: Callable[[str], Any] | None = None
) -> Declaration:
    """An option with names such as ``--out -o FILE``, the help `text`, and the smallest and the largest value.

    `parser` reads the value, and raises ValueError with a message if it is wrong.
    """
    words = names.split()
    count = sum(word.startswith("-") for word in words)
    return Declaration(words[:count], " ".join(words[count:]) or None, text, bounds, parser)


def argument(metavar: str, text: str, complete: Callable[[], list[str]] | None = None) -> Declaration:
    """A positional argument; `complete` lists the words that the shell offers."""
    return Declaration([], metavar, text, complete=complete)


def ending_option(name: str, text: str, act: Callable[[click.Context], None]) -> click.Option:
    """An option without a value that does something else than the command and ends it."""

    def callback(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
        if is_asked and not ctx.resilient_parsing:
            act(ctx)
            ctx.exit()

    return click.Option([name], is_flag=True, is_eager=True, expose_value=False, callback=callback, help=text)


_HELP = ending_option("--help", "Show this message and exit.", lambda ctx: emit(ctx.get_help()))


class _Option(click.Option):
    """An option whose help needs no addition: bounds and default are in the text."""

    def get_help_extra(self, ctx: click.Context) -> Any:  # noqa: ARG002  (click's)
        """Nothing behind the text."""
        return {}


class _Helped(click.Command):
    """A command whose help is shown as a result is."""

    def get_help_option(self, ctx: click.Context) -> click.Option:  # noqa: ARG002  (click's)
        """The option that shows the help."""
        return _HELP


class Verb(_Helped):
    """A verb: a function in a module of the same name, which is imported when the verb is called."""

    def __init__(self, function: str) -> None:
        super().__init__(function.strip("_").replace("_", "-"))
        self._function = function

    def get_short_help_str(self, limit: int = 45) -> str:
        """The first line of the function's docstring, read from the file: importing all verbs takes too long."""
        text = Path(__file__).with_name(f"{self._function}.py").read_text(encoding="utf-8")
        self.help = text.partition(f"\ndef {self._function}(")[2].partition('"""')[2].partition("\n")[0]
        return super().get_short_help_str(limit)

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        """Reads the words after the verb."""
        return super(Verb, self.loaded()).make_context(*args, **more)

    def loaded(self) -> Verb:
        """The verb with its options; the result of its function is the exit code (None for 0)."""
        self.callback = function = getattr(import_module(f"penstock.cli.{self._function}"), self._function)
        self.help = function.__doc__
        self.params = [
            each.annotation.__metadata__[0].parameter(each.name, each.annotation.__origin__, each.default)
            for each in inspect.signature(function, eval_str=True).parameters.values()
        ]
        return self


class Verbs(_Helped, click.Group):
    """All verbs; without one, the help is shown."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  (click's)
        """The verbs in their order, not in that of the alphabet."""
        return [*self.commands]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the words before the verb."""
        return super().parse_args(ctx, args or ["--help"])
