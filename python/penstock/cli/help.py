"""How help is shown: at once, since it needs none of the machinery that reads values and takes long to import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Verb", "Verbs", "help_text"]


class Verbs(TyperGroup):
    """All verbs, and what may stand before them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the words of the command."""
        _read_plainly(self, ctx)
        return super().parse_args(ctx, args)


class Verb(TyperCommand):
    """A verb whose usage line names its arguments without braces, and which is quick to read plain values."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Reads the words after the verb."""
        _read_plainly(self, ctx)
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """The words after the verb."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]


def _read_plainly(command: TyperCommand | TyperGroup, ctx: Any) -> None:
    from penstock.cli.values import read_plainly

    read_plainly(command.get_params(ctx))


def help_text(app: typer.Typer, words: Sequence[str]) -> str | None:
    """What ``--help`` prints, if `words` ask for nothing but that; else None."""
    from typer.main import get_command

    verb: str | None
    match words:
        case [] | ["--help"]:
            verb = None
        case [verb, "--help"]:
            pass
        case _:
            return None
    everything = get_command(app)
    assert isinstance(everything, TyperGroup)
    top = typer.Context(everything, info_name=app.info.name)
    if verb is None:
        return everything.get_help(top)
    command = everything.commands.get(verb)
    return None if command is None else command.get_help(typer.Context(command, info_name=verb, parent=top))
